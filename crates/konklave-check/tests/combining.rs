//! Places without waves, in every schedule of small systems, whenever timers run out.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use konklave::NodeId;
use konklave::batched::Place;
use konklave::batched::combining::Combining;
use konklave::batched::waves::Placed;
use konklave::protocol::{Broken, Monitor, Promise};
use konklave::queue::QueueOp;
use konklave::queue::skueue::Fifo;
use konklave_check::{Options, System, Until, Verdict, World, explore};
use konklave_stage::{Application, Standing};

type Event = Placed<QueueOp, u64>;

/// Invokes operations without waiting.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asker {
    script: VecDeque<QueueOp>,
    outstanding: u32,
}

impl Application for Asker {
    type Command = QueueOp;
    type Event = Event;
    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<QueueOp> {
        self.script.front().copied().into_iter().collect()
    }

    fn on_command(&mut self, _op: &QueueOp) {
        self.script.pop_front();
        self.outstanding += 1;
    }

    fn on_event(&mut self, _placed: &Event) {
        self.outstanding -= 1;
    }

    fn revive(&mut self) {}

    fn supply(nodes: u32, _commands: &[(NodeId, QueueOp)]) -> Vec<Self> {
        vec![Self { script: VecDeque::new(), outstanding: 0 }; nodes as usize]
    }

    fn standing(&self) -> Standing {
        if self.outstanding == 0 { Standing::Idle } else { Standing::Waiting }
    }
}

/// Whether one order explains all places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Judge {
    invoked: BTreeMap<NodeId, u32>,
    /// For each operation, the highest place that was told before it was invoked.
    floors: BTreeMap<(NodeId, u32), Option<u64>>,
    placed: BTreeMap<u64, (NodeId, Event)>,
}

const ORDER: &str = "one order";

impl Monitor for Judge {
    type Command = QueueOp;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, _op: &QueueOp) -> Result<(), Broken> {
        let count = self.invoked.entry(node).or_default();
        self.floors.insert((node, *count), self.placed.keys().next_back().copied());
        *count += 1;
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, placed: &Event) -> Result<(), Broken> {
        let place = placed.place.witness;
        let floor = self.floors.get(&(node, placed.ticket)).copied().flatten();
        let is_late = floor.is_some_and(|floor| floor > place);
        match self.placed.insert(place, (node, *placed)) {
            None if !is_late => Ok(()),
            _ => Broken::by(node, ORDER, format!("{placed:?} comes too early, or twice")),
        }
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const { &[Promise::safety(ORDER)] }
    }

    /// The places of a single queue, dense and in program order.
    fn at_rest(&self) -> Result<(), Broken> {
        let (mut first, mut next) = (0, 0);
        let mut progress: BTreeMap<NodeId, u32> = BTreeMap::new();
        for (place, (&witness, (node, placed))) in (0..).zip(&self.placed) {
            let ticket = progress.entry(*node).or_default();
            let right = match placed.op {
                QueueOp::Enqueue(_) => {
                    next += 1;
                    Some(next - 1)
                }
                QueueOp::Dequeue if first < next => {
                    first += 1;
                    Some(first - 1)
                }
                QueueOp::Dequeue => None,
            };
            let expected =
                Placed { ticket: *ticket, op: placed.op, place: Place { key: right, witness } };
            if witness != place || *placed != expected {
                return Broken::by(*node, ORDER, format!("{placed:?} instead of {expected:?}"));
            }
            *ticket += 1;
        }
        match progress == self.invoked {
            true => Ok(()),
            false => Broken::promise(ORDER, "an operation has no place".to_owned()),
        }
    }
}

/// In how many states processes with these parents, and `e` for enqueue and `d` for dequeue, keep
/// one order.
fn states(parents: &[Option<u32>], scripts: &[&str]) -> u64 {
    let op = |letter| if letter == 'e' { QueueOp::Enqueue(7) } else { QueueOp::Dequeue };
    let asker = |script: &&str| Asker { script: script.chars().map(op).collect(), outstanding: 0 };
    let make = |me: NodeId| {
        let next = parents[me.index()].map(NodeId);
        Combining::<Fifo>::new(next, Duration::from_millis(1))
    };
    let askers = scripts.iter().map(asker).collect();
    let system = System::new(make, askers, Judge::default(), World::new());
    let options = Options { threads: 2, until: Until::AllDecided, ..Options::default() };
    let report = explore(system, options, &mut |_| true);
    for found in &report.counterexamples {
        println!("{parents:?}, {scripts:?}: {}", found.broken);
    }
    assert_eq!(report.verdict, Verdict::Exhausted, "{parents:?}, {scripts:?}");
    report.unique
}

#[test]
fn every_schedule_of_two_processes_keeps_one_order() {
    let scripts: [[&str; 2]; 4] = [["", "e"], ["e", "d"], ["ed", "de"], ["ed", "ded"]];
    let states = scripts.map(|scripts| states(&[None, Some(0)], &scripts));
    assert_eq!(states, [7, 19, 328, 2_083]);
}

#[test]
fn every_schedule_of_three_processes_keeps_one_order() {
    let scripts: [[&str; 3]; 3] = [["e", "d", "e"], ["", "ed", "de"], ["d", "e", "ed"]];
    let line = scripts.map(|scripts| states(&[None, Some(0), Some(1)], &scripts));
    let star = scripts.map(|scripts| states(&[None, Some(0), Some(0)], &scripts));
    assert_eq!((line, star), ([468, 5_202, 4_806], [237, 1_949, 2_063]));
}

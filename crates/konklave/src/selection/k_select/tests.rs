use super::*;
use crate::Recorder;
use crate::circle::{Mixer, Salt};
use crate::protocol::{Effect, Input, Monitor as _};
use crate::selection::Monitor;
use crate::selection::search::Splitters;

/// Processes, and what is in transit between them.
struct System {
    nodes: Vec<KSelect>,
    mail: Vec<(NodeId, NodeId, Msg)>,
    monitor: Monitor,
    draw: Mixer,
    sent: u64,
}

impl System {
    /// So many processes and elements, a few samples of which are drawn.
    fn new(processes: u32, elements: u64, sample: Option<u64>, seed: u64) -> Self {
        let mixer = Mixer::new(seed);
        let plan = Plan { processes, splitters: Splitters::Adaptive, sample, mixer };
        let mut held = vec![Vec::new(); processes as usize];
        for id in 0..elements {
            let key = Key { priority: mixer.mix(id, Salt(50)) % (2 * elements), id };
            held[(mixer.mix(id, Salt(51)) % u64::from(processes)) as usize].push(key);
        }
        let monitor = Monitor::new(held.iter().flatten().map(|key| key.priority));
        let network = Ldb::hashed(mixer, NodeId::all(processes));
        let nodes = network.iter().zip(held).map(|(ldb, held)| KSelect::new(ldb, plan, held));
        Self { nodes: nodes.collect(), mail: Vec::new(), monitor, draw: mixer, sent: 0 }
    }

    fn happen(&mut self, node: NodeId, input: Input<KSelect>) {
        let choice = self.draw.mix(self.sent, Salt(52)) as u32;
        let mut env = Recorder::choosing(&[choice % 4; 100]);
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    assert_ne!(to, node, "steps inside a process are not messages: {msg:?}");
                    self.sent += 1;
                    self.mail.push((node, to, msg));
                }
                Effect::Emit(event) => self.monitor.on_event(node, &event).unwrap(),
                Effect::Choose { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    fn select(&mut self, node: u32, rank: u64) {
        let command = Command::Select { rank };
        self.monitor.on_command(NodeId(node), &command).unwrap();
        self.happen(NodeId(node), Input::Command(command));
    }

    fn settle(&mut self) {
        while !self.mail.is_empty() {
            let at = self.draw.mix(self.sent, Salt(53)) as usize % self.mail.len();
            let (from, to, msg) = self.mail.swap_remove(at);
            self.happen(to, Input::Message { from, msg });
            let nodes: Vec<&KSelect> = self.nodes.iter().collect();
            wanted_is_active(&Snapshot { nodes: &nodes, messages: &[] }).unwrap();
        }
        self.monitor.at_rest().unwrap();
    }

    fn anchor(&self) -> &KSelect {
        self.nodes.iter().find(|node| node.rounds.parent().is_none()).unwrap()
    }
}

#[test]
fn every_rank_is_found_whoever_asks() {
    for processes in [1, 2, 3, 5, 9, 20] {
        let mut system = System::new(processes, 40, Some(3), processes.into());
        for rank in 0..=41 {
            system.select(rank as u32 % processes, rank);
            system.settle();
        }
    }
}

#[test]
fn selections_wait_for_each_other() {
    let mut system = System::new(7, 30, Some(4), 3);
    for node in 0..7 {
        system.select(node, 1 + u64::from(node) * 4);
        system.select(node, 30);
    }
    system.settle();
}

/// The anchor asks and is asked by nobody; every round is a message and its reply on each edge.
#[test]
fn a_selection_costs_its_rounds() {
    let mut system = System::new(12, 200, None, 1);
    let anchor = system.anchor().me;
    system.select(anchor.0, 77);
    system.settle();
    assert_eq!(system.sent, u64::from(system.anchor().rounds()) * 2 * 11);
    let (account, value) = system.anchor().last().unwrap();
    assert_eq!(*value, system.monitor.right(77));
    let rounds = 1 + 2 * account.phase1 + 1; // And 2 or 3 for each sample.
    let (least, most) = (rounds + account.iterations, rounds + 3 * account.iterations);
    assert!((least..=most).contains(&system.anchor().rounds()), "{account:?}");
}

#[test]
fn a_process_alone_needs_no_messages_and_nothing_is_found_among_nothing() {
    let mut alone = System::new(1, 500, None, 2);
    alone.select(0, 250);
    assert_eq!(alone.sent, 0);
    alone.settle();
    let mut empty = System::new(4, 0, None, 2);
    empty.select(2, 1);
    empty.settle();
}

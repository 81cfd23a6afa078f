//! Nodes that act by themselves: fair turns, rounds, causes, stability, and leaving for good.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::protocol::{self, Broken, Env, Invariant, Never, Protocol, Snapshot};
use konklave::trace::Ended;
use konklave_sim::metrics::{ByCause, Messages};
use konklave_sim::workload::{Agenda, Workload};
use konklave_sim::{Delay, Options, RunReport, Simulation, Stabilisation};
use serde::{Deserialize, Serialize};

/// A node of a ring that tells the next one the largest number it has heard, at every turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gossip {
    next: NodeId,
    largest: u32,
    turns: u32,
    /// What came back, by the node that it was meant for.
    returned: BTreeMap<NodeId, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
enum Command {
    Hear(u32),
    Leave,
    /// Tell a node whose address it does not hold.
    Call(NodeId),
}

impl Protocol for Gossip {
    type Msg = u32;
    type Timer = Never;
    type Command = Command;
    type Event = u32;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Hear(number) => {
                self.largest = self.largest.max(number);
                env.send(self.next, self.largest);
            }
            Command::Call(stranger) => env.send(stranger, self.largest),
            Command::Leave => {
                env.emit(self.turns);
                env.leave();
            }
        }
    }

    fn on_message(&mut self, _from: NodeId, number: u32, _env: &mut impl Env<Self>) {
        self.largest = self.largest.max(number);
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        self.turns += 1;
        env.send(self.next, self.largest);
    }

    fn on_returned(&mut self, to: NodeId, number: u32, _env: &mut impl Env<Self>) {
        self.returned.insert(to, number);
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        Some(vec![self.next])
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        Some(Invariant::new("legal", |system: &Snapshot<'_, Self>| {
            let largest = system.nodes.iter().map(|node| node.largest);
            let is_same = largest.clone().min() == largest.max();
            is_same.then_some(()).ok_or_else(|| "nodes disagree".to_owned())
        }))
    }
}

struct Orders(Vec<(u64, u32, Command)>);

impl Workload for Orders {
    type Command = Command;
    type Event = u32;
    type Report = ();

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.0
            .iter()
            .for_each(|(time, node, command)| agenda.after(*time, NodeId(*node), *command));
    }

    fn on_event(&mut self, _node: NodeId, _event: &u32, _agenda: &mut Agenda<'_, Command>) {}

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) {}
}

/// Watches for nothing but what a node is told to hear: at rest, nothing of it may be left over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Heard(u32);

impl protocol::Monitor for Heard {
    type Command = Command;
    type Event = u32;

    fn on_command(&mut self, _node: NodeId, command: &Command) -> Result<(), Broken> {
        self.0 += u32::from(matches!(command, Command::Hear(_)));
        Ok(())
    }

    fn on_event(&mut self, _node: NodeId, _event: &u32) -> Result<(), Broken> {
        Ok(())
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        match self.0 {
            0 => Ok(()),
            left => Broken::promise(SILENCE, format!("{left} numbers were heard")),
        }
    }
}

const SILENCE: &str = "nothing is heard";

type Run = Simulation<'static, Gossip, Orders, Heard>;

/// A ring of nodes, of which node 0 has heard the largest number.
fn ring(options: Options, nodes: u32, orders: Vec<(u64, u32, Command)>) -> Run {
    let make = move |me: NodeId| Gossip {
        next: NodeId((me.0 + 1) % nodes),
        largest: nodes - me.0,
        turns: 0,
        returned: BTreeMap::new(),
    };
    Simulation::new(options, nodes, make, Orders(orders), Heard::default())
}

fn run(simulation: &mut Run) -> RunReport<()> {
    simulation.run(&mut |_| true).expect("nothing is written")
}

fn stabilise(options: Options, nodes: u32) -> (RunReport<()>, Stabilisation) {
    let options = Options { stable_rounds: Some(3), ..options };
    let report = run(&mut ring(options, nodes, Vec::new()));
    let stabilisation = report.stabilisation.expect("gossip is self-stabilising");
    (report, stabilisation)
}

#[test]
fn with_unit_delay_and_period_time_is_counted_in_rounds() {
    for nodes in [2, 5, 100] {
        let (report, stabilisation) = stabilise(Options::default(), nodes);
        // What node 0 says in its first turn arrives one moment later, before the next turn.
        assert_eq!(stabilisation.rounds, Some(nodes.into()), "one hop per round");
        assert_eq!((report.ended, report.rounds), (Ended::Stable, u64::from(nodes) + 3));
        assert_eq!(report.time, report.rounds);
        assert_eq!(stabilisation.messages_per_node, f64::from(nodes), "one per turn");
        assert_eq!(stabilisation.maintenance_per_node_and_round, 1.0);
        assert!(stabilisation.connected && stabilisation.closure);
    }
}

#[test]
fn a_stable_system_is_judged_like_one_at_rest() {
    let options = Options { stable_rounds: Some(3), ..Options::default() };
    let report = run(&mut ring(options, 5, vec![(2, 1, Command::Hear(9))]));
    let broken = report.violations.first().map(|violation| violation.broken.promise.as_str());
    assert_eq!((report.ended, broken), (Ended::Violation, Some(SILENCE)));
}

#[test]
fn a_round_lets_everything_old_arrive_and_every_node_act() {
    for (delay, period) in [(1, 7), (10, 1), (10, 4), (3, 3)] {
        let delay_of = Delay::Constant(delay);
        let options = Options { delay: delay_of, period, ..Options::default() };
        let (report, stabilisation) = stabilise(options, 20);
        let rounds = stabilisation.rounds.expect("legal at last");
        // A hop takes a delay and then at most a period. A round takes at least the longer of both,
        // but for the first, in which nothing is in transit.
        assert!(rounds <= 20 + 20 * 2, "{rounds} rounds with delay {delay}, period {period}");
        assert!(report.time >= (report.rounds - 1) * delay.max(period), "{}", report.time);
        assert!(report.time <= report.rounds * (delay + period) + period, "{}", report.time);
    }
}

#[test]
fn every_node_has_as_many_turns_as_any_other() {
    for (nodes, period) in [(10, 1), (10, 3), (3, 10), (1, 1)] {
        let time_limit = Some(300);
        let mut simulation =
            ring(Options { period, time_limit, ..Options::default() }, nodes, Vec::new());
        assert_eq!(run(&mut simulation).ended, Ended::TimeLimit);
        for node in NodeId::all(nodes) {
            let turns = u64::from(simulation.node(node).turns);
            assert!(turns.abs_diff(300 / period) <= 1, "{node} of {nodes}: {turns} turns");
        }
    }
}

#[test]
fn messages_are_told_apart_by_what_they_descend_from() {
    let orders = vec![(10, 0, Command::Hear(1)), (20, 1, Command::Hear(2))];
    let options = Options { time_limit: Some(50), ..Options::default() };
    let messages = run(&mut ring(options, 4, orders)).messages;
    assert_eq!(messages.by_cause, Some(ByCause { command: 2, tick: 4 * 50 }));
}

#[test]
fn what_is_sent_to_a_node_that_has_left_comes_back() {
    let orders = vec![(10, 1, Command::Leave), (30, 1, Command::Hear(9))];
    let options = Options { time_limit: Some(50), delay: Delay::Constant(2), ..Options::default() };
    let mut simulation = ring(options, 3, orders);
    let report = run(&mut simulation);
    assert_eq!(report.ended, Ended::TimeLimit);
    let gone = simulation.node(NodeId(1));
    assert_eq!((gone.turns, gone.largest), (9, 3), "it acts no more, and hears nothing");
    assert_eq!(simulation.node(NodeId(0)).returned, BTreeMap::from([(NodeId(1), 3)]));
    assert!(simulation.node(NodeId(2)).returned.is_empty());
    // Nodes 0 and 2 send in 50 turns each, node 1 in 9. Each of node 0's messages from time 8 on is
    // on its way to node 1 when that leaves, or later; what is sent in the last four moments is
    // still out, and node 0 hears what node 2 sends until two moments before the end.
    assert_eq!(report.messages.total, 50 + 50 + 9);
}

#[test]
fn rounds_go_on_when_messages_come_back() {
    let orders = vec![(10, 1, Command::Leave)];
    let options = Options { time_limit: Some(100), ..Options::default() };
    let report = run(&mut ring(options, 3, orders));
    // A message that comes back is a new one: it has arrived where it was sent to, so every round
    // still takes one moment.
    assert_eq!(report.rounds, 100);
}

#[test]
fn a_message_to_a_stranger_breaks_a_promise() {
    let call = |node| vec![(10, 0, Command::Call(NodeId(node)))];
    let options = Options { time_limit: Some(50), ..Options::default() };
    for known in [0, 1] {
        assert_eq!(run(&mut ring(options.clone(), 4, call(known))).ended, Ended::TimeLimit);
    }
    let report = run(&mut ring(options, 4, call(2)));
    let broken = report.violations.first().map(|it| (it.time, it.broken.promise.as_str()));
    assert_eq!(broken, Some((10, "sends to nodes it knows")));
}

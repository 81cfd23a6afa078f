//! Light load turn by turn: who asks is given, and what every turn cost is known.

use konklave::NodeId;
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::Agenda;
use konklave_sim::{Delay, Options};

use super::chang_roberts::moments;
use super::lock::{plan, watch};

/// One entry on a system at rest, from asking until it rests again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct Turn {
    pub(super) node: NodeId,
    pub(super) messages: u64,
    pub(super) waited: u64,
}

/// The nodes of `order` enter one after the other; with constant delay 1, if nothing else is said.
pub(super) fn turns<P>(
    options: &Options,
    nodes: u32,
    order: &[NodeId],
    make: impl Fn(NodeId) -> P,
) -> Vec<Turn>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let plan = Plan { requesters: Vec::new(), ..plan(options, nodes, Demand::Heavy, 0) };
    let in_turn = InTurn { order: order.to_vec(), began: (0, 0), turns: Vec::new() };
    let turns = watch(options, nodes, plan, Some(in_turn), make).problem.turns;
    assert!(turns.iter().map(|turn| turn.node).eq(order.iter().copied()), "{nodes} nodes");
    turns
}

/// Applications that enter in this order, each when everything is at rest.
pub(super) struct InTurn {
    order: Vec<NodeId>,
    /// Time and messages when the present turn began.
    began: (u64, u64),
    pub(super) turns: Vec<Turn>,
}

impl InTurn {
    pub(super) fn on_granted(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        let waited = agenda.now() - self.began.0;
        self.turns.push(Turn { node, messages: 0, waited });
        agenda.after(5, node, Command::Release);
    }

    pub(super) fn on_rest(&mut self, agenda: &mut Agenda<'_, Command>) {
        if let Some(turn) = self.turns.last_mut() {
            turn.messages = agenda.messages() - self.began.1;
        }
        self.began = (agenda.now(), agenda.messages());
        if let Some(&node) = self.order.get(self.turns.len()) {
            agenda.after(0, node, Command::Acquire);
        }
    }
}

/// Anyone at any time.
pub(super) fn uniform(nodes: u32, length: usize, seed: u64) -> Vec<NodeId> {
    let mut random = Random::new(seed, Stream::Workload);
    (0..length).map(|_| NodeId(random.below(nodes.into()) as u32)).collect()
}

/// Anyone, but never the same twice in a row, and node 0 not first: the token is there.
pub(super) fn distinct(nodes: u32, length: usize, seed: u64) -> Vec<NodeId> {
    let mut random = Random::new(seed, Stream::Workload);
    let mut last = 0;
    let mut next = || {
        last = (last + 1 + random.below(u64::from(nodes) - 1) as u32) % nodes;
        NodeId(last)
    };
    (0..length).map(|_| next()).collect()
}

/// Messages of all turns.
pub(super) fn total(turns: &[Turn]) -> u64 {
    turns.iter().map(|turn| turn.messages).sum()
}

/// Schedules to which a cost that is exact must be blind.
pub(super) fn schedules() -> impl Iterator<Item = Options> {
    let delays = [
        Delay::Constant(1),
        Delay::Uniform(1, 10),
        Delay::Exponential(5),
        Delay::PerLink(1, 20),
        Delay::Asymmetric(1, 20),
    ];
    let cases = delays.into_iter().flat_map(|delay| [(delay, 1, true), (delay, 2, false)]);
    cases.map(|(delay, seed, fifo)| Options { seed, delay, fifo, ..Options::default() })
}

/// The mean of independent samples is the expected one, with a confidence of 99 %.
pub(super) fn assert_mean(samples: &[f64], expected: f64, context: &str) {
    let (mean, deviation) = moments(samples);
    let margin = 2.576 * deviation / (samples.len() as f64).sqrt();
    let error = (mean - expected).abs();
    assert!(margin < 0.03 * expected, "{context}: too few samples for {expected}, {margin}");
    assert!(error <= margin, "{context}: {mean}, not {expected}, with a margin of {margin}");
}

/// The mean cost of a turn, one sample per seed: turns of one run depend on each other.
pub(super) fn mean_costs(seeds: u64, left_out: usize, play: impl Fn(u64) -> Vec<Turn>) -> Vec<f64> {
    let mean = |seed| {
        let measured = &play(seed)[left_out..];
        total(measured) as f64 / measured.len() as f64
    };
    (1..=seeds).map(mean).collect()
}

#[test]
fn orders_are_what_they_are_called() {
    assert!(distinct(4, 100, 1).windows(2).all(|pair| pair[0] != pair[1]));
    let seen: std::collections::BTreeSet<_> = distinct(4, 100, 1).into_iter().collect();
    assert_eq!(seen.len(), 4);
}

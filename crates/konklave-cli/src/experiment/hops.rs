//! How far ids travel on a ring: Chang and Roberts with a counter on every proposal.

use std::time::Duration;

use konklave::NodeId;
use konklave::election::chang_roberts::{self, ChangRoberts, Wake};
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::protocol::{Broken, Env, Never, Protocol};
use konklave_catalog::election::workload::{Ballot, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Options, Simulation};
use serde::{Deserialize, Serialize};

/// A message that knows how far its id has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Counted {
    msg: chang_roberts::Msg,
    hops: u32,
}

/// A node of Chang and Roberts that writes down how far the proposals came that end with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Odometer {
    node: ChangRoberts,
    ended: Vec<u32>,
}

impl Protocol for Odometer {
    type Msg = Counted;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        self.node.on_command(command, &mut Counter { env, arrived: None, passed: Passed::Not });
    }

    fn on_message(
        &mut self,
        from: NodeId,
        Counted { msg, hops }: Counted,
        env: &mut impl Env<Self>,
    ) {
        let mut counter = Counter { env, arrived: Some((msg, hops)), passed: Passed::Not };
        self.node.on_message(from, msg, &mut counter);
        if matches!(msg, chang_roberts::Msg::Propose(_)) && counter.passed == Passed::Not {
            self.ended.push(hops);
        }
    }
}

/// Whether the message that arrived goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    On,
    Not,
}

/// The environment of the node inside.
struct Counter<'a, E> {
    env: &'a mut E,
    arrived: Option<(chang_roberts::Msg, u32)>,
    passed: Passed,
}

impl<E: Env<Odometer>> Env<ChangRoberts> for Counter<'_, E> {
    fn send(&mut self, to: NodeId, msg: chang_roberts::Msg) {
        let hops = match self.arrived {
            Some((arrived, hops)) if arrived == msg => {
                self.passed = Passed::On;
                hops + 1
            }
            _ => 1,
        };
        self.env.send(to, Counted { msg, hops });
    }

    fn set_timer(&mut self, timer: Never, _after: Duration) {
        match timer {}
    }

    fn cancel_timer(&mut self, timer: Never) {
        match timer {}
    }

    fn emit(&mut self, event: Event) {
        self.env.emit(event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.env.choose(bound)
    }
}

/// How far each id travels on a random ring of `nodes`, everyone a candidate.
pub(super) fn on_a_random_ring(nodes: u32, seed: u64) -> Result<Vec<u32>, Broken> {
    let mut ids: Vec<u32> = (0..nodes).collect();
    Random::new(seed, Stream::Ids).shuffle(&mut ids);
    along(&ids, seed)
}

fn along(ids: &[u32], seed: u64) -> Result<Vec<u32>, Broken> {
    let nodes = ids.len() as u32;
    let ids: Vec<Id> = ids.iter().copied().map(Id).collect();
    let make = |me: NodeId| {
        let next = NodeId((me.0 + 1) % nodes);
        let node = ChangRoberts::new(ids[me.index()], next, Wake::All);
        Odometer { node, ended: Vec::new() }
    };
    let ballot = Ballot::new(ids.clone(), Plan::once(NodeId::all(nodes).collect(), 0));
    let monitor = Monitor::new(ids.clone(), Winner::Largest);
    let options = Options { seed, ..Options::default() };
    let mut simulation = Simulation::new(options, nodes, make, ballot, monitor);
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    if let Some(violation) = report.violations.into_iter().next() {
        return Err(violation.broken);
    }
    Ok(NodeId::all(nodes).flat_map(|node| simulation.node(node).ended.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut hops: Vec<u32>) -> Vec<u32> {
        hops.sort_unstable();
        hops
    }

    #[test]
    fn ids_travel_to_the_next_larger_one() {
        // 27 to 42, 4 to 42, 42 to 63, 15 to 63, 9 to 27, and 63 home.
        assert_eq!(sorted(along(&[27, 4, 42, 15, 63, 9], 1).unwrap()), [1, 1, 1, 2, 2, 6]);
        assert_eq!(sorted(along(&[3, 2, 1, 0], 1).unwrap()), [1, 2, 3, 4]);
        assert_eq!(along(&[7], 1).unwrap(), [1]);
    }

    #[test]
    fn hops_are_distributed_as_records_are() {
        let nodes = 20_000;
        let hops = on_a_random_ring(nodes, 2).unwrap();
        assert_eq!(hops.len(), nodes as usize, "every id travels and ends");
        assert_eq!(hops.iter().max(), Some(&nodes), "the largest goes round");
        for j in 1..=20_u32 {
            let found = hops.iter().filter(|&&hop| hop == j).count() as f64;
            let expected = f64::from(nodes) / f64::from(j * (j + 1));
            // Neighbours depend on each other, but not so as to vary more than independent ones.
            let margin = 3.3 * expected.sqrt();
            assert!((found - expected).abs() < margin, "{j} hops: {found}, expected {expected}");
        }
    }
}

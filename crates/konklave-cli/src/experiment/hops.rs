//! How far ids travel on a ring: Chang and Roberts with a counter on every proposal.

use konklave::NodeId;
use konklave::election::chang_roberts::{self, ChangRoberts, Wake};
use konklave::election::{Command, Event, Id, Monitor, Winner};
use konklave::protocol::{Broken, Effect, Env, Hosts, Input, Never, Protocol};
use konklave_catalog::election::workload::{Ballot, Plan};
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Options, Simulation};
use serde::{Deserialize, Serialize};

/// A message that counts the hops of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Counted {
    msg: chang_roberts::Msg,
    hops: u32,
}

/// A node of Chang and Roberts that records the hops of the proposals that end with it.
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
        self.run(env, |node, env| node.on_command(command, env));
    }

    fn on_message(
        &mut self,
        from: NodeId,
        Counted { msg, hops }: Counted,
        env: &mut impl Env<Self>,
    ) {
        let mut goes_on = false;
        for effect in self.hold(&(), Input::Message { from, msg }, env) {
            match effect {
                Effect::Send { to, msg: sent } if sent == msg => {
                    goes_on = true;
                    env.send(to, Counted { msg, hops: hops + 1 });
                }
                other => self.release(&(), other, env),
            }
        }
        if matches!(msg, chang_roberts::Msg::Propose(_)) && !goes_on {
            self.ended.push(hops);
        }
    }
}

impl Hosts<ChangRoberts> for Odometer {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut ChangRoberts> {
        Some(&mut self.node)
    }

    /// Sends a message of this node with a hop count of one.
    fn wrap_msg((): &(), msg: chang_roberts::Msg) -> Counted {
        Counted { msg, hops: 1 }
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), event: Event, env: &mut impl Env<Self>) {
        env.emit(event);
    }
}

/// The hops of each id on a random ring of `nodes`, where every node is a candidate.
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

//! Chang and Roberts in both directions: ids that meet stop each other.

use std::cmp::Reverse;

use konklave::election::chang_roberts_bidirectional::{ChangRobertsBidirectional, Wake};
use konklave::election::heading::Neighbours;
use konklave::election::{Command, Event, Id, Winner};
use konklave::protocol::{Effect, Env, Hosts, Input, Protocol};
use konklave::{NodeId, Recorder};
use konklave_catalog::election::workload::Plan;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options};

use super::chang_roberts::harmonic;
use super::ring_election::{RINGS, check_mean, circular_orders, elect, everyone, random_ring};

/// A node for which the test chooses: 0 sends its id to the right, 1 to the left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Steered {
    node: ChangRobertsBidirectional,
    choice: u32,
}

type Msg = <ChangRobertsBidirectional as Protocol>::Msg;
type Timer = <ChangRobertsBidirectional as Protocol>::Timer;

impl Steered {
    fn happen(&mut self, input: Input<ChangRobertsBidirectional>, env: &mut impl Env<Self>) {
        let mut recorder = Recorder::choosing(&[self.choice]);
        self.node.on(input, &mut recorder);
        for effect in recorder.take() {
            if let Effect::Choose { bound, value } = effect {
                assert_eq!((bound, value), (2, self.choice), "one choice, of a side");
            }
            self.release(&(), effect, env);
        }
    }
}

impl Protocol for Steered {
    type Msg = Msg;
    type Timer = Timer;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        self.happen(Input::Command(command), env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        self.happen(Input::Message { from, msg }, env);
    }
}

impl Hosts<ChangRobertsBidirectional> for Steered {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut ChangRobertsBidirectional> {
        Some(&mut self.node)
    }

    fn wrap_msg((): &(), msg: Msg) -> Msg {
        msg
    }

    fn wrap_timer((): &(), timer: Timer) -> Timer {
        timer
    }

    fn on_part(&mut self, (): &(), event: Event, env: &mut impl Env<Self>) {
        env.emit(event);
    }
}

/// Everyone starts at once, the largest id first. With equal delays, messages of one moment are
/// handled in the order in which they were sent, so then larger ids are always first.
fn largest_first(ids: &[u32]) -> Plan {
    let mut places: Vec<_> = NodeId::all(ids.len() as u32).collect();
    places.sort_by_key(|place| Reverse(ids[place.index()]));
    Plan::once(places, 0)
}

/// The messages to elect if the bits of `choices` say who sends to the left.
fn steered(ids: &[u32], choices: u32) -> u64 {
    let make = |me: Id, ring: Neighbours| {
        let place = ids.iter().position(|&id| id == me.0).unwrap();
        let node = ChangRobertsBidirectional::new(me, ring, Wake::All);
        Steered { node, choice: choices >> place & 1 }
    };
    let report = elect(&Options::default(), ids, Winner::Largest, largest_first(ids), make);
    assert_eq!(report.problem.time_to_elect, Some(ids.len() as f64), "{ids:?}");
    report.problem.messages_to_elect
}

/// The messages to elect on this ring.
fn cost(options: &Options, ids: &[u32], plan: Plan, wake: Wake) -> u64 {
    let make = |me, ring| ChangRobertsBidirectional::new(me, ring, wake);
    let report = elect(options, ids, Winner::Largest, plan, make);
    let n = ids.len() as u64;
    assert_eq!(report.problem.messages_to_announce, n, "{ids:?}");
    assert!(report.problem.messages_to_elect <= n * (n + 1) / 2, "{ids:?}, {options:?}");
    report.problem.messages_to_elect
}

#[test]
fn the_rings_of_the_specification_cost_what_it_says() {
    // election.md 11.1: all to the right, all to the left, right and left in turn.
    let right = [5, 13, 25, 15, 36, 20, 38];
    let left = [6, 15, 25, 36, 15, 20, 80];
    let in_turn = [5, 13, 25, 24, 24, 20, 80];
    for (place, ids) in RINGS.into_iter().enumerate() {
        assert_eq!(steered(ids, 0), right[place], "{ids:?}");
        assert_eq!(steered(ids, u32::MAX), left[place], "{ids:?}");
        assert_eq!(steered(ids, 0xAAAA_AAAA), in_turn[place], "{ids:?}");
    }
}

#[test]
fn sums_over_all_rings_and_all_directions() {
    // election.md 4.6, with larger ids first.
    let sum = |n| {
        let choices = 0..1_u32 << n;
        let of_ring = |ids: &Vec<u32>| choices.clone().map(|bits| steered(ids, bits)).sum::<u64>();
        circular_orders(n).iter().map(of_ring).sum::<u64>()
    };
    let sums: Vec<_> = (1..=6).map(sum).collect();
    assert_eq!(sums, [2, 12, 84, 752, 8080, 103_008]);
}

#[test]
fn no_schedule_costs_more_than_the_worst() {
    let delays = [Delay::Uniform(1, 30), Delay::Exponential(10), Delay::Asymmetric(1, 30)];
    for nodes in [1, 2, 3, 7, 16, 40] {
        for (seed, delay) in (1..=10).flat_map(|seed| delays.map(|delay| (seed, delay))) {
            let ids = random_ring(nodes, seed);
            let options = Options { seed, delay, fifo: seed % 2 == 0, ..Options::default() };
            let count = 1 + seed as u32 % nodes;
            let few = Random::new(seed, Stream::Workload).sample(count, nodes);
            let few = Plan::once(few.into_iter().map(NodeId).collect(), 20);
            for plan in [everyone(&ids), few] {
                let all = cost(&options, &ids, plan.clone(), Wake::All);
                let suppress = cost(&options, &ids, plan, Wake::Suppress);
                let n = u64::from(nodes);
                assert!(n <= all.min(suppress), "{ids:?}, {options:?}");
            }
        }
    }
}

#[test]
fn random_rings_cost_what_was_measured_elsewhere() {
    // election.md 12.1. In the order of places, ties go either way.
    let mean = |nodes, runs, expected, plan: fn(&[u32]) -> Plan| {
        check_mean(nodes, runs, expected, |ids, seed| {
            let options = Options { seed, ..Options::default() };
            cost(&options, ids, plan(ids), Wake::All)
        });
    };
    mean(64, 1000, (254.4, 0.004), everyone);
    mean(256, 300, (1267.0, 0.004), everyone);
    mean(64, 1000, (249.0, 0.004), largest_first);
    mean(256, 300, (1255.0, 4.0 / 1255.0), largest_first);
}

#[test]
fn with_larger_ids_first_the_average_is_below_the_bound() {
    for (nodes, runs) in [(8, 2000), (32, 500), (128, 100)] {
        let run = |seed| {
            let ids = random_ring(nodes, seed);
            let options = Options { seed, ..Options::default() };
            cost(&options, &ids, largest_first(&ids), Wake::All)
        };
        let mean = (1..=runs).map(run).sum::<u64>() as f64 / runs as f64;
        let n = f64::from(nodes);
        let bound = 0.75 * n * (harmonic(nodes) + 2.0 / 3.0 - 1.0 / (3.0 * n));
        assert!(mean < bound, "{nodes} nodes: {mean}, not below {bound}");
    }
}

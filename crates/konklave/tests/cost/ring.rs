//! Tokens on a ring: one that circles for ever, and one that is hunted.

use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::ring_chase::{RingChase, Variant};
use konklave::mutex::{Command, Event, Monitor};
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_sim::{Delay, Options, Simulation};

use super::lock::{assert_saturated, plan, run};
use super::turns::{schedules, total, turns, uniform};

const SIZES: [u32; 6] = [1, 2, 3, 9, 13, 30];

/// The nodes before and after this one on a ring.
pub(super) fn beside(me: NodeId, nodes: u32) -> (NodeId, NodeId) {
    (NodeId((me.0 + nodes - 1) % nodes), NodeId((me.0 + 1) % nodes))
}

fn chase(nodes: u32, variant: Variant) -> impl Fn(NodeId) -> RingChase + Copy {
    move |me| RingChase::new(me, beside(me, nodes), me.0, nodes, variant)
}

#[test]
fn hunt_and_token_go_round_once_together() {
    for nodes in SIZES {
        for options in schedules() {
            let mut token = NodeId(0);
            let order = uniform(nodes, 40, options.seed);
            for turn in turns(&options, nodes, &order, chase(nodes, Variant::Hop)) {
                let expected = if turn.node == token { 0 } else { u64::from(nodes) };
                assert_eq!(turn.messages, expected, "{nodes} nodes, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, expected, "one after the other: {turn:?}");
                }
                token = turn.node;
            }
        }
    }
}

#[test]
fn a_full_circle_costs_the_hunt_more() {
    // The token comes home to where the hunt found it: it is always at node 0.
    for nodes in SIZES {
        for options in schedules().map(|options| Options { fifo: true, ..options }) {
            let order = uniform(nodes, 40, options.seed);
            for turn in turns(&options, nodes, &order, chase(nodes, Variant::Circle)) {
                let hunt = u64::from((nodes - turn.node.0) % nodes);
                let round = if hunt == 0 { 0 } else { u64::from(nodes) };
                assert_eq!(turn.messages, hunt + round, "{nodes} nodes, {turn:?}, {options:?}");
                if options.delay == Delay::Constant(1) {
                    assert_eq!(turn.waited, round, "{nodes} nodes, {turn:?}");
                }
            }
        }
        // 3n/2 on average over all others.
        let others: Vec<_> = (1..nodes).map(NodeId).collect();
        let turns = turns(&Options::default(), nodes, &others, chase(nodes, Variant::Circle));
        assert_eq!(2 * total(&turns), 3 * u64::from(nodes) * u64::from(nodes - 1));
    }
}

#[test]
fn under_heavy_load_a_hunt_and_the_token_take_one_hop_each() {
    for nodes in &SIZES[1..] {
        for variant in [Variant::Hop, Variant::Circle] {
            let make = chase(*nodes, variant);
            assert_saturated(*nodes, 2.0, 1.0, &format!("ring-chase {variant:?}"), make);
        }
    }
}

#[test]
fn a_chase_never_takes_more_than_n_messages_per_entry() {
    for nodes in [2, 3, 9] {
        for seed in 1..=100 {
            for demand in [Demand::Heavy, Demand::Poisson(0.1), Demand::Poisson(1.0)] {
                let delay = Delay::Exponential(10);
                let options = Options { seed, delay, fifo: true, ..Options::default() };
                let plan = plan(&options, nodes, demand, 5);
                let report = run(&options, nodes, plan, chase(nodes, Variant::Hop));
                let most = 5 * u64::from(nodes) * u64::from(nodes);
                assert!(report.messages.total <= most, "{nodes} nodes, {demand}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_chase_that_catches_the_token_at_once_is_free() {
    let again = [NodeId(4); 7];
    assert_eq!(total(&turns(&Options::default(), 9, &again, chase(9, Variant::Hop))), 9);
}

fn circling(nodes: u32, linger: u64) -> impl Fn(NodeId) -> Perpetuum + Copy {
    let linger = Duration::from_millis(linger);
    move |me| Perpetuum::new(me, beside(me, nodes), NodeId(0), linger)
}

#[test]
fn a_circling_token_takes_one_message_per_entry_if_everyone_wants_it() {
    for nodes in [2, 3, 9, 13, 30] {
        let options = Options { perpetual: true, ..Options::default() };
        let plan = Plan {
            warmup: u64::from(3 * nodes),
            perpetual: true,
            ..plan(&options, nodes, Demand::Heavy, 20)
        };
        let options = Options { event_limit: Some(100_000), ..options };
        let contention = konklave_catalog::mutex::workload::Contention::new(nodes, plan);
        let (make, monitor) = (circling(nodes, 0), Monitor::new(nodes));
        let mut simulation = Simulation::new(options, nodes, make, contention, monitor);
        let mutex = simulation.run(&mut |_| true).unwrap().problem;
        assert_eq!(mutex.messages_per_entry, Some(1.0), "{nodes} nodes");
        let delay = mutex.coordination_delay.unwrap();
        assert_eq!((delay.mean, delay.max), (1.0, 1.0), "{nodes} nodes");
        assert_eq!(mutex.awaited_max, u64::from(nodes - 1), "{nodes} nodes");
    }
}

/// One request, at a given time; what it waited, and the messages until then.
struct OneRequest {
    node: NodeId,
    at: u64,
    entered: Option<(u64, u64)>,
    left: bool,
}

impl Workload for OneRequest {
    type Command = Command;
    type Event = Event;
    type Report = (u64, u64);

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        agenda.after(self.at, self.node, Command::Acquire);
    }

    fn on_event(&mut self, node: NodeId, _: &Event, agenda: &mut Agenda<'_, Command>) {
        self.entered = Some((agenda.now() - self.at, agenda.messages()));
        agenda.after(1, node, Command::Release);
    }

    fn on_command(&mut self, _: NodeId, command: &Command, _: &mut Agenda<'_, Command>) {
        self.left |= *command == Command::Release;
    }

    fn is_done(&self) -> bool {
        self.left
    }

    fn report(&self, _: &Messages, _: u64, _: f64) -> (u64, u64) {
        self.entered.unwrap()
    }
}

#[test]
fn on_an_idle_ring_the_wait_for_a_circling_token_is_half_a_round() {
    const T: u64 = 10;
    for (nodes, linger) in [(2, 0), (5, 0), (13, 0), (5, 25), (13, 7)] {
        // Ask at every moment of a round, once: the waits are all that are shorter than a round.
        let hop = T + linger;
        let round = u64::from(nodes) * hop;
        let wait = |moment: u64| {
            let delay = Delay::Constant(T);
            let options = Options { delay, perpetual: true, ..Options::default() };
            let at = 3 * round + moment;
            let asks = OneRequest { node: NodeId(1), at, entered: None, left: false };
            let (make, monitor) = (circling(nodes, linger), Monitor::new(nodes));
            let mut simulation = Simulation::new(options, nodes, make, asks, monitor);
            let (waited, messages) = simulation.run(&mut |_| true).unwrap().problem;
            // Idle or not, one message per hop: T, and what a node lingers.
            let hops = (at + waited) / hop;
            assert!(messages.abs_diff(hops) <= 1, "{nodes}, {linger}: {messages}, {hops}");
            waited
        };
        let mut waits: Vec<_> = (0..round).map(wait).collect();
        waits.sort_unstable();
        // While a node lingers it has the token, and enters at once.
        let at_once = waits.partition_point(|&wait| wait == 0) as u64;
        assert!(at_once == linger || at_once == linger + 1, "{nodes}, {linger}: {at_once}");
        let later = &waits[at_once as usize..];
        assert!(later.iter().copied().eq(1..=round - at_once), "each once: {waits:?}");
        // So the mean is half a round, nT/2, but for half a tick; less if nodes linger.
        let (mean, most) = (mean(&waits), (round - linger) as f64);
        let expected = most * most / (2.0 * round as f64);
        assert!((mean - expected).abs() <= 0.5, "{nodes}, {linger}: {mean}, not {expected}");
    }
}

fn mean(waits: &[u64]) -> f64 {
    waits.iter().sum::<u64>() as f64 / waits.len() as f64
}

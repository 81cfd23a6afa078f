//! Ricart and Agrawala: 2(n-1) messages per entry at any load, coordination delay T, wait 2T.

use std::collections::BTreeMap;

use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave_catalog::mutex::workload::{Demand, Plan};
use konklave_sim::{Delay, Options, RunReport};

use super::lock::{Measured, plan, run};

const SIZES: [u32; 6] = [1, 2, 3, 7, 20, 50];

fn play(options: &Options, nodes: u32, plan: Plan) -> RunReport<Measured> {
    run(options, nodes, plan, |me| RicartAgrawala::new(me, nodes))
}

#[test]
fn every_entry_costs_a_request_and_a_reply_for_everyone_else() {
    let demands = [Demand::Light, Demand::Heavy, Demand::Poisson(0.05), Demand::Poisson(3.0)];
    let delays = [
        Delay::Constant(1),
        Delay::Uniform(1, 10),
        Delay::Exponential(5),
        Delay::PerLink(1, 20),
        Delay::Asymmetric(1, 20),
    ];
    for nodes in SIZES {
        for (demand, delay) in demands.iter().flat_map(|&d| delays.map(|delay| (d, delay))) {
            for (fifo, seed) in [(false, 1), (true, 1), (false, 2), (true, 3)] {
                let options = Options { seed, delay, fifo, ..Options::default() };
                let report = play(&options, nodes, plan(&options, nodes, demand, 2));
                let pairs = 2 * u64::from(nodes) * u64::from(nodes - 1);
                let mut expected = BTreeMap::new();
                if nodes > 1 {
                    expected.insert("Request".to_owned(), pairs);
                    expected.insert("Reply".to_owned(), pairs);
                }
                let context = format!("{nodes} nodes, {demand}, {options:?}");
                assert_eq!(report.messages.by_kind, expected, "{context}");
                let per_entry = report.problem.mutex.messages_per_entry;
                assert_eq!(per_entry, Some(2.0 * f64::from(nodes - 1)), "{context}");
            }
        }
    }
}

#[test]
fn on_an_idle_system_the_wait_is_there_and_back() {
    for nodes in SIZES {
        for ticks in [1, 7] {
            let options = Options { delay: Delay::Constant(ticks), ..Options::default() };
            let report = play(&options, nodes, plan(&options, nodes, Demand::Light, 3));
            let waiting = report.problem.mutex.waiting_time.unwrap();
            let expected = if nodes == 1 { 0.0 } else { 2.0 };
            assert_eq!((waiting.mean, waiting.p50, waiting.max), (expected, expected, expected));
            assert_eq!(report.problem.mutex.coordination_delay, None, "nobody waits for another");
            assert_eq!(report.problem.mutex.awaited_max, 0);
        }
    }
}

#[test]
fn under_heavy_load_one_message_leads_from_each_to_the_next() {
    for nodes in &SIZES[1..] {
        for (ticks, inside) in [(1, 5), (1, 0), (4, 20), (4, 1)] {
            let options = Options { delay: Delay::Constant(ticks), ..Options::default() };
            let plan = Plan { inside, ..plan(&options, *nodes, Demand::Heavy, 4) };
            let report = play(&options, *nodes, plan);
            let context = format!("{nodes} nodes, T = {ticks}, E = {inside}");
            let mutex = &report.problem.mutex;
            let delay = mutex.coordination_delay.unwrap();
            assert_eq!((delay.mean, delay.max), (1.0, 1.0), "{context}");
            // The first waits 2T; then E inside and T to the next, for 4n entries.
            let entries = 4 * u64::from(*nodes);
            assert_eq!(
                report.time,
                2 * ticks + entries * inside + (entries - 1) * ticks,
                "{context}"
            );
            assert_eq!(mutex.awaited_max, u64::from(nodes - 1), "{context}");
            // Everyone once per round, always in the same order.
            let order: Vec<_> = report.problem.entries.iter().map(|entry| entry.node.0).collect();
            let expected = (0..4).flat_map(|_| 0..*nodes);
            assert!(order.iter().copied().eq(expected), "{context}: {order:?}");
        }
    }
}

#[test]
fn a_request_that_is_under_way_at_the_release_makes_the_delay_at_most_two() {
    // Who asked before the release is counted as waiting, even if its request is still on its way.
    let mut largest: f64 = 0.0;
    for seed in 1..=20 {
        let options = Options { seed, delay: Delay::Constant(10), ..Options::default() };
        let plan = plan(&options, 7, Demand::Poisson(1.0), 10);
        let delay = play(&options, 7, plan).problem.mutex.coordination_delay.unwrap();
        assert!(delay.mean >= 1.0 && delay.max <= 2.0, "seed {seed}: {delay:?}");
        largest = largest.max(delay.max);
    }
    assert!(largest > 1.0, "some request was under way");
}

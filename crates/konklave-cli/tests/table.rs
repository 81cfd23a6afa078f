//! What must hold for every algorithm in the table, found by running all of them. That no random
//! schedule breaks a promise is shown in `fuzz.rs`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use konklave::NodeId;
use konklave::protocol::Effect;
use konklave::trace::Line;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::needs::Network;
use konklave_catalog::option::{Draw, Verb};
use konklave_catalog::quantity::Measures;
use konklave_catalog::refusal::Refusal;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::Watch;
use konklave_sim::faults::Outage;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options, Recording, RunReport};
use konklave_stage::erased::Erased;

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| konklave_cli::catalog().leak());

/// How many random schedules each algorithm goes through.
fn schedules() -> u64 {
    std::env::var("SCHEDULES").map_or(300, |count| count.parse().expect("SCHEDULES is a number"))
}

/// One run, as options of the command line would describe it.
#[derive(Debug)]
struct Case {
    setup: Setup,
    options: Options,
}

impl Case {
    /// The case that `seed` draws: a small system, random delays, any workload.
    fn draw(entry: &Entry, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::Workload);
        let nodes = 1 + random.below(9) as u32;
        let delay = match random.below(3) {
            0 => Delay::Constant(1),
            1 => Delay::Uniform(1, 20),
            _ if entry.needs.bounded => Delay::PerLink(1, 20),
            _ => Delay::Exponential(10),
        };
        let topologies: &[&str] = match entry.needs.network {
            Network::Ring | Network::TwoWayRing => &["ring"],
            Network::Tree => &["tree:2", "line", "star", "random-tree"],
            Network::Complete => &["complete"],
            Network::Connected => &["grid", "ring", "complete", "star", "random-tree"],
        };
        let topology = topologies[random.below(topologies.len() as u64) as usize].to_owned();
        let algorithm = entry.name.clone();
        let mut setup = Setup { algorithm, nodes, topology, seed, ..Setup::default() };
        let mut draw = Draw { random: &mut random, needs: &entry.needs, nodes };
        for choice in entry.choices {
            let value = (choice.draw)(&mut draw, choice);
            setup.options.extend(value.map(|value| (choice.name.to_owned(), value)));
        }
        for option in entry.problem.options {
            let value = (option.draw)(&mut draw);
            setup.options.extend(value.map(|value| (option.name.to_owned(), value)));
        }
        let setup = setup.with_others(entry);
        let delay = match delay.longest() {
            None if entry.needs.is_bounded(&setup.options) => Delay::Uniform(1, 20),
            _ => delay,
        };
        // Nodes that never rest are done when they are stable.
        let (stable_rounds, round_limit) = (Some(10), Some(2000));
        let options = Options { seed, delay, stable_rounds, round_limit, ..Options::default() };
        Self { setup, options }
    }

    fn run(self, entry: &'static Entry) -> Result<RunReport<Measures>, Refusal> {
        self.run_into(entry, None)
    }

    /// The same, with a trace if there is room for one.
    fn run_into(
        mut self,
        entry: &'static Entry,
        trace: Option<&mut Vec<u8>>,
    ) -> Result<RunReport<Measures>, Refusal> {
        let site = Site::new(self.setup, entry, Verb::Run)?;
        self.options.fifo = site.needs_fifo();
        self.options.perpetual = entry.needs.perpetual;
        let trace = trace.map(|out| Recording::new(out, false));
        let watch = Watch { trace, ..Watch::default() };
        site.system()?.run(&self.options, watch, &mut |_| true)
    }
}

/// No algorithm makes up for a lost message or a crash. But only Lamport's becomes unsafe: whoever
/// has not heard of a request takes itself for the first.
#[test]
fn who_is_stuck_says_for_whom_it_waits_and_nobody_enters_instead() {
    let waits = |entry: &&Entry| entry.problem.is_liveness("no starvation");
    for entry in CATALOG.entries().iter().filter(waits) {
        let mut stuck = 0;
        for seed in 0..100 {
            let mut case = Case::draw(entry, seed);
            let faults = &mut case.options.faults;
            match seed % 2 {
                0 => faults.loss = 0.05,
                _ => faults.crashes = vec![Outage { node: NodeId(0), from: seed, to: None }],
            }
            let is_unsafe = entry.name == "lamport" && faults.loss > 0.0;
            let description = format!("{} with {case:?}", entry.name);
            let report = case.run(entry).unwrap_or_else(|error| panic!("{description}: {error}"));
            let Some(violation) = report.violations.first() else { continue };
            if !entry.problem.is_liveness(&violation.broken.promise) {
                assert!(is_unsafe, "{description}: {violation:?}");
                continue;
            }
            stuck += 1;
            let starves = |node| violation.broken.detail.starts_with(&format!("node {node} "));
            let is_reported = report.waiting.iter().any(|waiting| starves(waiting.node));
            assert!(is_reported, "{description}: {violation:?}, {:?}", report.waiting);
        }
        assert!(stuck > 10, "{}: only {stuck} runs got stuck", entry.name);
    }
}

/// Every fifth message is lost and every fifth duplicated, and nobody notices. Without reliable
/// links most algorithms break a promise, or never rest.
#[test]
fn reliable_links_hide_losses_and_duplicates() {
    const SEEDS: u64 = 6;
    // Algorithms that never rest take long; some of them are in tests/links.rs.
    let is_patient =
        |entry: &&Entry| !entry.needs.bounded && !entry.needs.patient && !entry.needs.perpetual;
    let mut is_harmed = Vec::new();
    for entry in CATALOG.entries().iter().filter(is_patient) {
        let mut broken = 0;
        for seed in 0..SEEDS {
            for is_reliable in [true, false] {
                let mut case = Case::draw(entry, seed);
                let faults = &mut case.options.faults;
                (faults.loss, faults.duplicate) = (0.2, 0.2);
                // Without reliable links many never end.
                case.options.event_limit = Some(if is_reliable { 2_000_000 } else { 20_000 });
                case.setup.reliable = is_reliable.then_some(40);
                let description = format!("{} with {case:?}", entry.name);
                let report = case.run(entry);
                let report = report.unwrap_or_else(|error| panic!("{description}: {error}"));
                let is_fine = report.violations.is_empty() && !report.ended.is_early();
                assert!(is_fine || !is_reliable, "{description}: {:?}", report.violations);
                broken += u32::from(!is_fine);
            }
        }
        println!("{}: {broken} of {SEEDS} runs without reliable links are harmed", entry.name);
        is_harmed.push(broken > SEEDS as u32 / 2);
    }
    let harmed = is_harmed.iter().filter(|is_harmed| **is_harmed).count();
    assert!(harmed * 4 > is_harmed.len() * 3, "only {harmed} of {}", is_harmed.len());
}

#[test]
fn duplicate_messages_do_no_harm_where_this_is_claimed() {
    // With Cao and Singhal's a duplicate request can block its arbiter; two never enter together.
    for (name, can_block) in [("cao-singhal", true), ("reservation", false), ("ring-chase", false)]
    {
        let entry = CATALOG.find(name).unwrap();
        for seed in 0..schedules() {
            let mut case = Case::draw(entry, seed);
            case.options.faults.duplicate = 0.2;
            if name == "ring-chase" {
                case.setup = case.setup.with("variant", "hop");
            }
            let description = format!("{name} with {case:?}");
            let report = case.run(entry).unwrap_or_else(|error| panic!("{description}: {error}"));
            let is_harm = |promise: &str| !can_block || promise != "no starvation";
            let harm = report.violations.iter().find(|found| is_harm(&found.broken.promise));
            assert!(harm.is_none(), "{description}: {harm:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    for entry in CATALOG.entries() {
        let mut digests = Vec::new();
        for seed in 0..30 {
            let [first, second] = [0, 1].map(|_| Case::draw(entry, seed).run(entry).unwrap());
            assert_eq!(first.digest, second.digest, "{}, seed {seed}", entry.name);
            assert_eq!(first.messages, second.messages, "{}, seed {seed}", entry.name);
            digests.push(first.digest);
        }
        digests.sort_unstable();
        digests.dedup();
        assert!(digests.len() > 20, "{}: only {} different runs", entry.name, digests.len());
    }
}

/// The simulator finds the kind of a message by its type, and all others by its JSON.
#[test]
fn messages_have_the_same_kinds_in_a_trace_as_in_the_simulator() {
    for entry in CATALOG.entries() {
        let mut messages = 0;
        for seed in 0..30 {
            let mut trace = Vec::new();
            let report = Case::draw(entry, seed).run_into(entry, Some(&mut trace)).unwrap();
            let mut by_kind = BTreeMap::<_, u64>::new();
            for line in std::str::from_utf8(&trace).unwrap().lines() {
                let Line::Step(step) = serde_json::from_str::<Line<Erased>>(line).unwrap() else {
                    continue;
                };
                for effect in &step.effects {
                    if let Effect::Send { msg, .. } = effect {
                        *by_kind.entry(msg.kind()).or_default() += 1;
                    }
                }
            }
            assert_eq!(by_kind, report.messages.by_kind, "{}, seed {seed}", entry.name);
            messages += report.messages.total;
        }
        assert!(messages > 100, "{}: only {messages} messages", entry.name);
    }
}

#[test]
fn everyone_is_served_and_everyone_learns_the_winner() {
    let served = [("mutex", "entries", 9 * 3), ("booking", "attempts", 9 * 3)];
    let others = [("election", "known_by", 9), ("dictionary", "operations", 9 * 3)];
    let queues = ["queue", "stack", "heap", "search"].map(|name| (name, "operations", 9 * 3));
    let chosen = [("selection", "selections", 9)];
    let stable = [("consensus", "minority", 0), ("overlay", "searches", 9)];
    let served = [&served[..], &others, &queues, &chosen, &stable].concat();
    for entry in CATALOG.entries() {
        let name = entry.problem.name;
        let (_, quantity, expected) = served.iter().find(|(it, ..)| *it == name).expect(name);
        let mut case = Case::draw(entry, 5);
        case.setup.nodes = 9;
        case.setup = match name {
            "election" => case.setup,
            "consensus" => case.setup.with("adversary", "none"),
            "selection" => case.setup.with("selections", 9),
            "overlay" => case.setup.with("joins", 0).with("leaves", 0).with("searches", 9),
            "dictionary" | "queue" | "stack" | "heap" => {
                case.setup.with("ops", 3).with_others(entry)
            }
            "search" => case.setup.with("keys", 9).with("queries", 18).with_others(entry),
            _ => case.setup.with("requesters", "all").with("entries", 3),
        };
        let report = case.run(entry).unwrap();
        let measured = report.problem.get(quantity);
        assert_eq!(measured, Some(f64::from(*expected)), "{}", entry.name);
    }
}

//! What must hold for every algorithm in the table, found by running all of them. That no random
//! schedule breaks a promise is shown in `fuzz.rs`.

use std::collections::BTreeMap;
use std::io::Write;

use konklave::NodeId;
use konklave::protocol::Effect;
use konklave::trace::Line;
use konklave_cli::drive::{ElectionPlan, Job, MutexPlan, Outcome, Problem, RunPlan};
use konklave_cli::entry::{Entry, Family, Network};
use konklave_cli::setup::{Ids, Setup};
use konklave_cli::site::Site;
use konklave_cli::table::{self, TABLE};
use konklave_sim::faults::Outage;
use konklave_sim::random::{Random, Stream};
use konklave_sim::workload::Members;
use konklave_sim::workload::mutex::Demand;
use konklave_sim::{Delay, Options, Report};
use konklave_stage::erased::Erased;

/// How many random schedules each algorithm goes through.
fn schedules() -> u64 {
    std::env::var("SCHEDULES").map_or(300, |count| count.parse().expect("SCHEDULES is a number"))
}

/// One run, as options of the command line would describe it.
struct Case {
    setup: Setup,
    plan: RunPlan,
}

impl Case {
    /// The case that `seed` draws: a small system, random delays, any load, some of the nodes.
    fn draw(entry: &Entry, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::Workload);
        let nodes = 1 + random.below(9) as u32;
        let delay = match random.below(3) {
            0 => Delay::Constant(1),
            1 => Delay::Uniform(1, 20),
            _ if entry.needs.bounded => Delay::PerLink(1, 20),
            _ => Delay::Exponential(10),
        };
        let demand = match random.below(3) {
            0 => Demand::Light,
            1 => Demand::Heavy,
            _ => Demand::Poisson(0.5),
        };
        let some = |random: &mut Random| Members::Count(1 + random.below(nodes.into()) as u32);
        let variant = entry.choices.iter().filter_map(|choice| {
            let value = choice.values[random.below(choice.values.len() as u64) as usize];
            // Planes exist for some sizes only, and `auto` takes them where they do.
            let is_plain = !value.contains(':') && value != "plane" && value != "NUMBER";
            is_plain.then(|| (choice.name.to_owned(), value.to_owned()))
        });
        let variant = variant.collect();
        let topologies: &[&str] = match entry.needs.network {
            Network::Ring | Network::TwoWayRing => &["ring"],
            Network::Tree => &["tree:2", "line", "star", "random-tree"],
            Network::Complete => &["complete"],
            Network::Connected => &["grid", "ring", "complete", "star", "random-tree"],
        };
        let topology = topologies[random.below(topologies.len() as u64) as usize];
        let setup = Setup {
            algorithm: entry.name.clone(),
            nodes,
            topology: topology.to_owned(),
            graph: None,
            seed,
            ids: Ids::Random,
            elections: if entry.needs.once { 1 } else { 1 + random.below(3) as u32 },
            variant,
            files: Default::default(),
            command: String::new(),
        };
        let options = Options { seed, delay, ..Options::default() };
        let mutex = MutexPlan {
            demand,
            entries: 1 + random.below(4) as u32,
            inside: random.below(30),
            think: random.below(10),
            warmup: 0,
            requesters: some(&mut random),
        };
        let initiators = match entry.needs.one_initiator {
            Some(_) => Members::Count(1),
            None => some(&mut random),
        };
        let election = ElectionPlan { initiators, within: random.below(40), notice: None };
        Self { setup, plan: RunPlan { options, mutex, election } }
    }

    fn run(self, entry: &'static Entry) -> Result<Report<Problem>, String> {
        self.run_into(entry, None)
    }

    /// The same, with a trace if there is room for one.
    fn run_into(
        mut self,
        entry: &'static Entry,
        trace: Option<&mut Vec<u8>>,
    ) -> Result<Report<Problem>, String> {
        let site = Site::new(self.setup, entry).map_err(|failure| failure.to_string())?;
        self.plan.options.fifo = site.needs_fifo();
        self.plan.options.perpetual = entry.needs.perpetual;
        let trace = trace.map(|out| (Box::new(out) as Box<dyn Write>, false));
        let job = Job::Run { plan: &self.plan, trace, go_on: &mut |_| true };
        match (entry.drive)(&site, job).map_err(|failure| failure.to_string())? {
            Outcome::Ran(report) => Ok(*report),
            _ => unreachable!("a run runs"),
        }
    }
}

/// No algorithm makes up for a lost message or a crash. But only Lamport's becomes unsafe: whoever
/// has not heard of a request takes itself for the first.
#[test]
fn who_is_stuck_says_for_whom_it_waits_and_nobody_enters_instead() {
    for entry in TABLE.iter().filter(|entry| entry.family != Family::Election) {
        let mut stuck = 0;
        for seed in 0..100 {
            let mut case = Case::draw(entry, seed);
            let faults = &mut case.plan.options.faults;
            match seed % 2 {
                0 => faults.loss = 0.05,
                _ => faults.crashes = vec![Outage { node: NodeId(0), from: seed, to: None }],
            }
            let is_unsafe = entry.name == "lamport" && faults.loss > 0.0;
            let description = format!("{} with {:?} and {:?}", entry.name, case.setup, case.plan);
            let report = case.run(entry).unwrap_or_else(|error| panic!("{description}: {error}"));
            let Some(violation) = report.violations.first() else { continue };
            if violation.broken.promise != "no starvation" {
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

#[test]
fn doubled_messages_do_no_harm_where_this_is_claimed() {
    // With Cao and Singhal's a doubled request can block its arbiter; two never enter together.
    for (name, can_block) in [("cao-singhal", true), ("reservation", false), ("ring-chase", false)]
    {
        let entry = table::find(name).unwrap_or_else(|failure| panic!("{failure}"));
        for seed in 0..schedules() {
            let mut case = Case::draw(entry, seed);
            case.plan.options.faults.duplicate = 0.2;
            if name == "ring-chase" {
                case.setup.variant.insert("variant".to_owned(), "hop".to_owned());
            }
            let description = format!("{name} with {:?} and {:?}", case.setup, case.plan);
            let report = case.run(entry).unwrap_or_else(|error| panic!("{description}: {error}"));
            let is_harm = |promise: &str| !can_block || promise != "no starvation";
            let harm = report.violations.iter().find(|found| is_harm(&found.broken.promise));
            assert!(harm.is_none(), "{description}: {harm:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    for entry in TABLE.iter() {
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
    for entry in TABLE.iter() {
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
    for entry in TABLE.iter() {
        let mut case = Case::draw(entry, 5);
        case.setup.nodes = 9;
        case.plan.mutex.requesters = Members::All;
        let entries = case.plan.mutex.entries;
        let report = case.run(entry).unwrap();
        match (entry.family, report.problem) {
            (Family::Mutex, Problem::Mutex(mutex)) => {
                assert_eq!(mutex.entries, u64::from(9 * entries), "{}", entry.name);
            }
            (Family::Booking, Problem::Booking(booking)) => {
                assert_eq!(booking.attempts, u64::from(9 * entries), "{}", entry.name);
            }
            (Family::Election, Problem::Election(election)) => {
                assert_eq!(election.known_by, 9, "{}", entry.name);
            }
            (family, problem) => panic!("{family} reports {problem:?}"),
        }
    }
}

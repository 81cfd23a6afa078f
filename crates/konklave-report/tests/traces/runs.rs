//! Traces of real runs.

use konklave::NodeId;
use konklave::election::{self, Id, Winner, chang_roberts};
use konklave::mutex::quorum::Quorums;
use konklave::mutex::{self, lamport, maekawa, raymond};
use konklave::protocol::Protocol;
use konklave::trace::{Header, VERSION};
use konklave_catalog::catalog::Catalog;
use konklave_catalog::election::workload::{Ballot, Plan as Election};
use konklave_catalog::mutex::workload::{Contention, Demand, Plan};
use konklave_report::account::{Account, Recorded, Vocabulary, read};
use konklave_sim::{Delay, Faults, Options, Recording, Simulation, write_line};
use serde_json::json;

fn contention(nodes: u32) -> Contention {
    let plan = Plan {
        demand: Demand::Heavy,
        entries: 2,
        requesters: NodeId::all(nodes).collect(),
        inside: 5,
        think: 0,
        warmup: 0,
        unit: 1.0,
        perpetual: false,
    };
    Contention::new(nodes, plan)
}

/// A trace, told in the words of its algorithm's problem.
pub(crate) fn account(recorded: &Recorded) -> Account {
    let vocabulary = recorded.setup["algorithm"].as_str().map(vocabulary).unwrap_or_default();
    Account::new(&recorded.lines, recorded.nodes().unwrap(), vocabulary).unwrap()
}

/// What commands and events of an algorithm mean.
pub(crate) fn vocabulary(algorithm: &str) -> Vocabulary {
    let catalog = Catalog::standard();
    let problem = catalog.find(algorithm).unwrap().problem;
    Vocabulary {
        command: problem.senses.command,
        event: problem.senses.event,
        held: problem.words.held,
        is_exclusive: problem.words.is_exclusive,
    }
}

/// A trace of so many nodes that was written by hand.
pub(crate) fn hand_made(algorithm: &str, nodes: u32, lines: &[impl AsRef<str>]) -> Recorded {
    let setup = format!(r#"{{"nodes":{nodes},"algorithm":"{algorithm}"}}"#);
    let mut text = format!(r#"{{"konklave_trace":1,"setup":{setup}}}"#);
    for line in lines {
        text = text + "\n" + line.as_ref();
    }
    read(text.as_bytes()).unwrap()
}

fn header(nodes: u32, algorithm: &str) -> Vec<u8> {
    let mut file = Vec::new();
    let setup = json!({ "nodes": nodes, "algorithm": algorithm });
    let header = Header { konklave_trace: VERSION, setup };
    write_line(&mut file, &header).unwrap();
    file
}

/// Raymond's algorithm on a tree, without faults.
pub(crate) fn calm() -> Recorded {
    let towards = |me: NodeId| NodeId(if me.0 == 0 { 0 } else { (me.0 - 1) / 2 });
    seven("raymond", |me| raymond::Raymond::new(me, towards(me), raymond::Variant::Plain))
}

/// Maekawa's algorithm with these quorums.
pub(crate) fn in_quorums(quorums: &Quorums) -> Recorded {
    seven("maekawa", |me| maekawa::Maekawa::new(me, quorums.of(me).clone()))
}

/// Seven nodes that enter twice each.
fn seven<P>(algorithm: &str, make: impl Fn(NodeId) -> P) -> Recorded
where
    P: Protocol<Command = mutex::Command, Event = mutex::Event>,
{
    let mut file = header(7, algorithm);
    let monitor = mutex::Monitor::new(7);
    let mut run = Simulation::new(Options::default(), 7, make, contention(7), monitor);
    run.record(Recording::new(&mut file, false));
    run.run(&mut |_| true).unwrap();
    drop(run);
    read(&file[..]).unwrap()
}

/// Lamport's algorithm under all faults there are, which it does not survive.
pub(crate) fn stormy(seed: u64) -> Recorded {
    let mut file = header(4, "lamport");
    let faults = Faults {
        loss: 0.1,
        duplicate: 0.2,
        reorder: 0.2,
        crashes: vec!["3@12..22".parse().unwrap()],
        pauses: vec!["1@4..9".parse().unwrap()],
        partitions: vec!["0,1/2,3@15..18".parse().unwrap()],
        corruptions: vec!["channel:0-2@10".parse().unwrap(), "state:1@16".parse().unwrap()],
    };
    let delay = Delay::Uniform(1, 6);
    let options = Options { seed, delay, faults, event_limit: Some(400), ..Options::default() };
    let make = |me| lamport::Lamport::new(me, 4, lamport::Acks::default());
    let mut run = Simulation::new(options, 4, make, contention(4), mutex::Monitor::new(4));
    run.record(Recording::new(&mut file, false));
    run.run(&mut |_| true).unwrap();
    drop(run);
    read(&file[..]).unwrap()
}

/// The ids of [`vote`].
pub(crate) const IDS: [u32; 6] = [5, 1, 4, 0, 3, 2];

/// The algorithm of Chang and Roberts on a ring.
pub(crate) fn vote() -> Recorded {
    let mut file = header(6, "chang-roberts");
    let plan =
        Election { initiators: NodeId::all(6).collect(), within: 3, elections: 1, notice: None };
    let ids: Vec<_> = IDS.into_iter().map(Id).collect();
    let make = |me: NodeId| {
        let wake = chang_roberts::Wake::default();
        chang_roberts::ChangRoberts::new(Id(IDS[me.index()]), NodeId((me.0 + 1) % 6), wake)
    };
    let monitor = election::Monitor::new(ids.clone(), Winner::Largest);
    let mut run = Simulation::new(Options::default(), 6, make, Ballot::new(ids, plan), monitor);
    run.record(Recording::new(&mut file, false));
    run.run(&mut |_| true).unwrap();
    drop(run);
    read(&file[..]).unwrap()
}

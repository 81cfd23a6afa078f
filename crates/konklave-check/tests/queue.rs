//! Queues, in every schedule of small systems.

use konklave::NodeId;
use konklave::batched::Returning;
use konklave::circle::Mixer;
use konklave::object::Places;
use konklave::overlay::ldb::Ldb;
use konklave::protocol::Protocol;
use konklave::queue::central_queue::CentralQueue;
use konklave::queue::skueue::Skueue;
use konklave::queue::{Command, Event, Monitor, Queue, QueueOp};
use konklave_catalog::object::client::User;
use konklave_check::{
    Faults, Options, Schedule, SearchReport, System, Until, Verdict, World, explore,
};

/// Processes that invoke these operations, `i` for enqueue and `r` for dequeue, without waiting.
fn users(scripts: &[&str]) -> Vec<User<Queue>> {
    let mut fresh = 0;
    let mut operation = |letter| match letter {
        'i' => {
            fresh += 1;
            Command::Invoke(QueueOp::Enqueue(fresh))
        }
        _ => Command::Invoke(QueueOp::Dequeue),
    };
    let mut user = |script: &&str| User::new(script.chars().map(&mut operation).collect(), 3);
    scripts.iter().map(&mut user).collect()
}

fn search<P>(scripts: &[&str], world: World, make: impl Fn(NodeId) -> P) -> Searched<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let system = System::new(make, users(scripts), Monitor::new(Places::OfAll), world);
    let options = Options { threads: 2, until: Until::AllDecided, ..Options::default() };
    explore(system, options, &mut |_| true)
}

type Searched<P> = SearchReport<Schedule<P>>;

fn skueue(scripts: &[&str], seed: u64, world: World) -> Searched<Skueue> {
    let mixer = Mixer::new(seed);
    let network = Ldb::hashed(mixer, NodeId::all(scripts.len() as u32));
    search(scripts, world, |me| Skueue::new(network[me.index()].clone(), mixer))
}

fn central(scripts: &[&str], world: World) -> Searched<CentralQueue> {
    search(scripts, world, |me| CentralQueue::new(me, NodeId(0)))
}

/// Whether a promise is kept in every schedule.
fn keeps<P: Protocol>(report: &Searched<P>, promise: &str) -> Option<bool> {
    let mut properties = report.properties.iter();
    properties.find(|it| it.name == promise).expect("it is decided").holds
}

fn duplicates(duplicates: u8) -> World {
    World::new().faults(Faults { duplicates, ..Faults::NONE })
}

fn losses(losses: u8) -> World {
    World::new().faults(Faults { losses, ..Faults::NONE })
}

/// All promises, and that everything comes to rest. The seed decides which process is the anchor,
/// and where elements lie.
#[test]
fn every_schedule_of_a_few_operations_is_linearizable_and_rests() {
    let cases: [(&[&str], u64, u64); 9] = [
        (&["ir"], 0, 4),
        (&["i", "r"], 0, 469),
        (&["i", "r"], 1, 323),
        (&["iri", "r"], 1, 57_351),
        (&["ir", "ri"], 0, 112_905),
        (&["ir", "ri"], 3, 56_017),
        (&["i", "r", "i"], 0, 97_795),
        (&["", "i", "", "r"], 0, 3215),
        (&["i", "r", "i", ""], 0, 255_062),
    ];
    for (scripts, seed, states) in cases {
        let report = skueue(scripts, seed, World::new());
        assert_eq!(report.verdict, Verdict::Exhausted, "{scripts:?}, seed {seed}");
        assert_eq!(report.unique, states, "{scripts:?}, seed {seed}");
    }
    let report = central(&["ir", "ri", "r"], World::new());
    assert_eq!((report.verdict, report.unique), (Verdict::Exhausted, 1993));
}

/// An enqueue that returns before its element is stored makes no difference to what is answered.
#[test]
fn an_early_return_is_linearizable_in_every_schedule() {
    for (scripts, states) in [(&["ir", "ri"], 114_592), (&["ii", "rr"], 119_735)] {
        let mixer = Mixer::new(0);
        let network = Ldb::hashed(mixer, NodeId::all(2));
        let report = search(scripts, World::new(), |me| {
            Skueue::new(network[me.index()].clone(), mixer).returning(Returning::Early)
        });
        assert_eq!((report.verdict, report.unique), (Verdict::Exhausted, states), "{scripts:?}");
    }
}

#[test]
fn a_duplicate_message_is_harmless_only_without_a_server() {
    for scripts in [["i", "r"], ["ir", "r"]] {
        let report = skueue(&scripts, 0, duplicates(1));
        assert_eq!(report.verdict, Verdict::Exhausted, "{scripts:?}");
    }
    let report = central(&["r", "ir"], duplicates(1));
    let found = report.counterexample().expect("a request is carried out twice");
    assert_eq!(found.broken.promise, "sequentially consistent");
}

#[test]
fn a_lost_message_blocks_but_no_answer_is_wrong() {
    fn judge<P: Protocol>(report: &Searched<P>) {
        assert_eq!(keeps(report, "sequentially consistent"), Some(true));
        assert_eq!(keeps(report, "linearizable"), Some(true));
        assert_eq!(keeps(report, "every operation returns"), Some(false));
    }
    judge(&skueue(&["ir", "r"], 0, losses(1)));
    judge(&central(&["r", "ir"], losses(1)));
}

//! Heaps with arbitrary priorities, in every schedule of small systems.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::heap::seap::{Rule, Seap};
use konklave::heap::{Command, Heap, HeapOp, Monitor};
use konklave::object::Places;
use konklave::overlay::ldb::Ldb;
use konklave::selection::search::{Plan, Splitters};
use konklave_catalog::object::client::User;
use konklave_check::{
    Faults, Options, Schedule, SearchReport, System, Until, Verdict, World, explore,
};

/// Processes that invoke these operations, `i` for an insert of a smaller priority than the last
/// and `d` for a delete, without waiting.
fn users(scripts: &[&str]) -> Vec<User<Heap>> {
    let mut fresh = 0;
    let mut operation = |letter| match letter {
        'i' => {
            fresh += 1;
            Command::Invoke(HeapOp::Insert { id: fresh, priority: 10 - fresh })
        }
        _ => Command::Invoke(HeapOp::DeleteMin),
    };
    let mut user = |script: &&str| User::new(script.chars().map(&mut operation).collect(), 3);
    scripts.iter().map(&mut user).collect()
}

fn seap(
    scripts: &[&str],
    (rule, seed): (Rule, u64),
    monitor: Monitor,
    world: World,
) -> SearchReport<Schedule<Seap>> {
    let mixer = Mixer::new(seed);
    let processes = scripts.len() as u32;
    let plan = Plan { processes, splitters: Splitters::Adaptive, sample: None, mixer };
    let network = Ldb::hashed(mixer, NodeId::all(processes));
    let make = |me: NodeId| Seap::new(network[me.index()].clone(), plan, rule);
    let system = System::new(make, users(scripts), monitor, world);
    let options = Options { threads: 2, until: Until::AllDecided, ..Options::default() };
    explore(system, options, &mut |_| true)
}

fn strict() -> Monitor {
    Monitor::new(Places::OfAll)
}

/// All promises, and that everything comes to rest. The seed decides which process is the anchor,
/// and where elements lie.
#[test]
fn every_schedule_of_a_few_operations_is_linearizable_and_rests() {
    let cases: [(&[&str], u64, u64); 6] = [
        (&["id"], 0, 4),
        (&["i", "d"], 0, 297),
        (&["i", "d"], 1, 250),
        (&["id", "d"], 0, 1524),
        (&["di", "id"], 1, 6563),
        (&["i", "d", "i"], 0, 14_510),
    ];
    let mut found = Vec::new();
    for (scripts, seed, _) in cases {
        let report = seap(scripts, (Rule::Prefix, seed), strict(), World::new());
        assert_eq!(report.verdict, Verdict::Exhausted, "{scripts:?}, seed {seed}");
        found.push((scripts, seed, report.unique));
    }
    assert_eq!(found, cases);
}

/// A process that deletes and then inserts may get what it inserts later, and one that inserts and
/// then deletes may not find it. Without program order, every schedule is linearizable.
#[test]
fn the_free_rule_loses_the_program_order_and_nothing_else() {
    for scripts in [["", "di"], ["i", "di"], ["d", "id"]] {
        let free = (Rule::Free, 1);
        let report = seap(&scripts, free, strict().unordered(), World::new());
        assert_eq!(report.verdict, Verdict::Exhausted, "{scripts:?}");
        let report = seap(&scripts, free, strict(), World::new());
        let found = report.counterexample().expect("the program order is lost");
        assert_eq!(found.broken.promise, "sequentially consistent", "{scripts:?}");
    }
}

#[test]
fn a_lost_message_blocks_but_no_answer_is_wrong() {
    let world = World::new().faults(Faults { losses: 1, ..Faults::NONE });
    let report = seap(&["i", "d"], (Rule::Prefix, 1), strict(), world);
    let holds = |name: &str| {
        let mut properties = report.properties.iter();
        properties.find(|it| it.name == name).expect("it is decided").holds
    };
    assert_eq!(holds("sequentially consistent"), Some(true));
    assert_eq!(holds("linearizable"), Some(true));
    assert_eq!(holds("every operation returns"), Some(false));
}

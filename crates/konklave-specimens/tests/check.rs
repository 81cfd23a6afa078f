//! Looking at every schedule finds each specimen in its smallest system, in as many steps as the
//! table says, and finds nothing wrong with the right algorithm there.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use konklave::protocol::Input;
use konklave::trace::Line;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::system::Checked;
use konklave_check::Verdict;
use konklave_specimens::{Finding, Setting, Specimen, Tool, all, find};

static CATALOG: LazyLock<&Catalog> =
    LazyLock::new(|| Catalog::standard().with_specimens(all()).leak());

/// Which of a specimen's nodes are looked at.
#[derive(Clone, Copy)]
enum Nodes {
    Broken,
    Right,
}

/// Looks at every schedule in this setting, with timers that run out at any time. Turns are taken
/// when all messages have arrived: else more and more of them would be in transit.
fn search(specimen: &Specimen, setting: Setting, nodes: Nodes) -> Checked {
    let name = match nodes {
        Nodes::Broken => specimen.name,
        Nodes::Right => specimen.of,
    };
    let site = setting.site(CATALOG.find(name).unwrap()).unwrap();
    let system = site.system().unwrap();
    system.check(&setting.plan(!system.takes_turns()), &mut |_| true).unwrap()
}

fn checked() -> impl Iterator<Item = &'static Specimen> {
    all().filter(|specimen| specimen.found_by == Tool::Check)
}

#[test]
fn every_specimen_is_found_on_the_shortest_way() {
    // A node that fails an assertion of its own is a result.
    std::panic::set_hook(Box::new(|_| {}));
    let mut complaints = Vec::new();
    for specimen in checked() {
        let found = search(specimen, specimen.setting, Nodes::Broken);
        let expected = (specimen.promise, specimen.steps);
        let Some(counterexample) = found.counterexample() else {
            complaints.push(format!("{}: {:?}", specimen.name, found.verdict));
            continue;
        };
        let is_step =
            |line: &&Line<_>| matches!(line, Line::Step(step) if step.input != Input::Start);
        let steps = counterexample.schedule.iter().filter(is_step).count();
        let (promise, cycle) = (&counterexample.broken.promise, counterexample.cycle);
        if (promise.as_str(), steps) != expected {
            complaints.push(format!("{}: {promise} in {steps} steps", specimen.name));
        }
        let is_endless = [Finding::Livelock, Finding::EndlessAnnouncement, Finding::NeverLegal];
        if cycle.is_some() != is_endless.contains(&specimen.finds) {
            complaints.push(format!("{}: a cycle of {cycle:?}", specimen.name));
        }
    }
    let _ = std::panic::take_hook();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn nothing_is_wrong_with_the_right_algorithm() {
    for specimen in checked().filter(|specimen| !specimen.is_forbidden_setting) {
        let found = search(specimen, specimen.setting, Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}: {:?}", specimen.of, specimen.setting);
    }
}

#[test]
fn where_the_order_is_the_flaw_keeping_it_is_the_cure() {
    let out_of_order: Vec<_> = all().filter(|it| it.name.ends_with("-out-of-order")).collect();
    assert_eq!(out_of_order.len(), 6);
    for specimen in out_of_order {
        let found = search(specimen, specimen.setting.fifo(), Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}", specimen.of);
    }
}

#[test]
fn where_faults_are_the_flaw_none_is_the_cure() {
    let faulty = all().filter(|it| it.setting.duplicates + it.setting.crashes > 0);
    for specimen in faulty {
        let setting = specimen.setting.duplicates(0).crashes(0);
        let found = search(specimen, setting, Nodes::Right);
        assert_eq!(found.verdict, Verdict::Exhausted, "{}", specimen.of);
    }
}

#[test]
fn names_are_unique_and_say_what_they_spoil() {
    let mut names = BTreeSet::new();
    for specimen in all() {
        assert!(names.insert(specimen.name), "{} twice", specimen.name);
        assert!(specimen.name.starts_with(&format!("{}-", specimen.of)), "{}", specimen.name);
        assert!(specimen.flaw.ends_with('.'), "{}", specimen.name);
        assert!(specimen.steps > 0, "{}", specimen.name);
        assert_eq!(find(specimen.name).map(|it| it.name), Some(specimen.name));
    }
    assert!(names.contains("maekawa-without-inquire"), "the documentation promises it");
    assert!(find("maekawa").is_none());
}

#[test]
fn there_is_one_of_each_kind() {
    let kinds: BTreeSet<_> = all().map(|specimen| specimen.finds).collect();
    let expected = [
        Finding::TwoInside,
        Finding::Deadlock,
        Finding::LostToken,
        Finding::Livelock,
        Finding::EndlessAnnouncement,
        Finding::TwoLeaders,
        Finding::WrongLeader,
        Finding::NoLeader,
        Finding::Assertion,
        Finding::Overtaken,
        Finding::Overlap,
        Finding::GroundlessDenial,
        Finding::WrongElement,
        Finding::NoChannel,
        Finding::Inconsistent,
        Finding::LostWrite,
        Finding::Parted,
        Finding::NeverLegal,
        Finding::Relapse,
        Finding::Misplaced,
    ];
    assert_eq!(kinds, expected.into());
}

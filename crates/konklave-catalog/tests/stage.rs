//! The stage of any system, stepped forwards and backwards. Not a unit test: those need not compile
//! the simulation of every algorithm.

use konklave::NodeId;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::stage::{AnyStage, Seen};
use konklave_catalog::system::CheckPlan;
use konklave_check::{Order, Pace, World};
use konklave_stage::Action;
use konklave_stage::erased::Value;

fn nodes(stage: &dyn AnyStage) -> Vec<Seen> {
    let nodes = NodeId::all(stage.size() as u32);
    nodes.map(|node| stage.node(node).expect("it exists")).collect()
}

/// Whether a statement stands in the file of an algorithm, and not in what is around it.
fn is_of_an_algorithm(file: &str) -> bool {
    let folder = "crates/konklave/src/";
    file.strip_prefix(folder).is_some_and(|file| !file.starts_with("protocol"))
}

/// Steps a system forwards by whatever comes first, and back again.
#[test]
fn any_system_is_stepped_forwards_and_backwards() {
    let catalog = Catalog::standard().leak();
    for entry in catalog.entries() {
        let setup = Setup { algorithm: entry.name.clone(), nodes: 3, ..Setup::default() };
        let site = Site::new(setup, entry, Verb::Check).unwrap();
        let order = if site.needs_fifo() { Order::Fifo } else { Order::Any };
        let world = World { order, pace: Pace::Patient, ..World::new() };
        let plan = CheckPlan { world, ..CheckPlan::default() };
        let mut stage = site.system().unwrap().stage(&plan).unwrap();
        let mut moments = Vec::new();
        for _ in 0..40 {
            let Some(action) = stage.enabled().into_iter().next() else { break };
            moments.push((stage.copy(), nodes(&*stage), action.clone()));
            let moved = stage.apply(&action, &[]);
            let moved = moved.unwrap_or_else(|it| panic!("{}: {it}", entry.name));
            assert!(moved.statements.iter().all(|it| is_of_an_algorithm(it.file())), "{moved:?}");
            assert_eq!(stage.broken(), None, "{}", entry.name);
        }
        // Among all states, the first is one in which nodes that repair themselves know nobody.
        let is_idle = site.system().unwrap().is_self_stabilising();
        let least = if is_idle { 3 } else { 6 };
        assert!(moments.len() >= least, "{}: only {} steps", entry.name, moments.len());
        for (before, nodes, action) in moments.into_iter().rev() {
            assert_eq!(self::nodes(&*before), nodes, "{}", entry.name);
            assert!(before.enabled().contains(&action), "{}", entry.name);
        }
    }
}

#[test]
fn what_cannot_happen_is_refused() {
    let catalog = Catalog::standard().leak();
    let entry = catalog.find("central").unwrap();
    let setup = Setup { algorithm: entry.name.clone(), nodes: 2, ..Setup::default() };
    let site = Site::new(setup, entry, Verb::Check).unwrap();
    let mut stage = site.system().unwrap().stage(&CheckPlan::default()).unwrap();
    let states = nodes(&*stage);
    for action in [Action::Deliver(7), Action::Crash(NodeId(9)), Action::Lose(0)] {
        assert!(stage.apply(&action, &[]).is_err(), "{action:?}");
    }
    let nonsense: Value = serde_json::from_str(r#""Explode""#).unwrap();
    let command = Action::Command { node: NodeId(0), command: nonsense };
    let refusal = stage.apply(&command, &[]).unwrap_err().to_string();
    assert!(refusal.contains("no such command"), "{refusal}");
    assert_eq!(nodes(&*stage), states);
}

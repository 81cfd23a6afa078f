//! Broken algorithms: both explorers find that they are.

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Data, Monitor, Protocol};
use konklave_check::application::{Application, Visitor, Voter};
use konklave_check::{Faults, Options, Order, System, Verdict, World, explore};
use konklave_specimens::{Finding, Flaw, Flawed, Setting, Specimen, Tool, Visit, all, visit};
use konklave_stage::erased::AnyNode;
use stateright::{Checker, Model};

use super::erased::AnyModel;

/// Looks at a setting with both.
struct Both(Setting);

/// What ours says, and whether theirs finds something wrong.
type Found = (Verdict, bool);

impl Both {
    /// All algorithms of a problem have one type here: the rest is compiled once.
    fn look<C, E, A, M>(&self, nodes: Vec<AnyNode<C, E>>, applications: Vec<A>, monitor: M) -> Found
    where
        C: Data,
        E: Data,
        A: Application<Command = C, Event = E>,
        M: Monitor<Command = C, Event = E>,
    {
        let Setting { fifo, duplicates, crashes, perpetual, .. } = self.0;
        let world = World {
            order: if fifo { Order::Fifo } else { Order::Any },
            perpetual,
            faults: Faults { duplicates, crashes, ..Faults::default() },
            ..World::new()
        };
        let system = System { nodes, applications, monitor, world };
        let theirs = AnyModel::new(system.clone()).checker().spawn_bfs().join();
        let ours = explore(system, Options::default(), &mut |_| true);
        (ours.verdict, !theirs.discoveries().is_empty())
    }
}

impl Visit for Both {
    type Out = Found;

    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Found
    where
        P: Protocol<Command = mutex::Command, Event = mutex::Event>,
        F: Flaw<P>,
    {
        let nodes = NodeId::all(self.0.nodes());
        let nodes = nodes.map(|me| AnyNode::new(Flawed::new(right(me), flaw(me)))).collect();
        let visitors = self.0.budget.iter().copied().map(Visitor::new).collect();
        self.look(nodes, visitors, mutex::Monitor::new(self.0.nodes()))
    }

    fn election<P, F>(
        self,
        winner: Winner,
        right: impl Fn(NodeId) -> P,
        flaw: impl Fn(NodeId) -> F,
    ) -> Found
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        let nodes = NodeId::all(self.0.nodes());
        let nodes = nodes.map(|me| AnyNode::new(Flawed::new(right(me), flaw(me)))).collect();
        let voters = self.0.budget.iter().copied().map(Voter::new).collect();
        let monitor = election::Monitor::new(self.0.ground().ids().to_vec(), winner);
        self.look(nodes, voters, monitor)
    }
}

/// Theirs knows nothing about runs without an end, and takes a minute for some that are long.
fn suits_both(specimen: &&Specimen) -> bool {
    !matches!(specimen.finds, Finding::Livelock | Finding::EndlessAnnouncement)
        && specimen.steps <= STEPS_MAX
}

const STEPS_MAX: usize = 12;

#[test]
fn both_find_every_short_specimen() {
    // A node that fails an assertion of its own is a result.
    std::panic::set_hook(Box::new(|_| {}));
    let checked = all().filter(|specimen| specimen.found_by == Tool::Check).filter(suits_both);
    let mut complaints = Vec::new();
    let mut count = 0;
    for specimen in checked {
        let setting = specimen.setting;
        let found = visit(specimen.name, &setting.ground(), Both(setting));
        if found != Some((Verdict::Violated, true)) {
            complaints.push(format!("{}: {found:?}", specimen.name));
        }
        count += 1;
    }
    let _ = std::panic::take_hook();
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(count > 30, "only {count}");
}

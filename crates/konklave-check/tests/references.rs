//! A node that holds addresses sends to no other nodes: neither in a search nor on a stage.

use konklave::NodeId;
use konklave::protocol::references::SENDS_TO_KNOWN;
use konklave::protocol::{Broken, Env, Monitor, Never, Protocol};
use konklave_check::{Options, System, Verdict, World, explore};
use konklave_stage::{Application, Stage, Standing};

/// Holds the address of one node. When it is told to, it tells that one of another node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Guest {
    neighbour: NodeId,
    habit: Habit,
}

/// Whom a guest greets who hears of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Habit {
    TheNeighbour,
    TheSender,
    TheOneItHearsOf,
    Itself,
    AStranger,
}

impl Protocol for Guest {
    type Msg = Option<NodeId>;
    type Timer = Never;
    type Command = NodeId;
    type Event = Never;

    fn on_command(&mut self, told: NodeId, env: &mut impl Env<Self>) {
        env.send(self.neighbour, Some(told));
    }

    fn on_message(&mut self, from: NodeId, msg: Option<NodeId>, env: &mut impl Env<Self>) {
        let Some(told) = msg else { return };
        let greeted = match self.habit {
            Habit::TheNeighbour => self.neighbour,
            Habit::TheSender => from,
            Habit::TheOneItHearsOf => told,
            Habit::Itself => NodeId(1),
            Habit::AStranger => NodeId(4),
        };
        env.send(greeted, None);
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        Some(vec![self.neighbour])
    }

    fn tells(&self, msg: &Option<NodeId>) -> Vec<NodeId> {
        msg.iter().copied().collect()
    }
}

/// Node 0 is told once to tell its neighbour of node 3.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Host {
    Speaks,
    Listens,
}

impl Application for Host {
    type Command = NodeId;
    type Event = Never;
    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<NodeId> {
        if *self == Self::Speaks { vec![NodeId(3)] } else { Vec::new() }
    }

    fn on_command(&mut self, _command: &NodeId) {
        *self = Self::Listens;
    }

    fn on_event(&mut self, event: &Never) {
        match *event {}
    }

    fn revive(&mut self) {}

    fn supply(nodes: u32, _commands: &[(NodeId, NodeId)]) -> Vec<Self> {
        vec![Self::Listens; nodes as usize]
    }

    fn standing(&self) -> Standing {
        Standing::Idle
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Unconcerned;

impl Monitor for Unconcerned {
    type Command = NodeId;
    type Event = Never;

    fn on_command(&mut self, _node: NodeId, _command: &NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn on_event(&mut self, _node: NodeId, event: &Never) -> Result<(), Broken> {
        match *event {}
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        Ok(())
    }
}

fn system(habit: Habit) -> System<Guest, Host, Unconcerned> {
    let make = |me: NodeId| Guest { neighbour: NodeId((me.0 + 1) % 5), habit };
    let hosts = [Host::Speaks].into_iter().chain(vec![Host::Listens; 4]).collect();
    System::new(make, hosts, Unconcerned, World::new())
}

/// What breaks when all that can happen on a stage happens, one thing after the other.
fn broken_on_stage(habit: Habit) -> Vec<Broken> {
    let System { nodes, applications, monitor, .. } = system(habit);
    let mut stage = Stage::new(nodes, applications, monitor);
    let mut broken = Vec::new();
    while let Some(action) = stage.enabled().into_iter().next() {
        let applied = stage.apply(&action, &[]).expect("it is enabled");
        broken.extend(applied.broken.into_iter().map(|breach| breach.broken));
    }
    broken
}

#[test]
fn a_node_may_send_to_nodes_that_it_knows_or_hears_of() {
    for habit in [Habit::TheNeighbour, Habit::TheSender, Habit::TheOneItHearsOf, Habit::Itself] {
        let report = explore(system(habit), Options::default(), &mut |_| true);
        assert_eq!(report.verdict, Verdict::Exhausted, "{habit:?}");
        assert_eq!(broken_on_stage(habit), [], "{habit:?}");
    }
}

#[test]
fn a_message_to_a_stranger_breaks_a_promise() {
    let report = explore(system(Habit::AStranger), Options::default(), &mut |_| true);
    let found: Vec<_> = report.counterexamples.into_iter().map(|it| it.broken).collect();
    assert_eq!(found, broken_on_stage(Habit::AStranger));
    let [broken] = &found[..] else { panic!("{found:?}") };
    assert_eq!((broken.promise.as_str(), broken.node), (SENDS_TO_KNOWN, Some(NodeId(1))));
}

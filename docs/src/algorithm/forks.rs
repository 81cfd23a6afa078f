//! One fork lies between every two nodes; a node that has all of its forks may enter.
//!
//! K. M. Chandy, J. Misra: The drinking philosophers problem. ACM Transactions on Programming
//! Languages and Systems 6 (4), 1984. Here everyone is everyone's neighbour.
//!
//! # Idea
//!
//! A node that wants to enter asks for the forks that are elsewhere. A fork that was used is dirty:
//! its holder gives it away when asked, even if it waits itself, and asks for it back at once. A
//! fork arrives clean, and a clean fork is kept until it was used. A node inside answers later.
//!
//! Say that u goes before v if the fork between them is clean at u, dirty at v, or on its way from
//! v to u. A fork that travels does not change that. Only an entry does: all forks of the node that
//! enters become dirty, and everyone else goes before it. So there are never circles, a node that
//! waits goes before all others who wait, and no node keeps a fork from it for ever. There are no
//! clocks and no numbers: the forks remember who was served last.
//!
//! # Cost
//!
//! Messages: 0 to 2(n-1) per entry; n-1 under light load, 2(n-1) under heavy. Two for each fork
//! that is elsewhere: it is kept once it is here. Coordination delay T under heavy load, waiting
//! time 2T on an idle system. State: three sets of nodes. Messages are empty.
//!
//! # Assumes
//!
//! A complete network with reliable channels in any order: a request that overtakes the fork it was
//! sent behind is remembered. No crashes: a fork at a crashed node is gone, and so is a lost one. A
//! lost request blocks its sender. A duplicate fork can let two nodes in together; a duplicate
//! request moves a fork for nothing.
//!
//! # Differs from the paper
//!
//! The token that a request needs there is left out: a node that waits has asked for every fork
//! that is elsewhere, exactly once.

use konklave::mutex::{Command, Event, Phase};
use konklave::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use konklave::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// What nodes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// May I have our fork?
    Request,
    /// Here it is.
    Fork,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Forks {
    me: NodeId,
    nodes: u32,
    phase: Phase,
    /// The nodes with which we share a fork that is here.
    here: NodeSet,
    /// Those of them whose fork is clean. Empty unless we wait.
    clean: NodeSet,
    /// The nodes that asked for our fork, and did not get it yet.
    asked: NodeSet,
}

impl Forks {
    /// Node `me` of a complete network of `nodes` nodes. At first the fork of two nodes is dirty,
    /// at the one with the smaller number.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        let here = NodeId::all(nodes).filter(|&other| other > me).collect();
        let (clean, asked) = (NodeSet::new(), NodeSet::new());
        Self { me, nodes, phase: Phase::Idle, here, clean, asked }
    }

    fn others(&self) -> NodeSet {
        NodeSet::all_but(self.me, self.nodes)
    }
}

impl Protocol for Forks {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                for other in self.waits_for().iter() {
                    env.send(other, Msg::Request);
                }
                self.enter_if_all_here(env);
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                for other in self.asked.clone().iter() {
                    self.give_if_dirty(other, env);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request => {
                self.asked.insert(from);
            }
            Msg::Fork => {
                self.here.insert(from);
                if self.phase == Phase::Waiting {
                    self.clean.insert(from);
                } // Else earned by a duplicate request, and as good as used.
                self.enter_if_all_here(env);
            }
        }
        self.give_if_dirty(from, env);
    }

    fn waits_for(&self) -> NodeSet {
        match self.phase {
            Phase::Waiting => self.others().iter().filter(|&it| !self.here.contains(it)).collect(),
            Phase::Idle | Phase::Inside => NodeSet::new(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![Invariant::new("one fork for two", one_fork), Invariant::new("no circle", no_circle)]
    }
}

impl Forks {
    fn enter_if_all_here(&mut self, env: &mut impl Env<Self>) {
        if self.phase == Phase::Waiting && self.waits_for().is_empty() {
            self.phase = Phase::Inside;
            self.clean = NodeSet::new();
            env.emit(Event::Granted);
        }
    }

    fn give_if_dirty(&mut self, other: NodeId, env: &mut impl Env<Self>) {
        let is_kept = self.phase == Phase::Inside || self.clean.contains(other);
        if is_kept || !self.here.contains(other) || !self.asked.remove(other) {
            return;
        }
        self.here.remove(other);
        env.send(other, Msg::Fork);
        if self.phase == Phase::Waiting {
            env.send(other, Msg::Request); // We still need it.
        }
    }
}

/// Where the fork of `a` and `b` is: how often at `a`, and on its way to `a`.
fn forks(system: &Snapshot<'_, Forks>, a: NodeId, b: NodeId) -> (usize, usize) {
    let here = system.nodes[a.index()].here.contains(b);
    let is_coming = |it: &&(NodeId, NodeId, &Msg)| (it.0, it.1, *it.2) == (b, a, Msg::Fork);
    (usize::from(here), system.messages.iter().filter(is_coming).count())
}

/// The fork of two nodes is at one of them, or on its way.
fn one_fork(system: &Snapshot<'_, Forks>) -> Result<(), String> {
    let all = NodeId::all(system.nodes.len() as u32);
    for (a, b) in all.clone().flat_map(|a| all.clone().map(move |b| (a, b))) {
        let (at_a, to_a) = forks(system, a, b);
        let (at_b, to_b) = forks(system, b, a);
        let count = at_a + to_a + at_b + to_b;
        if a < b && count != 1 {
            return Err(format!("there are {count} forks between {a} and {b}"));
        }
    }
    Ok(())
}

/// Nobody goes before itself, round a circle of others.
fn no_circle(system: &Snapshot<'_, Forks>) -> Result<(), String> {
    let goes_before = |u: NodeId, v: NodeId| {
        let (_, coming) = forks(system, u, v);
        let is_dirty = |at: NodeId, with: NodeId| {
            let node = &system.nodes[at.index()];
            node.here.contains(with) && !node.clean.contains(with)
        };
        coming > 0 || system.nodes[u.index()].clean.contains(v) || is_dirty(v, u)
    };
    // Whoever nobody goes before is taken away, again and again: in the end nobody is left.
    let mut left: Vec<_> = NodeId::all(system.nodes.len() as u32).collect();
    while let Some(at) = left.iter().position(|&v| !left.iter().any(|&u| goes_before(u, v))) {
        left.remove(at);
    }
    match left.is_empty() {
        true => Ok(()),
        false => Err(format!("{left:?} go before each other")),
    }
}

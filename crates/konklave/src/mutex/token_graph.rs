//! Raymond's algorithm on any network: the edges form an acyclic orientation towards the token.
//!
//! J. L. A. van de Snepscheut: Fair mutual exclusion on a graph of processes. Distributed Computing
//! 2, 1987. The wave: E. J. H. Chang: Echo algorithms. IEEE Transactions on Software Engineering 8
//! (4), 1982.
//!
//! # Idea
//!
//! An echo wave from the initial owner of the token gives every node a depth. Each edge then points
//! from the larger to the smaller pair of depth and number: the orientation is acyclic, and every
//! directed path ends at the token. A node that wants the token, or was asked for it, asks along
//! one of its outgoing edges, the one that points to the latest known owner. Queues work as in
//! Raymond's algorithm.
//!
//! When the token arrives, all outgoing edges of the new owner must be inverted. The variants
//! differ in which neighbours are told:
//! - `all`: the nodes to which the new owner pointed; so every node finds short paths to the token.
//!   The inversion carries the number of the token's hop. A node that has had the token later
//!   ignores it; otherwise a late inversion could close a cycle.
//! - `everyone`: all neighbours, which refreshes the hop numbers everywhere.
//! - `acknowledged`: as `all`, but hop numbers do not decide. Instead the token stays until all
//!   inversions are acknowledged; meanwhile only its owner can use it.
//! - `one`: none. The owner forgets all edges except the one that the token takes. Once every node
//!   has had the token, a spanning tree remains, and the algorithm is Raymond's.
//!
//! # Cost
//!
//! Messages: 2m once; per entry 2d, and per hop outdegree - 1 to turn edges. m is the number of
//! edges, d the length of the directed path. On a complete network that makes n in the variant
//! `everyone`, as many as a broadcast of requests; in the variant `one` 4(n-1)/n, as on a star.
//!
//! - Time: waiting time 2dT, coordination delay at worst the diameter times T; acknowledgements add
//!   up to 2T per hop.
//! - State: a pointer and a number for each edge, a queue of at most degree + 1 nodes.
//! - Fairness: no starvation, but no bound on overtaking: a request can be
//!   forwarded together with an older one from the same direction, and that direction changes. On a
//!   tree it does not, and the bound is that of [`raymond`](super::raymond).
//!
//! # Assumes
//!
//! A connected network with reliable channels, which may reorder messages, and no crashes.
//!
//! - Loss: a lost token, request or message of the wave blocks the nodes that wait for it; a lost
//!   inversion costs a detour, or blocks in the variant `acknowledged`. Safety holds.
//! - Duplication: a duplicate token is recognised by its hop number. A duplicate request sends the
//!   token to a node that does not want it; two duplicates can keep the token moving for ever.
//! - Crash: the crash of a node on the path to the token blocks all nodes behind it.
//!
//! # Differs from the paper
//!
//! The paper orients a given graph once and flips one edge at a time, the variant `one`. As in
//! [`raymond`](super::raymond), no flag records whether a neighbour was asked: one was asked if and
//! only if the queue is non-empty and the token is elsewhere. Which neighbour is stored, since
//! edges are inverted meanwhile.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// An explorer of the wave, with the sender's depth.
    Explore(u32),
    /// An echo: the wave is complete behind the sender; with the sender's depth.
    Echo(u32),
    /// A node on the sender's side wants the token.
    Request,
    /// The token, at this hop.
    Token(u64),
    /// The sender got the token at this hop: invert the edge.
    Invert(u64),
    /// The sender has inverted the edge.
    Ack,
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Which neighbours a new owner tells to invert their edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The nodes to which the new owner pointed.
    All,
    /// All neighbours of the new owner.
    Everyone,
    /// The nodes to which the new owner pointed; each acknowledges it.
    Acknowledged,
    /// None: only the edge that the token crossed is inverted.
    One,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenGraph {
    me: NodeId,
    variant: Variant,
    neighbours: Vec<NodeId>,
    phase: Phase,
    /// The requesters in FIFO order: neighbours and `me`.
    queue: VecDeque<NodeId>,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The wave is not complete here: our parent and depth, and the depths of neighbours known.
    Exploring { woken: Option<(NodeId, u32)>, depths: BTreeMap<NodeId, u32> },
    /// The token is elsewhere. The edges to `nearer`, at least one, point towards it; the labels
    /// there are larger than ours, so there is no cycle. One neighbour was asked if and only if
    /// the queue is non-empty; a later inversion may name a nearer one.
    Pointing { label: Label, nearer: BTreeMap<NodeId, Label>, asked: Option<NodeId> },
    /// The token is here since this hop. It cannot leave until the `silent` neighbours have
    /// answered: at its initial owner the wave, later an inversion.
    Holding { hop: u64, silent: NodeSet },
}

/// The potential of a node, which grows along edges: the latest owner of the token has the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Label {
    /// The node has never had the token; its depth and number in the wave.
    Depth(Reverse<(u32, NodeId)>),
    /// The node had the token last at this hop.
    Hop(u64),
}

impl TokenGraph {
    /// Node `me` of a network, with its neighbours; the token starts at `first`.
    pub fn new(me: NodeId, neighbours: Vec<NodeId>, first: NodeId, variant: Variant) -> Self {
        let state = if me == first {
            State::Holding { hop: 0, silent: neighbours.iter().copied().collect() }
        } else {
            State::Exploring { woken: None, depths: BTreeMap::new() }
        };
        Self { me, variant, neighbours, phase: Phase::Idle, queue: VecDeque::new(), state }
    }

    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        matches!(self.state, State::Holding { .. })
    }
}

impl Protocol for TokenGraph {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        if self.has_token() {
            self.tell_neighbours_but(self.me, Msg::Explore(0), env);
        }
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Acquire, Phase::Idle) => {
                self.phase = Phase::Waiting;
                self.enqueue(self.me, env);
            }
            (Command::Release, Phase::Inside) => {
                self.phase = Phase::Idle;
                self.serve_if_free(env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Explore(depth) | Msg::Echo(depth) => self.on_wave(from, depth, env),
            Msg::Request => self.enqueue(from, env),
            Msg::Token(hop) => self.on_token(from, hop, env),
            Msg::Invert(hop) => self.on_invert(from, hop, env),
            Msg::Ack => {
                if let State::Holding { hop: 1.., silent } = &mut self.state {
                    silent.remove(from);
                    self.serve_if_free(env);
                }
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        match &self.state {
            State::Exploring { depths, .. } => {
                let neighbours = self.neighbours.iter().copied();
                neighbours.filter(|other| !depths.contains_key(other)).collect()
            }
            State::Pointing { asked, .. } => asked.iter().copied().collect(),
            State::Holding { silent, .. } => silent.clone(),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token(_)), Invariant::new("pointers are acyclic", no_cycle)]
    }
}

impl TokenGraph {
    /// Explorers and echoes are handled alike: the wave has reached `from` at this depth.
    fn on_wave(&mut self, from: NodeId, depth: u32, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Exploring { woken, depths } => {
                depths.insert(from, depth);
                if woken.is_none() {
                    let mine = depth.saturating_add(1);
                    *woken = Some((from, mine));
                    self.tell_neighbours_but(from, Msg::Explore(mine), env);
                }
                self.point_if_all_heard(env);
            }
            State::Holding { hop: 0, silent } => {
                silent.remove(from);
                self.serve_if_free(env);
            }
            State::Pointing { .. } | State::Holding { .. } => {} // A duplicate.
        }
    }

    fn on_token(&mut self, from: NodeId, hop: u64, env: &mut impl Env<Self>) {
        let State::Pointing { label, nearer, .. } = &mut self.state else { return }; // Duplicate.
        if Label::Hop(hop) <= *label {
            return; // A duplicate.
        }
        let mut told: NodeSet = match self.variant {
            Variant::All | Variant::Acknowledged => nearer.keys().copied().collect(),
            Variant::Everyone => self.neighbours.iter().copied().collect(),
            Variant::One => NodeSet::new(),
        };
        told.remove(from); // It inverted its edge when it sent the token.
        for other in told.iter() {
            env.send(other, Msg::Invert(hop));
        }
        let silent = if self.variant == Variant::Acknowledged { told } else { NodeSet::new() };
        self.state = State::Holding { hop, silent };
        self.serve_if_free(env);
    }

    fn on_invert(&mut self, from: NodeId, hop: u64, env: &mut impl Env<Self>) {
        // With the token here, the inversion is late.
        let State::Pointing { label, nearer, .. } = &mut self.state else { return };
        if self.variant == Variant::Acknowledged {
            // All our labels are older: the token stays there until we acknowledge.
            let newest = match nearer.values().max() {
                Some(Label::Hop(hop)) => hop.saturating_add(1),
                _ => 1,
            };
            nearer.insert(from, Label::Hop(newest));
            env.send(from, Msg::Ack);
        } else if Label::Hop(hop) > *label {
            // Of two inversions the later hop counts, in whatever order they arrive.
            let known = nearer.entry(from).or_insert(Label::Hop(hop));
            *known = Label::Hop(hop).max(*known);
        } // Else late: we have had the token since.
    }

    fn tell_neighbours_but(&self, one: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        for &other in self.neighbours.iter().filter(|&&other| other != one) {
            env.send(other, msg);
        }
    }

    fn point_if_all_heard(&mut self, env: &mut impl Env<Self>) {
        let State::Exploring { woken: Some((parent, depth)), depths } = &self.state else { return };
        if depths.len() < self.neighbours.len() {
            return;
        }
        env.send(*parent, Msg::Echo(*depth));
        let label = |node: NodeId, depth: u32| Label::Depth(Reverse((depth, node)));
        let mine = label(self.me, *depth);
        let theirs = depths.iter().map(|(&node, &depth)| (node, label(node, depth)));
        let nearer = theirs.filter(|(_, theirs)| *theirs > mine).collect();
        self.state = State::Pointing { label: mine, nearer, asked: None };
        if !self.queue.is_empty() {
            self.ask(env);
        }
    }

    fn enqueue(&mut self, who: NodeId, env: &mut impl Env<Self>) {
        self.queue.push_back(who);
        match &self.state {
            State::Pointing { asked: None, .. } => self.ask(env),
            State::Holding { .. } => self.serve_if_free(env),
            _ => {} // Has asked, or will ask when the wave is complete.
        }
    }

    /// Asks the neighbour with the largest known label: the latest owner of the token.
    fn ask(&mut self, env: &mut impl Env<Self>) {
        let State::Pointing { nearer, asked, .. } = &mut self.state else { return };
        if let Some((&nearest, _)) = nearer.iter().max_by_key(|(_, label)| **label) {
            *asked = Some(nearest);
            env.send(nearest, Msg::Request);
        }
    }

    fn serve_if_free(&mut self, env: &mut impl Env<Self>) {
        let State::Holding { hop, silent } = &self.state else { return };
        let Some(&head) = self.queue.front() else { return };
        if self.phase == Phase::Inside || (head != self.me && !silent.is_empty()) {
            return;
        }
        self.queue.pop_front();
        if head == self.me {
            self.phase = Phase::Inside;
            env.emit(Event::Granted);
        } else {
            let (hop, next) = (*hop, hop.saturating_add(1));
            let nearer = BTreeMap::from([(head, Label::Hop(next))]);
            self.state = State::Pointing { label: Label::Hop(hop), nearer, asked: None };
            env.send(head, Msg::Token(next));
            if !self.queue.is_empty() {
                self.ask(env);
            }
        }
    }
}

/// Labels grow along pointers, so there is no cycle. At the token's destination pointers are void.
fn no_cycle(system: &Snapshot<'_, TokenGraph>) -> Result<(), String> {
    let label = |node: NodeId| match &system.nodes[node.index()].state {
        State::Pointing { label, .. } => Some(*label),
        State::Holding { hop, .. } => Some(Label::Hop(*hop)),
        State::Exploring { .. } => None,
    };
    let arrives = |node: NodeId| {
        system.messages.iter().any(|(_, to, msg)| *to == node && matches!(msg, Msg::Token(_)))
    };
    for (node, at) in NodeId::all(system.nodes.len() as u32).zip(system.nodes) {
        let State::Pointing { nearer, .. } = &at.state else { continue };
        for &other in nearer.keys().filter(|&&other| !arrives(node) && !arrives(other)) {
            if label(other).is_some_and(|theirs| Some(theirs) <= label(node)) {
                return Err(format!("node {node} points to node {other}, which is not nearer"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

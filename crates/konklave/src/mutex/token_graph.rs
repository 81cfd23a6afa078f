//! Raymond's algorithm on any network: edges point to the token without cycles, and turn with it.
//!
//! J. L. A. van de Snepscheut: Fair mutual exclusion on a graph of processes. Distributed Computing
//! 2, 1987. The wave: E. J. H. Chang: Echo algorithms. IEEE Transactions on Software Engineering
//! 8 (4), 1982.
//!
//! # Idea
//!
//! An echo wave from the token's first owner gives every node a depth. Each edge then points from
//! the larger to the smaller pair of depth and number: there is no cycle, and every path ends at
//! the token. A node that wants the token, or was asked for it, asks along one of its edges, the
//! one that points to where the token was last. Queues work as in Raymond's algorithm.
//!
//! When the token arrives, all edges that lead away from here have to turn. The variants differ in
//! who is told:
//! - `all`: those to whom we pointed; so everybody finds short ways to the token. The news carries
//!   the number of the token's hop. Who has had the token later than that ignores it, or else late
//!   news could close a cycle.
//! - `everyone`: all neighbours, which refreshes the hop numbers everywhere.
//! - `acknowledged`: as `all`, but the hop number of the news decides nothing. Instead the token
//!   stays until all who were told have acknowledged it; only its own node can use it meanwhile.
//! - `one`: nobody. The edges are forgotten, except the one that the token takes. Once everybody
//!   has had the token, a spanning tree is left, and the algorithm is Raymond's.
//!
//! # Cost
//!
//! Messages: 2m once; per entry 2d, and per hop outdegree - 1 to turn edges. m is the number of
//! edges, d the length of the way along edges. On a complete network that makes n in the variant
//! `everyone`, as many as asking everyone; in the variant `one` 4(n-1)/n, as on a star. Waiting
//! time 2dT, coordination delay at worst the diameter times T; acknowledgements add up to 2T per
//! hop. State: a pointer and a number for each edge, a queue of at most degree + 1 nodes.
//!
//! # Assumes
//!
//! A connected network with reliable channels in any order. No crashes: one on the way to the token
//! blocks all behind it. A lost token or request blocks, and so does a lost message of the wave. A
//! lost inversion costs a detour, unless an acknowledgement is due: one that never comes blocks. A
//! doubled token is recognised by its hop number; a doubled request can send the token where nobody
//! wants it, and two can keep it going for ever.
//!
//! # Differs from the paper
//!
//! The paper orients a given graph once and flips one edge at a time, the variant `one`. Whether a
//! neighbour was asked is no flag, as in [`raymond`](super::raymond): it was, exactly if the queue
//! is not empty and the token is elsewhere. Whom is remembered, since edges turn meanwhile.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event, Phase};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};

/// What neighbours send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The wave reaches you; my depth.
    Explore(u32),
    /// The wave has passed everyone behind me; my depth.
    Echo(u32),
    /// Somebody on my side wants the token.
    Request,
    /// Here it is, at this hop.
    Token(u64),
    /// I got the token at this hop: point to me.
    Invert(u64),
    /// I point to you.
    Ack,
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Who is told where the token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Those to whom its new owner pointed.
    All,
    /// All neighbours of its new owner.
    Everyone,
    /// Those to whom its new owner pointed, and they acknowledge it.
    Acknowledged,
    /// Nobody: only the edge that it took turns round.
    One,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenGraph {
    me: NodeId,
    variant: Variant,
    neighbours: Vec<NodeId>,
    phase: Phase,
    /// Who asked us, first come first: neighbours and `me`.
    queue: VecDeque<NodeId>,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The wave has not passed: who woke us and our depth, and the depths that we have heard of.
    Exploring { woken: Option<(NodeId, u32)>, depths: BTreeMap<NodeId, u32> },
    /// The token is elsewhere, and these neighbours, at least one, are nearer to it. Their labels
    /// are larger than ours: there is no cycle.
    /// One was asked, exactly if the queue is not empty; others may be nearer since.
    Pointing { label: Label, nearer: BTreeMap<NodeId, Label>, asked: Option<NodeId> },
    /// The token is here since this hop. It cannot leave until these have answered: at its first
    /// owner the wave, later an inversion.
    Holding { hop: u64, silent: NodeSet },
}

/// Where a node stands in the order along edges: the latest to have had the token is the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Label {
    /// It never had the token, and the wave found it here.
    Depth(Reverse<(u32, NodeId)>),
    /// It had the token last at this hop.
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
        vec![one_token!(Msg::Token(_)), Invariant::new("pointers form no cycle", no_cycle)]
    }
}

impl TokenGraph {
    /// Explorers and echoes tell the same: the wave has been at `from`, and its depth.
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
            State::Pointing { .. } | State::Holding { .. } => {} // Doubled: the wave is over.
        }
    }

    fn on_token(&mut self, from: NodeId, hop: u64, env: &mut impl Env<Self>) {
        let State::Pointing { label, nearer, .. } = &mut self.state else { return }; // Doubled.
        if Label::Hop(hop) <= *label {
            return; // Doubled.
        }
        let mut told: NodeSet = match self.variant {
            Variant::All | Variant::Acknowledged => nearer.keys().copied().collect(),
            Variant::Everyone => self.neighbours.iter().copied().collect(),
            Variant::One => NodeSet::new(),
        };
        told.remove(from); // It points here since it sent the token.
        for other in told.iter() {
            env.send(other, Msg::Invert(hop));
        }
        let silent = if self.variant == Variant::Acknowledged { told } else { NodeSet::new() };
        self.state = State::Holding { hop, silent };
        self.serve_if_free(env);
    }

    fn on_invert(&mut self, from: NodeId, hop: u64, env: &mut impl Env<Self>) {
        // If the token is here, we are nearer.
        let State::Pointing { label, nearer, .. } = &mut self.state else { return };
        if self.variant == Variant::Acknowledged {
            // Everything that we know is older: the token is there until we answer.
            let newest = match nearer.values().max() {
                Some(Label::Hop(hop)) => hop.saturating_add(1),
                _ => 1,
            };
            nearer.insert(from, Label::Hop(newest));
            env.send(from, Msg::Ack);
        } else if Label::Hop(hop) > *label {
            // Of two inversions the later one counts, whichever comes first.
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
            _ => {} // Has asked, or will when it knows whom.
        }
    }

    /// Asks the neighbour that, as far as known, has had the token last.
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

/// Labels grow along pointers, so there is no cycle. Where the token arrives, pointers are void.
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
                return Err(format!("node {node} points at node {other}, which is no nearer"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Every node has one lock to give; whoever has the locks of its quorum enters.
//!
//! M. Maekawa: A sqrt(N) algorithm for mutual exclusion in decentralized systems. ACM Transactions
//! on Computer Systems 3 (2), 1985. Corrected by B. A. Sanders: The information structure of
//! distributed mutual exclusion algorithms. ACM Transactions on Computer Systems 5 (3), 1987.
//!
//! # Idea
//!
//! A requester asks its quorum instead of everyone. Any two quorums share a node, and that node is
//! an arbiter: it locks itself for one request at a time. Three requesters that each have a lock
//! which another one wants would wait for ever, so age decides. An arbiter that is locked for a
//! younger request than one that waits asks for its lock back. The holder gives it back if it
//! cannot enter at present: if another arbiter has told it that it failed, or it has yielded
//! another lock. Else it remembers the question, for it may fail yet.
//!
//! So a requester must know whenever an older request is before it in some queue. In particular,
//! one that was the oldest there must be told that it failed when a still older one comes: this was
//! missing in the paper. Now a requester that nobody told waits only for younger ones; these wait
//! for younger ones still, or are inside, or know that they failed: somebody gives way.
//!
//! # Cost
//!
//! Messages: 3(K-1) per entry under light load, 4(K-1) under heavy load. K is the size of a quorum:
//! about sqrt(n) on planes, 2 sqrt(n) on grids. At worst 6(K-1)+3 on average: each request can be
//! told once that it failed, and can cause one inquiry, one yield, and one lock given twice. The
//! maximum 5(K-1) of the paper lacks the correction. Coordination delay 2T, or T if the leaver or
//! its successor is the arbiter between them. Waiting time 2T on an idle system. State: a queue of
//! at most K requests and sets of nodes. Message: one stamp.
//!
//! # Assumes
//!
//! A complete network, of which only quorums are used, with reliable channels in any order: every
//! message names the request that it is about. No crashes: a crashed node blocks those who have it
//! in their quorum, a crashed holder of locks all whose quorums meet its own. A lost message blocks
//! in the same way, unless it is an inquiry or failure that turns out not to matter. A doubled
//! request can block its arbiter for ever; a doubled lock that comes after it was yielded, or a
//! doubled yield after the lock was given again, can let two nodes in together.
//!
//! # Differs from the paper
//!
//! With the correction above. Of the waiting requests exactly one may not know that it failed: the
//! oldest, if it is older than the holder; and exactly then the lock was asked back. So an arbiter
//! needs neither a list of whom it told nor a flag that it inquired. Lamport clocks replace
//! sequence numbers, `Yield` is the paper's RELINQUISH, and [`Roles`] leaves room for Sanders'
//! algorithm.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other: about which request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To an arbiter: may I enter?
    Request(Stamp),
    /// To a requester: I am locked for you.
    Locked(Stamp),
    /// To a requester: somebody else comes before you.
    Failed(Stamp),
    /// To the holder of a lock: can you enter? If not, yield.
    Inquire(Stamp),
    /// To an arbiter: I cannot, give your lock to somebody else until my turn comes.
    Yield(Stamp),
    /// To an arbiter: I have left.
    Release(Stamp),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Whom a requester asks and informs, and for whom an arbiter locks itself.
///
/// In this algorithm all three are the quorum, a [`NodeSet`]; [`sanders`](super::sanders) tells
/// them apart.
pub trait Roles: Clone + Eq + Hash + Debug + Send + 'static {
    /// Who is asked before the node enters.
    fn asked(&self) -> &NodeSet;

    /// Who is informed when it leaves: some of those who were asked.
    fn informed(&self) -> &NodeSet;

    /// Whether `requester` will inform this node when it leaves.
    fn is_informed_by(&self, requester: NodeId) -> bool;
}

impl Roles for NodeSet {
    fn asked(&self) -> &NodeSet {
        self
    }

    fn informed(&self) -> &NodeSet {
        self
    }

    fn is_informed_by(&self, _requester: NodeId) -> bool {
        true
    }
}

/// One node of the algorithm: a requester and an arbiter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Maekawa<R: Roles = NodeSet> {
    me: NodeId,
    roles: R,
    /// At least the time of every request sent or seen.
    clock: u64,
    state: State,
    /// The request that this arbiter is locked for.
    lock: Option<Stamp>,
    /// The requests that wait for the lock. Empty while it is free.
    queue: BTreeSet<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    Wanted {
        mine: Stamp,
        /// The arbiters whose locks we have.
        granted: NodeSet,
        /// Those that told us that we failed, or to which we yielded, and not granted since.
        failed: NodeSet,
        /// Those that want their lock back. If any has failed, none of these is granted.
        inquired: NodeSet,
    },
    Held {
        mine: Stamp,
    },
}

impl<R: Roles> Maekawa<R> {
    /// Node `me`, whose quorum is `roles`. Any two quorums must meet.
    pub fn new(me: NodeId, roles: R) -> Self {
        let queue = BTreeSet::new();
        Self { me, roles, clock: 0, state: State::Released, lock: None, queue }
    }
}

impl<R: Roles> Protocol for Maekawa<R> {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &self.state) {
            (Command::Acquire, State::Released) => {
                self.clock = self.clock.saturating_add(1);
                let mine = Stamp { time: self.clock, node: self.me };
                let none = NodeSet::new;
                self.state =
                    State::Wanted { mine, granted: none(), failed: none(), inquired: none() };
                for arbiter in self.roles.asked().clone().iter() {
                    self.tell(arbiter, Msg::Request(mine), env);
                }
            }
            (Command::Release, &State::Held { mine }) => {
                self.state = State::Released;
                for arbiter in self.roles.informed().clone().iter() {
                    self.tell(arbiter, Msg::Release(mine), env);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(theirs) => self.on_request(theirs, env),
            Msg::Locked(request) => self.on_locked(from, request, env),
            Msg::Failed(request) => self.on_failed(from, request, env),
            Msg::Inquire(request) => self.on_inquire(from, request, env),
            Msg::Yield(theirs) if self.lock == Some(theirs) => {
                self.queue.insert(theirs);
                self.unlock(env);
            }
            Msg::Release(theirs) if self.lock == Some(theirs) => self.unlock(env),
            Msg::Yield(_) | Msg::Release(_) => {} // Doubled.
        }
    }

    fn waits_for(&self) -> NodeSet {
        let all = self.roles.asked();
        let had = if let State::Wanted { granted, .. } = &self.state { granted } else { all };
        let missing = all.iter().filter(|&arbiter| !had.contains(arbiter));
        // As an arbiter, for whoever has its lock while others want it.
        let owner = self.lock.filter(|_| !self.queue.is_empty()).map(|lock| lock.node);
        missing.chain(owner).filter(|&other| other != self.me).collect()
    }
}

/// The requester.
impl<R: Roles> Maekawa<R> {
    fn on_locked(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Wanted { mine, granted, failed, .. } if *mine == request => {
                granted.insert(from);
                failed.remove(from);
                if granted == self.roles.asked() {
                    self.state = State::Held { mine: request };
                    env.emit(Event::Granted);
                } else {
                    self.yield_if_failed(env); // An inquiry may have overtaken the lock.
                }
            }
            _ => {} // Doubled.
        }
    }

    fn on_failed(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Wanted { mine, granted, failed, .. }
                if *mine == request && !granted.contains(from) =>
            {
                failed.insert(from);
                self.yield_if_failed(env);
            }
            _ => {} // Overtaken by the lock.
        }
    }

    fn on_inquire(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Wanted { mine, inquired, .. } if *mine == request => {
                inquired.insert(from);
                self.yield_if_failed(env);
            }
            _ => {} // We are inside, or have left: the release is the answer.
        }
    }

    fn yield_if_failed(&mut self, env: &mut impl Env<Self>) {
        let State::Wanted { mine, granted, failed, inquired } = &mut self.state else { return };
        if failed.is_empty() {
            return;
        }
        let mine = *mine;
        let yielded: NodeSet = inquired.iter().filter(|&arbiter| granted.remove(arbiter)).collect();
        for arbiter in yielded.iter() {
            inquired.remove(arbiter);
            failed.insert(arbiter);
        }
        for arbiter in yielded.iter() {
            self.tell(arbiter, Msg::Yield(mine), env);
        }
    }
}

/// The arbiter.
impl<R: Roles> Maekawa<R> {
    fn on_request(&mut self, theirs: Stamp, env: &mut impl Env<Self>) {
        self.clock = self.clock.max(theirs.time);
        let head = self.queue.first().copied();
        if self.lock == Some(theirs) || !self.queue.insert(theirs) {
            return; // Doubled.
        }
        match (self.lock, head) {
            (None, _) => self.grant_if_unlocked(env),
            (Some(lock), _) if lock < theirs => self.tell(theirs.node, Msg::Failed(theirs), env),
            (_, Some(head)) if head < theirs => self.tell(theirs.node, Msg::Failed(theirs), env),
            // The lock was asked back for the old head, which is no longer next: the correction.
            (Some(lock), Some(head)) if head < lock => {
                self.tell(head.node, Msg::Failed(head), env);
            }
            (Some(lock), _) => self.tell(lock.node, Msg::Inquire(lock), env),
        }
    }

    fn unlock(&mut self, env: &mut impl Env<Self>) {
        self.lock = None;
        self.grant_if_unlocked(env);
    }

    fn grant_if_unlocked(&mut self, env: &mut impl Env<Self>) {
        while self.lock.is_none()
            && let Some(oldest) = self.queue.pop_first()
        {
            if self.roles.is_informed_by(oldest.node) {
                self.lock = Some(oldest);
            }
            self.tell(oldest.node, Msg::Locked(oldest), env);
        }
    }

    /// Requester and arbiter of one node talk without messages.
    fn tell(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        if to == self.me {
            self.on_message(to, msg, env);
        } else {
            env.send(to, msg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn stamp(time: u64, node: u32) -> Stamp {
        Stamp { time, node: NodeId(node) }
    }

    /// Node 1 with the quorum {1, 2, 3}, and the environment.
    fn node() -> (Maekawa, Recorder<Maekawa>) {
        let quorum = [1, 2, 3].map(NodeId).into_iter().collect();
        (Maekawa::new(NodeId(1), quorum), Recorder::default())
    }

    /// The same, asking, locked by itself.
    fn asking() -> (Maekawa, Recorder<Maekawa>) {
        let (mut node, mut env) = node();
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 Request(1@1)", "-> 3 Request(1@1)"]);
        (node, env)
    }

    #[test]
    fn enters_with_all_locks_and_releases_them() {
        let (mut node, mut env) = asking();
        node.on_message(NodeId(2), Msg::Locked(stamp(1, 1)), &mut env);
        assert!(env.lines().is_empty());
        node.on_message(NodeId(3), Msg::Locked(stamp(1, 1)), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 2 Release(1@1)", "-> 3 Release(1@1)"]);
        assert_eq!(node.lock, None);
    }

    #[test]
    fn an_inquiry_waits_until_something_failed() {
        let (mut node, mut env) = asking();
        node.on_message(NodeId(2), Msg::Inquire(stamp(1, 1)), &mut env);
        node.on_message(NodeId(2), Msg::Locked(stamp(1, 1)), &mut env);
        assert!(env.lines().is_empty(), "the inquiry overtook the lock; we may still win");
        node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Yield(1@1)"]);
    }

    #[test]
    fn a_yielded_lock_counts_as_a_failure() {
        let (mut node, mut env) = asking();
        for msg in [Msg::Locked(stamp(1, 1)), Msg::Inquire(stamp(1, 1))] {
            node.on_message(NodeId(2), msg, &mut env);
        }
        node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
        node.on_message(NodeId(3), Msg::Locked(stamp(1, 1)), &mut env);
        env.lines();
        node.on_message(NodeId(3), Msg::Inquire(stamp(1, 1)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Yield(1@1)"], "arbiter 2 has our lock no more");
    }

    #[test]
    fn requester_and_arbiter_of_a_node_need_no_messages() {
        let (mut node, mut env) = asking();
        node.on_message(NodeId(3), Msg::Failed(stamp(1, 1)), &mut env);
        node.on_message(NodeId(0), Msg::Request(stamp(1, 0)), &mut env);
        assert_eq!(env.lines(), ["-> 0 Locked(1@0)"], "inquired, yielded and locked in one step");
    }

    #[test]
    fn the_lock_is_asked_back_once_and_the_displaced_head_is_told() {
        let (mut node, mut env) = node();
        node.on_message(NodeId(3), Msg::Request(stamp(5, 3)), &mut env);
        node.on_message(NodeId(4), Msg::Request(stamp(6, 4)), &mut env);
        node.on_message(NodeId(2), Msg::Request(stamp(4, 2)), &mut env);
        assert_eq!(env.lines(), ["-> 3 Locked(5@3)", "-> 4 Failed(6@4)", "-> 3 Inquire(5@3)"]);
        node.on_message(NodeId(0), Msg::Request(stamp(3, 0)), &mut env);
        assert_eq!(env.lines(), ["-> 2 Failed(4@2)"], "the correction");
        node.on_message(NodeId(3), Msg::Yield(stamp(5, 3)), &mut env);
        assert_eq!(env.lines(), ["-> 0 Locked(3@0)"]);
        node.on_message(NodeId(0), Msg::Release(stamp(3, 0)), &mut env);
        node.on_message(NodeId(2), Msg::Release(stamp(4, 2)), &mut env);
        assert_eq!(
            env.lines(),
            ["-> 2 Locked(4@2)", "-> 3 Locked(5@3)"],
            "the yielder kept its place"
        );
    }

    #[test]
    fn what_is_late_or_doubled_is_ignored() {
        let (mut node, mut env) = asking();
        let before = node.clone();
        for msg in [Msg::Locked, Msg::Failed, Msg::Inquire, Msg::Yield, Msg::Release] {
            node.on_message(NodeId(2), msg(stamp(0, 1)), &mut env);
        }
        node.on_message(NodeId(1), Msg::Request(stamp(1, 1)), &mut env);
        node.on_command(Command::Acquire, &mut env);
        node.on_command(Command::Release, &mut env);
        assert_eq!(node, before);
        assert!(env.lines().is_empty());
    }
}

//! Every node has one lock to grant; a node with the locks of its whole quorum enters.
//!
//! M. Maekawa: A sqrt(N) algorithm for mutual exclusion in decentralized systems. ACM Transactions
//! on Computer Systems 3 (2), 1985. Corrected by B. A. Sanders: The information structure of
//! distributed mutual exclusion algorithms. ACM Transactions on Computer Systems 5 (3), 1987.
//!
//! # Idea
//!
//! A requester asks its quorum instead of all nodes. Any two quorums intersect, and a node in the
//! intersection is an arbiter: it is locked for one request at a time. Three requesters that each
//! hold a lock which another one needs would deadlock, so timestamps decide. An arbiter that is
//! locked for a younger request than one in its queue sends the holder an inquiry. The holder
//! yields the lock if it cannot enter at present: if another arbiter has told it that it failed, or
//! it has yielded another lock. Otherwise it remembers the inquiry, because it may fail later.
//!
//! So a requester must be told of every arbiter where an older request precedes its own. In
//! particular, a request that was the oldest in a queue fails when a still older one arrives; this
//! message is missing in the paper. With it, a requester that has not failed waits only for younger
//! requests; these wait for still younger ones, or are inside, or know that they failed. So some
//! holder yields: no deadlock.
//!
//! # Cost
//!
//! Messages: 3(K-1) per entry under light load, 4(K-1) under heavy load. K is the size of a quorum:
//! about sqrt(n) on planes, 2 sqrt(n) on grids. The amortised worst case is 6(K-1)+3: each request
//! can fail once at an arbiter, and can cause one inquiry, one yield and one repeated lock. The
//! maximum 5(K-1) of the paper lacks the correction. A message carries one timestamp.
//!
//! - Time: coordination delay 2T, or T if the leaver or its successor is the arbiter between them;
//!   waiting time 2T on an idle system.
//! - State: a queue of at most K requests and sets of nodes.
//! - Fairness: no starvation, but no bound on overtaking: the clock of a node
//!   that was seldom asked lags behind, and its requests look old.
//!
//! # Assumes
//!
//! A complete network, of which only the quorums are used, with reliable channels, and no crashes.
//! Channels may reorder messages, because every message names its request.
//!
//! - Loss: a lost request, lock, yield or release leaves a lock that is never released, which
//!   blocks all nodes whose quorum contains it. A lost inquiry or failure can cause a deadlock.
//!   Safety holds.
//! - Duplication: a duplicate request that arrives after its release locks its arbiter for ever. A
//!   duplicate lock that arrives after it was yielded, or a duplicate yield after the lock was
//!   granted again, can let two nodes in.
//! - Crash: the crash of an arbiter blocks the nodes whose quorum contains it; the crash of a node
//!   that holds locks blocks all nodes whose quorums intersect its own.
//!
//! # Differs from the paper
//!
//! The correction above. At most one waiting request does not know that it failed: the oldest one,
//! if it is older than the holder's; and the arbiter has sent an inquiry if and only if there is
//! such a request. So an arbiter needs neither a list of the requests it has told nor a flag that
//! it inquired. Lamport clocks replace sequence numbers, `Yield` is the paper's RELINQUISH, and
//! [`Roles`] leaves room for Sanders' algorithm.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages; each names the request that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To an arbiter: the sender asks for its lock.
    Request(Stamp),
    /// To a requester: the arbiter is locked for this request.
    Locked(Stamp),
    /// To a requester: an older request precedes this one at the arbiter.
    Failed(Stamp),
    /// To the holder of a lock: an older request waits; yield if this one has failed anywhere.
    Inquire(Stamp),
    /// To an arbiter: the holder returns the lock, and its request goes back into the queue.
    Yield(Stamp),
    /// To an arbiter: the holder has left.
    Release(Stamp),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// The nodes that a requester asks and informs, and the requesters that an arbiter is locked for.
///
/// In this algorithm all three are the quorum, a [`NodeSet`]; in [`sanders`](super::sanders) they
/// differ.
pub trait Roles: Clone + Eq + Hash + Debug + Send + 'static {
    /// The nodes whose permission is needed to enter.
    fn asked(&self) -> &NodeSet;

    /// The nodes informed on leaving: a subset of those asked.
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
    /// At least the time of every request sent or received.
    clock: u64,
    state: State,
    /// As an arbiter: the request that holds the lock.
    lock: Option<Stamp>,
    /// As an arbiter: the requests that wait for the lock. Empty while the lock is free.
    queue: BTreeSet<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    Wanted {
        mine: Stamp,
        /// The arbiters that are locked for `mine`.
        granted: NodeSet,
        /// The arbiters where `mine` failed or yielded, and was not granted the lock since.
        failed: NodeSet,
        /// The arbiters that inquired. Disjoint from `granted` unless `failed` is empty.
        inquired: NodeSet,
    },
    Held {
        mine: Stamp,
    },
}

impl<R: Roles> Maekawa<R> {
    /// Node `me` with the quorum `roles`. Any two quorums must intersect.
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
            Msg::Yield(_) | Msg::Release(_) => {} // A duplicate.
        }
    }

    fn waits_for(&self) -> NodeSet {
        let all = self.roles.asked();
        let had = if let State::Wanted { granted, .. } = &self.state { granted } else { all };
        let missing = all.iter().filter(|&arbiter| !had.contains(arbiter));
        // As an arbiter: for the holder of its lock, if other requests wait.
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
            _ => {} // A duplicate.
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
            // The lock has overtaken it. It would do no harm to believe it: we would yield more
            // readily before we enter, and only to older requests.
            _ => {}
        }
    }

    fn on_inquire(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Wanted { mine, inquired, .. } if *mine == request => {
                inquired.insert(from);
                self.yield_if_failed(env);
            }
            _ => {} // We are inside, or have left: the release answers it.
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
            return; // A duplicate.
        }
        match (self.lock, head) {
            (None, _) => self.grant_if_unlocked(env),
            (Some(lock), _) if lock < theirs => self.tell(theirs.node, Msg::Failed(theirs), env),
            (_, Some(head)) if head < theirs => self.tell(theirs.node, Msg::Failed(theirs), env),
            // The inquiry was on behalf of the old head, which is no longer next: the correction.
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

    /// Messages between requester and arbiter of the same node are local calls.
    fn tell(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        if to == self.me {
            self.on_message(to, msg, env);
        } else {
            env.send(to, msg);
        }
    }
}

#[cfg(test)]
mod tests;

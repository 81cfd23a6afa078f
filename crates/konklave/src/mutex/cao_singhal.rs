//! As Maekawa, but a node that leaves passes each permission directly to the next requester.
//!
//! G. Cao, M. Singhal: A delay-optimal quorum-based mutual exclusion algorithm for distributed
//! systems. IEEE Transactions on Parallel and Distributed Systems 12 (12), 2001.
//!
//! # Idea
//!
//! In Maekawa's algorithm a permission returns to its arbiter before it is granted again: two
//! messages in sequence between two entries. Here the arbiter sends the owner of its permission a
//! transfer that names the next request. The owner passes the permission on when it leaves, and
//! informs the arbiter. Every inquiry comes with a transfer, as the older request is the next.
//!
//! So a permission can come from a third node, and the arbiter's messages about it can arrive
//! before it, or after it was passed on. Therefore every permission has an epoch, incremented
//! whenever it changes hands. A transfer of a later epoch waits for its permission, one of an
//! earlier epoch is ignored, and a release of a later epoch waits for the releases before it. If a
//! transfer was late, the release tells the arbiter to which owner to repeat it.
//!
//! # Cost
//!
//! Messages: 3(K-1) per entry under light load, 5(K-1)+1 under heavy load. K is the size of a
//! quorum: about sqrt(n) on planes, 2 sqrt(n) on grids. The extra message is for the node's own
//! arbiter. Very short entries take fewer messages, with some delays of 2T.
//!
//! - Time: coordination delay T, waiting time 2T on an idle system.
//! - State: a slot per arbiter, a queue of at most K requests.
//! - Fairness: no starvation, but no bound on overtaking: clocks can lag behind.
//!
//! # Assumes
//!
//! A complete network, of which only the quorums are used, with reliable channels in any order.
//!
//! - Loss: a lost message blocks, unless it is a transfer or failure without effect. Safety holds.
//! - Duplication: a duplicate request after its release blocks its arbiter; others are ignored.
//! - Crash: a crashed arbiter blocks the nodes whose quorum contains it, a crashed owner all whose
//!   quorums intersect its own; a restart without memory can let two nodes in.
//!
//! # Differs from the paper
//!
//! Epochs, which settle the races that the paper leaves open. `Locked` is the paper's reply.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between requesters and arbiters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To an arbiter: the sender asks for its permission.
    Request(Stamp),
    /// To a requester, from an arbiter or the previous owner: a permission.
    Locked {
        /// The arbiter that the permission belongs to.
        arbiter: NodeId,
        /// The number of times that it has changed hands.
        epoch: u64,
        /// The request that it is granted to.
        request: Stamp,
        /// The request that is next, as far as the sender knows.
        next: Option<Stamp>,
    },
    /// To the owner of a permission: pass it on to this request on leaving.
    Transfer {
        /// The epoch of the permission concerned.
        epoch: u64,
        /// The request that is next.
        next: Stamp,
        /// Whether this is also an inquiry: yield if the request has failed anywhere.
        inquire: bool,
    },
    /// To a requester: an older request precedes this one at the arbiter.
    Failed(Stamp),
    /// To an arbiter: the owner returns the permission, and its request goes back into the queue.
    Yield {
        /// The epoch of the permission concerned.
        epoch: u64,
        /// The request that yields.
        request: Stamp,
    },
    /// To an arbiter: the owner has left.
    Release {
        /// The epoch of the permission concerned.
        epoch: u64,
        /// The request that it was passed on to; none if it is free.
        to: Option<Stamp>,
    },
}

/// One node of the algorithm: a requester and an arbiter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CaoSinghal {
    me: NodeId,
    /// At least the time of every request sent or received.
    clock: u64,
    state: State,
    /// The permission of each arbiter in our quorum.
    slots: BTreeMap<NodeId, Slot>,
    arbiter: Arbiter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Released,
    Wanted { mine: Stamp },
    Held,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Slot {
    permission: Permission,
    /// The epoch of the permission that we hold or held last, also for an earlier request.
    epoch: u64,
    /// A transfer that has overtaken its permission, which is still in transit.
    pending: Option<Pending>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Permission {
    #[default]
    Missing,
    /// Our request failed at the arbiter, or we yielded.
    Failed,
    Granted {
        next: Option<Stamp>,
        /// Whether the arbiter has inquired. False while any other slot has failed.
        inquired: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending {
    epoch: u64,
    next: Stamp,
    inquire: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Arbiter {
    /// The owner of our permission, according to the releases so far.
    owner: Option<Stamp>,
    /// The epoch of the permission, according to the releases so far.
    epoch: u64,
    /// The requests that wait for the permission. Empty while it is free.
    queue: BTreeSet<Stamp>,
    /// The requests in the queue that were told that they failed: all but perhaps the oldest.
    told: BTreeSet<Stamp>,
    /// Releases of later epochs, each with the request that the permission was passed on to.
    early: BTreeMap<u64, Option<Stamp>>,
}

impl CaoSinghal {
    /// Node `me`, with its quorum. Any two quorums must intersect.
    pub fn new(me: NodeId, quorum: &NodeSet) -> Self {
        let slots = quorum.iter().map(|arbiter| (arbiter, Slot::default())).collect();
        Self { me, clock: 0, state: State::Released, slots, arbiter: Arbiter::default() }
    }
}

impl Protocol for CaoSinghal {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.state) {
            (Command::Acquire, State::Released) => {
                self.clock = self.clock.saturating_add(1);
                let mine = Stamp { time: self.clock, node: self.me };
                self.state = State::Wanted { mine };
                for arbiter in self.quorum() {
                    self.tell(arbiter, Msg::Request(mine), env);
                }
            }
            (Command::Release, State::Held) => {
                self.state = State::Released;
                for arbiter in self.quorum() {
                    self.give_back(arbiter, env);
                }
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Request(theirs) => self.on_request(theirs, env),
            Msg::Locked { arbiter, epoch, request, next } => {
                self.on_locked(arbiter, epoch, request, next, env);
            }
            Msg::Transfer { epoch, next, inquire } => {
                self.on_transfer(from, Pending { epoch, next, inquire }, env);
            }
            Msg::Failed(request) => self.on_failed(from, request, env),
            Msg::Yield { epoch, request } => self.on_yield(epoch, request, env),
            Msg::Release { epoch, to } => self.on_release(epoch, to, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_missing = |slot: &Slot| self.state != State::Released && !slot.is_granted();
        let missing = self.slots.iter().filter(|(_, slot)| is_missing(slot)).map(|(&id, _)| id);
        // As an arbiter: for the owner of its permission, if other requests wait.
        let Arbiter { owner, queue, .. } = &self.arbiter;
        let owner = owner.map(|own| own.node).filter(|&id| id != self.me && !queue.is_empty());
        missing.filter(|&id| id != self.me || owner.is_none()).chain(owner).collect()
    }
}

/// The requester.
impl CaoSinghal {
    fn on_locked(
        &mut self,
        arbiter: NodeId,
        epoch: u64,
        request: Stamp,
        next: Option<Stamp>,
        env: &mut impl Env<Self>,
    ) {
        let Some(slot) = self.slots.get_mut(&arbiter) else { return };
        if self.state != (State::Wanted { mine: request }) || epoch <= slot.epoch {
            return; // A duplicate, perhaps of a permission that was yielded since.
        }
        slot.epoch = epoch;
        slot.permission = match slot.pending.take() {
            Some(pending) if pending.epoch == epoch => {
                Permission::Granted { next: older(next, pending.next), inquired: pending.inquire }
            }
            _ => Permission::Granted { next, inquired: false },
        };
        if self.slots.values().all(Slot::is_granted) {
            self.state = State::Held;
            env.emit(Event::Granted);
        } else {
            self.yield_if_failed(env); // An inquiry may have overtaken the permission.
        }
    }

    fn on_transfer(&mut self, from: NodeId, transfer: Pending, env: &mut impl Env<Self>) {
        let Some(slot) = self.slots.get_mut(&from) else { return };
        match &mut slot.permission {
            Permission::Granted { next, inquired } if transfer.epoch == slot.epoch => {
                *next = older(*next, transfer.next);
                *inquired |= transfer.inquire;
                self.yield_if_failed(env);
            }
            _ if transfer.epoch > slot.epoch => slot.merge(transfer),
            _ => {} // Yielded or passed on: the arbiter will tell the new owner.
        }
    }

    fn on_failed(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        let Some(slot) = self.slots.get_mut(&from) else { return };
        if self.state != (State::Wanted { mine: request }) || slot.is_granted() {
            return; // The permission has overtaken it.
        }
        slot.permission = Permission::Failed;
        self.yield_if_failed(env);
    }

    fn yield_if_failed(&mut self, env: &mut impl Env<Self>) {
        let State::Wanted { mine } = self.state else { return }; // Inquiries wait.
        if !self.slots.values().any(|slot| slot.permission == Permission::Failed) {
            return;
        }
        let mut yielded = Vec::new();
        for (&arbiter, slot) in &mut self.slots {
            if let Permission::Granted { inquired: true, .. } = slot.permission {
                slot.permission = Permission::Failed;
                yielded.push((arbiter, slot.epoch));
            }
        }
        for (arbiter, epoch) in yielded {
            self.tell(arbiter, Msg::Yield { epoch, request: mine }, env);
        }
    }

    fn give_back(&mut self, arbiter: NodeId, env: &mut impl Env<Self>) {
        let Some(slot) = self.slots.get_mut(&arbiter) else { return };
        let Permission::Granted { next, .. } = std::mem::take(&mut slot.permission) else { return };
        let epoch = slot.epoch;
        if let Some(request) = next {
            let locked = Msg::Locked { arbiter, epoch: epoch + 1, request, next: None };
            self.tell(request.node, locked, env);
        }
        self.tell(arbiter, Msg::Release { epoch, to: next }, env);
    }

    /// Our arbiters, this node itself last: its effects follow the messages to the others.
    fn quorum(&self) -> Vec<NodeId> {
        let mut quorum: Vec<NodeId> = self.slots.keys().copied().collect();
        quorum.sort_by_key(|&arbiter| arbiter == self.me);
        quorum
    }
}

impl Slot {
    fn is_granted(&self) -> bool {
        matches!(self.permission, Permission::Granted { .. })
    }

    fn merge(&mut self, mut transfer: Pending) {
        if let Some(earlier) = self.pending.take_if(|earlier| earlier.epoch == transfer.epoch) {
            transfer.next = transfer.next.min(earlier.next);
            transfer.inquire |= earlier.inquire;
        }
        self.pending = Some(transfer);
    }
}

/// Of two candidates for the next request the older one counts: the arbiter named it later.
fn older(known: Option<Stamp>, next: Stamp) -> Option<Stamp> {
    Some(known.map_or(next, |known| known.min(next)))
}

/// The arbiter.
impl CaoSinghal {
    fn on_request(&mut self, theirs: Stamp, env: &mut impl Env<Self>) {
        self.clock = self.clock.max(theirs.time);
        let Arbiter { owner, epoch, queue, told, .. } = &mut self.arbiter;
        let (owner, epoch, head) = (*owner, *epoch, queue.first().copied());
        if owner == Some(theirs) || !queue.insert(theirs) {
            return; // A duplicate.
        }
        let Some(owner) = owner else { return self.grant(env) };
        let is_next = head.is_none_or(|head| theirs < head);
        // A request that is not next, or younger than the owner's, must be told that it failed.
        let failed = if is_next && theirs < owner { head } else { Some(theirs) };
        let failed = failed.filter(|&failed| told.insert(failed));
        if is_next {
            let inquire = theirs < owner && head.is_none_or(|head| owner < head); // Only once.
            self.tell(owner.node, Msg::Transfer { epoch, next: theirs, inquire }, env);
        }
        if let Some(failed) = failed {
            self.tell(failed.node, Msg::Failed(failed), env);
        }
    }

    fn on_yield(&mut self, epoch: u64, theirs: Stamp, env: &mut impl Env<Self>) {
        if self.arbiter.epoch != epoch || self.arbiter.owner != Some(theirs) {
            return; // A duplicate.
        }
        self.arbiter.queue.insert(theirs);
        self.arbiter.told.insert(theirs);
        self.grant(env);
    }

    fn on_release(&mut self, epoch: u64, to: Option<Stamp>, env: &mut impl Env<Self>) {
        if epoch < self.arbiter.epoch {
            return; // A duplicate.
        }
        self.arbiter.early.insert(epoch, to);
        while let Some(to) = self.arbiter.early.remove(&self.arbiter.epoch) {
            match to {
                Some(next) => self.hand_over(next, env),
                None => self.grant(env),
            }
        }
    }

    /// The former owner has passed our permission on to `next`.
    fn hand_over(&mut self, next: Stamp, env: &mut impl Env<Self>) {
        let Arbiter { owner, epoch, queue, told, .. } = &mut self.arbiter;
        queue.remove(&next);
        told.remove(&next);
        *owner = Some(next);
        *epoch += 1;
        if let Some(&head) = queue.first() {
            let transfer = Msg::Transfer { epoch: *epoch, next: head, inquire: head < next };
            self.tell(next.node, transfer, env);
        }
    }

    /// The permission is free: the oldest request gets it.
    fn grant(&mut self, env: &mut impl Env<Self>) {
        let Arbiter { owner, epoch, queue, told, .. } = &mut self.arbiter;
        *owner = queue.pop_first();
        let Some(request) = *owner else { return };
        told.remove(&request);
        *epoch += 1;
        let (epoch, next) = (*epoch, queue.first().copied());
        self.tell(request.node, Msg::Locked { arbiter: self.me, epoch, request, next }, env);
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

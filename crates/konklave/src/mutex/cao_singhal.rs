//! As Maekawa, but a permission goes straight from the one who leaves to the one who is next.
//!
//! G. Cao, M. Singhal: A delay-optimal quorum-based mutual exclusion algorithm for distributed
//! systems. IEEE Transactions on Parallel and Distributed Systems 12 (12), 2001.
//!
//! # Idea
//!
//! In Maekawa's algorithm a permission goes back to its arbiter before it goes on: two messages in
//! a row between two entries. Here the arbiter tells the owner of its permission in time who is
//! next. The owner hands the permission over when it leaves, and tells the arbiter to whom. An
//! inquiry always comes with such a transfer: whoever is older than the owner is also next.
//!
//! So a permission can come from a third node, and what the arbiter says about it can arrive before
//! it or after it is gone. Therefore every permission has an epoch, counted up each time it changes
//! hands, also by owners. A transfer for an epoch yet to come waits for its permission; one for an
//! epoch that is over is ignored. A release for an epoch yet to come waits at the arbiter until
//! those before it have arrived. If a transfer came too late, the arbiter learns from the release
//! who is owner now, and tells that one who is next.
//!
//! # Cost
//!
//! Messages: 3(K-1) per entry under light load, 5(K-1)+1 under heavy load. K is the size of a
//! quorum: about sqrt(n) on planes, 2 sqrt(n) on grids. The one more is the permission of one's own
//! arbiter, which comes from the previous owner. The number is lower, and some delays are 2T, if
//! entries are so short that transfers come too late. Coordination delay T, waiting time 2T on an
//! idle system. State: a slot per arbiter, a queue of at most K requests. Message: up to two
//! stamps.
//!
//! # Assumes
//!
//! A complete network, of which only quorums are used, with reliable channels in any order. No
//! crashes: a crashed node blocks those who have it in their quorum, a crashed owner all whose
//! quorums meet its own, and one that comes back without its memory lets two in. A lost message
//! blocks, too, unless it is a transfer or failure that turns out not to matter. A doubled one is
//! ignored by its epoch or request; only a doubled request that comes after its end blocks.
//!
//! # Differs from the paper
//!
//! Epochs, which settle the races that the paper leaves open. `Locked` is the paper's reply.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Command, Event, Stamp};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To an arbiter: may I enter?
    Request(Stamp),
    /// To a requester, from an arbiter or the previous owner: here is a permission.
    Locked {
        /// Whose permission it is.
        arbiter: NodeId,
        /// How often it has changed hands.
        epoch: u64,
        /// The request that it is for.
        request: Stamp,
        /// The request that is next, as far as the sender knows.
        next: Option<Stamp>,
    },
    /// To the owner of a permission: hand it over to this request when you leave.
    Transfer {
        /// The permission of this epoch.
        epoch: u64,
        /// The request that is next.
        next: Stamp,
        /// Also: can you enter? If not, yield.
        inquire: bool,
    },
    /// To a requester: somebody else comes before you.
    Failed(Stamp),
    /// To an arbiter: I cannot enter, give your permission to somebody else until my turn comes.
    Yield {
        /// The permission of this epoch.
        epoch: u64,
        /// The request that yields.
        request: Stamp,
    },
    /// To an arbiter: I have left.
    Release {
        /// The permission of this epoch is free,
        epoch: u64,
        /// or was handed over to this request.
        to: Option<Stamp>,
    },
}

/// One node of the algorithm: a requester and an arbiter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CaoSinghal {
    me: NodeId,
    /// At least the time of every request sent or seen.
    clock: u64,
    state: State,
    /// What we know of each arbiter in our quorum.
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
    /// The epoch of the permission that we have, or had last, also for an earlier request.
    epoch: u64,
    /// What came in advance about a permission that is still under way.
    pending: Option<Pending>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Permission {
    #[default]
    Missing,
    /// We were told that somebody else comes before us, or have yielded.
    Failed,
    Granted {
        next: Option<Stamp>,
        /// Whether it is wanted back. Not while anything has failed.
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
    /// The request that has our permission, as far as we know.
    owner: Option<Stamp>,
    /// How often it has changed hands, as far as we know.
    epoch: u64,
    /// The requests that wait for it. Empty while it is free.
    queue: BTreeSet<Stamp>,
    /// Those in the queue that know that they failed: all but perhaps the oldest.
    told: BTreeSet<Stamp>,
    /// Releases of epochs yet to come: to whom the permission was handed over.
    early: BTreeMap<u64, Option<Stamp>>,
}

impl CaoSinghal {
    /// Node `me`, with its quorum. Any two quorums must meet.
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
        // As an arbiter, for whoever has its permission while others want it.
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
            return; // Doubled.
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
            _ => {} // We have yielded or handed over: the arbiter will tell the new owner.
        }
    }

    fn on_failed(&mut self, from: NodeId, request: Stamp, env: &mut impl Env<Self>) {
        let Some(slot) = self.slots.get_mut(&from) else { return };
        if self.state != (State::Wanted { mine: request }) || slot.is_granted() {
            return; // Overtaken by the permission.
        }
        slot.permission = Permission::Failed;
        self.yield_if_failed(env);
    }

    fn yield_if_failed(&mut self, env: &mut impl Env<Self>) {
        let State::Wanted { mine } = self.state else { return }; // Inside, inquiries wait.
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

    /// Our arbiters, this node itself last: what it says comes after what we said to others.
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

/// The older of two who may be next: the arbiter named it later.
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
            return; // Doubled.
        }
        let Some(owner) = owner else { return self.grant(env) };
        let is_next = head.is_none_or(|head| theirs < head);
        // Whoever is not next, or next but younger than the owner, must know that it failed.
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
            return; // Doubled.
        }
        self.arbiter.queue.insert(theirs);
        self.arbiter.told.insert(theirs);
        self.grant(env);
    }

    fn on_release(&mut self, epoch: u64, to: Option<Stamp>, env: &mut impl Env<Self>) {
        if epoch < self.arbiter.epoch {
            return; // Doubled.
        }
        self.arbiter.early.insert(epoch, to);
        while let Some(to) = self.arbiter.early.remove(&self.arbiter.epoch) {
            match to {
                Some(next) => self.hand_over(next, env),
                None => self.grant(env),
            }
        }
    }

    /// The former owner has given our permission to `next`.
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

    /// The permission is here: the oldest request gets it.
    fn grant(&mut self, env: &mut impl Env<Self>) {
        let Arbiter { owner, epoch, queue, told, .. } = &mut self.arbiter;
        *owner = queue.pop_first();
        let Some(request) = *owner else { return };
        told.remove(&request);
        *epoch += 1;
        let (epoch, next) = (*epoch, queue.first().copied());
        self.tell(request.node, Msg::Locked { arbiter: self.me, epoch, request, next }, env);
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
mod tests;

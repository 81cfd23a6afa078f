//! What the server does: it passes operations on, and lets one change follow the other.

use std::collections::{BTreeSet, VecDeque};

use super::{Msg, Placed, Placement, Resize, Task};
use crate::NodeId;
use crate::dictionary::Capacities;
use crate::protocol::Env;

/// What the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server<P> {
    placement: P,
    /// How many changes have begun.
    epoch: u32,
    shift: Option<Shift<P>>,
    /// Changes that wait for the one that is under way.
    wishes: VecDeque<(NodeId, Wish)>,
    /// Operations on keys that are being handed over.
    held: VecDeque<Task>,
    /// Changes of capacities to come, the next one first.
    plan: VecDeque<Resize>,
    requests: u64,
    /// The sum over all changes of what had to move, in units of 2^-16 keys.
    least_moved: u64,
}

/// What a node wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wish {
    /// A member with this capacity.
    Join(u32),
    /// Not a member.
    Leave,
    /// If it is a member, one with this capacity.
    Resize(u32),
}

/// A change that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shift<P> {
    old: P,
    /// Members that have not settled.
    unsettled: BTreeSet<NodeId>,
    /// The part of the data that has to move, in units of 2^-32.
    least: u64,
    /// How many keys with a value those that have settled had.
    keys: u64,
}

impl<P: Placement> Server<P> {
    pub(super) fn new(placement: P, plan: &[Resize]) -> Self {
        Self {
            placement,
            epoch: 0,
            shift: None,
            wishes: VecDeque::new(),
            held: VecDeque::new(),
            plan: plan.iter().copied().collect(),
            requests: 0,
            least_moved: 0,
        }
    }

    pub(super) fn placement(&self) -> &P {
        &self.placement
    }

    /// The placement before the change that is under way.
    pub(super) fn shift(&self) -> Option<&P> {
        self.shift.as_ref().map(|shift| &shift.old)
    }

    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(super) fn least_moved(&self) -> f64 {
        self.least_moved as f64 / (1_u64 << 16) as f64
    }

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Placed<P>>) {
        match msg {
            Msg::Request { ticket, op } => {
                self.requests += 1;
                self.resize_if_planned(env);
                self.pass_on(Task { client: from, ticket, op }, env);
            }
            Msg::Misplaced(task) => self.pass_on(task, env),
            Msg::Join { capacity } if self.placement.members().of(from) == 0 => {
                self.change(from, Wish::Join(capacity), env);
            }
            Msg::Leave if self.placement.members().of(from) > 0 => {
                self.change(from, Wish::Leave, env);
            }
            Msg::Settled { epoch, had } if epoch == self.epoch => self.settle(from, had, env),
            _ => {} // Not for the server, or a duplicate.
        }
    }

    /// Passes an operation on, or holds it while its record is on its way.
    fn pass_on(&mut self, task: Task, env: &mut impl Env<Placed<P>>) {
        let key = task.op.key();
        let to = self.placement.place(key);
        let is_moving = self.shift.as_ref().is_some_and(|shift| {
            let from = shift.old.place(key);
            from != to && shift.unsettled.contains(&from)
        });
        match is_moving {
            true => self.held.push_back(task),
            false => env.send(to, Msg::Do { epoch: self.epoch, task }),
        }
    }

    fn resize_if_planned(&mut self, env: &mut impl Env<Placed<P>>) {
        while let Some(&Resize { after, node, capacity }) = self.plan.front()
            && after <= self.requests
        {
            self.plan.pop_front();
            self.change(node, Wish::Resize(capacity), env);
        }
    }

    fn change(&mut self, node: NodeId, wish: Wish, env: &mut impl Env<Placed<P>>) {
        if !self.wishes.contains(&(node, wish)) {
            self.wishes.push_back((node, wish));
        } // Else a duplicate.
        self.begin_if_possible(env);
    }

    /// Begins the next change, if none is under way: the first that leaves a member.
    fn begin_if_possible(&mut self, env: &mut impl Env<Placed<P>>) {
        if self.shift.is_some() {
            return;
        }
        let members = self.placement.members();
        self.wishes.retain(|(node, wish)| match wish {
            Wish::Join(_) | Wish::Leave => true,
            Wish::Resize(_) => members.of(*node) > 0, // It has left, or has not joined.
        });
        let is_possible = |(_, wish): &(NodeId, Wish)| *wish != Wish::Leave || members.count() > 1;
        let Some(place) = self.wishes.iter().position(is_possible) else { return };
        let Some((node, wish)) = self.wishes.remove(place) else { return };
        let mut new = members.clone();
        match wish {
            Wish::Join(capacity) | Wish::Resize(capacity) => new.set(node, capacity.max(1)),
            Wish::Leave => new.set(node, 0),
        }
        let least = new.least_move(members);
        self.epoch += 1;
        let list: Box<[_]> = new.iter().collect();
        let unsettled: BTreeSet<NodeId> =
            members.iter().map(|(node, _)| node).chain([node]).collect();
        for &member in &unsettled {
            env.send(member, Msg::Change { epoch: self.epoch, members: list.clone() });
        }
        let new = P::new(self.placement.rule(), Capacities::from_iter(list));
        let old = std::mem::replace(&mut self.placement, new);
        self.shift = Some(Shift { old, unsettled, least, keys: 0 });
    }

    fn settle(&mut self, member: NodeId, had: u32, env: &mut impl Env<Placed<P>>) {
        let Some(shift) = &mut self.shift else { return }; // A duplicate.
        if shift.unsettled.remove(&member) {
            shift.keys += u64::from(had);
        }
        if shift.unsettled.is_empty() {
            self.least_moved += (shift.least >> 16) * shift.keys;
            self.shift = None;
        }
        for task in std::mem::take(&mut self.held) {
            self.pass_on(task, env);
        }
        self.begin_if_possible(env);
    }
}

//! What a node remembers about its messages to another node, and about those from there.

use std::collections::BTreeMap;

use super::{Order, PATIENCE, Parcel};

/// The numbers and messages between this node and another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Link<M> {
    /// The number of the next message to that node.
    next: u64,
    /// The messages to it that are not acknowledged, by number.
    outstanding: BTreeMap<u64, Outstanding<M>>,
    /// All messages from there with smaller numbers were handed over, or never come.
    done: u64,
    /// The first number that may still come, as far as that node has told: at least `done`.
    since: u64,
    /// The messages from there with larger numbers that have come.
    ahead: BTreeMap<u64, Ahead<M>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Outstanding<M> {
    msg: M,
    /// How many periods have ended since it was sent.
    age: u32,
}

/// A message that has come before one with a smaller number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Ahead<M> {
    /// It waits for its turn.
    Waiting(M),
    HandedOver,
}

/// A message is sent again when its age is a power of two, and from this one on, a multiple of it.
const RAREST: u32 = 8;

fn is_due(age: u32) -> bool {
    // One period may have been about to end when the message was sent.
    age > 1 && if age < RAREST { age.is_power_of_two() } else { age.is_multiple_of(RAREST) }
}

impl<M> Default for Link<M> {
    fn default() -> Self {
        Self { next: 0, outstanding: BTreeMap::new(), done: 0, since: 0, ahead: BTreeMap::new() }
    }
}

impl<M: Clone> Link<M> {
    /// The messages that are not acknowledged, with their numbers.
    pub(super) fn outstanding(&self) -> impl Iterator<Item = (u64, &M)> {
        self.outstanding.iter().map(|(&number, it)| (number, &it.msg))
    }

    /// One of them.
    pub(super) fn get(&self, number: u64) -> Option<&M> {
        self.outstanding.get(&number).map(|it| &it.msg)
    }

    /// Gives a message its number, and keeps it.
    pub(super) fn send(&mut self, msg: M) -> Parcel<M> {
        let number = self.next;
        self.next += 1;
        self.outstanding.insert(number, Outstanding { msg: msg.clone(), age: 0 });
        Parcel { number, since: self.first_outstanding(), msg }
    }

    fn first_outstanding(&self) -> u64 {
        self.outstanding.keys().next().copied().unwrap_or(self.next)
    }

    /// Forgets a message that was acknowledged or refused; none, if that is no news.
    pub(super) fn take_outstanding(&mut self, number: u64) -> Option<M> {
        self.outstanding.remove(&number).map(|it| it.msg)
    }

    /// A period has ended: gives up what is too old, and sends again what is due. What was given
    /// up.
    pub(super) fn grow_older(&mut self, mut resend: impl FnMut(Parcel<M>)) -> Vec<M> {
        self.outstanding.values_mut().for_each(|it| it.age += 1);
        let mut given_up = Vec::new();
        self.outstanding.retain(|_, it| {
            given_up.extend((it.age > PATIENCE).then(|| it.msg.clone()));
            it.age <= PATIENCE
        });
        let since = self.first_outstanding();
        let due = self.outstanding.iter().filter(|(_, it)| is_due(it.age));
        due.for_each(|(&number, it)| resend(Parcel { number, since, msg: it.msg.clone() }));
        given_up
    }

    /// Whether the message with this number from there was handed over, or never will be.
    pub(super) fn was_handed_over(&self, number: u64) -> bool {
        number < self.done || matches!(self.ahead.get(&number), Some(Ahead::HandedOver))
    }

    /// Keeps a message from there that was not handed over.
    pub(super) fn keep(&mut self, parcel: Parcel<M>) {
        let Parcel { number, since, msg } = parcel;
        self.since = self.since.max(since.min(number));
        self.ahead.entry(number).or_insert(Ahead::Waiting(msg));
    }

    /// The next message from there that can be handed over, which it is then.
    pub(super) fn next(&mut self, order: Order) -> Option<(u64, M)> {
        let is_next = |number: u64| order == Order::Any || number <= self.since;
        let mut waiting = self.ahead.iter_mut().filter(|(_, it)| matches!(it, Ahead::Waiting(_)));
        let (&number, it) = waiting.next().filter(|(number, _)| is_next(**number))?;
        let Ahead::Waiting(msg) = std::mem::replace(it, Ahead::HandedOver) else { return None };
        self.forget_contiguous();
        Some((number, msg))
    }

    /// Moves on beyond the numbers that were handed over without a gap, or will never come.
    fn forget_contiguous(&mut self) {
        while let Some(first) = self.ahead.first_entry() {
            match first.get() {
                Ahead::HandedOver if *first.key() <= self.since => {
                    self.done = first.key().saturating_add(1);
                    self.since = self.since.max(self.done);
                    first.remove();
                }
                Ahead::HandedOver => break,
                Ahead::Waiting(_) => return,
            }
        }
        self.done = self.since;
    }

    /// Forgets what waits for its turn, because the node inside has left: it is refused when it
    /// comes again.
    pub(super) fn forget_waiting(&mut self) {
        self.ahead.retain(|_, it| matches!(it, Ahead::HandedOver));
    }
}

#[cfg(test)]
impl<M> Link<M> {
    /// So many messages have come from there.
    pub(super) fn skip_to(&mut self, number: u64) {
        (self.done, self.since) = (number, number);
    }

    /// So many messages have gone there.
    pub(super) fn skip_sends(&mut self, number: u64) {
        self.next = number;
    }
}

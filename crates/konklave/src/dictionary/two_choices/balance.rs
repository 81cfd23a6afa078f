//! When a key moves from one of its members to the other.

use std::collections::VecDeque;

use super::member::{Matter, Member, Phase};
use super::{Entry, Msg, Place, Return, SERVER, TwoChoices};
use crate::NodeId;
use crate::protocol::Env;

/// Keys that may be stored better elsewhere: one at a time is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Checks {
    pub(super) due: VecDeque<u64>,
    pub(super) current: Option<u64>,
    /// The key whose turn was last.
    pub(super) turn: u64,
}

impl Member {
    /// Whether it stores at least two keys less than a member with this load: only then does a move
    /// make loads more even.
    pub(super) fn is_lighter(&self, load: u32) -> bool {
        self.phase == Phase::Member && load >= self.load() + 2
    }

    pub(super) fn allow_return_if_lighter(
        &mut self,
        order: Return,
        env: &mut impl Env<TwoChoices>,
    ) {
        let Return { key, holder, load } = order;
        let is_there = self.entries.get(&key).map(|it| it.place) == Some(Place::There(holder));
        match is_there && load.is_none_or(|load| self.is_lighter(load)) {
            true => {
                self.occupy(key, Matter::Return);
                env.send(holder, Msg::MayMove { key, home: self.me });
            }
            false => env.send(holder, Msg::Stay { key }),
        }
    }

    /// The alternate has taken a key, or has not.
    pub(super) fn end_offer(
        &mut self,
        key: u64,
        taken: Option<NodeId>,
        env: &mut impl Env<TwoChoices>,
    ) {
        if self.busy.get(&key).is_none_or(|busy| busy.with != Matter::Offer) {
            return; // A duplicate.
        }
        if let Some(alternate) = taken {
            self.set_place(key, Place::There(alternate));
        }
        self.resume(key, env);
        self.end_check(key, taken.is_some(), env);
    }

    /// Loads have changed: the key whose turn is next may be stored better elsewhere.
    pub(super) fn check_next_in_turn(&mut self, env: &mut impl Env<TwoChoices>) {
        let here = self.entries.iter().filter(|(_, it)| matches!(it.place, Place::Here(_)));
        let stored = || here.clone().map(|(key, _)| *key).chain(self.held.keys().copied());
        let later = stored().filter(|key| *key > self.checks.turn).min();
        if let Some(key) = later.or_else(|| stored().min()) {
            self.checks.turn = key;
            self.checks.due.push_back(key);
        }
        self.check_if_idle(env);
    }

    /// Offers the next key that is due to its other member, unless one is being checked.
    pub(super) fn check_if_idle(&mut self, env: &mut impl Env<TwoChoices>) {
        while self.checks.current.is_none()
            && self.phase == Phase::Member
            && let Some(key) = self.checks.due.pop_front()
        {
            let load = self.load();
            let entry = self.entries.get(&key).filter(|entry| entry.alternate != self.me);
            if self.held.contains_key(&key) {
                let order = Return { key, holder: self.me, load: Some(load) };
                env.send(SERVER, Msg::WantMove(order));
                self.checks.current = Some(key);
            } else if let Some(&Entry { place: Place::Here(value), alternate, .. }) = entry
                && !self.busy.contains_key(&key)
            {
                self.occupy(key, Matter::Offer);
                env.send(alternate, Msg::Offer { key, value, load });
                self.checks.current = Some(key);
            } // Else it has gone, or cannot go.
        }
    }

    /// The check of a key ends; after a move, another key may be next.
    pub(super) fn end_check(&mut self, key: u64, has_moved: bool, env: &mut impl Env<TwoChoices>) {
        if self.checks.current == Some(key) {
            self.checks.current = None;
        } // Else it has become the home of the key meanwhile.
        match has_moved {
            true => self.check_next_in_turn(env),
            false => self.check_if_idle(env),
        }
        self.hand_over_if_still(env);
    }
}

//! Whether a search may go on.

use std::time::Instant;

use super::threads::TICK;
use super::{Progress, Space, Tally};
use crate::meaning::ask;
use crate::report::Bound;

impl Tally {
    /// Looks whether a limit stops the search; `bytes` is what is held by no thread and is not a
    /// state. If states are visited a second time, `again` says how many were.
    pub(super) fn look(
        &mut self,
        space: &Space<'_>,
        bytes: usize,
        again: Option<u64>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), Bound> {
        let limits = space.options.limits;
        let seen = space.seen.len();
        let values = ask(space.shared).bytes();
        let bytes = (space.seen.bytes() + space.held.bytes() + values + bytes) as u64;
        self.bytes = self.bytes.max(bytes);
        let unique = again.unwrap_or(seen);
        let progress = Progress { unique, depth: self.depth, is_retracing: again.is_some() };
        let bounds = [
            (limits.states.is_some_and(|limit| seen >= limit), Bound::States),
            (limits.bytes.is_some_and(|limit| bytes >= limit), Bound::Memory),
            (limits.time.is_some_and(|limit| space.begun.elapsed() >= limit), Bound::Time),
            (!go_on(progress), Bound::Interrupt),
        ];
        let hit = bounds.into_iter().find_map(|(is_hit, bound)| is_hit.then_some(bound));
        hit.map_or(Ok(()), Err)
    }
}

/// Looks after work that one thread does alone: at first, and then from time to time.
pub(super) struct Watch<'a> {
    space: &'a Space<'a>,
    tally: &'a mut Tally,
    go_on: &'a mut dyn FnMut(Progress) -> bool,
    looked: Option<Instant>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        space: &'a Space<'a>,
        tally: &'a mut Tally,
        go_on: &'a mut dyn FnMut(Progress) -> bool,
    ) -> Self {
        Self { space, tally, go_on, looked: None }
    }

    /// Looks after `done` states were visited a second time, for which `bytes` are kept.
    pub(super) fn look(&mut self, done: usize, bytes: usize) -> Result<(), Bound> {
        if self.looked.is_some_and(|looked| looked.elapsed() < TICK) {
            return Ok(());
        }
        self.look_now(done, bytes)
    }

    /// The same, whether or not it is time.
    pub(super) fn look_now(&mut self, done: usize, bytes: usize) -> Result<(), Bound> {
        self.looked = Some(Instant::now());
        self.tally.look(self.space, bytes, Some(done as u64), self.go_on)
    }
}

//! How much memory threads hold, as far as they have said.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What all threads hold together, in bytes.
#[derive(Debug, Default)]
pub(super) struct Held(AtomicUsize);

impl Held {
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// What one thread holds.
pub(super) struct Share<'a> {
    held: &'a Held,
    bytes: usize,
}

impl<'a> Share<'a> {
    /// Nothing yet.
    pub(super) fn new(held: &'a Held) -> Self {
        Self { held, bytes: 0 }
    }

    /// Notes how much the thread holds now.
    pub(super) fn say(&mut self, bytes: usize) {
        if bytes != self.bytes {
            // What has become less wraps round, and adds up all the same.
            self.held.0.fetch_add(bytes.wrapping_sub(self.bytes), Ordering::Relaxed);
            self.bytes = bytes;
        }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.say(0);
    }
}

//! Detection of quiescence: every message in transit and every timer holds a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use crate::Signal;

/// Counts the tokens. The ring is at rest if and only if the count is zero.
#[derive(Clone, Debug)]
pub(crate) struct Rest(Arc<Count>);

#[derive(Debug)]
struct Count {
    tokens: AtomicU64,
    signal: Sender<Signal>,
}

/// A token of pending work. A message holds one from before it is sent until its consequences hold
/// their own; a timer holds one while it is set. A lost message releases its token.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Count>);

impl Rest {
    /// Sends [`Signal::Rest`] whenever the ring comes to rest.
    pub(crate) fn new(signal: Sender<Signal>) -> Self {
        Self(Arc::new(Count { tokens: AtomicU64::new(0), signal }))
    }

    pub(crate) fn busy(&self) -> Busy {
        self.0.tokens.fetch_add(1, Ordering::SeqCst);
        Busy(Arc::clone(&self.0))
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        self.0.tokens.load(Ordering::SeqCst) == 0
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if self.0.tokens.fetch_sub(1, Ordering::SeqCst) == 1 {
            let _ = self.0.signal.send(Signal::Rest); // The receiver may be gone.
        }
    }
}

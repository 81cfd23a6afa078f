//! Whether anything is still to happen: what is under way holds a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use crate::Signal;

/// Counts the tokens. The ring is at rest when there are none.
#[derive(Clone, Debug)]
pub(crate) struct Rest(Arc<Count>);

#[derive(Debug)]
struct Count {
    tokens: AtomicU64,
    signal: Sender<Signal>,
}

/// Whoever holds one has something to do. A message holds one from before it is sent until after
/// all that it causes holds one of its own; so does a timer that was set. What is lost lets go.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Count>);

impl Rest {
    /// `signal` is told whenever the ring comes to rest.
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
            let _ = self.0.signal.send(Signal::Rest); // Nobody may listen any more.
        }
    }
}

//! Rounds, and what messages descend from.
//!
//! A round is over when everything that was in transit at its beginning has arrived, and every node
//! has had its turn since. With a delay of one and a turn at every tick, that is a round of the
//! synchronous model; in any other run, it is what the literature counts in its place.

/// What is known about a message besides its way and content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Whether the round in which it was sent has an odd number: what is in transit was sent in
    /// this round or in the one before.
    is_odd: bool,
    /// What it descends from.
    pub(crate) cause: Cause,
}

/// What set off a chain of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A command, the start of a node, or a timer.
    #[default]
    Request,
    /// The turn of a node to act by itself.
    Turn,
}

/// The present round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    number: u64,
    is_odd: bool,
    /// How many messages from before it are still in transit.
    old: u64,
    /// When it began.
    began: u64,
}

impl Rounds {
    /// How many rounds are over.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// The mark of a message that is sent now.
    #[inline(always)]
    pub(crate) fn mark(self, cause: Cause) -> Mark {
        Mark { is_odd: self.is_odd, cause }
    }

    /// A message with this mark is in transit no more.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, mark: Mark) {
        self.old -= u64::from(mark.is_odd != self.is_odd);
    }

    /// Begins the next round if this one is over; nodes have a turn in every period.
    pub(crate) fn go_on_if_over(&mut self, now: u64, period: u64, in_transit: u64) -> bool {
        let is_over = self.old == 0 && now >= self.began.saturating_add(period);
        if is_over {
            self.number += 1;
            self.is_odd = !self.is_odd;
            self.old = in_transit;
            self.began = now;
        }
        is_over
    }
}

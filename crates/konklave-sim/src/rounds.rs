//! Rounds, and what messages descend from.
//!
//! A round is over when everything that was in transit at its beginning has arrived, and every node
//! has had its turn since. With a delay of one and a turn at every tick, that is a round of the
//! synchronous model; in any other run, it is what the literature counts in its place.

/// What set off a chain of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A command, the start of a node, or a timer.
    #[default]
    Request,
    /// The turn of a node to act by itself.
    Turn,
}

/// The present round. A message's arrival is known when it is sent, so the last arrival of all says
/// when nothing of what is in transit now will be: no message need remember its round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    number: u64,
    began: u64,
    /// When everything that was in transit at its beginning has arrived.
    settled: u64,
    /// When everything that has ever been sent has arrived.
    last_arrival: u64,
}

impl Rounds {
    /// How many rounds are over.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// A message that is sent now will arrive then.
    #[inline(always)]
    pub(crate) fn expect(&mut self, arrival: u64) {
        self.last_arrival = self.last_arrival.max(arrival);
    }

    /// Begins the next round if this one is over, at the end of a moment; nodes have a turn in
    /// every period.
    pub(crate) fn go_on_if_over(&mut self, now: u64, period: u64) -> bool {
        let is_over = now >= self.settled && now >= self.began.saturating_add(period);
        if is_over {
            self.number += 1;
            self.began = now;
            self.settled = self.last_arrival;
        }
        is_over
    }
}

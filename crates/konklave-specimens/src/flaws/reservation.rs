//! Flaws of the reservation of intervals: wrong conflicts, hasty denials, forgotten answers.

use konklave::booking::reservation::{Msg, Reservation};
use konklave::booking::{Command, Interval};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<Reservation>>;

/// Takes two intervals for overlapping only if they begin at the same time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ComparesBeginnings {
    /// The interval that the node has asked for last.
    mine: Option<Interval>,
}

/// An interval that overlaps no other.
const NOWHERE: Interval = Interval { start: u32::MAX, end: u32::MAX };

impl Flaw<Reservation> for ComparesBeginnings {
    fn inputs(&mut self, _: &Reservation, input: Input<Reservation>) -> Vec<Input<Reservation>> {
        vec![match input {
            Input::Command(Command::Reserve(interval)) => {
                self.mine = Some(interval);
                input
            }
            Input::Message { from, msg: Msg::Request(time, interval) }
                if self.mine.is_some_and(|mine| mine.start != interval.start) =>
            {
                Input::Message { from, msg: Msg::Request(time, NOWHERE) }
            }
            _ => input,
        }]
    }
}

/// Denies at once a request that waits for an older one of its own, instead of waiting for the
/// answers to that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeniesAtOnce;

impl Flaw<Reservation> for DeniesAtOnce {
    fn effects(
        &mut self,
        _: &Reservation,
        input: &Input<Reservation>,
        mut effects: Effects,
    ) -> Effects {
        match input {
            Input::Message { from, msg: Msg::Request(time, _) } if effects.is_empty() => {
                effects.push(Effect::Send { to: *from, msg: Msg::Deny(*time) });
            }
            _ => {}
        }
        effects
    }
}

/// Gives its interval back without the answers that it has deferred.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ForgetsDeferred;

impl Flaw<Reservation> for ForgetsDeferred {
    fn effects(
        &mut self,
        _: &Reservation,
        input: &Input<Reservation>,
        effects: Effects,
    ) -> Effects {
        match input {
            Input::Command(Command::Release(_)) => Vec::new(),
            _ => effects,
        }
    }
}

//! An environment that records the effects of transitions, for unit tests.

use std::panic::Location;
use std::time::Duration;

use crate::NodeId;
use crate::protocol::{Effect, Env, Protocol};

/// Records the effects of transitions, in order.
#[derive(Debug)]
pub struct Recorder<P: Protocol> {
    effects: Vec<Effect<P>>,
    choices: Vec<u32>,
    /// Where in the algorithm each of the effects stands.
    statements: Vec<&'static Location<'static>>,
    /// The statement that the next effect belongs to, if it was told.
    told: Option<&'static Location<'static>>,
}

impl<P: Protocol> Default for Recorder<P> {
    fn default() -> Self {
        Self::choosing(&[])
    }
}

impl<P: Protocol> Recorder<P> {
    /// A recorder whose `choose` returns `choices` in turn, then zero.
    pub fn choosing(choices: &[u32]) -> Self {
        let choices = choices.iter().rev().copied().collect();
        Self { effects: Vec::new(), choices, statements: Vec::new(), told: None }
    }

    /// The effects since the last call, one readable line each.
    pub fn lines(&mut self) -> Vec<String> {
        self.take().iter().map(Effect::to_string).collect()
    }

    /// The effects since the last call, as data.
    pub fn take(&mut self) -> Vec<Effect<P>> {
        self.take_with_statements().0
    }

    /// The same, and the statement of the algorithm that each effect comes from.
    pub fn take_with_statements(&mut self) -> (Vec<Effect<P>>, Vec<&'static Location<'static>>) {
        (std::mem::take(&mut self.effects), std::mem::take(&mut self.statements))
    }

    #[track_caller]
    fn record(&mut self, effect: Effect<P>) {
        self.statements.push(self.told.take().unwrap_or_else(Location::caller));
        self.effects.push(effect);
    }
}

impl<P: Protocol> Env<P> for Recorder<P> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.record(Effect::Send { to, msg });
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.record(Effect::SetTimer { timer, after });
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.record(Effect::CancelTimer(timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.record(Effect::Emit(event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        let value = self.choices.pop().unwrap_or(0).min(bound.saturating_sub(1));
        self.record(Effect::Choose { bound, value });
        value
    }

    fn leave(&mut self) {
        self.record(Effect::Leave);
    }

    /// The first to tell is the algorithm; after it, environments around it tell of themselves.
    fn at(&mut self, statement: &'static Location<'static>) {
        self.told.get_or_insert(statement);
    }
}

impl<P: Protocol> std::fmt::Display for Effect<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Send { to, msg } => write!(f, "-> {to} {msg:?}"),
            Self::SetTimer { timer, after } => write!(f, "set {timer:?} {after:?}"),
            Self::CancelTimer(timer) => write!(f, "cancel {timer:?}"),
            Self::Emit(event) => write!(f, "! {event:?}"),
            Self::Choose { bound, value } => write!(f, "choose {value} of {bound}"),
            Self::Leave => f.write_str("leaves"),
        }
    }
}

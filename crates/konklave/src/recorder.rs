//! An environment that records the effects of transitions, for unit tests.

use std::time::Duration;

use crate::NodeId;
use crate::protocol::{Effect, Env, Protocol};

/// Records the effects of transitions, in order.
#[derive(Debug)]
pub struct Recorder<P: Protocol> {
    effects: Vec<Effect<P>>,
    choices: Vec<u32>,
}

impl<P: Protocol> Default for Recorder<P> {
    fn default() -> Self {
        Self { effects: Vec::new(), choices: Vec::new() }
    }
}

impl<P: Protocol> Recorder<P> {
    /// A recorder whose `choose` returns `choices` in turn, then zero.
    pub fn choosing(choices: &[u32]) -> Self {
        let choices = choices.iter().rev().copied().collect();
        Self { effects: Vec::new(), choices }
    }

    /// The effects since the last call, one readable line each.
    pub fn lines(&mut self) -> Vec<String> {
        self.effects.drain(..).map(|effect| effect.to_string()).collect()
    }

    /// The effects since the last call, as data.
    pub fn take(&mut self) -> Vec<Effect<P>> {
        std::mem::take(&mut self.effects)
    }
}

impl<P: Protocol> Env<P> for Recorder<P> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.effects.push(Effect::Send { to, msg });
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.effects.push(Effect::SetTimer { timer, after });
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.effects.push(Effect::CancelTimer(timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.effects.push(Effect::Emit(event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        let value = self.choices.pop().unwrap_or(0).min(bound.saturating_sub(1));
        self.effects.push(Effect::Choose { bound, value });
        value
    }

    fn leave(&mut self) {
        self.effects.push(Effect::Leave);
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

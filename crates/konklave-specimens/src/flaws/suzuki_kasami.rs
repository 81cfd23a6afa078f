//! Flaws of Suzuki and Kasami's algorithm: the token lost, misled or unfair.

use konklave::mutex::suzuki_kasami::{Msg, SuzukiKasami};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<SuzukiKasami>>;

/// Loses the token when it passes it on from an idle node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LosesToken;

impl Flaw<SuzukiKasami> for LosesToken {
    fn effects(
        &mut self,
        _: &SuzukiKasami,
        input: &Input<SuzukiKasami>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Message { .. }) {
            effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Privilege(_), .. }));
        }
        effects
    }
}

/// Does not record in the token which requests were served.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ForgetsServed;

impl Flaw<SuzukiKasami> for ForgetsServed {
    fn effects(
        &mut self,
        _: &SuzukiKasami,
        _: &Input<SuzukiKasami>,
        mut effects: Effects,
    ) -> Effects {
        for effect in &mut effects {
            if let Effect::Send { msg: Msg::Privilege(token), .. } = effect {
                token.ln.fill(0);
            }
        }
        effects
    }
}

/// Passes the token to the tail of its queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TailFirst;

impl Flaw<SuzukiKasami> for TailFirst {
    fn effects(
        &mut self,
        _: &SuzukiKasami,
        _: &Input<SuzukiKasami>,
        mut effects: Effects,
    ) -> Effects {
        for effect in &mut effects {
            if let Effect::Send { to, msg: Msg::Privilege(token) } = effect
                && let Some(tail) = token.queue.pop_back()
            {
                token.queue.push_front(*to);
                *to = tail;
            }
        }
        effects
    }
}

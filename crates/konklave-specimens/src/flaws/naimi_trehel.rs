//! The flaw of Naimi and Trehel's algorithm: a lost successor.

use konklave::mutex::Command;
use konklave::mutex::naimi_trehel::{Msg, NaimiTrehel};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Forgets its next on release: the token stays at a node that no request reaches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ForgetsNext;

impl Flaw<NaimiTrehel> for ForgetsNext {
    fn effects(
        &mut self,
        _: &NaimiTrehel,
        input: &Input<NaimiTrehel>,
        mut effects: Vec<Effect<NaimiTrehel>>,
    ) -> Vec<Effect<NaimiTrehel>> {
        if *input == Input::Command(Command::Release) {
            effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Token, .. }));
        }
        effects
    }
}

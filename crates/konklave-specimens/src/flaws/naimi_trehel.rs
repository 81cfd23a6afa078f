//! Naimi and Trehel gone wrong.

use konklave::mutex::Command;
use konklave::mutex::naimi_trehel::{Msg, NaimiTrehel};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Forgets who is next, if it leaves: the token stays where nobody asks for it.
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

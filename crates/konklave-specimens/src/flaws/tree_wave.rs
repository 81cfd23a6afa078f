//! The flaw of the wave on a tree: a leaf without an echo.

use konklave::election::Command;
use konklave::election::tree_wave::{Msg, TreeWave};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// A leaf echoes when it is explored, but not when it is an initiator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SilentLeaf;

impl Flaw<TreeWave> for SilentLeaf {
    fn effects(
        &mut self,
        _: &TreeWave,
        input: &Input<TreeWave>,
        mut effects: Vec<Effect<TreeWave>>,
    ) -> Vec<Effect<TreeWave>> {
        if *input == Input::Command(Command::Start) {
            effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Echo(_), .. }));
        }
        effects
    }
}

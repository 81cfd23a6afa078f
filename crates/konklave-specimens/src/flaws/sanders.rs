//! Sanders' algorithm gone wrong.

use konklave::mutex::sanders::{Msg, Sanders};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Permits only the oldest of those who wait, though it gives that permission without a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnePermission;

impl Flaw<Sanders> for OnePermission {
    fn effects(
        &mut self,
        _: &Sanders,
        _: &Input<Sanders>,
        mut effects: Vec<Effect<Sanders>>,
    ) -> Vec<Effect<Sanders>> {
        let mut is_first = true;
        effects.retain(|effect| match effect {
            Effect::Send { msg: Msg::Locked(_), .. } => std::mem::replace(&mut is_first, false),
            _ => true,
        });
        effects
    }
}

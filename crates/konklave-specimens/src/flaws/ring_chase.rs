//! The flaw of the chase on a ring: too many hunts suppressed.

use konklave::mutex::ring_chase::{Msg, RingChase};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Forwards only the first hunt since the token's last visit, even if a later one reaches farther.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HuntsOnce {
    has_hunted: bool,
}

impl Flaw<RingChase> for HuntsOnce {
    fn effects(
        &mut self,
        _: &RingChase,
        input: &Input<RingChase>,
        mut effects: Vec<Effect<RingChase>>,
    ) -> Vec<Effect<RingChase>> {
        if matches!(input, Input::Message { msg: Msg::Token { .. }, .. }) {
            self.has_hunted = false;
        }
        let is_hunt =
            |effect: &Effect<RingChase>| matches!(effect, Effect::Send { msg: Msg::Hunt(_), .. });
        if self.has_hunted {
            effects.retain(|effect| !is_hunt(effect));
        }
        self.has_hunted |= effects.iter().any(is_hunt);
        effects
    }
}

//! The search for a token gone wrong.

use konklave::mutex::token_search::TokenSearch;
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input, Protocol};

use crate::Flaw;

/// Is sure that it has heard of whoever is next, as the paper may be, whose channels keep the
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SureOfRoute {
    is_waiting: bool,
}

impl Flaw<TokenSearch> for SureOfRoute {
    fn effects(
        &mut self,
        node: &TokenSearch,
        input: &Input<TokenSearch>,
        effects: Vec<Effect<TokenSearch>>,
    ) -> Vec<Effect<TokenSearch>> {
        self.is_waiting |= *input == Input::Command(Command::Acquire);
        self.is_waiting &= !effects.contains(&Effect::Emit(Event::Granted));
        let is_stuck = !self.is_waiting && !node.waits_for().is_empty();
        assert!(!is_stuck, "the token is at a node without a route");
        effects
    }
}

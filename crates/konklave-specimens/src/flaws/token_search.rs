//! The flaw of the search for a token: a missing route.

use konklave::mutex::token_search::TokenSearch;
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input, Protocol};

use crate::Flaw;

/// Asserts that the route to the next node in the queue is known, as the paper does, whose channels
/// are FIFO.
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

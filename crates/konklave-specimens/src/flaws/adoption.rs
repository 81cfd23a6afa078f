//! Adoption gone wrong.

use konklave::election::adoption::{Adoption, Msg};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Case 3 as on the slide: an explorer is sent back as it came, even if we know of a larger wave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnswersWithX;

impl Flaw<Adoption> for AnswersWithX {
    fn effects(
        &mut self,
        _: &Adoption,
        input: &Input<Adoption>,
        effects: Vec<Effect<Adoption>>,
    ) -> Vec<Effect<Adoption>> {
        let answer = |effect| match (input, effect) {
            (
                Input::Message { from, msg: Msg::Explore(x) },
                Effect::Send { to, msg: Msg::Explore(_) },
            ) if *from == to => Effect::Send { to, msg: Msg::Explore(*x) },
            (_, effect) => effect,
        };
        effects.into_iter().map(answer).collect()
    }
}

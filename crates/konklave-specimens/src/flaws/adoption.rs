//! The flaw of adoption: case 3 as on some slides.

use konklave::election::adoption::{Adoption, Msg};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Case 3 as on the slide: answers an explorer with its own id, even if a larger wave is known.
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

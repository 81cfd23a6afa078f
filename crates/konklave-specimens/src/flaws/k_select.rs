//! The flaws of k-selection: limits that are too narrow, and limits that nobody checks.

use konklave::protocol::{Effect, Input};
use konklave::rounds;
use konklave::selection::candidates::{Ask, Between, Limit, Reply};
use konklave::selection::k_select::{KSelect, Msg};

use crate::Flaw;

/// Changes what a process replies to the anchor.
fn replies(effects: Vec<Effect<KSelect>>, change: impl Fn(Reply) -> Reply) -> Vec<Effect<KSelect>> {
    let changed = |effect| match effect {
        Effect::Send { to, msg: Msg::Round(rounds::Msg::Reply { round, reply }) } => {
            let msg = Msg::Round(rounds::Msg::Reply { round, reply: change(reply) });
            Effect::Send { to, msg }
        }
        effect => effect,
    };
    effects.into_iter().map(changed).collect()
}

/// A process with fewer elements than the rank it is asked for is left out of the largest, instead
/// of counting as infinite.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FewDoNotCount;

impl Flaw<KSelect> for FewDoNotCount {
    fn effects(
        &mut self,
        _: &KSelect,
        _: &Input<KSelect>,
        effects: Vec<Effect<KSelect>>,
    ) -> Vec<Effect<KSelect>> {
        replies(effects, |reply| match reply {
            Reply::Between(Between { from, to: Limit::Above }) => {
                Reply::Between(Between { from, to: Limit::Below })
            }
            reply => reply,
        })
    }
}

/// A process does not count what a cut would leave outside, so a sample is taken for a good one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unchecked {
    is_counting: bool,
}

impl Flaw<KSelect> for Unchecked {
    fn inputs(&mut self, _: &KSelect, input: Input<KSelect>) -> Vec<Input<KSelect>> {
        if let Input::Message { msg: Msg::Round(rounds::Msg::Ask { ask, .. }), .. } = &input {
            self.is_counting = matches!(ask, Ask::Count(_));
        }
        vec![input]
    }

    fn effects(
        &mut self,
        _: &KSelect,
        _: &Input<KSelect>,
        effects: Vec<Effect<KSelect>>,
    ) -> Vec<Effect<KSelect>> {
        let is_counting = self.is_counting;
        replies(effects, |reply| match reply {
            Reply::Outside { .. } if is_counting => Reply::Outside { below: 0, above: 1 },
            reply => reply,
        })
    }
}

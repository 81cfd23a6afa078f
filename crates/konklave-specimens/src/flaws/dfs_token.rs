//! The token that searches depth first gone wrong.

use konklave::election::dfs_token::{DfsToken, Msg};
use konklave::election::{Command, Event};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// The initiator decides as soon as the token is back over the edge on which it has left first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum StopsAtFirstReturn {
    /// It has not started.
    #[default]
    Asleep,
    /// It has sent the token out.
    Initiator,
    /// It has decided.
    Stopped,
}

impl Flaw<DfsToken> for StopsAtFirstReturn {
    fn inputs(&mut self, _: &DfsToken, input: Input<DfsToken>) -> Vec<Input<DfsToken>> {
        if input == Input::Command(Command::Start) {
            *self = Self::Initiator;
        }
        vec![input]
    }

    fn effects(
        &mut self,
        _: &DfsToken,
        input: &Input<DfsToken>,
        effects: Vec<Effect<DfsToken>>,
    ) -> Vec<Effect<DfsToken>> {
        match input {
            Input::Message { from, msg: Msg::Back(token) } if *self == Self::Initiator => {
                *self = Self::Stopped;
                let announce = Msg::Elected(token.largest);
                vec![
                    Effect::Emit(Event::Knows(token.largest)),
                    Effect::Send { to: *from, msg: announce },
                ]
            }
            _ => effects,
        }
    }
}

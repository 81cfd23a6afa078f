//! The flaw of the depth-first token: an early end.

use konklave::election::dfs_token::{DfsToken, Msg};
use konklave::election::{Command, Event};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// The initiator decides as soon as the token returns over the first edge that it took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum StopsAtFirstReturn {
    /// The node has not started.
    #[default]
    Asleep,
    /// The initiator has sent the token.
    Initiator,
    /// The initiator has decided.
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

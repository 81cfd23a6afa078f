//! The flaw of Peterson's algorithm: the wrong termination test.

use konklave::election::Id;
use konklave::election::peterson::{Msg, Peterson};
use konklave::protocol::Input;

use crate::Flaw;

/// Takes the return of its own id for victory, which is sound for the basic variant only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InitialId {
    me: Id,
}

impl InitialId {
    /// The flaw of the node with this id.
    pub fn new(me: Id) -> Self {
        Self { me }
    }
}

impl Flaw<Peterson> for InitialId {
    /// Shows the node an announcement of its own victory.
    fn inputs(&mut self, _: &Peterson, input: Input<Peterson>) -> Vec<Input<Peterson>> {
        vec![match input {
            Input::Message { from, msg: Msg::Value(id) } if id == self.me => {
                Input::Message { from, msg: Msg::Elected(id) }
            }
            other => other,
        }]
    }
}

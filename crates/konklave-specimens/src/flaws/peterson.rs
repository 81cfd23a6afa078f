//! Peterson gone wrong.

use konklave::election::Id;
use konklave::election::peterson::{Msg, Peterson};
use konklave::protocol::Input;

use crate::Flaw;

/// Takes the return of its own id for victory, which only the basic variant allows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InitialId {
    me: Id,
}

impl InitialId {
    /// The node with this id.
    pub fn new(me: Id) -> Self {
        Self { me }
    }
}

impl Flaw<Peterson> for InitialId {
    /// As if somebody had found out that we lead.
    fn inputs(&mut self, _: &Peterson, input: Input<Peterson>) -> Vec<Input<Peterson>> {
        vec![match input {
            Input::Message { from, msg: Msg::Value(id) } if id == self.me => {
                Input::Message { from, msg: Msg::Elected(id) }
            }
            other => other,
        }]
    }
}

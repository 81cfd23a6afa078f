//! Raymond gone wrong.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::mutex::raymond::{Msg, Raymond};
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<Raymond>>;

fn is_token(effect: &Effect<Raymond>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Token, .. })
}

fn is_request(effect: &Effect<Raymond>) -> bool {
    matches!(effect, Effect::Send { msg: Msg::Request, .. })
}

const GRANT: Effect<Raymond> = Effect::Emit(Event::Granted);

/// Has a flag that says whether it has asked, as the paper does, and forgets to clear it when the
/// token passes through and nobody else waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AskedNotCleared {
    asked: bool,
}

impl Flaw<Raymond> for AskedNotCleared {
    fn effects(&mut self, _: &Raymond, _: &Input<Raymond>, mut effects: Effects) -> Effects {
        let is_forwarded = effects.iter().any(is_token);
        if effects.contains(&GRANT) {
            self.asked = false;
        }
        if self.asked && !is_forwarded {
            effects.retain(|effect| !is_request(effect));
        }
        self.asked |= effects.iter().any(is_request);
        effects
    }
}

/// Looks at requests only when it leaves: with the token here and nobody inside, they wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct IdleHolder {
    inside: bool,
    waiting: VecDeque<NodeId>,
}

impl Flaw<Raymond> for IdleHolder {
    fn inputs(&mut self, node: &Raymond, input: Input<Raymond>) -> Vec<Input<Raymond>> {
        match input {
            Input::Message { from, msg: Msg::Request } if node.has_token() && !self.inside => {
                self.waiting.push_back(from);
                vec![]
            }
            Input::Command(Command::Release) => {
                self.inside = false;
                let late = std::mem::take(&mut self.waiting).into_iter();
                let late = late.map(|from| Input::Message { from, msg: Msg::Request });
                std::iter::once(input).chain(late).collect()
            }
            _ => vec![input],
        }
    }

    fn effects(&mut self, _: &Raymond, _: &Input<Raymond>, effects: Effects) -> Effects {
        self.inside |= effects.contains(&GRANT);
        effects
    }
}

/// Sends no request behind the token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoRequestBehind;

impl Flaw<Raymond> for NoRequestBehind {
    fn effects(&mut self, _: &Raymond, _: &Input<Raymond>, mut effects: Effects) -> Effects {
        if effects.iter().any(is_token) {
            effects.retain(|effect| !is_request(effect));
        }
        effects
    }
}

/// Sends the token on and lets its application in all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CopiesToken {
    asked: bool,
}

impl Flaw<Raymond> for CopiesToken {
    fn effects(&mut self, _: &Raymond, input: &Input<Raymond>, mut effects: Effects) -> Effects {
        if matches!(input, Input::Command(Command::Acquire)) {
            self.asked = true;
        }
        if effects.contains(&GRANT) {
            self.asked = false;
        } else if self.asked && effects.iter().any(is_token) {
            self.asked = false;
            effects.push(GRANT);
        }
        effects
    }
}

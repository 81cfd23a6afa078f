//! Flaws of Raymond's algorithm: requests forgotten, and a copied token.

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

/// Has a flag `asked`, as in the paper, and does not clear it when it forwards the token with an
/// empty queue.
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

/// Serves its queue only on release: an idle holder does not react to requests.
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

/// Forwards the token and grants entry to its own application nevertheless.
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

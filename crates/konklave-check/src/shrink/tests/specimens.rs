//! Right algorithms with one flaw each.

use konklave::election::chang_roberts::{self, ChangRoberts};
use konklave::election::{self};
use konklave::mutex::raymond::{self, Raymond};
use konklave::mutex::ricart_agrawala::{Msg, RicartAgrawala};
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input};
use konklave_specimens::Flaw;

/// Enters without waiting for replies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hasty;

impl Flaw<RicartAgrawala> for Hasty {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        mut effects: Vec<Effect<RicartAgrawala>>,
    ) -> Vec<Effect<RicartAgrawala>> {
        if matches!(input, Input::Command(Command::Acquire)) {
            effects.push(Effect::Emit(Event::Granted));
        }
        effects
    }
}

/// Never replies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Silent;

impl Flaw<RicartAgrawala> for Silent {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        _: &Input<RicartAgrawala>,
        mut effects: Vec<Effect<RicartAgrawala>>,
    ) -> Vec<Effect<RicartAgrawala>> {
        effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Reply, .. }));
        effects
    }
}

/// Forgets whom it owes a reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Forgetful;

impl Flaw<RicartAgrawala> for Forgetful {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        mut effects: Vec<Effect<RicartAgrawala>>,
    ) -> Vec<Effect<RicartAgrawala>> {
        if matches!(input, Input::Command(Command::Release)) {
            effects.clear();
        }
        effects
    }
}

/// Sends the token on and lets its application in all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Forger {
    asked: bool,
}

impl Flaw<Raymond> for Forger {
    fn effects(
        &mut self,
        _: &Raymond,
        input: &Input<Raymond>,
        mut effects: Vec<Effect<Raymond>>,
    ) -> Vec<Effect<Raymond>> {
        let is_token = |it: &Effect<_>| matches!(it, Effect::Send { msg: raymond::Msg::Token, .. });
        self.asked |= matches!(input, Input::Command(Command::Acquire));
        if effects.contains(&Effect::Emit(Event::Granted)) {
            self.asked = false;
        } else if self.asked && effects.iter().any(is_token) {
            self.asked = false;
            effects.push(Effect::Emit(Event::Granted));
        }
        effects
    }
}

/// Once told who leads, it leads as well.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Usurper;

impl Flaw<ChangRoberts> for Usurper {
    fn effects(
        &mut self,
        _: &ChangRoberts,
        input: &Input<ChangRoberts>,
        mut effects: Vec<Effect<ChangRoberts>>,
    ) -> Vec<Effect<ChangRoberts>> {
        if matches!(input, Input::Message { msg: chang_roberts::Msg::Elected(_), .. }) {
            effects.push(Effect::Emit(election::Event::Elected));
        }
        effects
    }
}

//! The flaw of echo with extinction: late echoes count.

use konklave::election::Id;
use konklave::election::echo_extinction::{EchoExtinction, Msg};
use konklave::protocol::{Effect, Input};
use konklave::wave::echo;

use crate::Flaw;

/// Counts the echo of a smaller wave as an echo of the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CountsLateEcho {
    /// The wave in which the node takes part now.
    wave: Option<Id>,
}

impl Flaw<EchoExtinction> for CountsLateEcho {
    fn inputs(
        &mut self,
        _: &EchoExtinction,
        input: Input<EchoExtinction>,
    ) -> Vec<Input<EchoExtinction>> {
        let wave = self.wave;
        vec![match input {
            Input::Message { from, msg: Msg::Wave(echo::Msg::Echo(id)) } => {
                let id = wave.map_or(id, |wave| wave.max(id));
                Input::Message { from, msg: Msg::Wave(echo::Msg::Echo(id)) }
            }
            other => other,
        }]
    }

    fn effects(
        &mut self,
        _: &EchoExtinction,
        input: &Input<EchoExtinction>,
        effects: Vec<Effect<EchoExtinction>>,
    ) -> Vec<Effect<EchoExtinction>> {
        for effect in &effects {
            if let Effect::Send { msg: Msg::Wave(echo::Msg::Explore(id)), .. } = effect {
                self.wave = self.wave.max(Some(*id));
            }
        }
        if let Input::Message { msg: Msg::Wave(echo::Msg::Explore(id)), .. } = input {
            self.wave = self.wave.max(Some(*id));
        }
        effects
    }
}

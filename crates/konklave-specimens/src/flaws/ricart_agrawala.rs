//! Flaws of Ricart and Agrawala's algorithm: broken orders and lost replies.

use konklave::NodeId;
use konklave::mutex::ricart_agrawala::{Msg, RicartAgrawala};
use konklave::mutex::{Command, Stamp};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<RicartAgrawala>>;
type Inputs = Vec<Input<RicartAgrawala>>;

/// Compares the times of requests only, without the node as tie-break.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoTieBreak {
    tie: Tie,
    /// The time of the node's own last request.
    mine: u64,
}

/// What two nodes with requests of the same time do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Tie {
    EveryoneYields,
    NobodyYields,
}

impl NoTieBreak {
    /// Both reply.
    pub fn everyone_yields() -> Self {
        Self { tie: Tie::EveryoneYields, mine: 0 }
    }

    /// Both defer their reply.
    pub fn nobody_yields() -> Self {
        Self { tie: Tie::NobodyYields, mine: 0 }
    }
}

impl Flaw<RicartAgrawala> for NoTieBreak {
    /// The clock is at least the time of the node's own request, so an older time does not change
    /// it.
    fn inputs(&mut self, _: &RicartAgrawala, input: Input<RicartAgrawala>) -> Inputs {
        vec![match input {
            Input::Message { from, msg: Msg::Request(theirs) } if theirs.time == self.mine => {
                let theirs = match self.tie {
                    Tie::EveryoneYields => Stamp { time: 0, ..theirs },
                    Tie::NobodyYields => Stamp { node: NodeId(u32::MAX), ..theirs },
                };
                Input::Message { from, msg: Msg::Request(theirs) }
            }
            other => other,
        }]
    }

    fn effects(
        &mut self,
        _: &RicartAgrawala,
        _: &Input<RicartAgrawala>,
        effects: Effects,
    ) -> Effects {
        if let Some(Effect::Send { msg: Msg::Request(mine), .. }) = effects.first() {
            self.mine = mine.time;
        }
        effects
    }
}

/// Does not update its clock on a request: a timestamp beyond its clock is replaced by the current
/// one, still younger than its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoClockUpdate {
    clock: u64,
}

impl Flaw<RicartAgrawala> for NoClockUpdate {
    fn inputs(&mut self, _: &RicartAgrawala, input: Input<RicartAgrawala>) -> Inputs {
        vec![match input {
            Input::Message { from, msg: Msg::Request(theirs) } if theirs.time > self.clock => {
                let present = Stamp { time: self.clock, node: NodeId(u32::MAX) };
                Input::Message { from, msg: Msg::Request(present) }
            }
            other => other,
        }]
    }

    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        effects: Effects,
    ) -> Effects {
        if let Some(Effect::Send { msg: Msg::Request(mine), .. }) = effects.first() {
            assert!(matches!(input, Input::Command(Command::Acquire)));
            assert_eq!(mine.time, self.clock + 1, "only its own requests move its clock");
            self.clock = mine.time;
        }
        effects
    }
}

/// Drops its deferred replies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Forgetful;

impl Flaw<RicartAgrawala> for Forgetful {
    fn effects(
        &mut self,
        _: &RicartAgrawala,
        input: &Input<RicartAgrawala>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Command(Command::Release)) {
            effects.clear();
        }
        effects
    }
}

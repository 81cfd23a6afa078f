//! Flaws of Carvalho and Roucairol's algorithm: permissions given away wrongly.

use konklave::NodeSet;
use konklave::mutex::Command;
use konklave::mutex::carvalho_roucairol::{CarvalhoRoucairol, Msg};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

type Effects = Vec<Effect<CarvalhoRoucairol>>;
type Inputs = Vec<Input<CarvalhoRoucairol>>;

/// Gives a permission away without clearing it: instead of asking again it behaves as if the reply
/// had arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeepsPermission {
    /// The nodes whose permission it has had.
    had: NodeSet,
}

impl Flaw<CarvalhoRoucairol> for KeepsPermission {
    fn inputs(&mut self, _: &CarvalhoRoucairol, input: Input<CarvalhoRoucairol>) -> Inputs {
        let reply = |from| Input::Message { from, msg: Msg::Reply };
        match &input {
            Input::Command(Command::Acquire) => {
                std::iter::once(input).chain(self.had.iter().map(reply)).collect()
            }
            Input::Message { from, msg: Msg::Request(_) } if self.had.contains(*from) => {
                let reply = reply(*from);
                vec![input, reply]
            }
            Input::Message { from, msg: Msg::Reply } => {
                self.had.insert(*from);
                vec![input]
            }
            _ => vec![input],
        }
    }

    fn effects(
        &mut self,
        _: &CarvalhoRoucairol,
        _: &Input<CarvalhoRoucairol>,
        mut effects: Effects,
    ) -> Effects {
        effects.retain(|effect| match effect {
            Effect::Send { to, msg: Msg::Request(_) } => !self.had.contains(*to),
            _ => true,
        });
        effects
    }
}

/// Gives a permission away while it waits, and does not request it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoSecondRequest;

impl Flaw<CarvalhoRoucairol> for NoSecondRequest {
    fn effects(
        &mut self,
        _: &CarvalhoRoucairol,
        input: &Input<CarvalhoRoucairol>,
        mut effects: Effects,
    ) -> Effects {
        if matches!(input, Input::Message { .. }) {
            effects.retain(|effect| !matches!(effect, Effect::Send { msg: Msg::Request(_), .. }));
        }
        effects
    }
}

//! Cao and Singhal gone wrong.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::mutex::Stamp;
use konklave::mutex::cao_singhal::{CaoSinghal, Msg};
use konklave::protocol::{Effect, Input};

use crate::{Flaw, probe};

type Inputs = Vec<Input<CaoSinghal>>;

/// Ignores the release of a node that it does not know to be the owner of its permission, instead
/// of keeping it until word of that arrives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoEarlyBuffer;

impl NoEarlyBuffer {
    /// Whether `from` is the owner, as far as the arbiter knows: it would be told of a request that
    /// is older than all others.
    fn is_owner(node: &CaoSinghal, from: NodeId, epoch: u64) -> bool {
        let oldest = Stamp { time: 0, node: from };
        let (_, effects) = probe(node, Input::Message { from, msg: Msg::Request(oldest) });
        effects.iter().any(|effect| match effect {
            Effect::Send { to, msg: Msg::Transfer { epoch: current, .. } } => {
                *to == from && *current == epoch
            }
            _ => false,
        })
    }
}

impl Flaw<CaoSinghal> for NoEarlyBuffer {
    fn inputs(&mut self, node: &CaoSinghal, input: Input<CaoSinghal>) -> Inputs {
        match input {
            Input::Message { from, msg: Msg::Release { epoch, .. } }
                if !Self::is_owner(node, from, epoch) =>
            {
                vec![]
            }
            _ => vec![input],
        }
    }
}

/// Ignores what an arbiter says about a permission that is still under way, instead of keeping it
/// until that arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoPendingTransfer {
    /// The epoch of the last permission of each arbiter.
    epochs: BTreeMap<NodeId, u64>,
}

impl Flaw<CaoSinghal> for NoPendingTransfer {
    fn inputs(&mut self, _: &CaoSinghal, input: Input<CaoSinghal>) -> Inputs {
        match &input {
            Input::Message { msg: Msg::Locked { arbiter, epoch, .. }, .. } => {
                let last = self.epochs.entry(*arbiter).or_default();
                *last = (*last).max(*epoch);
            }
            Input::Message { from, msg: Msg::Transfer { epoch, .. } } => {
                let last = self.epochs.get(from).copied().unwrap_or(0);
                if *epoch > last {
                    return vec![];
                }
            }
            _ => {}
        }
        vec![input]
    }
}

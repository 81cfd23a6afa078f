//! The flaw of Ricart and Agrawala's token: small numbers first.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::mutex::ricart_agrawala_token::{Msg, RicartAgrawalaToken};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Looks for the next node from node 0 on, and not from its own successor on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SmallestFirst {
    /// The time of the latest request of each node.
    requested: BTreeMap<NodeId, u64>,
}

impl Flaw<RicartAgrawalaToken> for SmallestFirst {
    fn inputs(
        &mut self,
        _: &RicartAgrawalaToken,
        input: Input<RicartAgrawalaToken>,
    ) -> Vec<Input<RicartAgrawalaToken>> {
        if let Input::Message { from, msg: Msg::Request(time) } = input {
            let latest = self.requested.entry(from).or_default();
            *latest = time.max(*latest);
        }
        vec![input]
    }

    fn effects(
        &mut self,
        _: &RicartAgrawalaToken,
        _: &Input<RicartAgrawalaToken>,
        mut effects: Vec<Effect<RicartAgrawalaToken>>,
    ) -> Vec<Effect<RicartAgrawalaToken>> {
        for effect in &mut effects {
            if let Effect::Send { to, msg: Msg::Token(left) } = effect {
                let waits = |(node, time): &(&NodeId, &u64)| **time > left[node.index()];
                let smallest = self.requested.iter().find(waits);
                *to = smallest.map_or(*to, |(node, _)| *node);
            }
        }
        effects
    }
}

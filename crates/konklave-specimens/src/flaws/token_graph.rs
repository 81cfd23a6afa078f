//! The token on a graph gone wrong.

use konklave::NodeId;
use konklave::mutex::token_graph::{Msg, TokenGraph};
use konklave::protocol::Input;

use crate::Flaw;

/// Of the variant in which acknowledgements stand for hop numbers: does not wait for them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoAcknowledgements {
    neighbours: Vec<NodeId>,
}

impl NoAcknowledgements {
    /// A node with these neighbours.
    pub fn new(neighbours: Vec<NodeId>) -> Self {
        Self { neighbours }
    }
}

impl Flaw<TokenGraph> for NoAcknowledgements {
    /// With the token come all the acknowledgements that are to follow.
    fn inputs(&mut self, _: &TokenGraph, input: Input<TokenGraph>) -> Vec<Input<TokenGraph>> {
        match input {
            Input::Message { msg: Msg::Token(_), .. } => {
                let acks = self.neighbours.iter().copied();
                let acks = acks.map(|from| Input::Message { from, msg: Msg::Ack });
                std::iter::once(input).chain(acks).collect()
            }
            _ => vec![input],
        }
    }
}

//! The flaw of the token on a graph: inversions without acknowledgements.

use konklave::NodeId;
use konklave::mutex::token_graph::{Msg, TokenGraph};
use konklave::protocol::Input;

use crate::Flaw;

/// Does not wait for acknowledgements, in the variant that uses them instead of hop numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoAcknowledgements {
    neighbours: Vec<NodeId>,
}

impl NoAcknowledgements {
    /// The flaw of a node with these neighbours.
    pub fn new(neighbours: Vec<NodeId>) -> Self {
        Self { neighbours }
    }
}

impl Flaw<TokenGraph> for NoAcknowledgements {
    /// All acknowledgements arrive together with the token.
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

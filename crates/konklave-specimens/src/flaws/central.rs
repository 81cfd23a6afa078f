//! The flaw of the central coordinator: no queue.

use konklave::mutex::central::{Central, Msg};
use konklave::protocol::Input;

use crate::{Flaw, probe};

/// Has no queue: drops a request that arrives while a node is inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoQueue;

impl Flaw<Central> for NoQueue {
    fn inputs(&mut self, node: &Central, input: Input<Central>) -> Vec<Input<Central>> {
        let is_request = matches!(input, Input::Message { msg: Msg::Request, .. });
        match is_request && probe(node, input.clone()).1.is_empty() {
            true => vec![],
            false => vec![input],
        }
    }
}

//! Flaws of the central coordinator: no queue, or a stack in its place.

use konklave::NodeId;
use konklave::mutex::Command;
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

/// Serves the newest request next: a stack in place of the queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NewestFirst {
    waiting: Vec<NodeId>,
}

impl Flaw<Central> for NewestFirst {
    fn inputs(&mut self, node: &Central, input: Input<Central>) -> Vec<Input<Central>> {
        match input {
            Input::Message { from, msg: Msg::Request }
                if probe(node, input.clone()).1.is_empty() =>
            {
                self.waiting.push(from);
                vec![]
            }
            Input::Message { msg: Msg::Release, .. } | Input::Command(Command::Release) => {
                let newest = self.waiting.pop();
                let newest = newest.map(|from| Input::Message { from, msg: Msg::Request });
                std::iter::once(input).chain(newest).collect()
            }
            _ => vec![input],
        }
    }
}

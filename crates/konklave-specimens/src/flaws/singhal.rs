//! Flaws of Singhal's algorithm: stale requests handled wrongly.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::mutex::singhal::{Msg, Singhal};
use konklave::mutex::{Command, Event};
use konklave::protocol::{Effect, Input};

use crate::{Flaw, probe};

type Effects = Vec<Effect<Singhal>>;
type Inputs = Vec<Input<Singhal>>;

/// Whether a node considers this request stale: then it reacts as to request 0.
fn is_stale(node: &Singhal, from: NodeId, number: u64) -> bool {
    let request = |number| Input::Message { from, msg: Msg::Request(number) };
    number == 0 || probe(node, request(number)) == probe(node, request(0))
}

/// Discards stale requests, as in the paper.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiscardsStale;

impl Flaw<Singhal> for DiscardsStale {
    fn inputs(&mut self, node: &Singhal, input: Input<Singhal>) -> Inputs {
        match input {
            Input::Message { from, msg: Msg::Request(number) } if is_stale(node, from, number) => {
                vec![]
            }
            _ => vec![input],
        }
    }
}

/// Does not compare a request with the token's numbers while it is inside.
///
/// It then believes that the sender is requesting, and on release the token overrules it: the only
/// lasting effect is that no probe was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IgnoresTokenInside {
    is_inside: bool,
    /// The number of each node's latest request that the node itself knows.
    sn: BTreeMap<NodeId, u64>,
    /// The numbers of the token, when it was here last.
    tsn: Vec<u64>,
    /// The nodes that it wrongly believes to be requesting.
    believed: Vec<NodeId>,
}

impl IgnoresTokenInside {
    /// The flaw of a node of a system of `nodes` nodes.
    pub fn new(nodes: u32) -> Self {
        let tsn = vec![0; nodes as usize];
        Self { is_inside: false, sn: BTreeMap::new(), tsn, believed: Vec::new() }
    }
}

impl Flaw<Singhal> for IgnoresTokenInside {
    fn inputs(&mut self, node: &Singhal, input: Input<Singhal>) -> Inputs {
        match &input {
            Input::Message { msg: Msg::Token(token), .. } => self.tsn.clone_from(&token.tsn),
            Input::Command(Command::Release) if self.is_inside => {
                self.is_inside = false;
                self.believed.clear();
                for (other, &number) in NodeId::all(self.tsn.len() as u32).zip(&self.tsn) {
                    let known = self.sn.entry(other).or_default();
                    *known = (*known).max(number);
                }
            }
            Input::Message { from, msg: Msg::Request(number) } => {
                let known = self.sn.entry(*from).or_default();
                if self.is_inside && *number > *known && is_stale(node, *from, *number) {
                    self.believed.push(*from);
                }
                *known = (*known).max(*number);
            }
            Input::Start
            | Input::Command(_)
            | Input::Timer(_)
            | Input::Tick
            | Input::Returned { .. } => {}
        }
        vec![input]
    }

    fn effects(&mut self, _: &Singhal, _: &Input<Singhal>, mut effects: Effects) -> Effects {
        self.is_inside |= effects.contains(&Effect::Emit(Event::Granted));
        effects.retain(|effect| match effect {
            Effect::Send { to, msg: Msg::Request(0) } => !self.believed.contains(to),
            _ => true,
        });
        effects
    }
}

/// Sends the token to every requester, even for a stale request. A node that does not wait for the
/// token discards it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoStaleTest;

impl Flaw<Singhal> for NoStaleTest {
    /// At an idle holder of the token, a stale request is replaced by the first new one.
    fn inputs(&mut self, node: &Singhal, input: Input<Singhal>) -> Inputs {
        match input {
            Input::Message { from, msg: Msg::Request(number @ 1..) } => {
                let gives = |number: &u64| {
                    let request = Input::Message { from, msg: Msg::Request(*number) };
                    let (_, effects) = probe(node, request);
                    effects.iter().any(|it| matches!(it, Effect::Send { msg: Msg::Token(_), .. }))
                };
                let forged = (number..number + 8).find(gives).unwrap_or(number);
                vec![Input::Message { from, msg: Msg::Request(forged) }]
            }
            _ => vec![input],
        }
    }
}

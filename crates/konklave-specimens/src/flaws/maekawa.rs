//! Flaws of Maekawa's algorithm: deadlock resolution that is incomplete.

use konklave::mutex::maekawa::{Maekawa, Msg};
use konklave::mutex::{Command, Stamp};
use konklave::protocol::{Effect, Input};
use konklave::{NodeId, NodeSet};

use crate::{Flaw, probe};

type Effects = Vec<Effect<Maekawa>>;
type Inputs = Vec<Input<Maekawa>>;

/// Ignores an inquiry that it cannot answer at once, instead of remembering it.
///
/// Messages between requester and arbiter of the same node are local calls. If a node's own arbiter
/// inquires and gets no answer, nothing is sent: then the flaw holds the request back until the
/// node has left. That is equivalent where at most two nodes ask an arbiter, as on the triangle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoInquire {
    unheard: Vec<(NodeId, Stamp)>,
}

impl Flaw<Maekawa> for NoInquire {
    fn inputs(&mut self, node: &Maekawa, input: Input<Maekawa>) -> Inputs {
        let is_silent = || probe(node, input.clone()).1.is_empty();
        match input {
            Input::Message { msg: Msg::Inquire(_), .. } if is_silent() => vec![],
            Input::Message { from, msg: Msg::Request(theirs) } if is_silent() => {
                self.unheard.push((from, theirs));
                vec![]
            }
            Input::Command(Command::Release) => {
                let late = std::mem::take(&mut self.unheard).into_iter();
                let late =
                    late.map(|(from, theirs)| Input::Message { from, msg: Msg::Request(theirs) });
                std::iter::once(input).chain(late).collect()
            }
            _ => vec![input],
        }
    }
}

/// Does not tell a request that was the oldest that a still older one has arrived: the error of the
/// paper. The node's own request is told nevertheless.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoFailed;

impl Flaw<Maekawa> for NoFailed {
    fn effects(&mut self, _: &Maekawa, input: &Input<Maekawa>, mut effects: Effects) -> Effects {
        if let Input::Message { msg: Msg::Request(theirs), .. } = input {
            effects.retain(|effect| match effect {
                Effect::Send { msg: Msg::Failed(failed), .. } => failed == theirs,
                _ => true,
            });
        }
        effects
    }
}

/// Does not count a yielded lock as a failure: inquiries wait until another arbiter reports a
/// failure. The node's own arbiter is correct.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct YieldIsNoFailure {
    /// The arbiters where the request failed and was not granted the lock since.
    failed: NodeSet,
    /// The arbiters that inquired.
    inquiries: Vec<(NodeId, Stamp)>,
}

impl Flaw<Maekawa> for YieldIsNoFailure {
    fn inputs(&mut self, _: &Maekawa, input: Input<Maekawa>) -> Inputs {
        match input {
            Input::Message { from, msg: Msg::Inquire(mine) } if self.failed.is_empty() => {
                self.inquiries.push((from, mine));
                vec![]
            }
            Input::Message { from, msg: Msg::Failed(_) } => {
                self.failed.insert(from);
                let late = std::mem::take(&mut self.inquiries).into_iter();
                let late =
                    late.map(|(from, mine)| Input::Message { from, msg: Msg::Inquire(mine) });
                std::iter::once(input).chain(late).collect()
            }
            Input::Message { from, msg: Msg::Locked(_) } => {
                self.failed.remove(from);
                vec![input]
            }
            Input::Command(Command::Acquire) => {
                *self = Self::default();
                vec![input]
            }
            _ => vec![input],
        }
    }
}

/// Takes every inquiry for one about its current request and yields at once, even a lock that it
/// does not hold. An arbiter asserts that only the holder of its lock yields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnmatchedInquire {
    /// A node that does not exist: its failure message makes the request fail.
    nobody: NodeId,
    /// The node's own request, until it enters.
    mine: Option<Stamp>,
}

impl UnmatchedInquire {
    /// The flaw of a node of a system of `nodes` nodes.
    pub fn new(nodes: u32) -> Self {
        Self { nobody: NodeId(nodes), mine: None }
    }
}

impl Flaw<Maekawa> for UnmatchedInquire {
    fn inputs(&mut self, node: &Maekawa, input: Input<Maekawa>) -> Inputs {
        match (&input, self.mine) {
            (Input::Message { msg: Msg::Yield(_), .. }, _) => {
                let (after, effects) = probe(node, input.clone());
                assert!(after != *node || !effects.is_empty(), "only the holder yields");
            }
            (&Input::Message { from, msg: Msg::Inquire(theirs) }, Some(mine)) if theirs != mine => {
                let failed = Input::Message { from: self.nobody, msg: Msg::Failed(mine) };
                let present = Input::Message { from, msg: Msg::Inquire(mine) };
                let (after, _) = probe(node, failed.clone());
                if !probe(&after, present.clone()).1.is_empty() {
                    return vec![failed, present];
                }
            }
            _ => {}
        }
        vec![input]
    }

    fn effects(&mut self, _: &Maekawa, input: &Input<Maekawa>, mut effects: Effects) -> Effects {
        match (input, self.mine) {
            (&Input::Message { from, msg: Msg::Inquire(theirs) }, Some(mine)) if theirs != mine => {
                effects.push(Effect::Send { to: from, msg: Msg::Yield(mine) });
            }
            _ => {}
        }
        for effect in &effects {
            match effect {
                Effect::Send { msg: Msg::Request(mine), .. } => self.mine = Some(*mine),
                Effect::Emit(_) => self.mine = None,
                _ => {}
            }
        }
        effects
    }
}

//! Maekawa gone wrong.

use konklave::mutex::maekawa::{Maekawa, Msg};
use konklave::mutex::{Command, Stamp};
use konklave::protocol::{Effect, Input};
use konklave::{NodeId, NodeSet};

use crate::{Flaw, probe};

type Effects = Vec<Effect<Maekawa>>;
type Inputs = Vec<Input<Maekawa>>;

/// Forgets an inquiry that it cannot answer at once, instead of remembering it.
///
/// Requester and arbiter of one node talk without messages. If the own arbiter inquires about a
/// request and gets no answer, nothing is sent: then the flaw keeps the request back until the node
/// has left. That is the same where at most two nodes ask an arbiter, as on the triangle.
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

/// Does not tell a request that was the oldest that a still older one has come: the mistake of the
/// paper. The node's own request hears of it all the same.
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

/// Does not count a lock that it has yielded as a failure: inquiries wait until another arbiter
/// tells it that it failed. What the node's own arbiter does is right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct YieldIsNoFailure {
    /// Who told us that we failed, and has not granted since.
    failed: NodeSet,
    /// Who inquires.
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

/// Takes every inquiry for one about its present request and yields at once, also what it has not
/// got. An arbiter relies on it that only whom it is locked for yields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnmatchedInquire {
    /// A node that does not exist: if it fails us, we have failed.
    nobody: NodeId,
    /// Our request, until we enter.
    mine: Option<Stamp>,
}

impl UnmatchedInquire {
    /// One of `nodes` nodes.
    pub fn new(nodes: u32) -> Self {
        Self { nobody: NodeId(nodes), mine: None }
    }
}

impl Flaw<Maekawa> for UnmatchedInquire {
    fn inputs(&mut self, node: &Maekawa, input: Input<Maekawa>) -> Inputs {
        match (&input, self.mine) {
            (Input::Message { msg: Msg::Yield(_), .. }, _) => {
                let (after, effects) = probe(node, input.clone());
                assert!(after != *node || !effects.is_empty(), "who yields has the lock");
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

//! Flaws of Cao and Singhal's algorithm: the races that its epochs settle.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::mutex::cao_singhal::{CaoSinghal, Msg};
use konklave::mutex::{Command, Stamp};
use konklave::protocol::{Effect, Input};

use crate::{Flaw, probe};

type Effects = Vec<Effect<CaoSinghal>>;
type Inputs = Vec<Input<CaoSinghal>>;

/// Does not buffer a release that arrives before the release that names its sender as owner: of
/// these two messages to the arbiter, it keeps only one.
///
/// An early release from another node is ignored. The node's own release is a local call: if that
/// is early, the other of the two is ignored instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NoEarlyBuffer {
    me: NodeId,
    /// The node's own request, until its release.
    mine: Option<Stamp>,
}

impl NoEarlyBuffer {
    /// The flaw of node `me`.
    pub fn new(me: NodeId) -> Self {
        Self { me, mine: None }
    }

    /// Whether the arbiter considers the sender of a release the owner: then it would send that
    /// owner a transfer for a request older than all others.
    fn is_in_time(&self, node: &CaoSinghal, from: NodeId, epoch: u64, to: Option<Stamp>) -> bool {
        let oldest = Stamp { time: 0, node: from };
        let (_, effects) = probe(node, Input::Message { from, msg: Msg::Request(oldest) });
        let is_owner = effects.iter().any(|effect| match effect {
            Effect::Send { to, msg: Msg::Transfer { epoch: current, .. } } => {
                *to == from && *current == epoch
            }
            _ => false,
        });
        let has_left = to.is_some_and(|to| to.node == self.me && Some(to) != self.mine);
        is_owner && !has_left
    }
}

impl Flaw<CaoSinghal> for NoEarlyBuffer {
    fn inputs(&mut self, node: &CaoSinghal, input: Input<CaoSinghal>) -> Inputs {
        match input {
            Input::Message { from, msg: Msg::Release { epoch, to } }
                if !self.is_in_time(node, from, epoch, to) =>
            {
                vec![]
            }
            _ => vec![input],
        }
    }

    fn effects(&mut self, _: &CaoSinghal, input: &Input<CaoSinghal>, effects: Effects) -> Effects {
        if *input == Input::Command(Command::Release) {
            self.mine = None;
        }
        for effect in &effects {
            if let Effect::Send { msg: Msg::Request(mine), .. } = effect {
                self.mine = Some(*mine);
            }
        }
        effects
    }
}

/// Ignores a transfer whose permission is still in transit, instead of keeping it until the
/// permission arrives.
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

/// Identifies a permission by its request instead of its epoch: obeys a transfer that was sent
/// before the permission was yielded, once the permission has returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoEpochs {
    mine: Option<Stamp>,
    permissions: BTreeMap<NodeId, Permission>,
}

/// A permission granted to the current request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Permission {
    first: u64,
    last: u64,
    is_yielded: bool,
    /// The transfers received while the permission was away.
    late: Vec<Msg>,
}

impl Permission {
    fn new(epoch: u64) -> Self {
        Self { first: epoch, last: epoch, is_yielded: false, late: Vec::new() }
    }
}

impl Flaw<CaoSinghal> for NoEpochs {
    fn inputs(&mut self, _: &CaoSinghal, mut input: Input<CaoSinghal>) -> Inputs {
        if input == Input::Command(Command::Acquire) {
            self.permissions.clear();
        }
        let Input::Message { from, msg } = &mut input else { return vec![input] };
        match msg {
            Msg::Locked { arbiter, epoch, request, .. } if Some(*request) == self.mine => {
                let (from, epoch) = (*arbiter, *epoch);
                let permission = self.permissions.entry(from).or_insert(Permission::new(epoch));
                (permission.last, permission.is_yielded) = (epoch, false);
                let late = std::mem::take(&mut permission.late).into_iter();
                let late = late.map(|msg| Input::Message { from, msg: now(msg, epoch) });
                std::iter::once(input).chain(late).collect()
            }
            Msg::Transfer { epoch, .. } => match self.permissions.get_mut(from) {
                Some(it) if it.is_yielded && (it.first..=it.last).contains(epoch) => {
                    it.late.push(msg.clone());
                    vec![]
                }
                Some(it) if (it.first..it.last).contains(epoch) => {
                    *epoch = it.last;
                    vec![input]
                }
                _ => vec![input],
            },
            _ => vec![input],
        }
    }

    fn effects(&mut self, _: &CaoSinghal, _: &Input<CaoSinghal>, effects: Effects) -> Effects {
        for effect in &effects {
            match effect {
                Effect::Send { msg: Msg::Request(mine), .. } => self.mine = Some(*mine),
                Effect::Send { to, msg: Msg::Yield { .. } } => {
                    let yielded = self.permissions.get_mut(to);
                    yielded.into_iter().for_each(|permission| permission.is_yielded = true);
                }
                _ => {}
            }
        }
        effects
    }
}

/// The same transfer, for the permission of this epoch.
fn now(msg: Msg, epoch: u64) -> Msg {
    match msg {
        Msg::Transfer { next, inquire, .. } => Msg::Transfer { epoch, next, inquire },
        other => other,
    }
}

//! The eager rule: an answer serves all that are held back, also those that came after it was
//! given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CombineSplit, Msg, Rule};
use crate::NodeId;
use crate::dictionary::DictionaryOp;
use crate::object::Answer;
use crate::overlay::Overlay;
use crate::protocol::Env;

/// Operations that can stand for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// They read.
    Get,
    /// They write a value.
    Put,
    /// They delete the value.
    Delete,
}

impl Kind {
    fn of(op: DictionaryOp) -> Self {
        match op {
            DictionaryOp::Put { .. } => Self::Put,
            DictionaryOp::Delete(_) => Self::Delete,
            DictionaryOp::Get(_) => Self::Get,
        }
    }
}

/// What is held back, and what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Eager {
    /// What waits for an answer, by key and kind: neighbours, or this process.
    held: BTreeMap<(u64, Kind), Vec<Option<NodeId>>>,
    /// The values that were read, if answers are kept.
    kept: Option<BTreeMap<u64, Answer>>,
}

impl Eager {
    /// A node that keeps answers.
    pub(super) fn keeping() -> Self {
        Self { kept: Some(BTreeMap::new()), ..Self::default() }
    }

    /// The keys of the requests under way.
    pub(super) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.held.keys().map(|(key, _)| *key)
    }

    fn kept(&self, op: DictionaryOp) -> Option<Answer> {
        self.kept.as_ref()?.get(&op.key()).copied().filter(|_| !op.is_write())
    }
}

impl<O: Overlay> CombineSplit<O> {
    /// What can be answered here is: a key of this node, or what is kept.
    pub(super) fn answer_if_known(&mut self, op: DictionaryOp) -> Option<Answer> {
        if self.next(op.key()).is_none() {
            return Some(self.records.entry(op.key()).or_default().carry_out(op).0);
        }
        match &self.rule {
            Rule::Eager(eager) => eager.kept(op),
            Rule::Strict(_) => None,
        }
    }

    /// An operation of a neighbour or of this process goes on, unless one of its kind is under way.
    pub(super) fn hold(
        &mut self,
        from: Option<NodeId>,
        op: DictionaryOp,
        env: &mut impl Env<Self>,
    ) {
        let (key, kind) = (op.key(), Kind::of(op));
        if let (Some(answer), Some(from)) = (self.answer_if_known(op), from) {
            return env.send(from, Msg::Reply { key, kind, answer });
        }
        let next = self.next(key);
        let Rule::Eager(Eager { held, .. }) = &mut self.rule else { return };
        let waiting = held.entry((key, kind)).or_default();
        waiting.push(from);
        if let (Some(to), 1) = (next, waiting.len()) {
            env.send(to, Msg::Request(op));
        }
    }

    /// The answer serves all.
    pub(super) fn release(
        &mut self,
        key: u64,
        kind: Kind,
        answer: Answer,
        env: &mut impl Env<Self>,
    ) {
        let Rule::Eager(Eager { held, kept }) = &mut self.rule else { return };
        if let (Some(kept), Kind::Get) = (kept, kind) {
            kept.insert(key, answer);
        }
        let waiting = held.remove(&(key, kind)).unwrap_or_default();
        let is_own = waiting.contains(&None);
        for node in waiting.into_iter().flatten() {
            env.send(node, Msg::Reply { key, kind, answer });
        }
        if let Some((ticket, _)) = self.operations.under_way().filter(|_| is_own) {
            self.finish(ticket, answer, None, env);
        }
    }
}

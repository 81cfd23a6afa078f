//! How operations get their places, and what becomes of requests that are lost.

use super::{Anchor, Letter, Mended, Stabilising, Task, Ticket};
use crate::NodeId;
use crate::batched::{Op, Place};
use crate::object::{Answer, Event, Nature, Object};
use crate::protocol::Env;

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part<B> {
    /// The operations of this process that are under way.
    Own,
    /// A request of another process.
    Of { process: NodeId, id: u32, batch: B },
}

impl<B> Part<B> {
    /// The request of another process that it is.
    pub(super) fn request(&self) -> Option<(NodeId, u32)> {
        match self {
            Self::Own => None,
            Self::Of { process, id, .. } => Some((*process, *id)),
        }
    }

    /// Whether it is that request of this process.
    pub(super) fn is(&self, from: NodeId, number: u32) -> bool {
        self.request() == Some((from, number))
    }
}

/// The trace of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Request<B> {
    /// To whom it was sent.
    pub(super) to: NodeId,
    /// What it was combined from.
    pub(super) parts: Vec<Part<B>>,
    /// For how many turns nobody has asked about it.
    age: u32,
    /// For how many turns it has been known that it is not remembered.
    denied: Option<u32>,
}

impl<B> Request<B> {
    /// A trace of a request to this process.
    pub(super) fn to(to: NodeId, parts: Vec<Part<B>>) -> Self {
        Self { to, parts, age: 0, denied: None }
    }

    /// Whether it is taken for lost.
    pub(super) fn is_denied(&self) -> bool {
        self.denied.is_some()
    }
}

/// An operation that has a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Travelling<S: Mended> {
    pub(super) op: Op<S>,
    pub(super) key: S::Key,
    witness: u64,
    /// For how many turns it has travelled.
    age: u32,
}

/// The element that an operation brings, if it brings one.
pub(super) fn brought<S: Mended>(op: Op<S>) -> Answer {
    match S::Object::nature(op) {
        Nature::Insert(element) => Some(element),
        _ => None,
    }
}

impl<S: Mended> Stabilising<S> {
    /// All parts of requests that wait for an answer.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part<S::Batch>> {
        let passed_on = self.requests.values().flat_map(|request| &request.parts);
        self.collected.iter().chain(passed_on)
    }

    pub(super) fn remembers(&self, from: NodeId, id: u32) -> bool {
        self.parts().any(|part| part.is(from, id))
    }

    pub(super) fn has_own_part(&self) -> bool {
        self.parts().any(|part| matches!(part, Part::Own))
    }

    pub(super) fn collect(&mut self, process: NodeId, id: u32, batch: S::Batch) {
        if !self.remembers(process, id) {
            self.collected.push(Part::Of { process, id, batch });
        }
    }

    fn under_way(&self) -> impl Iterator<Item = Op<S>> + '_ {
        self.ops.iter().take(self.sent as usize).map(|(_, op)| *op)
    }

    fn batch(&self, part: &Part<S::Batch>) -> S::Batch {
        match part {
            Part::Own => S::build(self.under_way()),
            Part::Of { batch, .. } => batch.clone(),
        }
    }

    fn combined(&self, parts: &[Part<S::Batch>]) -> S::Batch {
        let mut batch = S::build(std::iter::empty());
        parts.iter().for_each(|part| S::combine(&mut batch, &self.batch(part)));
        batch
    }

    /// In its turn, it sends on what it has collected; the anchor answers it.
    pub(super) fn pass_on(&mut self, env: &mut impl Env<Self>) {
        let has_own = self.sent == 0 && !self.ops.is_empty();
        if !has_own && self.collected.is_empty() {
            return;
        }
        let to = self.towards_anchor();
        if to.is_none() && self.anchor().is_none() {
            return; // It does not know yet whether it is to be the anchor.
        }
        if has_own {
            self.sent = self.ops.len() as u32;
        }
        let own = has_own.then_some(Part::Own);
        let parts: Vec<_> = own.into_iter().chain(std::mem::take(&mut self.collected)).collect();
        let batch = self.combined(&parts);
        match (to, &mut self.anchor) {
            (Some(to), _) => {
                let id = self.count;
                self.count = self.count.wrapping_add(1);
                self.requests.insert(id, Request::to(to, parts));
                self.send(to, Letter::Request { id, batch }, env);
            }
            (None, Anchor::State(service)) => {
                let assignment = service.assign(&batch);
                self.split(parts, assignment, env);
            }
            (None, Anchor::Nothing(_)) => {}
        }
    }

    /// An assignment for a request that is not known, or cannot be its own, is ignored.
    pub(super) fn on_answer(
        &mut self,
        from: NodeId,
        id: u32,
        assignment: S::Assignment,
        env: &mut impl Env<Self>,
    ) {
        let Some(request) = self.requests.get(&id).filter(|request| request.to == from) else {
            return;
        };
        if !S::fits(&assignment, &self.combined(&request.parts)) {
            return;
        }
        if let Some(Request { parts, .. }) = self.requests.remove(&id) {
            self.split(parts, assignment, env);
        }
    }

    fn split(
        &mut self,
        parts: Vec<Part<S::Batch>>,
        mut assignment: S::Assignment,
        env: &mut impl Env<Self>,
    ) {
        for part in parts {
            let assignment = S::decompose(&mut assignment, &self.batch(&part));
            match part {
                Part::Own => self.place_own(assignment, env),
                Part::Of { process, id, .. } => {
                    self.send(process, Letter::Answer { id, assignment }, env);
                }
            }
        }
    }

    fn place_own(&mut self, assignment: S::Assignment, env: &mut impl Env<Self>) {
        let places = S::start(assignment, self.under_way());
        let ops: Vec<_> = self.ops.drain(..places.len()).collect();
        self.sent = 0;
        for ((ticket, op), Place { key, witness }) in ops.into_iter().zip(places) {
            match key {
                None => self.end(ticket, None, witness, env),
                Some(key) => {
                    self.travelling.insert(ticket, Travelling { op, key, witness, age: 0 });
                    self.set_out(ticket, op, key, env);
                }
            }
        }
    }

    fn set_out(&mut self, ticket: Ticket, op: Op<S>, key: S::Key, env: &mut impl Env<Self>) {
        let task = Task { process: self.me(), ticket, key, has_turned: false };
        match brought::<S>(op) {
            Some(_) => self.put(task, op, env),
            None => self.get(task, env),
        }
    }

    fn end(&mut self, ticket: Ticket, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        if let Ticket::Of(ticket) = ticket {
            env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
        }
    }

    pub(super) fn finish(&mut self, ticket: Ticket, answer: Answer, env: &mut impl Env<Self>) {
        if let Some(Travelling { op, witness, .. }) = self.travelling.remove(&ticket) {
            let is_empty = brought::<S>(op).is_none() && answer.is_none();
            self.repairs.empty += u64::from(is_empty);
            self.end(ticket, answer, witness, env);
        } // Else it is asked for again, or a duplicate.
    }

    /// Problem 6: an operation that travels for too long sets out again. If it had only been slow,
    /// that changes nothing: keys are not used twice.
    pub(super) fn remind(&mut self, env: &mut impl Env<Self>) {
        let mut late = Vec::new();
        for (ticket, travelling) in &mut self.travelling {
            travelling.age += 1;
            if travelling.age > self.patience {
                travelling.age = 0;
                late.push((*ticket, travelling.op, travelling.key));
            }
        }
        for (ticket, op, key) in late {
            self.set_out(ticket, op, key, env);
        }
    }

    /// Problem 5: asks about its requests, and gives up those that have been lost.
    pub(super) fn check_traces(&mut self, env: &mut impl Env<Self>) {
        let (mut unsure, mut lost) = (Vec::new(), Vec::new());
        for (id, request) in &mut self.requests {
            request.age += 1;
            if request.age > self.patience {
                request.age = 0;
                unsure.push((request.to, *id));
            }
            if let Some(turns) = &mut request.denied {
                *turns += 1;
                if *turns > self.patience {
                    lost.push(*id);
                }
            }
        }
        unsure.into_iter().for_each(|(to, id)| self.send(to, Letter::Check { id }, env));
        for id in lost {
            let parts = self.requests.remove(&id).map_or_else(Vec::new, |it| it.parts);
            for part in parts {
                if let Part::Of { process, id, .. } = part {
                    self.send(process, Letter::Nack { id }, env);
                }
            }
        }
        if !self.has_own_part() {
            self.sent = 0; // They are in no request any more.
        }
    }

    /// The next process does not remember a request. The answer may be under way.
    pub(super) fn deny(&mut self, from: NodeId, id: u32) {
        if let Some(request) = self.requests.get_mut(&id).filter(|request| request.to == from) {
            request.denied.get_or_insert(0);
        }
    }

    /// Forgets all places, and what was asked for others: they will ask again.
    pub(super) fn ask_all_again(&mut self) {
        let placed = std::mem::take(&mut self.travelling);
        let placed = placed.into_iter().map(|(ticket, it)| (ticket, it.op));
        let mut ops: Vec<_> = placed.chain(self.ops.drain(..)).collect();
        ops.sort_by_key(|(ticket, _)| *ticket);
        self.ops = ops.into();
        self.sent = 0;
        self.collected.clear();
        self.requests.clear();
    }

    /// The element that this operation has brought is brought once more, under another key.
    pub(super) fn insert_anew(&mut self, op: Op<S>) {
        let tickets = self.ops.iter().map(|(ticket, _)| ticket).chain(self.travelling.keys());
        let number = tickets.map(|ticket| match ticket {
            Ticket::Of(_) => 0,
            Ticket::Anew(number) => number.wrapping_add(1),
        });
        let ticket = Ticket::Anew(number.max().unwrap_or(0));
        self.ops.push_back((ticket, op));
        self.repairs.anew += 1;
    }
}

//! The member that carries out updates, one after the other.

use std::collections::VecDeque;

use super::{Costs, Host, Msg, OrderedSetOp, Patricia, Purpose};
use crate::NodeId;
use crate::dictionary::DictionaryOp;
use crate::object::Answer;
use crate::protocol::Env;
use crate::search::Ask;
use crate::search::session::{End, Session};

/// An update and where to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Job {
    pub(super) client: NodeId,
    pub(super) ticket: u32,
    pub(super) op: OrderedSetOp,
}

/// What the sequencer knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sequencer {
    /// The last version that was complete: twice the number of updates.
    version: u64,
    /// Updates to come. The first one is under way.
    jobs: VecDeque<Job>,
    work: Work,
    /// Processes that wait for the end of the one that is under way.
    waiting: Vec<NodeId>,
    writes: Costs,
}

/// How far the update that is under way has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum Work {
    #[default]
    Idle,
    /// It reads what it will change.
    Reading(Box<Session>),
    /// It writes words: the odd version, the entries, the even version.
    Writing(VecDeque<DictionaryOp>),
}

impl Sequencer {
    pub(super) fn writes(&self) -> Costs {
        self.writes
    }
}

impl<D: Host> Patricia<D> {
    /// An update arrives.
    pub(super) fn accept(&mut self, job: Job, env: &mut impl Env<Self>) {
        if self.me != self.plan.sequencer {
            return; // It carries nothing out.
        }
        self.sequencer.jobs.push_back(job);
        if self.sequencer.work == Work::Idle {
            self.update_next(env);
        }
    }

    fn update_next(&mut self, env: &mut impl Env<Self>) {
        let Some(job) = self.sequencer.jobs.front() else { return };
        let ask = match job.op {
            OrderedSetOp::Delete(key) => Ask::Delete(self.plan.label(key)),
            OrderedSetOp::Insert(key)
            | OrderedSetOp::Contains(key)
            | OrderedSetOp::Successor(key)
            | OrderedSetOp::Predecessor(key)
            | OrderedSetOp::LongestPrefix(key)
            | OrderedSetOp::Count { key, .. } => Ask::Insert(self.plan.label(key)),
        };
        let session = Session::new(self.plan.form, self.plan.words(), ask);
        self.sequencer.work = Work::Reading(Box::new(session));
        self.update_on(env);
    }

    /// A word that the sequencer has asked for, or written.
    pub(super) fn on_update_word(&mut self, word: Answer, env: &mut impl Env<Self>) {
        match &mut self.sequencer.work {
            Work::Reading(session) => session.on_word(word),
            Work::Writing(words) => _ = words.pop_front(),
            Work::Idle => return,
        }
        self.update_on(env);
    }

    fn update_on(&mut self, env: &mut impl Env<Self>) {
        let request = match &self.sequencer.work {
            Work::Idle => return,
            Work::Reading(session) => match session.next() {
                Ok(op) => op,
                Err(end) => {
                    let words = self.words_of(&end.clone());
                    self.sequencer.work = Work::Writing(words);
                    return self.update_on(env);
                }
            },
            Work::Writing(words) => match words.front() {
                Some(op) => *op,
                None => return self.end_update(env),
            },
        };
        self.request(Purpose::Update, request, env);
    }

    /// What an update writes. One that changes nothing is a version of its own, too.
    fn words_of(&mut self, end: &End) -> VecDeque<DictionaryOp> {
        // Only the sequencer writes: what it reads fits together.
        let changes = match end {
            End::Done(_, changes) => &changes[..],
            End::Torn => &[],
        };
        self.sequencer.writes.add(changes.len() as u64);
        let (words, key, version) = (self.plan.words(), self.version_key(), self.sequencer.version);
        let put = |version| DictionaryOp::Put { key, value: version };
        let entries = changes.iter().flat_map(|it| words.changes(it, self.plan.form.is_linked));
        let odd = (!changes.is_empty()).then(|| put(version + 1));
        odd.into_iter().chain(entries).chain([put(version + 2)]).collect()
    }

    fn end_update(&mut self, env: &mut impl Env<Self>) {
        self.sequencer.work = Work::Idle;
        self.sequencer.version += 2;
        let version = self.sequencer.version;
        let ended = self.sequencer.jobs.pop_front();
        for node in std::mem::take(&mut self.sequencer.waiting) {
            self.settle_or_keep(node, version - 1, env);
        }
        if let Some(Job { client, ticket, .. }) = ended {
            let witness = version / 2 - 1;
            match client == self.me {
                true => self.finish(ticket, None, witness, env),
                false => env.send(client, Msg::Updated { ticket, witness }),
            }
        }
        if self.sequencer.work == Work::Idle {
            self.update_next(env);
        }
    }

    /// Tells a process that a later version than this one was complete, as soon as one is.
    pub(super) fn settle_or_keep(&mut self, node: NodeId, version: u64, env: &mut impl Env<Self>) {
        let settled = self.sequencer.version;
        match settled > version {
            false => self.sequencer.waiting.push(node),
            true if node == self.me => self.on_settled(settled, env),
            true => env.send(node, Msg::Settled { version: settled }),
        }
    }
}

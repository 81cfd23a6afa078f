//! The question of a process: it reads one version of the trie, or begins again.

use super::{Host, Msg, OrderedSetOp, Patricia, Purpose};
use crate::dictionary::DictionaryOp;
use crate::object::Answer;
use crate::protocol::Env;
use crate::search::session::{End, Session};
use crate::search::{Ask, Label};

/// How far a question of this process has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// It reads the version.
    Opening,
    /// It reads the trie in this version; of the keys that it counts, it has found this many.
    Reading { version: u64, session: Box<Session>, counted: u64 },
    /// It has its answer, and reads the version again.
    Closing { version: u64, session: Box<Session>, answer: Answer },
    /// It waits for the sequencer.
    Waiting,
}

impl<D: Host> Patricia<D> {
    /// The question of this process, from its beginning, in this version.
    pub(super) fn open(&mut self, version: u64, env: &mut impl Env<Self>) {
        let Some((_, op)) = self.operations.under_way() else { return };
        if version % 2 == 1 {
            return self.wait(version, env);
        }
        let ask = match op {
            OrderedSetOp::Successor(key) => Ask::Successor(self.plan.label(key)),
            OrderedSetOp::Predecessor(key) => Ask::Predecessor(self.plan.label(key)),
            OrderedSetOp::Count { .. } => Ask::First(self.prefix(op)),
            OrderedSetOp::Contains(key)
            | OrderedSetOp::LongestPrefix(key)
            | OrderedSetOp::Insert(key)
            | OrderedSetOp::Delete(key) => Ask::Search(self.plan.label(key)),
        };
        self.read(version, ask, 0, env);
    }

    fn read(&mut self, version: u64, ask: Ask, counted: u64, env: &mut impl Env<Self>) {
        let session = Box::new(Session::new(self.plan.form, self.plan.words(), ask));
        self.question = Some(Question::Reading { version, session, counted });
        self.read_on(env);
    }

    /// What the keys that a question counts begin with.
    fn prefix(&self, op: OrderedSetOp) -> Label {
        let OrderedSetOp::Count { key, free } = op else { return Label::root() };
        self.plan.label(key).prefix(1 + self.plan.width.saturating_sub(free.into()))
    }

    /// A word for the question of this process has come.
    pub(super) fn on_word(&mut self, word: Answer, env: &mut impl Env<Self>) {
        match self.question.take() {
            Some(Question::Opening) => self.open(word.unwrap_or(0), env),
            Some(Question::Reading { version, mut session, counted }) => {
                session.on_word(word);
                self.question = Some(Question::Reading { version, session, counted });
                self.read_on(env);
            }
            Some(Question::Closing { version, session, answer }) => {
                self.close(version, &session, answer, word.unwrap_or(0), env);
            }
            other => self.question = other,
        }
    }

    fn read_on(&mut self, env: &mut impl Env<Self>) {
        let Some(Question::Reading { version, session, counted }) = &self.question else { return };
        let (version, counted) = (*version, *counted);
        let found = match session.next() {
            Ok(op) => return self.request(Purpose::Question, op, env),
            Err(End::Torn) => return self.wait(version, env),
            Err(End::Done(found, _)) => found.clone(),
        };
        let Some((_, op)) = self.operations.under_way() else { return };
        let answer = match op {
            OrderedSetOp::Count { .. } => {
                let prefix = self.prefix(op);
                if let Some(key) = found.filter(|key| key.starts_with(&prefix)) {
                    // Keys that do not ascend belong to different versions.
                    return match session.task().ask() {
                        Ask::Next(last) if *last >= key => self.wait(version, env),
                        _ => self.read(version, Ask::Next(key), counted + 1, env),
                    };
                }
                Some(counted)
            }
            OrderedSetOp::Contains(key) => {
                found.filter(|it| *it == self.plan.label(key)).map(|it| it.tail())
            }
            _ => found.map(|key| key.tail()),
        };
        let session = session.clone();
        self.question = Some(Question::Closing { version, session, answer });
        self.request(Purpose::Question, DictionaryOp::Get(self.version_key()), env);
    }

    /// The answer is right if the version is still the same: then nothing was written meanwhile.
    fn close(
        &mut self,
        version: u64,
        session: &Session,
        answer: Answer,
        now: u64,
        env: &mut impl Env<Self>,
    ) {
        if now != version {
            self.repeats += 1;
            return self.open(now, env);
        }
        let Some((ticket, op)) = self.operations.under_way() else { return };
        if let OrderedSetOp::LongestPrefix(_) = op {
            session.task().assert_bound();
            self.reads.add(session.task().reads().into());
        }
        self.finish(ticket, answer, version / 2, env);
    }

    /// Waits for a later version than this one.
    fn wait(&mut self, version: u64, env: &mut impl Env<Self>) {
        self.repeats += 1;
        self.question = Some(Question::Waiting);
        match self.me == self.plan.sequencer {
            true => self.settle_or_keep(self.me, version, env),
            false => env.send(self.plan.sequencer, Msg::Await { version }),
        }
    }

    pub(super) fn on_settled(&mut self, version: u64, env: &mut impl Env<Self>) {
        if self.question == Some(Question::Waiting) {
            self.open(version, env);
        } // Else a duplicate.
    }
}

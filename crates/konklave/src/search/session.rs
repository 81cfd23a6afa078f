//! An operation on a trie whose entries are words of a dictionary.

use super::task::{Ask, Change, Task, Turn};
use super::words::{Words, count, decode};
use super::{Form, Label};
use crate::dictionary::DictionaryOp;
use crate::object::Answer;

/// An operation that reads entries word by word, one outstanding word at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Session {
    task: Task,
    words: Words,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum State {
    /// It reads the entry of this node, and has read these of its words.
    Reading(Label, Vec<u64>),
    Ended(End),
}

/// How an operation ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    /// With its answer and what it writes.
    Done(Option<Label>, Vec<Change>),
    /// It has seen entries that do not fit together.
    Torn,
}

impl Session {
    pub(super) fn new(form: Form, words: Words, ask: Ask) -> Self {
        let (task, state) = (Task::new(form, ask), State::Ended(End::Torn));
        let mut session = Self { task, words, state };
        session.go_on();
        session
    }

    fn go_on(&mut self) {
        self.state = match self.task.turn() {
            Turn::Read(label) => State::Reading(label, Vec::new()),
            Turn::Done { answer, changes } => State::Ended(End::Done(answer, changes)),
            Turn::Torn => State::Ended(End::Torn),
        };
    }

    /// What it asks of the dictionary next, or its end.
    pub(super) fn next(&self) -> Result<DictionaryOp, &End> {
        match &self.state {
            State::Reading(label, read) => Ok(DictionaryOp::Get(self.words.key(label, read.len()))),
            State::Ended(end) => Err(end),
        }
    }

    /// The word that it has asked for. A word that is not there belongs to an entry that was
    /// changed meanwhile, unless it is the first.
    pub(super) fn on_word(&mut self, word: Answer) {
        let State::Reading(label, read) = &mut self.state else { return };
        if word.is_none() && read.is_empty() {
            self.task.learn(label.clone(), None);
            return self.go_on();
        }
        read.push(word.unwrap_or(0));
        if read.len() == count(read[0]) {
            let record = decode(label, read);
            self.task.learn(label.clone(), Some(record));
            self.go_on();
        }
    }

    /// The operation, with what it has read.
    pub(super) fn task(&self) -> &Task {
        &self.task
    }
}

//! An operation on a trie, as a state machine with one outstanding request to the dictionary.

use super::record::Record;
use super::view::{Records, Stop, View};
use super::{Form, Label, Support};

/// What can be asked of a trie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// A key that shares the longest prefix with this one.
    Search(Label),
    /// Let this key be there.
    Insert(Label),
    /// Let this key not be there.
    Delete(Label),
    /// The smallest key that is not below this one.
    Successor(Label),
    /// The largest key that is not above this one.
    Predecessor(Label),
    /// The first key that begins with this.
    First(Label),
    /// The key behind this one, which is there.
    Next(Label),
}

/// An operation and all that it has read. It is the operation of the specification, begun again
/// with every entry that arrives, up to the first entry that it lacks: so it reads like sequential
/// code, and asks for one entry at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    form: Form,
    ask: Ask,
    read: Records,
}

/// What an operation does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// It reads the entry under this label.
    Read(Label),
    /// It has its answer, and writes these entries one after the other: new ones first, so that no
    /// node is ever known that is not there, and last those that are deleted.
    Done {
        /// A key, if one was asked for and is there.
        answer: Option<Label>,
        /// What it writes.
        changes: Vec<Change>,
    },
    /// What it has read does not fit together: others have changed it meanwhile.
    Torn,
}

/// An entry changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The label of its node.
    pub label: Label,
    /// What was there, if anything.
    pub before: Option<Record>,
    /// What is to be there, if anything.
    pub after: Option<Record>,
}

impl Task {
    /// An operation that has read nothing.
    pub fn new(form: Form, ask: Ask) -> Self {
        Self { form, ask, read: Records::new() }
    }

    /// The number of entries that it has read.
    pub fn reads(&self) -> u32 {
        self.read.len() as u32
    }

    /// What it asks for.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// The entry under a label is this one.
    pub fn learn(&mut self, label: Label, record: Option<Record>) {
        let record = record.or_else(|| Record::initial(&label, self.form.is_linked));
        self.read.insert(label, record);
    }

    /// That a binary search has not read more than the [bound](Form::bound). This holds for every
    /// search that has seen one state of the trie.
    ///
    /// # Panics
    ///
    /// If it has read more.
    pub fn assert_bound(&self) {
        if let (Ask::Search(x), Support::Msd) = (&self.ask, self.form.support) {
            let (reads, bound) = (self.reads(), self.form.bound(x.len()));
            assert!(reads <= bound, "a search for {x} has read {reads} entries, not {bound}");
        }
    }

    /// What it does next.
    pub fn turn(&self) -> Turn {
        let mut view = View::new(self.form, &self.read);
        let answer = match &self.ask {
            Ask::Search(x) => view.search(x),
            Ask::Insert(x) => view.insert(x).map(|()| None),
            Ask::Delete(x) => view.delete(x).map(|()| None),
            Ask::Successor(x) => view.neighbour(1, x),
            Ask::Predecessor(x) => view.neighbour(0, x),
            Ask::First(prefix) => view.first(prefix),
            Ask::Next(key) => view.beside(key, 1),
        };
        match answer {
            Ok(answer) => Turn::Done { answer, changes: self.changes(view.written) },
            Err(Stop::Missing(label)) => Turn::Read(label),
            Err(Stop::Torn) => Turn::Torn,
        }
    }

    /// What differs from what it has read, in the order in which it is written.
    fn changes(&self, written: Records) -> Vec<Change> {
        let change = |(label, after): (Label, Option<Record>)| {
            let before = self.read.get(&label).cloned().flatten();
            Change { label, before, after }
        };
        let changes = written.into_iter().map(change);
        let mut changes: Vec<_> = changes.filter(|it| it.before != it.after).collect();
        changes.sort_by_key(|change| match (&change.before, &change.after) {
            (None, _) => 0,
            (Some(_), Some(_)) => 1,
            (Some(_), None) => 2,
        });
        changes
    }
}

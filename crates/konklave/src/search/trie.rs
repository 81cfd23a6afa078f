//! A trie over a dictionary in memory.

use std::collections::BTreeMap;

use super::record::Record;
use super::task::{Ask, Change, Task, Turn};
use super::{Form, Label};

/// A trie whose dictionary is a map, with what its last operation has cost.
///
/// ```
/// use konklave::search::{Form, Label, Trie};
///
/// let mut words = Trie::new(Form::HASHED);
/// ["prefix", "preface", "trie"].map(|word| words.insert(&Label::text(word)));
/// assert_eq!(words.search(&Label::text("prefab")), Some(Label::text("preface")));
/// assert_eq!(words.successor(&Label::text("prelude")), Some(Label::text("trie")));
/// let all = words.with_prefix(&Label::opening("pre"));
/// assert_eq!(all, [Label::text("preface"), Label::text("prefix")]);
/// ```
#[derive(Clone, Debug)]
pub struct Trie {
    form: Form,
    records: BTreeMap<Label, Record>,
    reads: u32,
    writes: u32,
}

impl Trie {
    /// A trie without keys.
    pub fn new(form: Form) -> Self {
        Self { form, records: BTreeMap::new(), reads: 0, writes: 0 }
    }

    /// Its nodes, by label. Where nothing was ever written, they are as at the beginning.
    pub fn records(&self) -> &BTreeMap<Label, Record> {
        &self.records
    }

    /// How many entries the last operation has read, each of them once.
    pub fn reads(&self) -> u32 {
        self.reads
    }

    /// How many entries it has written or deleted.
    pub fn writes(&self) -> u32 {
        self.writes
    }

    /// Adds a key.
    pub fn insert(&mut self, key: &Label) {
        self.run(Ask::Insert(key.clone()));
    }

    /// Takes a key out, if it is there.
    pub fn delete(&mut self, key: &Label) {
        self.run(Ask::Delete(key.clone()));
    }

    /// A key that shares the longest prefix with this one.
    pub fn search(&mut self, key: &Label) -> Option<Label> {
        self.run(Ask::Search(key.clone()))
    }

    /// The smallest key that is not below this one.
    pub fn successor(&mut self, key: &Label) -> Option<Label> {
        self.run(Ask::Successor(key.clone()))
    }

    /// The largest key that is not above this one.
    pub fn predecessor(&mut self, key: &Label) -> Option<Label> {
        self.run(Ask::Predecessor(key.clone()))
    }

    /// All keys that begin with this, in order.
    pub fn with_prefix(&mut self, prefix: &Label) -> Vec<Label> {
        let mut found = Vec::new();
        let mut next = self.run(Ask::First(prefix.clone()));
        let mut reads = self.reads;
        while let Some(key) = next.filter(|key| key.starts_with(prefix)) {
            next = self.run(Ask::Next(key.clone()));
            reads += self.reads;
            found.push(key);
        }
        self.reads = reads;
        found
    }

    fn run(&mut self, ask: Ask) -> Option<Label> {
        let mut task = Task::new(self.form, ask);
        loop {
            match task.turn() {
                Turn::Read(label) => {
                    let record = self.records.get(&label).cloned();
                    task.learn(label, record);
                }
                Turn::Done { answer, changes } => {
                    task.assert_bound();
                    (self.reads, self.writes) = (task.reads(), changes.len() as u32);
                    for Change { label, after, .. } in changes {
                        match after {
                            Some(record) => self.records.insert(label, record),
                            None => self.records.remove(&label),
                        };
                    }
                    return answer;
                }
                Turn::Torn => unreachable!("nobody else changes the dictionary"),
            }
        }
    }
}

#[cfg(test)]
mod tests;

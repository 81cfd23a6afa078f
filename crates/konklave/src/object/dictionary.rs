//! Keys with a value each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Answer, Nature, Object, compare};

/// Keys with a value each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dictionary(BTreeMap<u64, u64>);

/// What can be asked of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DictionaryOp {
    /// Let the key have this value.
    Put {
        /// Which key.
        key: u64,
        /// Its value.
        value: u64,
    },
    /// Let this key have no value.
    Delete(u64),
    /// Which value has this key?
    Get(u64),
}

impl Object for Dictionary {
    const NAME: &'static str = "dictionary";
    type Op = DictionaryOp;

    fn accept(&mut self, op: DictionaryOp, answer: Answer) -> Result<(), Answer> {
        match op {
            DictionaryOp::Put { key, value } => _ = self.0.insert(key, value),
            DictionaryOp::Delete(key) => _ = self.0.remove(&key),
            DictionaryOp::Get(key) => compare(self.0.get(&key).copied(), answer)?,
        }
        Ok(())
    }

    fn nature(op: DictionaryOp) -> Nature {
        match op {
            DictionaryOp::Put { key, value } => Nature::Write(key, Some(value)),
            DictionaryOp::Delete(key) => Nature::Write(key, None),
            DictionaryOp::Get(key) => Nature::Read(key),
        }
    }

    fn size(&self) -> usize {
        2 * self.0.len()
    }
}

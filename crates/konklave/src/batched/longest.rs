//! A maximum for reports.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// The largest of some numbers. No transition depends on it, so that two states that differ in it
/// only are the same state.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Longest(u32);

impl Longest {
    pub(super) fn observe(&mut self, length: usize) {
        self.0 = self.0.max(length as u32);
    }

    pub(super) fn get(self) -> u32 {
        self.0
    }
}

impl PartialEq for Longest {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Longest {}

impl Hash for Longest {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

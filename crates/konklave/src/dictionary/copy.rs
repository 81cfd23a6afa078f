//! Copies of records that move by themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Record;
use crate::NodeId;

/// How many operations a copy knows of, and the node that carried out the last.
pub type Version = (u64, NodeId);

/// A copy of a record. There may be several, and old ones among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Copied {
    /// What it knows about its key.
    pub record: Record,
    /// The node that carried out the last operation.
    pub by: NodeId,
}

/// A counter that no run can reach: such a copy is not believed.
const ABSURD: u64 = 1 << 63;

impl Copied {
    /// Its version.
    pub fn version(&self) -> Version {
        (self.record.done, self.by)
    }

    /// As it is believed.
    fn sane(mut self) -> Self {
        if self.record.done >= ABSURD {
            self.record.done = 0;
        }
        self
    }

    /// The newer one of two copies.
    pub fn newer(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        [one, other].into_iter().flatten().map(Self::sane).max_by_key(Self::version)
    }
}

/// What there is at the start of a dictionary whose records move by themselves, and what its
/// answers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opening {
    /// All is in its place, and nobody joins or leaves: answers have their places in an order.
    Steady,
    /// Nodes join or leave, or do not know each other yet: answers have no places.
    Changing,
    /// And this many keys may have copies at any node, of any of three versions.
    Any(u8),
}

impl Opening {
    /// The place of an operation, if answers have places.
    pub(crate) fn witness(self, place: u64) -> Option<u64> {
        (self == Self::Steady).then_some(place)
    }

    /// The copies that a node holds at the start.
    pub(crate) fn copies(
        self,
        by: NodeId,
        mut choose: impl FnMut(u32) -> u32,
    ) -> BTreeMap<u64, Copied> {
        let Self::Any(keys) = self else { return BTreeMap::new() };
        let copy = |key| {
            let done = u64::from(choose(3));
            let record = Record { value: Some(done), done };
            (done > 0).then_some((key, Copied { record, by }))
        };
        (0..u64::from(keys)).filter_map(copy).collect()
    }
}

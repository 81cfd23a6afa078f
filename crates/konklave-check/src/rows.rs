//! Many rows in one piece of memory.

use crate::seen::StateId;

/// States that wait to be explored.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    data: Vec<u32>,
    ends: Vec<usize>,
    ids: Vec<StateId>,
    prints: Vec<u64>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn row(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.data[start..self.ends[index]]
    }

    pub(crate) fn id(&self, index: usize) -> StateId {
        self.ids[index]
    }

    pub(crate) fn print(&self, index: usize) -> u64 {
        self.prints[index]
    }

    pub(crate) fn push(&mut self, row: &[u32], id: StateId, print: u64) {
        self.data.extend_from_slice(row);
        self.ends.push(self.data.len());
        self.ids.push(id);
        self.prints.push(print);
    }

    /// Takes over the rows of another. If there are none yet, they need not even move.
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.len() == 0 {
            return std::mem::swap(self, other);
        }
        let shift = self.data.len();
        self.data.append(&mut other.data);
        self.ends.extend(other.ends.drain(..).map(|end| end + shift));
        self.ids.append(&mut other.ids);
        self.prints.append(&mut other.prints);
    }

    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.ends.clear();
        self.ids.clear();
        self.prints.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.data.capacity() * size_of::<u32>()
            + self.ends.capacity() * size_of::<usize>()
            + self.ids.capacity() * size_of::<StateId>()
            + self.prints.capacity() * size_of::<u64>()
    }
}

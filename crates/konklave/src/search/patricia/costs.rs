//! What operations have cost.

/// What a process counts about its operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Costs {
    /// How many there were.
    pub count: u64,
    /// What they have cost together.
    pub sum: u64,
    /// What the most expensive one has cost.
    pub max: u64,
}

impl Costs {
    pub(super) fn add(&mut self, cost: u64) {
        self.count += 1;
        self.sum += cost;
        self.max = self.max.max(cost);
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (count, sum) = (self.count + other.count, self.sum + other.sum);
        Self { count, sum, max: self.max.max(other.max) }
    }
}

//! The timers of all nodes.

use konklave::NodeId;

/// Pending timers, and how many of those in the wheel are not pending any more.
#[derive(Debug)]
pub(crate) struct Timers<T> {
    /// Per node, its few pending timers, and which of their starts counts. No longer than needed:
    /// most algorithms set none.
    pending: Vec<Vec<(T, u32)>>,
    starts: u32,
    dead: u64,
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self { pending: Vec::new(), starts: 0, dead: 0 }
    }
}

impl<T: Eq> Timers<T> {
    /// Starts or restarts a timer; which start this is.
    pub(crate) fn start(&mut self, node: NodeId, timer: T) -> u32 {
        self.cancel(node, &timer);
        self.starts = self.starts.wrapping_add(1);
        if self.pending.len() <= node.index() {
            self.pending.resize_with(node.index() + 1, Vec::new);
        }
        self.pending[node.index()].push((timer, self.starts));
        self.starts
    }

    /// Stops a timer, if it is pending.
    pub(crate) fn cancel(&mut self, node: NodeId, timer: &T) {
        self.dead += u64::from(self.remove(node, |(pending, _)| pending == timer));
    }

    /// A timer runs out: whether this start of it still counts. It is not pending any more.
    pub(crate) fn take(&mut self, node: NodeId, timer: &T, start: u32) -> bool {
        let counts = self.remove(node, |pending| pending.1 == start && pending.0 == *timer);
        self.dead -= u64::from(!counts);
        counts
    }

    /// Stops all timers of a node.
    pub(crate) fn forget(&mut self, node: NodeId) {
        if let Some(timers) = self.pending.get_mut(node.index()) {
            self.dead += timers.len() as u64;
            timers.clear();
        }
    }

    /// How many starts are still in the wheel but do not count any more.
    pub(crate) fn dead(&self) -> u64 {
        self.dead
    }

    fn remove(&mut self, node: NodeId, is_meant: impl Fn(&(T, u32)) -> bool) -> bool {
        let Some(timers) = self.pending.get_mut(node.index()) else { return false };
        let place = timers.iter().position(is_meant);
        place.map(|place| timers.swap_remove(place)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_start_counts_and_the_others_are_dead_until_they_run_out() {
        let (mut timers, node) = (Timers::default(), NodeId(7));
        let first = timers.start(node, 'a');
        let second = timers.start(node, 'a');
        let other = timers.start(node, 'b');
        assert_eq!(timers.dead(), 1);
        assert!(!timers.take(node, &'a', first));
        assert_eq!(timers.dead(), 0);
        assert!(timers.take(node, &'a', second));
        timers.cancel(node, &'b');
        timers.cancel(node, &'b');
        assert_eq!(timers.dead(), 1);
        assert!(!timers.take(node, &'b', other));
        assert_eq!(timers.dead(), 0);
    }

    #[test]
    fn a_node_forgets_its_own_timers() {
        let mut timers = Timers::default();
        let [mine, yours] = [NodeId(0), NodeId(1)].map(|node| timers.start(node, 'a'));
        timers.forget(NodeId(0));
        timers.forget(NodeId(9)); // It never had any.
        assert_eq!(timers.dead(), 1);
        assert!(!timers.take(NodeId(0), &'a', mine));
        assert!(timers.take(NodeId(1), &'a', yours));
    }
}

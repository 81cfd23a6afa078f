//! The operations of a process, one at a time.

use std::collections::VecDeque;

/// Lets a process pipeline, and lets only one of its operations be under way: locally sequential
/// execution. If each operation is carried out by one node in one step, this makes the object
/// sequentially consistent: every process sees its operations in its program order, and what one
/// has seen when the next begins has happened before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OneByOne<Op> {
    /// How many operations the process has invoked.
    invoked: u32,
    /// Those that have not returned. The first is under way.
    waiting: VecDeque<Op>,
}

impl<Op> Default for OneByOne<Op> {
    fn default() -> Self {
        Self { invoked: 0, waiting: VecDeque::new() }
    }
}

impl<Op: Copy> OneByOne<Op> {
    /// The process invokes an operation. Returns it with its ticket if it can begin.
    pub fn invoke(&mut self, op: Op) -> Option<(u32, Op)> {
        self.invoked += 1;
        if self.waiting.capacity() == 0 {
            self.waiting.reserve_exact(1); // Most processes never have more.
        }
        self.waiting.push_back(op);
        self.under_way().filter(|_| self.waiting.len() == 1)
    }

    /// The operation that is under way, with its ticket.
    pub fn under_way(&self) -> Option<(u32, Op)> {
        let ticket = self.invoked - self.waiting.len() as u32;
        self.waiting.front().map(|op| (ticket, *op))
    }

    /// Whether all operations have returned.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The operation with this ticket has returned, if it was under way: then the next one begins.
    pub fn finish(&mut self, ticket: u32) -> bool {
        let is_current = self.under_way().is_some_and(|(current, _)| current == ticket);
        if is_current {
            self.waiting.pop_front();
        }
        is_current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_operation_begins_when_the_last_has_returned() {
        let mut process = OneByOne::default();
        assert_eq!(process.invoke('a'), Some((0, 'a')));
        assert_eq!(process.invoke('b'), None);
        assert!(!process.finish(1), "it has not begun");
        assert!(process.finish(0));
        assert_eq!(process.under_way(), Some((1, 'b')));
        assert!(!process.finish(0), "it has returned");
        assert!(process.finish(1));
        assert_eq!((process.under_way(), process.invoke('c')), (None, Some((2, 'c'))));
    }
}

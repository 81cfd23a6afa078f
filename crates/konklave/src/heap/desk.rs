//! What lies at a process of a heap that takes operations in cycles.

use std::collections::VecDeque;

use super::HeapOp;

/// The operations that wait for a cycle, and the reply that waits for elements to arrive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Desk<Reply> {
    /// How many operations the application has invoked.
    invoked: u32,
    /// Those that are in no cycle yet, with their tickets.
    ops: VecDeque<(u32, HeapOp)>,
    turn: Turn,
    /// What the process replies when so many elements have arrived.
    due: Option<(u32, Reply)>,
}

/// Where a process is in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// It is about to contribute.
    Open,
    /// It has contributed something to the cycle, so another one comes by itself.
    Busy,
    /// It has contributed nothing, so another one may have to be woken.
    Idle,
}

impl<Reply> Default for Desk<Reply> {
    fn default() -> Self {
        Self { invoked: 0, ops: VecDeque::new(), turn: Turn::Idle, due: None }
    }
}

impl<Reply> Desk<Reply> {
    /// The application invokes an operation.
    pub fn invoke(&mut self, op: HeapOp) {
        self.ops.push_back((self.invoked, op));
        self.invoked += 1;
    }

    /// The process begins to contribute to a cycle.
    pub fn open(&mut self) {
        self.turn = Turn::Open;
    }

    /// It has contributed what it can.
    pub fn close(&mut self, is_idle: bool) {
        self.turn = if is_idle { Turn::Idle } else { Turn::Busy };
    }

    /// Whether an operation waits for a cycle that need not come by itself.
    pub fn is_left_out(&self) -> bool {
        self.turn == Turn::Idle && !self.ops.is_empty()
    }

    /// Takes the longest prefix of operations that suit.
    pub fn take_prefix(&mut self, suits: impl Fn(HeapOp) -> bool) -> Vec<(u32, HeapOp)> {
        let prefix = self.ops.iter().take_while(|(_, op)| suits(*op)).count();
        self.ops.drain(..prefix).collect()
    }

    /// Takes all operations that suit.
    pub fn take_all(&mut self, suits: impl Fn(HeapOp) -> bool) -> Vec<(u32, HeapOp)> {
        let (taken, left) = self.ops.drain(..).partition::<Vec<_>, _>(|(_, op)| suits(*op));
        self.ops = left.into();
        taken
    }

    /// A reply waits for so many elements.
    pub fn expect(&mut self, missing: usize, reply: Reply) {
        self.due = Some((missing as u32, reply));
    }

    /// One of them has arrived.
    pub fn arrive(&mut self) {
        if let Some((missing, _)) = &mut self.due {
            *missing = missing.saturating_sub(1);
        }
    }

    /// The reply, once, when all have arrived.
    pub fn reply(&mut self) -> Option<Reply> {
        self.due.take_if(|(missing, _)| *missing == 0).map(|(_, reply)| reply)
    }
}

//! What the processes of a simulation do.

use std::ops::RangeInclusive;

use konklave::NodeId;

use super::super::options::Keys;
use super::super::scatter::Scatter;

/// What the processes do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The processes that invoke operations at the beginning, some of the members.
    pub clients: Vec<NodeId>,
    /// The members at the beginning.
    pub members: Vec<NodeId>,
    /// The processes that join.
    pub joiners: Vec<NodeId>,
    /// How many members leave.
    pub leaves: u32,
    /// How long each client goes on.
    pub amount: Amount,
    /// How many operations of a client may be outstanding.
    pub window: u32,
    /// The mean time between two operations of a client, in ticks; none if it does not wait.
    pub pause: Option<f64>,
    /// The operations, as letters.
    pub mix: Vec<char>,
    /// How many keys are put before everything else.
    pub items: u64,
    /// How often keys are asked for.
    pub keys: Keys,
    /// Which keys there are, if that is given.
    pub among: Option<RangeInclusive<u64>>,
    /// What keys are, if they are not just numbered.
    pub scatter: Option<Scatter>,
    /// Whether the system is self-stabilising.
    pub stabilises: bool,
}

/// How long a client goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// For this many operations.
    Ops(u32),
    /// Until this time, in ticks.
    Until(u64),
}

impl Plan {
    /// How many operations there are, beside items; about how many, if that depends on the time.
    pub(super) fn operations(&self) -> u64 {
        let clients = self.clients.len() as u64;
        match (self.amount, self.pause) {
            (Amount::Ops(ops), _) => clients * u64::from(ops),
            (Amount::Until(end), Some(pause)) => (clients as f64 * end as f64 / pause) as u64,
            (Amount::Until(_), None) => clients,
        }
    }

    /// How many operations the client at this place of all is to ask for.
    pub(super) fn share(&self, place: u64) -> u64 {
        // Client i puts the items i, i + c, i + 2c, ...
        let clients = self.clients.len() as u64;
        let items = self.items / clients + u64::from(place < self.items % clients);
        match self.amount {
            Amount::Ops(ops) => u64::from(ops) + items,
            Amount::Until(_) => 1, // And another one after it.
        }
    }

    /// A number larger than that of every process.
    pub(super) fn processes(&self) -> usize {
        let all = self.clients.iter().chain(&self.members).chain(&self.joiners);
        all.map(|node| node.index() + 1).max().unwrap_or(0)
    }
}

/// How far a process has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Process {
    /// How many operations it has to ask for.
    pub(super) left: u64,
    /// How many it has asked for, or is about to.
    pub(super) planned: u32,
    pub(super) invoked: u32,
    pub(super) returned: u32,
    pub(super) is_leaving: bool,
}

/// What has happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) operations: u64,
    pub(super) asked: u64,
    pub(super) found: u64,
    pub(super) joined: u64,
    pub(super) left: u64,
}

//! Selection: processes hold elements, and one of them asks for the k-th smallest of all.
//!
//! An element has a priority and a number, which tells elements of the same priority apart
//! ([`Key`]). No process knows how many elements there are elsewhere. A process asks for a rank
//! ([`Command::Select`]), counted from 1, and is told the priority of the element with this rank,
//! or nothing if there are fewer elements ([`Event::Selected`]).
//!
//! Promises:
//! - **the right element** (safety): a process is told the priority of the element with the rank
//!   that it has asked for, as in the sorted list of all elements;
//! - **every selection ends** (liveness): a process that asks is eventually told, once.

pub mod candidates;
pub mod k_select;
pub mod search;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::protocol::{self, Broken, Promise};

/// An element, as far as its place in the order goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Its priority. Small ones come first.
    pub priority: u64,
    /// Its number, which no other element has.
    pub id: u64,
}

/// What an application asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Command {
    /// Which element has this rank?
    Select {
        /// 1 for the smallest element.
        rank: u64,
    },
}

/// What an application is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Event {
    /// This element has the rank.
    Selected {
        /// The rank.
        rank: u64,
        /// Its priority; nothing if there are fewer elements.
        value: Option<u64>,
    },
}

const RIGHT: &str = "the right element";
const ENDS: &str = "every selection ends";

/// Watches that the promises are kept: it knows the priorities of all elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    sorted: Arc<[u64]>,
    /// How often a process has asked for a rank and not been told.
    asked: BTreeMap<(NodeId, u64), u32>,
}

impl Monitor {
    /// Watches processes whose elements have these priorities.
    pub fn new(priorities: impl IntoIterator<Item = u64>) -> Self {
        let mut sorted: Vec<u64> = priorities.into_iter().collect();
        sorted.sort_unstable();
        Self { sorted: sorted.into(), asked: BTreeMap::new() }
    }

    /// The priority of the element with this rank.
    pub fn right(&self, rank: u64) -> Option<u64> {
        let place = usize::try_from(rank.checked_sub(1)?).ok()?;
        self.sorted.get(place).copied()
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), Broken> {
        let Command::Select { rank } = *command;
        *self.asked.entry((node, rank)).or_default() += 1;
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        let Event::Selected { rank, value } = *event;
        let asked = self.asked.remove(&(node, rank)).unwrap_or(0);
        if asked == 0 {
            let detail = format!("node {node} is told the element of rank {rank} unasked");
            return Broken::by(node, ENDS, detail);
        }
        if asked > 1 {
            self.asked.insert((node, rank), asked - 1);
        }
        let right = self.right(rank);
        if right == value {
            return Ok(());
        }
        let shown = |it: Option<u64>| it.map_or("nothing".to_owned(), |it| it.to_string());
        let (value, right) = (shown(value), shown(right));
        let detail = format!("node {node} is told {value} for rank {rank}, which {right} has");
        Broken::by(node, RIGHT, detail)
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        self.asked.retain(|(process, _), _| *process != node);
        Ok(())
    }

    fn promises() -> &'static [Promise] {
        const { &[Promise::safety(RIGHT), Promise::liveness(ENDS)] }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        match self.asked.keys().next() {
            None => Ok(()),
            Some((node, rank)) => {
                let detail = format!("node {node} waits for ever for the element of rank {rank}");
                Broken::by(*node, ENDS, detail)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    const ONE: NodeId = NodeId(1);

    fn selected(rank: u64, value: Option<u64>) -> Event {
        Event::Selected { rank, value }
    }

    #[test]
    fn the_sorted_list_decides() {
        let mut monitor = Monitor::new([7, 3, 9, 3]);
        assert_eq!(
            (0..6).map(|rank| monitor.right(rank)).collect::<Vec<_>>(),
            [None, Some(3), Some(3), Some(7), Some(9), None]
        );
        monitor.on_command(ONE, &Command::Select { rank: 3 }).unwrap();
        assert_eq!(monitor.at_rest().unwrap_err().promise, ENDS);
        let wrong = monitor.clone().on_event(ONE, &selected(3, Some(9))).unwrap_err();
        assert_eq!(wrong.promise, RIGHT);
        assert_eq!(wrong.detail, "node 1 is told 9 for rank 3, which 7 has");
        monitor.on_event(ONE, &selected(3, Some(7))).unwrap();
        monitor.at_rest().unwrap();
        let again = monitor.on_event(ONE, &selected(3, Some(7))).unwrap_err();
        assert_eq!(again.promise, ENDS);
    }
}

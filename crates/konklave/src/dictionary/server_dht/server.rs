//! What the server does: it passes operations on, and lets members join and leave.

use super::{Move, Msg, ServerDht, Task};
use crate::NodeId;
use crate::circle::Arc;
use crate::dictionary::Table;
use crate::protocol::Env;

/// What the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server {
    table: Table,
    copies: u32,
    /// How many moves there were.
    moves: u32,
    /// Members that leave as soon as another one stays.
    last: Option<NodeId>,
}

impl Server {
    pub(super) fn new(table: Table, copies: u32) -> Self {
        Self { table, copies, moves: 0, last: None }
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn copies(&self) -> u32 {
        self.copies
    }

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<ServerDht>) {
        match msg {
            Msg::Request { ticket, op } => self.pass_on(Task { client: from, ticket, op }, env),
            Msg::Misplaced(task) => self.pass_on(task, env),
            Msg::Join if !self.table.has(from) => {
                let (arc, to) = self.table.insert(from);
                self.announce(arc, to, from, env);
                self.choose_holders(from, env);
                if let Some(last) = self.last.take() {
                    self.remove(last, env);
                }
            }
            Msg::Leave if !self.table.has(from) => {} // A duplicate.
            Msg::Leave if self.table.count() == 1 => self.last = Some(from),
            Msg::Leave => self.remove(from, env),
            _ => {} // Not for the server, or a duplicate.
        }
    }

    fn pass_on(&self, task: Task, env: &mut impl Env<ServerDht>) {
        let point = self.table.mixer().key(task.op.key());
        env.send(self.table.responsible(point), Msg::Do(task));
    }

    fn remove(&mut self, node: NodeId, env: &mut impl Env<ServerDht>) {
        let (arc, to) = self.table.remove(node);
        self.announce(arc, node, to, env);
        self.choose_holders(to, env);
    }

    /// Tells both sides of a move.
    fn announce(&mut self, arc: Arc, from: NodeId, to: NodeId, env: &mut impl Env<ServerDht>) {
        let number = self.moves;
        self.moves += 1;
        env.send(from, Msg::HandOver(Move { number, arc, to }));
        env.send(to, Msg::Expect { number, arc });
    }

    /// The member at which the circle has changed, and those before it, have other successors.
    fn choose_holders(&self, at: NodeId, env: &mut impl Env<ServerDht>) {
        if self.copies == 1 {
            return;
        }
        let mut node = at;
        for _ in 0..self.copies {
            let nodes = self.table.successors(node, self.copies as usize - 1).into();
            env.send(node, Msg::Holders { turn: self.moves, nodes });
            node = self.table.predecessor(node);
            if node == at {
                return;
            }
        }
    }
}

//! What the server does: it passes on what is for the home of a key, and lets one join or leave
//! follow the other.

use std::collections::VecDeque;

use super::{Msg, Return, Task, TwoChoices, second};
use crate::NodeId;
use crate::circle::Arc;
use crate::dictionary::Table;
use crate::protocol::Env;

/// What the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server {
    table: Table,
    /// The part of the circle that is being handed over.
    moving: Option<Arc>,
    /// Joins and leaves that wait for that.
    wishes: VecDeque<Wish>,
    /// What is for the home of a key in that part.
    held: VecDeque<Parcel>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wish {
    Join(NodeId),
    Leave(NodeId),
}

/// Something for the home of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Parcel {
    Task(Task),
    Return(Return),
}

impl Parcel {
    fn key(self) -> u64 {
        match self {
            Self::Task(task) => task.op.key(),
            Self::Return(order) => order.key,
        }
    }
}

impl Server {
    pub(super) fn new(table: Table) -> Self {
        Self { table, moving: None, wishes: VecDeque::new(), held: VecDeque::new() }
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<TwoChoices>) {
        match msg {
            Msg::Request { ticket, op } => {
                self.pass_on(Parcel::Task(Task { client: from, ticket, op }), env);
            }
            Msg::Misplaced(task) => self.pass_on(Parcel::Task(task), env),
            Msg::WantMove(order) => self.pass_on(Parcel::Return(order), env),
            Msg::Join if !self.table.has(from) => self.change(Wish::Join(from), env),
            Msg::Leave if self.table.has(from) => self.change(Wish::Leave(from), env),
            Msg::Moved => {
                self.moving = None;
                for parcel in std::mem::take(&mut self.held) {
                    self.pass_on(parcel, env);
                }
                self.begin_if_possible(env);
            }
            _ => {} // Not for the server, or a duplicate.
        }
    }

    fn pass_on(&mut self, parcel: Parcel, env: &mut impl Env<TwoChoices>) {
        let mixer = self.table.mixer();
        let point = mixer.key(parcel.key());
        if self.moving.is_some_and(|arc| arc.contains(point)) {
            return self.held.push_back(parcel);
        }
        let home = self.table.responsible(point);
        match parcel {
            Parcel::Task(task) => {
                let alternate = self.table.responsible(second(mixer, parcel.key()));
                env.send(home, Msg::Do { task, alternate });
            }
            Parcel::Return(order) => env.send(home, Msg::WantMove(order)),
        }
    }

    fn change(&mut self, wish: Wish, env: &mut impl Env<TwoChoices>) {
        if !self.wishes.contains(&wish) {
            self.wishes.push_back(wish);
        } // Else a duplicate.
        self.begin_if_possible(env);
    }

    /// Begins the next join or leave, if none is under way: the first that leaves a member.
    fn begin_if_possible(&mut self, env: &mut impl Env<TwoChoices>) {
        if self.moving.is_some() {
            return;
        }
        let can_leave = self.table.count() > 1;
        let is_possible = |wish: &Wish| can_leave || matches!(wish, Wish::Join(_));
        let Some(place) = self.wishes.iter().position(is_possible) else { return };
        let (arc, from, to) = match self.wishes.remove(place) {
            Some(Wish::Join(node)) => {
                let (arc, from) = self.table.insert(node);
                (arc, from, node)
            }
            Some(Wish::Leave(node)) => {
                let (arc, to) = self.table.remove(node);
                (arc, node, to)
            }
            None => return,
        };
        self.moving = Some(arc);
        env.send(from, Msg::HandOver { arc, to });
    }
}

//! Consistent hashing with linear probing: a member that is full lets the next one store its keys.
//!
//! V. Mirrokni, M. Thorup, M. Zadimoghaddam: Consistent Hashing with Bounded Loads. SODA 2018.
//!
//! # Idea
//!
//! With m keys and n members, no member stores more than ⌈c·m/n⌉ keys, for a load factor c > 1. The
//! home of a key is the member that consistent hashing names; a key is stored at the first member
//! from its home on, clockwise, that is not full. So if a key is not at its home, then all members
//! from its home up to where it is are full (invariant B), and a search from the home ends with the
//! key, or at the first member that is not full.
//!
//! Every update restores B. A deletion leaves a hole: the member with the hole *pulls* the key with
//! the earliest home that passes it back from the members behind it, and the one that gave it pulls
//! in turn. If the bound rises, members that were full pull until they are full again; if it falls,
//! members push what is too much clockwise. A member that joins begins empty, takes over the keys
//! of its part of the circle from the member before it, and pulls; one that leaves has the bound
//! zero first, and pushes everything.
//!
//! Theorem: given how many keys have each member as home, B determines all loads: what passes a
//! member is what it cannot keep. So loads depend on the keys that are there, not on the order of
//! insertions and deletions. In expectation an update moves O(1/ε²) times what it has to, where
//! c = 1 + ε.
//!
//! # Cost
//!
//! Messages: 4 per operation, and 1 for each member that it passes; an update has more.
//!
//! - Time: 3T per operation, and T for each member that it passes; writes wait for each other and
//!   for reads.
//! - State: n members at the server, the number of keys and the bound; at a member, the keys that
//!   it stores, and a counter for each key whose home it is.
//!
//! # Assumes
//!
//! Reliable channels between all nodes, in any order.
//!
//! - Loss: a lost message leaves its operation without an end, and all later ones that the server
//!   does not let begin.
//! - Duplication: a duplicate request is carried out twice, and a duplicate report of its end lets
//!   operations begin that should wait.
//! - Crash: all operations that have to pass a crashed member wait for ever, and then all others.
//!
//! # Differs from the paper
//!
//! The server lets one update at a time happen, and reads together between updates: two pulls at a
//! time could break B. It knows how many keys there are, since updates report to it. The bound is
//! at least one. A counter at the home of a key, not where it is stored, numbers the operations on
//! it: this is their witness.

mod member;
mod server;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Task;
use super::server_dht::SERVER;
use super::{Census, Command, DictionaryOp, Event, Storage, Table};
use crate::circle::Point;
use crate::object::{Answer, OneByOne};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};
use member::Member;
use server::Server;

/// The most that a member stores, in multiples of the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoadFactor {
    /// In units of 1/1000: more than 1000.
    pub thousandths: u32,
}

impl LoadFactor {
    /// The most keys of a member if there are this many, and this many members.
    pub fn bound(self, keys: u64, members: usize) -> u32 {
        let most = u128::from(self.thousandths) * u128::from(keys);
        most.div_ceil(1000 * members.max(1) as u128).clamp(1, u32::MAX.into()) as u32
    }
}

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the server: the sender invokes an operation.
    Request {
        /// How many operations it had invoked before.
        ticket: u32,
        /// What it asks for.
        op: DictionaryOp,
    },
    /// From the server, to the home of the key: carry this out.
    Do {
        /// What.
        task: Task,
        /// Whether the bound allows one more key.
        room: bool,
    },
    /// From a member that is full, to the next: carry this out, or pass it on.
    Walk {
        /// What.
        task: Task,
        /// Its place among the operations on its key.
        witness: u64,
        /// Whether the bound allows one more key.
        room: bool,
    },
    /// From a member: the operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// Its place among the operations on its key.
        witness: u64,
    },
    /// To the server: an operation has come to this.
    Finished(Outcome),
    /// To the server: the key is new, and the bound does not allow it yet.
    NoRoom {
        /// The operation.
        task: Task,
        /// Its place among the operations on its key.
        witness: u64,
    },
    /// To the server: the sender wants to be a member.
    Join,
    /// To the server: the sender wants to be a member no longer.
    Leave,
    /// From the server: store at most this many keys, and pull if you can.
    Settle {
        /// The bound.
        bound: u32,
    },
    /// To the next member: is there a key that could be stored at the hole?
    Pull {
        /// A member that is not full.
        hole: NodeId,
        /// The position of the member behind it.
        beyond: Point,
        /// How many keys were moved before.
        moved: u32,
    },
    /// To a member with a hole: store this key.
    Give {
        /// The key.
        key: u64,
        /// Its value.
        value: u64,
        /// How many keys were moved, with this one.
        moved: u32,
    },
    /// To a member that gave a key: it has a hole now.
    Fill {
        /// How many keys were moved.
        moved: u32,
    },
    /// To the next member: store this key, or pass it on.
    Push {
        /// The key.
        key: u64,
        /// Its value.
        value: u64,
    },
    /// To the server: this many keys were moved, and all is still.
    Settled {
        /// How many.
        moved: u32,
    },
    /// From the server: from now on this member is the next one, and has its part of the circle.
    Split {
        /// A process that joins.
        next: NodeId,
    },
    /// From the server: you are dismissed, and the member before you has your part of the circle.
    Merge {
        /// That member.
        into: NodeId,
    },
    /// From a member: a part of the circle.
    Items(Box<Part>),
}

/// What an operation has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// It was a read.
    Read,
    /// A write that changed the value of a key, or nothing.
    Kept,
    /// There is one more key.
    Inserted,
    /// There is one key less, and the sender has a hole.
    Deleted,
}

/// A part of the circle that a member takes over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Part {
    /// The member behind it.
    pub next: NodeId,
    /// The bound.
    pub bound: u32,
    /// Keys whose home is there, and how many operations on them were carried out.
    pub counts: Vec<(u64, u64)>,
    /// Keys that were stored where they cannot be any more, with their values.
    pub items: Vec<(u64, u64)>,
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node: the server, or a process that is a member or not, and invokes operations in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedLoads {
    role: Role,
    operations: OneByOne<DictionaryOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role {
    Server(Box<Server>),
    Process(Box<Member>),
}

impl BoundedLoads {
    /// Node `me` of a system with these members.
    pub fn new(me: NodeId, members: &Table, factor: LoadFactor) -> Self {
        let role = match me {
            SERVER => Role::Server(Box::new(Server::new(members.clone(), factor))),
            _ => Role::Process(Box::new(Member::new(me, members, factor))),
        };
        Self { role, operations: OneByOne::default() }
    }

    fn request(&self, env: &mut impl Env<Self>) {
        if let Some((ticket, op)) = self.operations.under_way() {
            env.send(SERVER, Msg::Request { ticket, op });
        }
    }

    fn server(&self) -> Option<&Server> {
        match &self.role {
            Role::Server(server) => Some(server),
            Role::Process(_) => None,
        }
    }

    fn member(&self) -> Option<&Member> {
        match &self.role {
            Role::Server(_) => None,
            Role::Process(member) => Some(member),
        }
    }
}

impl Protocol for BoundedLoads {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &mut self.role) {
            (Command::Invoke(op), _) => {
                if self.operations.invoke(op).is_some() {
                    self.request(env);
                }
            }
            (Command::Join { .. }, Role::Process(member)) => member.join(env),
            (Command::Leave, Role::Process(member)) => member.leave(env),
            (Command::Join { .. } | Command::Leave, Role::Server(_)) => {} // It always serves.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match (msg, &mut self.role) {
            (Msg::Done { ticket, answer, witness }, _) => {
                if self.operations.finish(ticket) {
                    env.emit(Event::Returned { ticket, answer, witness: Some(witness) });
                    self.request(env);
                } // Else a duplicate.
            }
            (msg, Role::Server(server)) => server.on_message(from, msg, env),
            (msg, Role::Process(member)) => member.on_message(from, msg, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some()
            || self.member().is_some_and(|member| member.is_changing());
        is_waiting.then_some(SERVER).into_iter().collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![
            Invariant::new("no member has more than the bound", bounded),
            Invariant::new("full from home to place", full_from_home_to_place),
        ]
    }
}

/// At all times, also in the middle of an update.
fn bounded(system: &Snapshot<'_, BoundedLoads>) -> Result<(), String> {
    let Some(server) = system.nodes.iter().find_map(|it| it.server()) else { return Ok(()) };
    let bound = server.bound();
    let members = NodeId::all(u32::MAX).zip(system.nodes);
    let mut loads = members.filter_map(|(node, it)| Some((node, it.member()?.load())));
    match loads.find(|(_, load)| *load > bound as usize) {
        None => Ok(()),
        Some((node, load)) => Err(format!("node {node} stores {load} keys, not {bound} or fewer")),
    }
}

/// Invariant B, between updates; and no key is stored twice.
fn full_from_home_to_place(system: &Snapshot<'_, BoundedLoads>) -> Result<(), String> {
    let Some(server) = system.nodes.iter().find_map(|it| it.server()) else { return Ok(()) };
    if !server.is_still() {
        return Ok(());
    }
    let (table, mut keys) = (server.table(), BTreeSet::new());
    for place in table.members() {
        let Some(member) = system.nodes[place.index()].member() else { continue };
        for key in member.keys() {
            if !keys.insert(key) {
                return Err(format!("key {key} is stored twice"));
            }
            let mut passed = way(table, table.responsible(table.mixer().key(key)), place);
            let has_room =
                |node: &NodeId| system.nodes[node.index()].member().is_some_and(|it| !it.is_full());
            if let Some(node) = passed.find(has_room) {
                return Err(format!("key {key} is at node {place}, but node {node} is not full"));
            }
        }
    }
    match keys.len() as u64 == server.keys() {
        true => Ok(()),
        false => Err(format!("there are {} keys, not {}", keys.len(), server.keys())),
    }
}

/// The members from the first up to the last, without the last.
fn way(table: &Table, first: NodeId, last: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let next = |node: &NodeId| Some(table.successors(*node, 1).first().copied().unwrap_or(*node));
    std::iter::successors(Some(first), next).take_while(move |node| *node != last)
}

impl Storage for BoundedLoads {
    fn census(nodes: &[&Self]) -> Census {
        let Some(server) = nodes.iter().find_map(|node| node.server()) else {
            return Census::default();
        };
        let table = server.table();
        let members =
            || table.members().filter_map(|node| Some((node, nodes[node.index()].member()?)));
        let probes = |(place, member): (NodeId, &Member)| {
            let home = |key| table.responsible(table.mixer().key(key));
            let all = member.keys().map(|key| way(table, home(key), place).count() as u32);
            all.collect::<Vec<_>>()
        };
        Census {
            loads: members().map(|(_, member)| member.load() as u64).collect(),
            arcs: table.members().map(|node| table.arc(node)).collect(),
            moved: server.moved(),
            cells: table.cells().iter().map(|cell| cell.len() as u32).collect(),
            probes: members().flat_map(probes).collect(),
            ..Census::default()
        }
    }
}

#[cfg(test)]
mod tests;

//! One server knows which member is responsible for which part of a circle of hash values.
//!
//! D. Karger, E. Lehman, T. Leighton, R. Panigrahy, M. Levine, D. Lewin: Consistent Hashing and
//! Random Trees: Distributed Caching Protocols for Relieving Hot Spots on the World Wide Web.
//! STOC 1997.
//!
//! # Idea
//!
//! Members and keys are hashed to positions on a circle. A member is responsible for the keys from
//! its position up to the next member's. Node 0 is the server: it does not store anything, but
//! knows all members, and finds the one that is responsible for a position in constant expected
//! time. Its table T cuts the circle into at least as many cells as there are members, and lists
//! for each the members that are responsible for a part of it: two on average, or fewer.
//!
//! A process sends an operation to the server, the server passes it on to the responsible member,
//! and that member carries it out and answers the process. A process that joins takes over the part
//! of the circle from its position on from the member before it; one that leaves hands its part
//! over to the member before it. So a change moves only the data of the one member that changes.
//!
//! With copies k, a member has everything that it is responsible for copied to its k - 1 successors
//! on the circle, and answers a write when all of them have acknowledged it.
//!
//! Theorem: a member is responsible for 1/n of the circle in expectation, by symmetry; a join or
//! leave moves the part of one member, 1/(n+1) and 1/n of the data in expectation; the n members
//! make n + m entries in m cells of T, 1 + n/m on average. But the parts differ: the largest is
//! H_n/n in expectation, the smallest 1/n².
//!
//! # Cost
//!
//! Messages: 3 per operation, and 2(k-1) per write; a join or leave has a few more. Those that meet
//! a hand-over can be passed on again.
//!
//! - Time: 3T per operation, 5T for a write with copies; operations of one process wait for each
//!   other.
//! - State: n members and m cells at the server, n <= m <= 4n; at a member, its records and the
//!   copies of those of k - 1 others.
//!
//! # Assumes
//!
//! Reliable channels between all nodes, in any order.
//!
//! - Loss: a lost message leaves its operation, join or leave without an end, and a lost hand-over
//!   loses its data, but no answer is wrong.
//! - Duplication: a duplicate request is carried out twice, so that another process can see its
//!   effect after it was overwritten.
//! - Crash: operations on the keys of a crashed member, or all if it is the server, wait for ever.
//!
//! # Differs from the paper
//!
//! Hand-overs are numbered: the records can arrive before the message that announces them, and then
//! that message must not announce them once more. A member hands nothing over before it owns it: it
//! may be told to before the records have arrived. A member that is asked about a key that it does
//! not own returns the request to the server. A leave that would leave no member waits for a join.
//! A member counts the operations on each key, and this number is the witness of an operation; so
//! a record stays when its value is deleted.

mod server;
mod store;

use serde::{Deserialize, Serialize};

use super::{Census, Command, Contents, DictionaryOp, Event, Record, Storage, Table, Task};
use crate::circle::{Arc, Arcs};
use crate::object::{Answer, OneByOne};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};
use server::Server;
use store::Store;

/// The node that knows all members.
pub const SERVER: NodeId = NodeId(0);

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
    /// From the server: carry this out.
    Do(Task),
    /// To the server: the sender does not own the key.
    Misplaced(Task),
    /// From a member: the operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// Its place among the operations on its key.
        witness: u64,
    },
    /// To the server: the sender wants to be a member.
    Join,
    /// To the server: the sender wants to be a member no longer.
    Leave,
    /// From the server: hand this part of the circle over.
    HandOver(Move),
    /// From the server: you will be handed this part of the circle.
    Expect {
        /// The number of the move.
        number: u32,
        /// The part.
        arc: Arc,
    },
    /// From a member: a part of the circle and all that is known about its keys.
    Items {
        /// The number of the move.
        number: u32,
        /// The part.
        arc: Arc,
        /// Keys and what is known about them.
        records: Box<[(u64, Record)]>,
    },
    /// From the server: copy to these.
    Holders {
        /// Of several such messages, the one with the highest number counts.
        turn: u32,
        /// The next members on the circle.
        nodes: Box<[NodeId]>,
    },
    /// From a member: keep these copies.
    Copy {
        /// What to acknowledge.
        batch: u32,
        /// Keys and what is known about them.
        records: Box<[(u64, Record)]>,
    },
    /// From a member: drop the copies that you keep for it from this part of the circle.
    Forget {
        /// What to acknowledge.
        batch: u32,
        /// The part.
        arc: Arc,
    },
    /// To a member: its copies are kept, or dropped.
    Copied {
        /// Which.
        batch: u32,
    },
}

/// A part of the circle changes its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The number of the move.
    pub number: u32,
    /// The part.
    pub arc: Arc,
    /// Its new owner.
    pub to: NodeId,
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node: the server, or a process that is a member or not, and invokes operations in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerDht {
    role: Role,
    operations: OneByOne<DictionaryOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role {
    Server(Box<Server>),
    Process(Box<Store>),
}

impl ServerDht {
    /// Node `me` of a system with these members, and this many copies of everything.
    pub fn new(me: NodeId, members: &Table, copies: u32) -> Self {
        let role = match me {
            SERVER => Role::Server(Box::new(Server::new(members.clone(), copies))),
            _ => Role::Process(Box::new(Store::new(me, members, copies))),
        };
        Self { role, operations: OneByOne::default() }
    }

    fn request(&self, env: &mut impl Env<Self>) {
        if let Some((ticket, op)) = self.operations.under_way() {
            env.send(SERVER, Msg::Request { ticket, op });
        }
    }

    /// The table T, at the server.
    pub fn table(&self) -> Option<&Table> {
        match &self.role {
            Role::Server(server) => Some(server.table()),
            Role::Process(_) => None,
        }
    }

    fn store(&self) -> Option<&Store> {
        match &self.role {
            Role::Server(_) => None,
            Role::Process(store) => Some(store),
        }
    }
}

impl Protocol for ServerDht {
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
            (Command::Join { .. }, Role::Process(store)) => store.join(env),
            (Command::Leave, Role::Process(store)) => store.leave(env),
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
            (msg, Role::Process(store)) => store.on_message(from, msg, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some()
            || self.store().is_some_and(|store| store.is_changing());
        is_waiting.then_some(SERVER).into_iter().collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![
            Invariant::new("every position has one owner", one_owner),
            Invariant::new("the table is as defined", sound_table),
        ]
    }
}

/// What nodes own and what is on its way to a new owner are parts of the circle that do not overlap
/// and leave nothing out.
fn one_owner(system: &Snapshot<'_, ServerDht>) -> Result<(), String> {
    let owned = system.nodes.iter().filter_map(|node| node.store()).flat_map(|it| it.own().iter());
    let moving = system.messages.iter().filter_map(|(_, _, msg)| match msg {
        Msg::Items { arc, .. } => Some(*arc),
        _ => None,
    });
    let mut all = Arcs::default();
    for arc in owned.chain(moving) {
        if all.iter().any(|other| other.meets(arc)) {
            return Err(format!("two nodes own a part of {arc:?}"));
        }
        all.add(arc);
    }
    match all.covers(Arc::WHOLE) {
        true => Ok(()),
        false => Err(format!("only {all:?} has an owner")),
    }
}

fn sound_table(system: &Snapshot<'_, ServerDht>) -> Result<(), String> {
    match system.nodes.iter().filter_map(|node| node.table()).all(Table::is_sound) {
        true => Ok(()),
        false => Err("a cell of T lists others than those responsible in it".to_owned()),
    }
}

impl Contents for ServerDht {
    fn entries(&self) -> Vec<(u64, u64)> {
        self.store().map_or_else(Vec::new, Store::entries)
    }
}

impl Storage for ServerDht {
    fn census(nodes: &[&Self]) -> Census {
        let Some((table, copies)) = nodes.iter().find_map(|node| match &node.role {
            Role::Server(server) => Some((server.table(), server.copies())),
            Role::Process(_) => None,
        }) else {
            return Census::default();
        };
        let store = |node: NodeId| nodes.get(node.index()).and_then(|node| node.store());
        let members: Vec<&Store> = table.members().filter_map(store).collect();
        let lacking = |member: &&Store| member.under_replicated(copies, store);
        Census {
            loads: members.iter().map(|member| member.load()).collect(),
            arcs: table.members().map(|node| table.arc(node)).collect(),
            moved: nodes.iter().filter_map(|node| node.store()).map(Store::moved).sum(),
            under_replicated: members.iter().map(lacking).sum(),
            cells: table.cells().iter().map(|cell| cell.len() as u32).collect(),
            ..Census::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;
    use crate::circle::Mixer;

    const SEED: Mixer = Mixer::new(1);

    /// A process of a system with these members.
    fn node(me: u32, members: &[u32], copies: u32) -> (ServerDht, Recorder<ServerDht>) {
        let table = Table::new(SEED, members.iter().copied().map(NodeId));
        (ServerDht::new(NodeId(me), &table, copies), Recorder::default())
    }

    fn put(client: u32, ticket: u32) -> Msg {
        let op = DictionaryOp::Put { key: 0, value: 7 };
        Msg::Do(Task { client: NodeId(client), ticket, op })
    }

    #[test]
    fn a_write_waits_for_its_copies_and_a_read_does_not() {
        let (mut node, mut env) = node(1, &[1, 2, 3], 3);
        let owner = Table::new(SEED, (1..=3).map(NodeId)).responsible(SEED.key(0));
        assert_eq!(owner, NodeId(2), "so node 1 is asked by mistake");
        node.on_message(SERVER, put(3, 0), &mut env);
        assert!(env.lines()[0].starts_with("-> 0 Misplaced"), "{:?}", env.lines());
        let (mut node, mut env) = self::node(2, &[1, 2, 3], 3);
        node.on_message(SERVER, put(3, 0), &mut env);
        let copied = env.lines();
        assert_eq!(copied.len(), 2, "{copied:?}");
        assert!(copied.iter().all(|line| line.contains("Copy")), "{copied:?}");
        let get = Task { client: NodeId(1), ticket: 0, op: DictionaryOp::Get(0) };
        env = Recorder::default();
        node.on_message(SERVER, Msg::Do(get), &mut env);
        node.on_message(NodeId(1), Msg::Copied { batch: 0 }, &mut env);
        assert_eq!(env.lines(), ["-> 1 Done { ticket: 0, answer: Some(7), witness: 1 }"]);
        node.on_message(NodeId(3), Msg::Copied { batch: 0 }, &mut env);
        assert_eq!(env.lines(), ["-> 3 Done { ticket: 0, answer: None, witness: 0 }"]);
    }

    /// A hand-over waits for the acknowledgement of copies, so that no copy arrives after the
    /// message that drops it; what is asked meanwhile waits, too.
    #[test]
    fn a_member_that_hands_over_first_finishes_what_it_has_begun() {
        let (mut node, mut env) = node(1, &[1, 4], 2);
        node.on_message(SERVER, put(4, 0), &mut env);
        let mut table = Table::new(SEED, [1, 4].map(NodeId));
        let (arc, from) = table.insert(NodeId(2));
        assert_eq!((from, arc.contains(SEED.key(0))), (NodeId(1), true));
        env = Recorder::default();
        node.on_message(SERVER, Msg::HandOver(Move { number: 0, arc, to: NodeId(2) }), &mut env);
        node.on_message(SERVER, put(4, 1), &mut env);
        assert_eq!(env.lines(), [""; 0]);
        node.on_message(NodeId(4), Msg::Copied { batch: 0 }, &mut env);
        let lines = env.lines();
        let kinds = ["-> 4 Done", "-> 2 Items", "-> 4 Forget", "-> 0 Misplaced"];
        assert_eq!(lines.len(), kinds.len(), "{lines:?}");
        assert!(lines.iter().zip(kinds).all(|(line, kind)| line.starts_with(kind)), "{lines:?}");
    }

    #[test]
    fn the_last_member_stays_until_another_one_comes() {
        let (mut server, mut env) = node(0, &[1], 1);
        server.on_message(NodeId(1), Msg::Leave, &mut env);
        assert_eq!(env.lines(), [""; 0]);
        server.on_message(NodeId(2), Msg::Join, &mut env);
        let lines = env.lines();
        let kinds = ["-> 1 HandOver", "-> 2 Expect", "-> 1 HandOver", "-> 2 Expect"];
        assert!(lines.iter().zip(kinds).all(|(line, kind)| line.starts_with(kind)), "{lines:?}");
        assert_eq!(server.table().map(|table| table.members().collect()), Some(vec![NodeId(2)]));
    }
}

//! Every key has two members that may store it, and is stored at the one with fewer keys.
//!
//! M. Mitzenmacher: The Power of Two Choices in Randomized Load Balancing. IEEE Transactions on
//! Parallel and Distributed Systems 2001. For consistent hashing: J. Byers, J. Considine,
//! M. Mitzenmacher: Geometric Generalizations of the Power of Two Choices. SPAA 2004.
//!
//! # Idea
//!
//! Two hash functions name two members for each key: its *home* and its *alternate*. The home has
//! either the key or a redirect to the alternate, so a search asks one more member at most, and all
//! operations on a key are in the order in which its home gets them.
//!
//! A new key is stored at its home, which offers it to the alternate at once; the alternate takes
//! it if it stores at least two keys less. Members offer keys that they have had for longer, too,
//! one at a time. While a key moves, its home queues operations on it: a home that offers a key
//! waits for the answer, and an alternate asks the home before it moves a key back.
//!
//! Theorem: if the members were equally probable choices, the largest load would exceed the mean by
//! log log n / log 2 + O(1) keys with high probability; arcs of unequal length change constants
//! only. A move from a member to one with at least two keys less lowers the sum of the squares of
//! all loads. So moves come to an end, and with a difference of one they would not.
//!
//! # Cost
//!
//! Messages: 3 per operation, and 2 if its key is redirected; a new key is offered, too.
//!
//! - Time: 3T per operation, 5T if its key is redirected, and longer while the key moves.
//! - State: n members and their table at the server; at a member, the keys that it stores, and a
//!   counter and a place for each key whose home it is.
//!
//! # Assumes
//!
//! Reliable channels between all nodes, in any order.
//!
//! - Loss: a lost message leaves its operation, or all later ones on its key, without an end.
//! - Duplication: a duplicate request is carried out twice, and a duplicate offer stores a key
//!   at two members.
//! - Crash: operations on the keys of a crashed member wait for ever, and so does every join and
//!   leave that concerns it; all of them, if it is the server.
//!
//! # Differs from the paper
//!
//! The lecture has members check in timeouts whether a key should move. Here a check follows an
//! event: a member that gets a key offers one of its keys in turn, and goes on as long as offers
//! are taken. So a system that is not used comes to rest. A key is stored first and offered then,
//! instead of asking the alternate first: the rule is the same. The server finds the home for an
//! alternate, since homes change when members join and leave; the new home takes over redirects
//! with its part of the circle. A member that leaves first returns what it stores as an alternate.
//! Joins and leaves happen one at a time.

mod balance;
mod member;
mod server;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Task;
use super::server_dht::SERVER;
use super::{Census, Command, DictionaryOp, Event, Storage, Table};
use crate::circle::{Arc, Mixer, Point, Salt};
use crate::object::{Answer, OneByOne};
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};
use member::Member;
use server::Server;

/// The second position of a key.
const SECOND: Salt = Salt(0x41);

fn second(mixer: Mixer, key: u64) -> Point {
    Point(mixer.mix(key, SECOND))
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
        /// The other member that may store the key.
        alternate: NodeId,
    },
    /// To the server: the sender is not the home of the key.
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
    /// From the home, to the alternate that stores the key: carry this out.
    Forward {
        /// What the process asks for.
        op: DictionaryOp,
    },
    /// To the home: it was carried out.
    Reply {
        /// The key.
        key: u64,
        /// The answer.
        answer: Answer,
    },
    /// From the home, to the alternate: take this key if you store two less.
    Offer {
        /// The key.
        key: u64,
        /// Its value.
        value: u64,
        /// How many keys the home stores, with this one.
        load: u32,
    },
    /// To the home: the alternate stores the key from now on.
    Taken {
        /// The key.
        key: u64,
    },
    /// To the home: the alternate does not want the key.
    Declined {
        /// The key.
        key: u64,
    },
    /// To the server, which passes it on to the home: the alternate wants to return the key.
    WantMove(Return),
    /// To the alternate: return the key.
    MayMove {
        /// The key.
        key: u64,
        /// Its home.
        home: NodeId,
    },
    /// To the alternate: keep the key.
    Stay {
        /// The key.
        key: u64,
    },
    /// To the home: it stores the key from now on.
    Hand {
        /// The key.
        key: u64,
        /// Its value.
        value: u64,
    },
    /// To the server: the sender wants to be a member.
    Join,
    /// To the server: the sender wants to be a member no longer.
    Leave,
    /// From the server: hand this part of the circle over.
    HandOver {
        /// The part.
        arc: Arc,
        /// The member that has it from now on.
        to: NodeId,
    },
    /// From a member: a part of the circle.
    Items {
        /// The part.
        arc: Arc,
        /// Keys, and what their home knows.
        entries: Box<[(u64, Entry)]>,
    },
    /// To the server: the part has arrived.
    Moved,
}

/// An alternate wants to return a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Return {
    /// The key.
    pub key: u64,
    /// The alternate.
    pub holder: NodeId,
    /// How many keys it stores; none if it leaves, and has to return all of them.
    pub load: Option<u32>,
}

/// What the home of a key knows about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Entry {
    /// How many operations on the key were carried out.
    pub done: u64,
    /// Where the key is.
    pub place: Place,
    /// The other member that may store it, as the server said last.
    pub alternate: NodeId,
}

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// It has no value.
    Nowhere,
    /// At its home, with this value.
    Here(u64),
    /// At this member.
    There(NodeId),
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node: the server, or a process that is a member or not, and invokes operations in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TwoChoices {
    role: Role,
    operations: OneByOne<DictionaryOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role {
    Server(Box<Server>),
    Process(Box<Member>),
}

impl TwoChoices {
    /// Node `me` of a system with these members.
    pub fn new(me: NodeId, members: &Table) -> Self {
        let role = match me {
            SERVER => Role::Server(Box::new(Server::new(members.clone()))),
            _ => Role::Process(Box::new(Member::new(me, members))),
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

impl Protocol for TwoChoices {
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
        vec![Invariant::new("a redirect leads to its key", sound_redirects)]
    }
}

/// If nothing is under way about a key, then its home knows the one place where it is.
fn sound_redirects(system: &Snapshot<'_, TwoChoices>) -> Result<(), String> {
    let members = || {
        NodeId::all(u32::MAX).zip(system.nodes).filter_map(|(node, it)| Some((node, it.member()?)))
    };
    let mut holders: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    for (node, member) in members() {
        member.held().for_each(|key| holders.entry(key).or_default().push(node));
    }
    for (home, member) in members() {
        for (key, place) in member.settled() {
            let holders = holders.get(&key).map_or(&[][..], Vec::as_slice);
            let is_right = match place {
                Place::Nowhere | Place::Here(_) => holders.is_empty(),
                Place::There(node) => holders == [node],
            };
            if !is_right {
                return Err(format!(
                    "node {home} has {place:?} for key {key}, stored at {holders:?}"
                ));
            }
        }
    }
    Ok(())
}

impl Storage for TwoChoices {
    fn census(nodes: &[&Self]) -> Census {
        let Some(server) = nodes.iter().find_map(|node| node.server()) else {
            return Census::default();
        };
        let table = server.table();
        let members = || table.members().filter_map(|node| nodes[node.index()].member());
        let probes = |(_, place): (u64, Place)| match place {
            Place::Nowhere => None,
            Place::Here(_) => Some(0),
            Place::There(_) => Some(1),
        };
        Census {
            loads: members().map(|member| u64::from(member.load())).collect(),
            arcs: table.members().map(|node| table.arc(node)).collect(),
            moved: nodes.iter().filter_map(|node| node.member()).map(Member::moved).sum(),
            cells: table.cells().iter().map(|cell| cell.len() as u32).collect(),
            probes: members().flat_map(|member| member.settled().filter_map(probes)).collect(),
            ..Census::default()
        }
    }
}

#[cfg(test)]
mod tests;

//! A dictionary whose server decides by a rule where each key is stored: the protocol that all
//! rules share.
//!
//! A [`Placement`] is a function of a key, the members and their capacities. The server passes an
//! operation on to the member that the rule names. A change (a join, a leave, another capacity) is
//! an *epoch*; one follows the other. The server tells all members who they are now and how large;
//! each member applies the rule to its own records and hands over exactly those whose place has
//! changed, and settles when all of them are acknowledged. Until then the server holds operations
//! on what that member hands over.
//!
//! Why an operation always meets its record: a member that has not heard of the change yet still
//! has everything that was sent there by the old rule. A member that has heard of it returns what
//! the server had sent before. What the server sends afterwards goes to a member that had the key
//! and keeps it, or to one that has acknowledged it.

mod member;
mod server;

use std::fmt::Debug;
use std::hash::Hash;

use super::Task;
use super::server_dht::SERVER;
pub use super::share_dht::Msg;
use super::{Capacities, Census, Command, DictionaryOp, Event, Storage};
use crate::object::OneByOne;
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};
use crate::{NodeId, NodeSet};
use member::Member;
use server::Server;

/// Where keys are stored.
pub trait Placement: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// What does not depend on the members: hash functions and parameters.
    type Rule: Copy + Debug + Eq + Hash + Send + Sync + 'static;

    /// The placement among these members, at least one.
    fn new(rule: Self::Rule, members: Capacities) -> Self;

    /// Its rule.
    fn rule(&self) -> Self::Rule;

    /// Its members.
    fn members(&self) -> &Capacities;

    /// The member that stores this key.
    fn place(&self, key: u64) -> NodeId;

    /// How strong the claim of a node on a key is, by definition. A member without a claim stores
    /// the key only if no member has one; and a change moves a key only away from a member whose
    /// claim falls, or to one whose claim rises. That is why little moves.
    fn claim(&self, key: u64, node: NodeId) -> u64;

    /// What can be counted in it; the rest is left as it is.
    fn count(&self, census: Census) -> Census {
        census
    }
}

/// A capacity changes while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resize {
    /// After this many requests.
    pub after: u64,
    /// The member.
    pub node: NodeId,
    /// Its new capacity, above zero.
    pub capacity: u32,
}

/// One node: the server, or a process that is a member or not, and invokes operations in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placed<P: Placement> {
    role: Role<P>,
    operations: OneByOne<DictionaryOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Role<P: Placement> {
    Server(Box<Server<P>>),
    Process(Box<Member<P>>),
}

impl<P: Placement> Placed<P> {
    /// Node `me` of a system with this placement at the beginning, and its capacity; the server
    /// changes capacities as planned.
    pub fn new(me: NodeId, capacity: u32, placement: &P, plan: &[Resize]) -> Self {
        let role = match me {
            SERVER => Role::Server(Box::new(Server::new(placement.clone(), plan))),
            _ => Role::Process(Box::new(Member::new(me, capacity, placement))),
        };
        Self { role, operations: OneByOne::default() }
    }

    fn request(&self, env: &mut impl Env<Self>) {
        if let Some((ticket, op)) = self.operations.under_way() {
            env.send(SERVER, Msg::Request { ticket, op });
        }
    }

    fn server(&self) -> Option<&Server<P>> {
        match &self.role {
            Role::Server(server) => Some(server),
            Role::Process(_) => None,
        }
    }

    fn member(&self) -> Option<&Member<P>> {
        match &self.role {
            Role::Server(_) => None,
            Role::Process(member) => Some(member),
        }
    }
}

impl<P: Placement> Protocol for Placed<P> {
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
            Invariant::new("a key has one place", one_place),
            Invariant::new("a member with a claim stores a key", claimed),
            Invariant::new("only claims that change move keys", justified),
        ]
    }
}

/// The records that members have, and those on their way, each with the node that has it or will.
fn records<'a, P: Placement>(
    system: &'a Snapshot<'_, Placed<P>>,
) -> impl Iterator<Item = (NodeId, u64)> + 'a {
    let members = (0..).map(NodeId).zip(system.nodes);
    let stored = members.filter_map(|(node, it)| Some((node, it.member()?)));
    let stored = stored.flat_map(|(node, it)| it.keys().map(move |key| (node, key)));
    let moving = system.messages.iter().filter_map(|(_, to, msg)| match msg {
        Msg::Items { records, .. } => Some((*to, records)),
        _ => None,
    });
    let moving = moving.flat_map(|(to, all)| all.iter().map(move |(key, _)| (to, *key)));
    stored.chain(moving)
}

/// No two nodes have a record of the same key; and if no change is under way, the rule says which
/// one has it.
fn one_place<P: Placement>(system: &Snapshot<'_, Placed<P>>) -> Result<(), String> {
    let mut keys = std::collections::BTreeSet::new();
    for (node, key) in records(system) {
        if !keys.insert(key) {
            return Err(format!("two nodes have a record of key {key}"));
        }
        let Some(server) = system.nodes.iter().find_map(|it| it.server()) else { continue };
        let place = server.placement().place(key);
        if server.shift().is_none() && place != node {
            return Err(format!("node {node} stores key {key}, not {place}"));
        }
    }
    Ok(())
}

fn claimed<P: Placement>(system: &Snapshot<'_, Placed<P>>) -> Result<(), String> {
    let Some(server) = system.nodes.iter().find_map(|it| it.server()) else { return Ok(()) };
    let placement = server.placement();
    let claims = |key| placement.members().iter().map(move |(node, _)| placement.claim(key, node));
    let unclaimed = |key: &u64| {
        placement.claim(*key, placement.place(*key)) == 0 && claims(*key).any(|claim| claim > 0)
    };
    match records(system).map(|(_, key)| key).find(unclaimed) {
        None => Ok(()),
        Some(key) => Err(format!("node {} has no claim on key {key}", placement.place(key))),
    }
}

/// Nobody else's claim matters, so a key that has to move has one of two reasons. (Among members
/// without a claim any one may be chosen.)
fn justified<P: Placement>(system: &Snapshot<'_, Placed<P>>) -> Result<(), String> {
    let Some(server) = system.nodes.iter().find_map(|it| it.server()) else { return Ok(()) };
    let (Some(old), new) = (server.shift(), server.placement()) else { return Ok(()) };
    for (from, to, msg) in system.messages {
        let Msg::Items { records, .. } = msg else { continue };
        for &(key, _) in records {
            let [given, taken] = [from, to].map(|it| (old.claim(key, *it), new.claim(key, *it)));
            if given.1 >= given.0 && taken.1 <= taken.0 && taken.1 > 0 {
                return Err(format!("key {key} moves from {from} to {to} without a reason"));
            }
        }
    }
    Ok(())
}

impl<P: Placement> Storage for Placed<P> {
    fn census(nodes: &[&Self]) -> Census {
        let Some(server) = nodes.iter().find_map(|node| node.server()) else {
            return Census::default();
        };
        let placement = server.placement();
        let member = |node: NodeId| nodes.get(node.index()).and_then(|node| node.member());
        let members = placement.members().iter().filter_map(|(node, _)| member(node));
        let total = placement.members().total() as f64;
        let shares = placement.members().iter().map(|(_, it)| f64::from(it) / total).collect();
        placement.count(Census {
            loads: members.map(Member::load).collect(),
            shares,
            moved: nodes.iter().filter_map(|node| node.member()).map(Member::moved).sum(),
            changes: Some(server.epoch().into()),
            least_moved: Some(server.least_moved()),
            ..Census::default()
        })
    }
}

#[cfg(test)]
mod tests;

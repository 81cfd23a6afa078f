//! Searches that succeed once succeed for ever, while the network is still being repaired.
//!
//! C. Scheideler, A. Setzer, T. Strothmann: Towards a Universal Approach for Monotonic
//! Searchability in Self-stabilizing Overlay Networks. DISC 2016. The graph is that of Jacob et
//! al.: SKIP+, Journal of the ACM 61 (6), 2014.
//!
//! # Idea
//!
//! Every node and every key has a random bit string. A key belongs to the node whose string shares
//! the longest prefix with its own; if several do, to the one of them with the smallest position
//! (`--responsible smallest`). A request is passed on from prefix to prefix: a node that shares
//! exactly i bits with the key passes it to its *bridge* of level i, which shares more. The bridge
//! is a node with the opposite bit i, or, if none is known, a node with a smaller position among
//! those that share as many bits with the key.
//!
//! A bridge is *sticky*: a neighbour that has confirmed that it is there, and never replaced, even
//! if a better one becomes known and the overlay has no use for the old one. A node without a
//! neighbour for a level has no bridge there, and requests of this level end at it. So the way from
//! a node to a key only gets longer. Data follow the same ways: a node that holds a record and has
//! a bridge for it sends it there, again in every turn, and drops it when the bridge has
//! acknowledged it. A request takes the newest copy that it meets along.
//!
//! Theorem (monotone searchability): what a process has found, it finds again, as long as nobody
//! deletes it. For a way at one time is the beginning of the way at any later time. Suppose that a
//! copy is on the way, and that a search has left the first j nodes of it without a copy: then the
//! copy is beyond them, since a node drops it only after the next one has stored it. If the search
//! ended at a node without a copy, the copy would be beyond that node, which then has had a bridge,
//! and still has it. In a legal network, all bridges that can be are set, and all ways to a key end
//! at the same node, since every hop lengthens the common prefix or lowers the position in it.
//!
//! Which of several best matches is responsible is an option. Both variants keep the theorem, since
//! both lead through the class over sticky addresses and without cycles:
//!
//! - `--responsible smallest`: the smallest position. Nobody need be asked, but a newcomer with a
//!   smaller position takes over all records of its class.
//! - `--responsible agreed`: the node that the class agrees on, by the minimum rule among those
//!   that stand for it, told from neighbour to neighbour. A newcomer that hears of an agreement
//!   follows it, and no record moves; but neighbours of a class talk in every turn.
//!
//! # Cost
//!
//! Messages: about (log2 n)/2 + 3 per operation, beside upkeep. Only bits in which the node differs
//! from the key cost a hop.
//!
//! - Time: as many T as messages; operations of one process wait for each other.
//! - State: O(log n) addresses, at most one more per level than Skip+, and the records.
//!
//! # Assumes
//!
//! Reliable channels in any order. Nodes that are connected, and do not leave.
//!
//! - Loss: an address that is lost can disconnect the network; a lost request is not answered.
//! - Duplication: a duplicate request is carried out twice.
//! - Crash: ways that lead over a crashed node end there: bridges are never replaced.
//!
//! # Differs from the paper
//!
//! The paper searches for nodes; the lecture adds data. It leaves open which of several best
//! matches is responsible, and suggests that they agree on the value by consensus. Here one of them
//! is responsible, the smallest or the one that they agree on, and the way to it consists of sticky
//! addresses, too, so the theorem holds for it as well. The rule for agreement is that of the
//! minimum: an opinion that can return to an old one, as with medians, would let ways change.

mod agreed;
mod placement;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{Command, Copied, DictionaryOp, Event, Opening, Record, Tally, Task, Version};
use crate::circle::Salt;
use crate::object::{Answer, OneByOne};
use crate::overlay::place::bits;
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Member, Overlay, Place};
use crate::protocol::{Env, Hosts, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};
pub use agreed::{Classes, Responsible};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About the overlay.
    Overlay(overlay::Msg),
    /// Is the receiver there?
    Verify,
    /// The sender is there.
    Verified,
    /// An operation travels to the responsible node.
    Request {
        /// The operation.
        task: Task,
        /// The number of messages since it was invoked, this one included.
        hops: u32,
        /// The newest copy that it has met.
        met: Option<Box<Copied>>,
    },
    /// To a process: its operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// How many operations on its key had been carried out, as far as was known.
        witness: u64,
    },
    /// A copy on its way to its responsible node.
    Move {
        /// Its key.
        key: u64,
        /// The copy.
        copy: Copied,
    },
    /// The copy was stored.
    MoveAck {
        /// Its key.
        key: u64,
        /// Its version.
        version: Version,
    },
    /// Whom the sender takes for responsible, among the nodes that share more bits with it.
    Opinion {
        /// More than so many.
        level: u32,
        /// Whom, if anybody.
        held: Option<NodeId>,
    },
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrefixDht {
    member: Member<SkipPlus>,
    is_inside: bool,
    /// For each level the node that requests of this level are passed on to, for ever.
    bridges: BTreeMap<u32, NodeId>,
    responsible: Responsible,
    operations: OneByOne<DictionaryOp>,
    copies: BTreeMap<u64, Copied>,
    /// Operations that this process has invoked before it has joined.
    waiting: VecDeque<Task>,
    opening: Opening,
    tally: Tally,
}

impl PrefixDht {
    /// A node with this part in the overlay; it is inside with these bridges, or joins later.
    pub fn new(
        member: Member<SkipPlus>,
        bridges: Option<BTreeMap<u32, NodeId>>,
        responsible: Responsible,
        opening: Opening,
    ) -> Self {
        Self {
            member,
            is_inside: bridges.is_some(),
            bridges: bridges.unwrap_or_default(),
            responsible,
            operations: OneByOne::default(),
            copies: BTreeMap::new(),
            waiting: VecDeque::new(),
            opening,
            tally: Tally::default(),
        }
    }

    fn place(&self) -> Place {
        self.member.overlay().place()
    }

    /// How many bits the string of a key has in common with this node's.
    fn level(&self, key: u64) -> u32 {
        level(self.place(), key)
    }

    /// The next node on the way to a key; none if it ends here.
    pub fn next(&self, key: u64) -> Option<NodeId> {
        self.bridges.get(&self.level(key)).copied()
    }

    /// The copies that are on their way, and where they go next.
    pub fn moving(&self) -> impl Iterator<Item = (NodeId, u64, Copied)> + '_ {
        self.copies.iter().filter_map(|(&key, &copy)| Some((self.next(key)?, key, copy)))
    }

    /// For each level the first of these nodes that can be its bridge.
    fn fit(&self, nodes: &[NodeId]) -> BTreeMap<u32, NodeId> {
        match self.responsible {
            Responsible::Smallest => bridges(self.place(), nodes),
            Responsible::Agreed(_) => crossings(self.place(), nodes),
        }
    }

    /// Asks a neighbour for each level without a bridge whether it is there.
    fn verify(&self, env: &mut impl Env<Self>) {
        let known = self.member.overlay().kept();
        let mut missing = self.fit(&known);
        missing.retain(|level, _| !self.bridges.contains_key(level));
        let nodes: BTreeSet<NodeId> = missing.into_values().collect();
        nodes.into_iter().for_each(|node| env.send(node, Msg::Verify));
    }

    /// A node that is there becomes the bridge of every level that lacks one, if it is fit for it.
    fn cross(&mut self, node: NodeId) {
        for (level, node) in self.fit(&[node]) {
            self.bridges.entry(level).or_insert(node);
        }
    }

    fn begin(&mut self, env: &mut impl Env<Self>) {
        if let Some((ticket, op)) = self.operations.under_way() {
            self.handle(Task { client: self.place().me, ticket, op }, 0, None, env);
        }
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        if self.operations.finish(ticket) {
            let witness = self.opening.witness(witness);
            env.emit(Event::Returned { ticket, answer, witness });
            self.begin(env);
        } // Else a duplicate.
    }

    /// Carries an operation out on the newest copy, or passes it on.
    fn handle(&mut self, task: Task, hops: u32, met: Option<Copied>, env: &mut impl Env<Self>) {
        let (key, me) = (task.op.key(), self.place().me);
        if !self.is_inside {
            return self.waiting.push_back(task);
        }
        let newest = Copied::newer(met, self.copies.get(&key).copied());
        if let Some(to) = self.next(key) {
            let met = newest.map(Box::new);
            return env.send(to, Msg::Request { task, hops: hops + 1, met });
        }
        self.tally.carry_out(hops);
        let mut record = newest.map_or_else(Record::default, |copy| copy.record);
        let (answer, witness) = record.carry_out(task.op);
        self.copies.insert(key, Copied { record, by: me });
        match task.client == me {
            true => self.finish(task.ticket, answer, witness, env),
            false => env.send(task.client, Msg::Done { ticket: task.ticket, answer, witness }),
        }
    }

    fn store(&mut self, key: u64, copy: Copied) {
        let newest = Copied::newer(Some(copy), self.copies.get(&key).copied());
        self.copies.extend(newest.map(|copy| (key, copy)));
    }

    /// The next node has stored a copy: it is dropped here, unless it has changed meanwhile.
    fn drop_if_moved(&mut self, key: u64, version: Version) {
        let is_same = self.copies.get(&key).is_some_and(|copy| copy.version() == version);
        if is_same && self.next(key).is_some() {
            let value = self.copies.remove(&key).and_then(|copy| copy.record.value);
            self.tally.handed_over += u64::from(value.is_some());
        }
    }
}

/// How many bits the string of a key has in common with that of the node at this place.
fn level(place: Place, key: u64) -> u32 {
    (bits(place.mixer, place.me) ^ place.mixer.mix(key, Salt::KEY)).leading_zeros()
}

/// For each level the first of these nodes that can be a bridge from this place: with the opposite
/// bit if there is one, otherwise one with a smaller position that shares more bits.
pub fn bridges(place: Place, nodes: &[NodeId]) -> BTreeMap<u32, NodeId> {
    let mut found = crossings(place, nodes);
    for &node in nodes.iter().filter(|node| place.at(**node) < place.here()) {
        let levels = 0..place.common_prefix(place.me, node);
        levels.for_each(|level| _ = found.entry(level).or_insert(node));
    }
    found
}

/// For each level the first of these nodes with the opposite bit.
fn crossings(place: Place, nodes: &[NodeId]) -> BTreeMap<u32, NodeId> {
    let mut found = BTreeMap::new();
    for &node in nodes.iter().filter(|node| **node != place.me) {
        found.entry(place.common_prefix(place.me, node)).or_insert(node);
    }
    found
}

impl Protocol for PrefixDht {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(env, |it, env| it.on_start(env));
        if self.is_inside {
            self.copies = self.opening.copies(self.place().me, |bound| env.choose(bound));
        }
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Invoke(op) => {
                if self.operations.invoke(op).is_some() {
                    self.begin(env);
                }
            }
            Command::Join { contact } if !self.is_inside => {
                self.is_inside = true;
                self.run(env, |it, env| it.on_command(overlay::Command::Join { contact }, env));
                for task in std::mem::take(&mut self.waiting) {
                    self.handle(task, 0, None, env);
                }
            }
            Command::Join { .. } => env.emit(Event::Joined),
            Command::Leave => {} // A bridge stays.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Overlay(msg) => self.run(env, |it, env| it.on_message(from, msg, env)),
            Msg::Verify => env.send(from, Msg::Verified),
            Msg::Verified => self.cross(from),
            Msg::Request { task, hops, met } => self.handle(task, hops, met.map(|it| *it), env),
            Msg::Done { ticket, answer, witness } => self.finish(ticket, answer, witness, env),
            Msg::Move { key, copy } => {
                self.store(key, copy);
                env.send(from, Msg::MoveAck { key, version: copy.version() });
            }
            Msg::MoveAck { key, version } => self.drop_if_moved(key, version),
            Msg::Opinion { level, held } => self.hear(from, level, held, env),
        }
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        if self.is_inside {
            self.run(env, |it, env| it.on_tick(env));
            self.verify(env);
            self.gossip(env);
            for (to, key, copy) in self.moving() {
                env.send(to, Msg::Move { key, copy });
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        let under_way = self.operations.under_way();
        under_way.and_then(|(_, op)| self.next(op.key())).into_iter().collect()
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        let mut known = self.member.knows()?;
        known.extend(self.bridges.values());
        known.extend(self.responsible.opinions());
        Some(known)
    }

    fn tells(&self, msg: &Msg) -> Vec<NodeId> {
        match msg {
            Msg::Overlay(msg) => self.member.tells(msg),
            // Its process is answered.
            Msg::Request { task, .. } => vec![task.client],
            Msg::Opinion { held, .. } => Vec::from_iter(*held),
            _ => Vec::new(),
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        let overlay = placement::lifted(self.member.legality()?);
        Some(Invariant::new("legal", move |system| {
            overlay.judge(system).map_err(|broken| broken.detail)?;
            placement::fault(system)
        }))
    }
}

#[cfg(test)]
mod tests;

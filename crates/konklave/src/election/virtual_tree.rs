//! The first node to register becomes the root of a tree of levels, and leads while it is up.
//!
//! C. Perkins, P. Bhagwat: Highly dynamic destination-sequenced distance-vector routing (DSDV) for
//! mobile computers. SIGCOMM 1994, for the sequence numbers. The labels that never get worse are
//! from J. J. Garcia-Luna-Aceves: Loop-free routing using diffusing computations. IEEE/ACM
//! Transactions on Networking 1 (1), 1993.
//!
//! # Idea
//!
//! Nodes register at a node that all know. It tells the first of them that it is the root; every
//! other node learns of the tree from a neighbour, and takes the neighbour nearest to the root as
//! its parent.
//!
//! A label (sequence number, distance) never gets worse, and a node that has lost its parent keeps
//! it. A new parent must have a strictly better label: then labels improve along parents, whatever
//! is in transit, and there are no cycles. A node without such a neighbour detaches, and so does
//! its subtree. Through neighbours that are still in the tree it asks the root for a fresh sequence
//! number, which beats all labels. If none arrives in time, the root is presumed lost, and an
//! election by [echoes](super::echo_extinction) among the remaining nodes selects the next one. It
//! begins a new term: of two sequence numbers, that of the later term is better.
//!
//! # Cost
//!
//! Messages: 2m for the tree, and at most k+1 for k nodes to register. m is the number of edges;
//! this holds if delays are equal, and more messages are needed if a longer path is faster. A tick
//! of the root costs 2m again, and the loss of the root an election in addition.
//!
//! - State: the last label received from each neighbour.
//!
//! # Assumes
//!
//! A connected network with FIFO links, and a registry that every node can reach. The patience of
//! nodes should exceed the time of an election; with less, elections can restart for ever.
//!
//! Without the registry, or if the first node has crashed, nodes elect when their patience ends. A
//! registry that restarts has lost its memory: the next node to register becomes a second root,
//! until the two learn of each other. A node that restarts before its neighbours notice can cause a
//! temporary cycle.
//!
//! - Loss: a lost message of an election costs another one, after the patience of a node ends. A
//!   lost advertisement leaves the nodes behind it at a worse level, without the leader or with an
//!   older one, until its sender advertises again, which it need not.
//! - Duplication: a duplicate is harmless, unless another message overtakes it.
//! - Crash: crashes and restarts are tolerated if neighbours are told of them and the nodes that
//!   are up stay connected. Disconnected parts have a leader each, until they meet and elect.
//! - Order: links must be FIFO, because a label that arrives late replaces a newer one.
//!
//! # Differs from the paper
//!
//! The papers route to every node; here there is one destination, and it may have to be replaced.
//! It increments its sequence number not by a clock but on demand, so that the system comes to
//! rest. Children need no messages of their own: a node's label names its parent.
//!
//! As often taught, levels are read once, and a node that has lost its parent takes any neighbour
//! with a level, even one in its own subtree: a cycle.

mod electing;
mod levels;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Protocol};
use crate::{NodeId, NodeSet};

use electing::{Election, election};
use levels::Levels;
pub use levels::{Adv, Hold, Label, Seq};

/// The messages between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the registry: registers the sender.
    Join,
    /// From the registry: the receiver is the first, and the root.
    First,
    /// To a neighbour: advertises the sender's new place in the tree.
    Adv(Adv),
    /// To a neighbour whose link is up again: the sender's place; asks for the receiver's.
    Hello(Adv),
    /// Towards the root: a detached node needs this sequence number to attach.
    Refresh(Seq),
    /// A message of the election whose winner begins the term of this number.
    Ballot(<Election as Protocol>::Msg),
}

const _: () = assert!(size_of::<Msg>() <= 28);

/// The only timer: the node has been detached for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Patience;

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VirtualTree {
    id: Id,
    registry: Registry,
    patience: Duration,
    levels: Levels,
    /// The largest sequence number requested, for this node or on behalf of others.
    wanted: Seq,
    /// The last leader reported to the application, and its term.
    leader: Option<(u32, Id)>,
    state: State,
    /// The latest election in which this node took part.
    election: Election,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Registry {
    At(NodeId),
    /// At this node; no node has registered yet.
    Empty,
    /// At this node; the first node has registered.
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// In the tree, or waiting to attach.
    Awake,
    /// Takes part in the election of a new root.
    Electing,
}

impl VirtualTree {
    /// The node `me` with this id and these neighbours. It registers at `registry`, and starts an
    /// election after it has been detached for as long as its `patience`.
    pub fn new(
        me: NodeId,
        id: Id,
        neighbours: Vec<NodeId>,
        registry: NodeId,
        patience: Duration,
    ) -> Self {
        let levels = Levels::new(me, neighbours);
        Self {
            id,
            registry: if registry == me { Registry::Empty } else { Registry::At(registry) },
            patience,
            wanted: Seq { term: 0, tick: 0 },
            leader: None,
            state: State::Asleep,
            election: election(0, id, &levels),
            levels,
        }
    }

    /// The best label that this node has had.
    pub fn label(&self) -> Label {
        self.levels.label()
    }

    /// The parent in the tree; the root is its own parent. None while detached.
    pub fn parent(&self) -> Option<NodeId> {
        self.levels.hold().map(|hold| hold.parent)
    }

    /// The neighbours that have advertised this node as their parent.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.levels.children()
    }

    /// The term in which this node waits to attach, if it does.
    fn waiting(&self) -> Option<u32> {
        let is_waiting = self.state != State::Asleep && self.levels.hold().is_none();
        is_waiting.then(|| self.term())
    }

    fn term(&self) -> u32 {
        self.levels.label().seq.term
    }
}

impl Protocol for VirtualTree {
    type Msg = Msg;
    type Timer = Patience;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        self.watch(env, |node, env| match command {
            Command::Start => node.register_if_asleep(env),
            Command::Lost(other) => node.on_lost(other, env),
            Command::Found(other) => node.on_found(other, env),
        });
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        self.watch(env, |node, env| match msg {
            Msg::Join => node.on_join(from, env),
            Msg::First => node.lead_if_new(env),
            _ if !node.levels.is_neighbour(from) => {} // Not a neighbour.
            _ if !node.levels.is_up(from) => node.wake(), // The link is not up yet.
            Msg::Adv(adv) => node.on_adv(from, adv, env),
            Msg::Hello(adv) => node.on_hello(from, adv, env),
            Msg::Refresh(seq) => node.on_refresh(seq, env),
            Msg::Ballot(msg) => node.on_ballot(from, msg, env),
        });
    }

    fn on_timer(&mut self, Patience: Patience, env: &mut impl Env<Self>) {
        self.watch(env, |node, env| {
            if node.waiting().is_some() {
                node.elect(env);
            } // Else it fired before it was cancelled.
        });
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Electing => self.election.waits_for(),
            State::Awake if self.waiting().is_some() => self.levels.up().collect(),
            State::Awake | State::Asleep => NodeSet::new(),
        }
    }
}

impl VirtualTree {
    /// Performs a transition, after which the timer runs if and only if the node is detached; it is
    /// restarted when the term changes.
    fn watch<E: Env<Self>>(&mut self, env: &mut E, transition: impl FnOnce(&mut Self, &mut E)) {
        let before = self.waiting();
        transition(self, env);
        match self.waiting() {
            after if after == before => {}
            Some(_) => env.set_timer(Patience, self.patience),
            None => env.cancel_timer(Patience),
        }
    }

    /// Registers once: a later start is ignored, as a leader exists or will be elected.
    fn register_if_asleep(&mut self, env: &mut impl Env<Self>) {
        if self.state != State::Asleep {
            return;
        }
        self.state = State::Awake;
        match self.registry {
            Registry::At(registry) => env.send(registry, Msg::Join),
            Registry::Empty => {
                self.registry = Registry::Open;
                self.lead_if_new(env);
            }
            Registry::Open => {} // The tree will reach us.
        }
    }

    /// Only the first node gets an answer: its tree will reach the others.
    fn on_join(&mut self, from: NodeId, env: &mut impl Env<Self>) {
        if self.registry == Registry::Empty {
            self.registry = Registry::Open;
            env.send(from, Msg::First);
        }
    }

    /// This node is the first and leads, unless others have held an election meanwhile.
    fn lead_if_new(&mut self, env: &mut impl Env<Self>) {
        let is_new = self.leader.is_none() && self.waiting() == Some(0);
        if is_new && self.state == State::Awake {
            env.emit(Event::Started);
            self.lead(env);
        }
    }

    fn on_lost(&mut self, other: NodeId, env: &mut impl Env<Self>) {
        if self.levels.is_neighbour(other) {
            self.change(env, |levels| levels.lose(other));
            self.elect_if_electing(env);
        }
    }

    fn on_found(&mut self, other: NodeId, env: &mut impl Env<Self>) {
        if self.levels.is_neighbour(other) {
            self.change(env, |levels| levels.find(other));
            if self.state != State::Asleep {
                env.send(other, Msg::Hello(self.levels.adv()));
            }
            self.elect_if_electing(env);
        }
    }

    fn on_adv(&mut self, from: NodeId, adv: Adv, env: &mut impl Env<Self>) {
        self.wake();
        if self.is_of_rival(&adv) {
            return self.elect(env);
        }
        let was_detached = self.levels.hold().is_none();
        self.change(env, |levels| levels.hear(from, adv));
        if was_detached && self.levels.hold().is_none() && self.levels.is_helper(&adv) {
            self.ask(from, env);
        }
    }

    /// Whether there is another root: the registry has restarted without its memory, or parts that
    /// were disconnected have met. A term should have one root, and the root of an older term
    /// cannot join the tree of a later one.
    fn is_of_rival(&self, adv: &Adv) -> bool {
        let (Some(ours), Some(theirs)) = (self.levels.hold(), adv.hold) else { return false };
        let is_at_stake = match adv.label.seq.term.cmp(&self.term()) {
            Ordering::Less => false, // The other side will detect it.
            Ordering::Equal => true,
            Ordering::Greater => self.levels.is_root(),
        };
        is_at_stake && ours.root != theirs.root
    }

    fn on_hello(&mut self, from: NodeId, adv: Adv, env: &mut impl Env<Self>) {
        let before = self.levels.adv();
        self.on_adv(from, adv, env);
        if self.levels.adv() == before {
            env.send(from, Msg::Adv(before));
        } // Else the new place was advertised to all neighbours.
    }

    fn on_refresh(&mut self, seq: Seq, env: &mut impl Env<Self>) {
        if seq.term != self.term() || seq <= self.levels.label().seq.max(self.wanted) {
            return; // It exists, or was requested already.
        }
        self.wanted = seq;
        match self.parent() {
            Some(_) if self.levels.is_root() => self.change(env, Levels::tick),
            Some(parent) => env.send(parent, Msg::Refresh(seq)),
            None => {} // The next parent will be asked.
        }
    }

    fn wake(&mut self) {
        if self.state == State::Asleep {
            self.state = State::Awake;
        }
    }

    fn lead(&mut self, env: &mut impl Env<Self>) {
        env.emit(Event::Elected);
        let me = self.id;
        self.change(env, |levels| levels.lead(me));
    }

    /// Changes the place in the tree, and advertises it if it is new.
    fn change<E: Env<Self>>(&mut self, env: &mut E, change: impl FnOnce(&mut Levels)) {
        let before = self.levels.adv();
        change(&mut self.levels);
        let after = self.levels.adv();
        if after == before {
            return;
        }
        if let Some(Hold { root, .. }) = after.hold {
            self.state = State::Awake;
            self.learn_if_new(root, env);
        }
        for other in self.levels.up() {
            env.send(other, Msg::Adv(after));
        }
        match after.hold {
            Some(Hold { parent, .. }) => {
                let is_another = before.hold.is_none_or(|hold| hold.parent != parent);
                if is_another && self.wanted > after.label.seq {
                    env.send(parent, Msg::Refresh(self.wanted));
                }
            }
            None => {
                let helpers: NodeSet = self.levels.helpers().collect();
                helpers.iter().for_each(|helper| self.ask(helper, env));
            }
        }
    }

    fn learn_if_new(&mut self, root: Id, env: &mut impl Env<Self>) {
        let news = Some((self.term(), root));
        if self.leader != news {
            self.leader = news;
            env.emit(Event::Knows(root));
        }
    }

    /// Asks, through this neighbour, for a sequence number that beats our label.
    fn ask(&mut self, helper: NodeId, env: &mut impl Env<Self>) {
        self.wanted = self.wanted.max(self.levels.label().seq.next());
        env.send(helper, Msg::Refresh(self.wanted));
    }
}

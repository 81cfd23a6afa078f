//! The first to register becomes the root of a tree of levels, and leads while it lives.
//!
//! C. Perkins, P. Bhagwat: Highly dynamic destination-sequenced distance-vector routing (DSDV) for
//! mobile computers. SIGCOMM 1994, for the sequence numbers. The labels that never get worse are
//! from J. J. Garcia-Luna-Aceves: Loop-free routing using diffusing computations. IEEE/ACM
//! Transactions on Networking 1 (1), 1993.
//!
//! # Idea
//!
//! Nodes register at one that all know. It tells the first that it is the root; everybody else
//! hears from a neighbour in the tree and takes the one that is nearest to the root as its parent.
//!
//! A label (sequence number, distance) never gets worse, and is kept by who has lost its parent.
//! New parents must have a strictly better one: then labels improve along parents, whatever is in
//! transit, and there are no cycles. Who has no such neighbour detaches, and what hangs on it does,
//! too. It asks, through those that are still in the tree, the root for a fresh sequence number,
//! which beats all labels. If nothing comes in time, the root is gone, and an election by
//! [echoes](super::echo_extinction) among those that are left makes the next one. It begins a new
//! term: of two sequence numbers, that of the later term is better.
//!
//! # Cost
//!
//! Messages: 2m for the tree, and at most k+1 for k nodes to register. m is the number of edges; so
//! many if delays are equal, more if a longer way is faster. A tick of the root costs 2m again, and
//! an election comes on top of that if the root is lost. State: what each neighbour has said last.
//!
//! # Assumes
//!
//! A connected network whose links keep the order of messages, and a registry that everybody can
//! reach. Crashes and returns are survived if neighbours are told of them and those that are up
//! stay connected. Parts that are cut off from each other have a leader each, until they meet and
//! elect. The registry forgets in a crash. Without it, or if the one that it has called first is
//! gone, nodes lose their patience and elect; but if it comes back, the next one to register is
//! first again, and leads beside the other until they hear of each other. For a moment there may be
//! a cycle through a node that is back before its neighbours miss it.
//!
//! The patience of nodes should outlast an election; with less, they can begin for ever. A lost
//! message costs a node its patience, or leaves it at a worse place, until its neighbour changes
//! its own; doubled ones are harmless unless they are overtaken.
//!
//! # Differs from the paper
//!
//! The papers route to every node, here there is one destination, and it may have to be replaced.
//! It counts not by a clock but on demand, so that everything comes to rest. Children need no
//! messages of their own: they are known by what they say about their parents.
//!
//! As it is often taught, levels are read once, and who has lost its parent takes any neighbour
//! with a level, even one below itself: a cycle.

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

/// What nodes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To the registry: I am here.
    Join,
    /// From the registry: nobody was here before. You are the root.
    First,
    /// To a neighbour: this is my place now.
    Adv(Adv),
    /// To a neighbour whose link is up again: this is my place. Where is yours?
    Hello(Adv),
    /// Towards the root: somebody cannot attach unless there is this sequence number.
    Refresh(Seq),
    /// Of the election whose winner begins the term of this number.
    Ballot(<Election as Protocol>::Msg),
}

const _: () = assert!(size_of::<Msg>() <= 28);

/// The only timer: we have been without a parent for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Patience;

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VirtualTree {
    id: Id,
    registry: Registry,
    patience: Duration,
    levels: Levels,
    /// The largest sequence number that we have asked for, for ourselves or for others.
    wanted: Seq,
    /// The last leader that our application was told of, and its term.
    leader: Option<(u32, Id)>,
    state: State,
    /// The last one that we have taken part in.
    election: Election,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Registry {
    At(NodeId),
    /// It is ours, and nobody has come.
    Empty,
    /// It is ours, and the first has come.
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// In the tree, or on the way into it.
    Awake,
    /// The root was lost.
    Electing,
}

impl VirtualTree {
    /// The node `me` with this id and these neighbours. It registers at `registry`, and calls an
    /// election when it was not in the tree for as long as its `patience`.
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

    /// The next node on the way to the root; the root itself there. None while there is no way.
    pub fn parent(&self) -> Option<NodeId> {
        self.levels.hold().map(|hold| hold.parent)
    }

    /// Those whose parent this node is, as far as it knows.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.levels.children()
    }

    /// The term in which we wait to get into the tree, if we do.
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
            _ if !node.levels.is_neighbour(from) => {} // A stranger.
            _ if !node.levels.is_up(from) => node.wake(), // It will say more when we find it.
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
            } // Else it was too late to cancel it.
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
    /// A transition, after which the timer runs if we wait to get into the tree, and from the
    /// beginning if the term is another.
    fn watch<E: Env<Self>>(&mut self, env: &mut E, transition: impl FnOnce(&mut Self, &mut E)) {
        let before = self.waiting();
        transition(self, env);
        match self.waiting() {
            after if after == before => {}
            Some(_) => env.set_timer(Patience, self.patience),
            None => env.cancel_timer(Patience),
        }
    }

    /// A start after that is nothing new: there is a leader, or there will be one.
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
            Registry::Open => {} // The first will reach us.
        }
    }

    /// Only the first gets an answer: it will reach the others.
    fn on_join(&mut self, from: NodeId, env: &mut impl Env<Self>) {
        if self.registry == Registry::Empty {
            self.registry = Registry::Open;
            env.send(from, Msg::First);
        }
    }

    /// We are the first, unless others have lost their patience meanwhile.
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

    /// Whether there is another root: the registry has come back and forgotten ours, or parts that
    /// were cut off from each other have met. Within a term there should be one, and an older one
    /// cannot join the younger's tree.
    fn is_of_rival(&self, adv: &Adv) -> bool {
        let (Some(ours), Some(theirs)) = (self.levels.hold(), adv.hold) else { return false };
        let is_at_stake = match adv.label.seq.term.cmp(&self.term()) {
            Ordering::Less => false, // They will find out.
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
        } // Else we have told everybody.
    }

    fn on_refresh(&mut self, seq: Seq, env: &mut impl Env<Self>) {
        if seq.term != self.term() || seq <= self.levels.label().seq.max(self.wanted) {
            return; // It is there or on its way.
        }
        self.wanted = seq;
        match self.parent() {
            Some(_) if self.levels.is_root() => self.change(env, Levels::tick),
            Some(parent) => env.send(parent, Msg::Refresh(seq)),
            None => {} // Our next parent will hear of it.
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

    /// A change of our place, and what follows from it.
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

    /// Asks for a sequence number that beats our label.
    fn ask(&mut self, helper: NodeId, env: &mut impl Env<Self>) {
        self.wanted = self.wanted.max(self.levels.label().seq.next());
        env.send(helper, Msg::Refresh(self.wanted));
    }
}

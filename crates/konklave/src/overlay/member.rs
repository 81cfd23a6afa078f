//! Membership: how a node joins an overlay, keeps it in shape, searches in it and leaves it.
//!
//! To join, a node needs nothing but the address of a node that takes part. To leave, it tells all
//! nodes that it knows, and all that it hears from, until each has confirmed: each forgets it for
//! good (a tombstone) and learns the others in its place. When all have confirmed and nothing has
//! arrived for a while, it goes.
//!
//! An address that it learns meanwhile goes to a node that is nearer to it, if it knows one. If it
//! kept all of them, it would have to tell the neighbours of its neighbours that leave at the same
//! time, and theirs, too: as soon as nodes that leave are connected with each other throughout the
//! network, each of them would have to tell everybody.
//!
//! An address is never used again, so a tombstone is right for ever. Without tombstones, nodes that
//! have not heard yet introduce the leaving one again and again.

mod leaving;

use std::fmt::{self, Debug};

use leaving::{Leaving, insert, remove};

use super::{Command, Event, Hop, Msg, Overlay, Place, Shape, Side, Start, place};
use crate::NodeId;
use crate::circle::Point;
use crate::protocol::{Env, Invariant, Never, Protocol, Snapshot};

/// One node that joins, takes part in and leaves an overlay.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Member<O> {
    overlay: O,
    mode: Mode,
    /// The nodes that are known to have left, sorted.
    gone: Vec<NodeId>,
    /// The positions that it searches for, sorted: an answer can come twice.
    wanted: Vec<Point>,
    /// How many turns it waits before it goes, once all have confirmed.
    grace: u32,
    /// Until it starts; apart, because it is large.
    start: Option<Box<Start>>,
}

/// Without its beginning, which is over.
impl<O: Debug> Debug for Member<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { overlay, mode, gone, wanted, .. } = self;
        let mut shown = f.debug_struct("Member");
        shown.field("overlay", overlay).field("mode", mode);
        shown.field("gone", gone).field("wanted", wanted).finish()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Outside,
    Inside,
    /// Apart, because it is large, and few leave at a time.
    Leaving(Box<Leaving>),
    Gone,
}

impl<O: Overlay> Member<O> {
    /// A node at this place; before it leaves, it waits for so many turns in silence.
    pub fn new(place: Place, start: Start, grace: u32) -> Self {
        let (gone, wanted) = (Vec::new(), Vec::new());
        let start = (start != Start::Outside).then(|| Box::new(start));
        Self { overlay: O::new(place), mode: Mode::Outside, gone, wanted, grace, start }
    }

    /// Whether it takes part, and is not about to leave.
    pub fn is_inside(&self) -> bool {
        self.mode == Mode::Inside
    }

    /// What it knows about the network.
    pub fn overlay(&self) -> &O {
        &self.overlay
    }

    /// The node that follows it around the circle, as far as it knows.
    pub fn successor(&self) -> Option<NodeId> {
        self.overlay.neighbours(Side::Right).next().or(self.overlay.ring())
    }

    /// The node that is responsible in its place once it has left, as far as it knows: the one
    /// before it around the circle, or anybody.
    pub fn heir(&self) -> Option<NodeId> {
        let left = self.overlay.neighbours(Side::Left).next().or(self.overlay.ring());
        let left = left.or(self.overlay.neighbours(Side::Right).next());
        match &self.mode {
            Mode::Leaving(leaving) => left.or(leaving.peers.first().copied()).or(leaving.last),
            _ => left,
        }
    }

    fn me(&self) -> NodeId {
        self.overlay.place().me
    }

    fn is_gone(&self, node: NodeId) -> bool {
        self.gone.binary_search(&node).is_ok()
    }

    /// Remembers that a node has left, and forgets its address.
    pub(crate) fn bury(&mut self, node: NodeId) {
        self.overlay.forget(node);
        insert(&mut self.gone, node);
        if let Mode::Leaving(leaving) = &mut self.mode {
            leaving.lose(node);
        }
    }

    fn receive(&mut self, msg: Shape, env: &mut impl Env<Self>) {
        if self.is_gone(msg.node()) {
            return;
        }
        match &mut self.mode {
            Mode::Inside => {
                self.overlay.receive(msg, &mut |to, msg| env.send(to, Msg::Shape(msg)));
            }
            Mode::Leaving(leaving) if msg.node() != self.overlay.place().me => {
                leaving.quiet = 0;
                // Only to a node that is nearer to it, so that it does not go in circles.
                let place = self.overlay.place();
                let far = |node: NodeId| place.at(node).0.abs_diff(place.at(msg.node()).0);
                let peers = leaving.peers.iter().copied();
                let nearer = peers.filter(|peer| far(*peer) < far(place.me));
                match nearer.min_by_key(|peer| far(*peer)) {
                    None => leaving.meet(msg.node()),
                    Some(peer) if peer == msg.node() => {} // It was told.
                    Some(peer) => env.send(peer, Msg::Shape(Shape::Intro(msg.node()))),
                }
            }
            Mode::Leaving(_) | Mode::Outside | Mode::Gone => {}
        }
    }

    /// A node leaves: it is forgotten, and those that it knew are learned. Once is enough.
    fn part_from(&mut self, node: NodeId, others: &[NodeId], env: &mut impl Env<Self>) {
        if !self.is_gone(node) {
            self.bury(node);
            others.iter().for_each(|&other| self.receive(Shape::Intro(other), env));
        }
        if let Mode::Leaving(leaving) = &mut self.mode {
            leaving.last = Some(node);
        }
        env.send(node, Msg::ByeAck);
    }

    /// The turn of a node that leaves: it tells those that have not confirmed it. If it may go, it
    /// goes after a while of silence; a host may have something to finish first.
    pub(crate) fn bid_farewell(&mut self, may_go: bool, env: &mut impl Env<Self>) {
        let Mode::Leaving(leaving) = &mut self.mode else { return };
        let Leaving { peers, untold, quiet, .. } = &mut **leaving;
        for &peer in untold.iter() {
            let others = peers.iter().copied().filter(|other| *other != peer);
            env.send(peer, Msg::Bye { others: others.collect() });
        }
        *quiet = if untold.is_empty() && may_go { *quiet + 1 } else { 0 };
        if *quiet > self.grace {
            self.mode = Mode::Gone;
            env.emit(Event::Left);
            env.leave();
        }
    }

    /// Passes a search on, or answers it. A node that leaves answers only if nobody else is left.
    fn search(&mut self, origin: NodeId, point: Point, hops: u32, env: &mut impl Env<Self>) {
        let heir = self.heir().filter(|_| matches!(self.mode, Mode::Leaving(_)));
        let next = match self.overlay.next(point) {
            Hop::To(node) => Some(node),
            Hop::Here => heir,
        };
        match next {
            Some(next) => env.send(next, Msg::Search { origin, point, hops: hops + 1 }),
            None if origin == self.me() => self.end_search(point, origin, hops, env),
            None => env.send(origin, Msg::Found { point, hops }),
        }
    }

    fn end_search(&mut self, point: Point, node: NodeId, hops: u32, env: &mut impl Env<Self>) {
        // Else the answer is a duplicate.
        if let Ok(index) = self.wanted.binary_search(&point) {
            self.wanted.remove(index);
            env.emit(Event::Found { point, node, hops });
        }
    }

    /// What a legal system lacks: each node inside holds just the addresses that it should.
    fn fault(system: &Snapshot<'_, Self>) -> Result<(), String> {
        let Some(first) = system.nodes.first() else { return Ok(()) };
        let mixer = first.overlay.place().mixer;
        if let Some(node) = system.nodes.iter().find(|node| matches!(node.mode, Mode::Leaving(_))) {
            return Err(format!("node {} is about to leave", node.me()));
        }
        let inside = system.nodes.iter().filter(|node| node.is_inside()).map(|node| node.me());
        let members = place::sorted(mixer, inside);
        let is_inside =
            |node: NodeId| system.nodes.get(node.index()).is_some_and(|it| it.is_inside());
        for (_, to, msg) in system.messages {
            if let Some(node) = mentions(msg).into_iter().find(|node| !is_inside(*node)) {
                return Err(format!("a message to node {to} mentions node {node}, an outsider"));
            }
        }
        let ends = members.first().zip(members.last()).filter(|_| members.len() > 1);
        for (&node, mut ideal) in members.iter().zip(O::ideal(mixer, &members)) {
            let overlay = &system.nodes[node.index()].overlay;
            let mut kept = overlay.kept();
            ideal.sort_unstable();
            kept.sort_unstable();
            // The right addresses on the wrong sides are not legal either.
            let beside = Side::BOTH.into_iter().flat_map(|side| overlay.neighbours(side)).count();
            if kept != ideal || beside != kept.len() {
                return Err(format!("node {node} knows {kept:?} instead of {ideal:?}"));
            }
            let other_end = ends.filter(|_| O::CLOSES).and_then(|(&first, &last)| match node {
                it if it == first => Some(last),
                it if it == last => Some(first),
                _ => None,
            });
            if overlay.ring() != other_end {
                let (ring, right) = (shown(overlay.ring()), shown(other_end));
                return Err(format!(
                    "node {node} takes {ring} for the other end instead of {right}"
                ));
            }
        }
        Ok(())
    }
}

fn shown(node: Option<NodeId>) -> String {
    node.map_or("nobody".to_owned(), |node| format!("node {node}"))
}

/// The addresses in a message that its receiver keeps.
fn mentions(msg: &Msg) -> Vec<NodeId> {
    match msg {
        Msg::Shape(msg) => vec![msg.node()],
        Msg::Bye { others } => others.to_vec(),
        Msg::ByeAck | Msg::Search { .. } | Msg::Found { .. } => Vec::new(),
    }
}

impl<O: Overlay> Protocol for Member<O> {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        let me = self.me();
        let Some(start) = self.start.take() else { return };
        match *start {
            Start::Outside => return,
            Start::Knowing { held, end, mut mail } => {
                mail.extend(held.into_iter().filter(|&node| !self.overlay.hold(node)));
                mail.extend(end.filter(|&node| !self.overlay.hold_end(node)));
                mail.into_iter().for_each(|it| env.send(me, Msg::Shape(Shape::Intro(it))));
            }
            Start::Any { nodes, posts } => {
                self.overlay = O::any(self.overlay.place(), nodes, &mut |bound| env.choose(bound));
                let kinds = if O::CLOSES { 3 } else { 1 };
                let stray = if posts { env.choose(1 + kinds * nodes * nodes) } else { 0 };
                if let Some(stray) = stray.checked_sub(1) {
                    let (to, rest) = (NodeId(stray % nodes), stray / nodes);
                    let node = NodeId(rest % nodes);
                    let msg =
                        [Shape::Intro, Shape::Probe, Shape::ProbeAck][(rest / nodes) as usize];
                    env.send(to, Msg::Shape(msg(node)));
                }
            }
        }
        self.mode = Mode::Inside;
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, &self.mode) {
            (Command::Join { contact }, Mode::Outside) => {
                self.overlay.hold(contact);
                self.mode = Mode::Inside;
                env.emit(Event::Joined);
            }
            (Command::Leave, Mode::Inside) => {
                let me = self.me();
                let mut peers = self.overlay.known();
                peers.retain(|peer| *peer != me);
                peers.sort_unstable();
                peers.dedup();
                self.mode = Mode::Leaving(Box::new(Leaving::new(peers)));
            }
            (Command::Search(point), Mode::Inside | Mode::Leaving(_)) => {
                let index = self.wanted.partition_point(|it| *it < point);
                self.wanted.insert(index, point);
                self.search(self.me(), point, 0, env);
            }
            _ => {}
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Shape(msg) => {
                if let Mode::Leaving(leaving) = &mut self.mode
                    && from != self.overlay.place().me
                    && self.gone.binary_search(&from).is_err()
                {
                    leaving.quiet = 0;
                    leaving.meet(from);
                }
                self.receive(msg, env);
            }
            Msg::Bye { others } => self.part_from(from, &others, env),
            Msg::ByeAck => {
                if let Mode::Leaving(leaving) = &mut self.mode {
                    remove(&mut leaving.untold, from);
                }
            }
            Msg::Search { origin, point, hops } => self.search(origin, point, hops, env),
            Msg::Found { point, hops } => self.end_search(point, from, hops, env),
        }
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        match self.mode {
            Mode::Inside => self.overlay.tick(&mut |to, msg| env.send(to, Msg::Shape(msg))),
            Mode::Leaving(_) => self.bid_farewell(true, env),
            Mode::Outside | Mode::Gone => {}
        }
    }

    /// The receiver has left. What was meant for it is kept: an address is learned, a search goes
    /// another way.
    fn on_returned(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        self.bury(to);
        match msg {
            Msg::Shape(msg) if msg.node() != self.me() => {
                self.receive(Shape::Intro(msg.node()), env);
            }
            Msg::Search { origin, point, hops } => self.search(origin, point, hops, env),
            _ => {}
        }
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        match &self.mode {
            Mode::Inside => Some(self.overlay.known()),
            Mode::Leaving(leaving) => {
                Some(leaving.peers.iter().copied().chain(leaving.last).collect())
            }
            Mode::Outside | Mode::Gone => None,
        }
    }

    /// Also the node that searches: the answer goes there, though its address is not kept.
    fn tells(&self, msg: &Msg) -> Vec<NodeId> {
        match msg {
            Msg::Search { origin, .. } => vec![*origin],
            msg => mentions(msg),
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        Some(Invariant::new("legal", Self::fault))
    }
}

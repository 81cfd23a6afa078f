//! A small world that does one step at a time, so that every state of a run can be looked at.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use konklave::election::{Command, Event};
use konklave::protocol::{Effect, Input, Protocol};
use konklave::{NodeId, NodeSet, Recorder};
use konklave_sim::random::Random;

/// A node with a place in a tree.
pub(super) trait InTree: Protocol<Command = Command, Event = Event> {
    /// The next node on the way to the root; itself at the root.
    fn parent(&self) -> Option<NodeId>;
}

pub(super) struct World<P: Protocol> {
    pub(super) neighbours: Vec<Vec<NodeId>>,
    /// None while they are down.
    pub(super) nodes: Vec<Option<P>>,
    /// What is on the way from one to another, in order.
    channels: BTreeMap<(NodeId, NodeId), VecDeque<P::Msg>>,
    /// What applications are about to tell their nodes, in order.
    notices: BTreeMap<NodeId, VecDeque<Command>>,
    timers: BTreeSet<(NodeId, P::Timer)>,
    pub(super) leaders: NodeSet,
    random: Random,
}

impl<P: InTree> World<P> {
    pub(super) fn new(neighbours: Vec<Vec<NodeId>>, nodes: Vec<P>, random: Random) -> Self {
        Self {
            neighbours,
            nodes: nodes.into_iter().map(Some).collect(),
            channels: BTreeMap::new(),
            notices: BTreeMap::new(),
            timers: BTreeSet::new(),
            leaders: NodeSet::new(),
            random,
        }
    }

    pub(super) fn up(&self) -> impl Iterator<Item = NodeId> + '_ {
        let all = NodeId::all(self.nodes.len() as u32);
        all.filter(|node| self.nodes[node.index()].is_some())
    }

    pub(super) fn node(&self, node: NodeId) -> Option<&P> {
        self.nodes[node.index()].as_ref()
    }

    pub(super) fn draw(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// The application will say this, after what it has said already.
    pub(super) fn command(&mut self, node: NodeId, command: Command) {
        self.notices.entry(node).or_default().push_back(command);
    }

    pub(super) fn send(&mut self, from: NodeId, to: NodeId, msg: P::Msg) {
        self.channels.entry((from, to)).or_default().push_back(msg);
    }

    /// Whether everybody has been told of everything.
    pub(super) fn is_noticed(&self) -> bool {
        self.notices.is_empty()
    }

    /// The node is gone, with all that is on the way to it or from it.
    pub(super) fn crash(&mut self, node: NodeId) {
        self.nodes[node.index()] = None;
        self.leaders.remove(node);
        self.channels.retain(|&(from, to), _| from != node && to != node);
        self.timers.retain(|&(owner, _)| owner != node);
        self.notices.remove(&node);
        for other in self.up().collect::<Vec<_>>() {
            self.command(other, Command::Lost(node));
        }
    }

    /// The node is back, and has forgotten everything.
    pub(super) fn restart(&mut self, node: NodeId, fresh: P) {
        let all = NodeId::all(self.nodes.len() as u32);
        let (up, down): (Vec<_>, Vec<_>) = all
            .filter(|&other| other != node)
            .partition(|other| self.nodes[other.index()].is_some());
        self.nodes[node.index()] = Some(fresh);
        up.into_iter().for_each(|other| self.command(other, Command::Found(node)));
        down.into_iter().for_each(|other| self.command(node, Command::Lost(other)));
        self.command(node, Command::Start);
    }

    /// The link is gone, with all that is on it.
    pub(super) fn cut(&mut self, a: NodeId, b: NodeId) {
        for (me, other) in [(a, b), (b, a)] {
            self.channels.remove(&(me, other));
            self.command(me, Command::Lost(other));
        }
    }

    /// Something happens, if there is anything. Timers outlast messages.
    pub(super) fn step(&mut self) -> bool {
        let (messages, notices) = (self.channels.len() as u64, self.notices.len() as u64);
        if messages + notices == 0 {
            let pending = self.timers.len() as u64;
            let Some(place) = (pending > 0).then(|| self.random.below(pending)) else {
                return false;
            };
            let (node, timer) = self.timers.iter().nth(place as usize).cloned().unwrap();
            self.timers.remove(&(node, timer.clone()));
            self.happen(node, Input::Timer(timer));
            return true;
        }
        match self.random.below(messages + notices) {
            place if place < messages => {
                let (from, to) = *self.channels.keys().nth(place as usize).unwrap();
                let msg = take(&mut self.channels, &(from, to));
                self.happen(to, Input::Message { from, msg });
            }
            place => {
                let node = *self.notices.keys().nth((place - messages) as usize).unwrap();
                let command = take(&mut self.notices, &node);
                self.happen(node, Input::Command(command));
            }
        }
        true
    }

    fn happen(&mut self, node: NodeId, input: Input<P>) {
        let Some(state) = &mut self.nodes[node.index()] else { return };
        let mut env = Recorder::default();
        state.on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, .. } if self.nodes[to.index()].is_none() => {}
                Effect::Send { to, msg } => self.send(node, to, msg),
                Effect::SetTimer { timer, .. } => {
                    self.timers.insert((node, timer));
                }
                Effect::CancelTimer(timer) => {
                    self.timers.remove(&(node, timer));
                }
                Effect::Emit(Event::Elected) => {
                    self.leaders.insert(node);
                }
                Effect::Emit(Event::SteppedDown) => {
                    self.leaders.remove(node);
                }
                Effect::Emit(_) | Effect::Choose { .. } | Effect::Leave => {}
            }
        }
    }

    /// A node whose parents lead back to it.
    pub(super) fn cycle(&self) -> Option<NodeId> {
        let parent = |node: &NodeId| self.node(*node)?.parent().filter(|parent| parent != node);
        let leads_back = |start: &NodeId| {
            let way = std::iter::successors(parent(start), parent);
            way.take(self.nodes.len()).any(|node| node == *start)
        };
        self.up().find(leads_back)
    }

    /// How far those that are up, and reachable, are from `start`.
    pub(super) fn distances(&self, start: NodeId) -> BTreeMap<NodeId, u32> {
        let mut distances = BTreeMap::from([(start, 0)]);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            let next = distances[&node] + 1;
            for &other in &self.neighbours[node.index()] {
                if self.node(other).is_some() && !distances.contains_key(&other) {
                    distances.insert(other, next);
                    queue.push_back(other);
                }
            }
        }
        distances
    }

    /// Whether those that are up could reach each other, if `other` were down or up instead.
    pub(super) fn would_be_connected(&mut self, other: NodeId, instead: Option<P>) -> bool {
        let before = std::mem::replace(&mut self.nodes[other.index()], instead);
        let first = self.up().next();
        let is_connected =
            first.is_some_and(|first| self.distances(first).len() == self.up().count());
        self.nodes[other.index()] = before;
        is_connected
    }
}

fn take<K: Ord, T>(queues: &mut BTreeMap<K, VecDeque<T>>, key: &K) -> T {
    let queue = queues.get_mut(key).unwrap();
    let first = queue.pop_front().unwrap();
    if queue.is_empty() {
        queues.remove(key);
    }
    first
}

//! Whole systems in tests: random schedules, in which messages overtake each other and nodes join
//! and leave.

use std::collections::{BTreeMap, BTreeSet};

use super::{Command, DictionaryOp, Event, Monitor};
use crate::circle::{Arc, Arcs, Mixer, Salt};
use crate::object::Places;
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{Member, Overlay, Place, Start, place};
use crate::protocol::{Broken, Effect, Input, Invariant, Monitor as _, Protocol, Snapshot};
use crate::{NodeId, Recorder};

/// Numbers that look random, the same for the same seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed << 20)
    }

    fn seed(&self) -> u64 {
        self.0 >> 20
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        Mixer::new(17).mix(self.0, Salt(99)) % bound
    }
}

/// What each of the first nodes of a legal network knows; the others are outside.
pub(super) fn legal(mixer: Mixer, members: u32, total: u32) -> Vec<Start> {
    let order = place::sorted(mixer, NodeId::all(members));
    let (first, last) = (order[0], order[order.len() - 1]);
    let mut starts = vec![Start::Outside; total as usize];
    for (&node, held) in order.iter().zip(SkipPlus::ideal(mixer, &order)) {
        let end = [(first, last), (last, first)].into_iter().find(|it| it.0 == node && members > 1);
        starts[node.index()] = Start::Knowing { held, end: end.map(|it| it.1), mail: Vec::new() };
    }
    starts
}

/// The same for a random tree.
pub(super) fn tree(members: u32, total: u32, dice: &mut Dice) -> Vec<Start> {
    let mut starts = vec![Start::Outside; total as usize];
    for node in 0..members {
        let known = (node > 0).then(|| NodeId(dice.below(node.into()) as u32));
        let held = known.into_iter().collect();
        starts[node as usize] = Start::Knowing { held, end: None, mail: Vec::new() };
    }
    starts
}

/// The part of the circle of each member.
pub(super) fn parts(mixer: Mixer, members: u32, total: u32) -> Vec<Option<Arcs>> {
    let order = place::sorted(mixer, NodeId::all(members));
    let mut parts = vec![None; total as usize];
    for (node, next) in order.iter().zip(order.iter().cycle().skip(1)) {
        let mut own = Arcs::default();
        own.add(Arc::up_to(mixer.node(*node), mixer.node(*next)));
        parts[node.index()] = Some(own);
    }
    parts
}

pub(super) fn member(me: NodeId, mixer: Mixer, starts: &[Start], grace: u32) -> Member<SkipPlus> {
    Member::new(Place::new(me, mixer), starts[me.index()].clone(), grace)
}

/// Nodes, what is in transit between them, and a monitor.
pub(super) struct Chaos<P: Protocol> {
    pub(super) nodes: Vec<P>,
    pub(super) monitor: Monitor,
    pub(super) dice: Dice,
    pub(super) sent: u64,
    pub(super) events: Vec<(NodeId, Event)>,
    mail: Vec<(NodeId, NodeId, P::Msg)>,
    /// What comes back, as its receiver has left.
    returning: Vec<(NodeId, NodeId, P::Msg)>,
    gone: BTreeSet<NodeId>,
    lemmas: Vec<Invariant<P>>,
}

impl<P: Protocol<Command = Command, Event = Event>> Chaos<P> {
    pub(super) fn new(nodes: Vec<P>, dice: Dice) -> Self {
        let mut chaos = Self {
            lemmas: nodes[0].invariants(),
            monitor: Monitor::new(Places::OfPart),
            dice,
            sent: 0,
            events: Vec::new(),
            mail: Vec::new(),
            returning: Vec::new(),
            gone: BTreeSet::new(),
            nodes,
        };
        let all = NodeId::all(chaos.nodes.len() as u32);
        all.for_each(|node| chaos.step(node, Input::Start));
        chaos
    }

    pub(super) fn step(&mut self, me: NodeId, input: Input<P>) {
        if let Input::Command(command) = &input {
            let seen = self.monitor.on_command(me, command);
            self.demand(seen);
        }
        let choices: Vec<u32> = (0..20).map(|_| self.dice.below(3) as u32).collect();
        let mut recorder = Recorder::choosing(&choices);
        self.nodes[me.index()].on(input, &mut recorder);
        for effect in recorder.take() {
            match effect {
                Effect::Send { to, msg } => {
                    self.sent += 1;
                    self.mail.push((me, to, msg));
                }
                Effect::Emit(event) => {
                    let seen = self.monitor.on_event(me, &event);
                    self.demand(seen);
                    self.events.push((me, event));
                }
                Effect::Leave => _ = self.gone.insert(me),
                _ => {}
            }
        }
        self.judge(&self.lemmas);
    }

    fn judge(&self, lemmas: &[Invariant<P>]) {
        let nodes: Vec<&P> = self.nodes.iter().collect();
        let transit = self.mail.iter().chain(&self.returning);
        let messages: Vec<_> = transit.map(|(from, to, msg)| (*from, *to, msg)).collect();
        let system = Snapshot { nodes: &nodes, messages: &messages };
        lemmas.iter().for_each(|lemma| self.demand(lemma.judge(&system)));
    }

    fn demand(&self, verdict: Result<(), Broken>) {
        let seed = self.dice.seed();
        verdict.unwrap_or_else(|broken| panic!("seed {seed}: {broken:?}"));
    }

    /// Whether the lemma holds now.
    pub(super) fn holds(&self, lemma: &Invariant<P>) -> bool {
        let nodes: Vec<&P> = self.nodes.iter().collect();
        let messages: Vec<_> = self.mail.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
        lemma.judge(&Snapshot { nodes: &nodes, messages: &messages }).is_ok()
    }

    /// About as many deliveries as messages are in transit, and a turn of most nodes; the lazier
    /// the schedule (0 to 9), the more is left for later.
    pub(super) fn round(&mut self, laziness: u64) {
        for _ in 0..self.mail.len() + self.returning.len() {
            if self.dice.below(10) < laziness {
                continue;
            }
            let count = (self.mail.len() + self.returning.len()) as u64;
            match (self.dice.below(count.max(1)) as usize, self.mail.len()) {
                (place, length) if place < length => self.deliver(place),
                (place, length) if place < length + self.returning.len() => {
                    let (from, to, msg) = self.returning.swap_remove(place - length);
                    self.step(from, Input::Returned { to, msg });
                }
                _ => {}
            }
        }
        for node in NodeId::all(self.nodes.len() as u32) {
            if !self.gone.contains(&node) && self.dice.below(10) >= laziness / 2 {
                self.step(node, Input::Tick);
            }
        }
    }

    fn deliver(&mut self, place: usize) {
        let (from, to, msg) = self.mail.swap_remove(place);
        match (self.gone.contains(&to), self.gone.contains(&from)) {
            (false, _) => self.step(to, Input::Message { from, msg }),
            (true, false) => self.returning.push((from, to, msg)),
            (true, true) => {} // Nobody is left to get it back.
        }
    }

    /// Processes invoke operations on eight keys, join and leave, until all have what they asked
    /// for.
    pub(super) fn live(&mut self, members: u32, churn: (u32, u32), ops: u32, laziness: u64) {
        let (mut joins, mut leaves) = churn;
        let mut inside: Vec<NodeId> = NodeId::all(members).collect();
        let mut left = vec![ops; self.nodes.len()];
        let mut contacts: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let (mut seen, mut value) = (0, 0);
        for _ in 0..4000 {
            for (node, event) in self.events.split_off(seen) {
                seen = 0;
                if event == Event::Joined {
                    contacts.remove(&node);
                    inside.push(node);
                }
            }
            let some = self.dice.below(inside.len() as u64) as usize;
            let node = inside[some];
            if joins > 0 && self.dice.below(4) == 0 {
                let newcomer = NodeId(self.nodes.len() as u32 - joins);
                joins -= 1;
                contacts.insert(newcomer, node);
                self.step(newcomer, Input::Command(Command::Join { contact: node }));
            } else if leaves > 0
                && inside.len() > 1
                && self.dice.below(4) == 0
                && !contacts.values().any(|it| *it == node)
            {
                leaves -= 1;
                inside.swap_remove(some);
                self.step(node, Input::Command(Command::Leave));
            } else if left[node.index()] > 0 {
                left[node.index()] -= 1;
                value += 1;
                let key = self.dice.below(8);
                let op = match self.dice.below(5) {
                    0 | 1 => DictionaryOp::Put { key, value },
                    2 => DictionaryOp::Delete(key),
                    _ => DictionaryOp::Get(key),
                };
                self.step(node, Input::Command(Command::Invoke(op)));
            }
            self.round(laziness);
            let is_over = joins + leaves == 0 && inside.iter().all(|node| left[node.index()] == 0);
            if is_over && contacts.is_empty() && self.monitor.at_rest().is_ok() {
                return;
            }
        }
        panic!("seed {}: {:?}", self.dice.seed(), self.monitor.at_rest());
    }
}

//! All schedules of a small system: what is in flight arrives whenever it likes.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use konklave::mutex::{Command, Event, Phase};
use konklave::protocol::{Effect, Protocol};
use konklave::{NodeId, Recorder};

/// Nodes, what is in flight between them, and how often each still wants to enter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct System<P: Protocol> {
    pub(super) nodes: Vec<P>,
    pub(super) channels: BTreeMap<(NodeId, NodeId), VecDeque<P::Msg>>,
    pub(super) phases: Vec<Phase>,
    pub(super) wanted: Vec<u32>,
    /// Whether channels keep the order of messages.
    fifo: bool,
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Acquire(NodeId),
    Release(NodeId),
    /// The message at this place of this channel arrives.
    Deliver(NodeId, NodeId, usize),
}

impl<P: Protocol<Command = Command, Event = Event>> System<P> {
    /// Nodes that want to enter so often, after they have started and come to rest.
    pub(super) fn new(wanted: &[u32], fifo: bool, make: impl Fn(NodeId) -> P) -> Self {
        let count = wanted.len() as u32;
        let mut system = Self {
            nodes: NodeId::all(count).map(make).collect(),
            channels: BTreeMap::new(),
            phases: vec![Phase::Idle; wanted.len()],
            wanted: vec![0; wanted.len()],
            fifo,
        };
        for node in NodeId::all(count) {
            system.transition(node, |node, env| node.on_start(env));
        }
        while let Some(&step) = system.steps().first() {
            system.take(step);
        }
        system.wanted = wanted.to_vec();
        system
    }

    /// Everything that can happen next.
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for node in NodeId::all(self.nodes.len() as u32) {
            match self.phases[node.index()] {
                Phase::Idle if self.wanted[node.index()] > 0 => steps.push(Step::Acquire(node)),
                Phase::Inside => steps.push(Step::Release(node)),
                Phase::Idle | Phase::Waiting => {}
            }
        }
        for (&(from, to), messages) in &self.channels {
            let places = if self.fifo { 1 } else { messages.len() };
            steps.extend((0..places).map(|place| Step::Deliver(from, to, place)));
        }
        steps
    }

    /// Lets it happen: the number of messages sent.
    pub(super) fn take(&mut self, step: Step) -> u64 {
        match step {
            Step::Acquire(node) => {
                self.wanted[node.index()] -= 1;
                self.phases[node.index()] = Phase::Waiting;
                self.transition(node, |node, env| node.on_command(Command::Acquire, env))
            }
            Step::Release(node) => {
                self.phases[node.index()] = Phase::Idle;
                self.transition(node, |node, env| node.on_command(Command::Release, env))
            }
            Step::Deliver(from, to, place) => {
                let channel = self.channels.get_mut(&(from, to)).expect("something is in flight");
                let msg = channel.remove(place).expect("it is in flight");
                if channel.is_empty() {
                    self.channels.remove(&(from, to));
                }
                self.transition(to, |node, env| node.on_message(from, msg, env))
            }
        }
    }

    fn transition(&mut self, me: NodeId, act: impl FnOnce(&mut P, &mut Recorder<P>)) -> u64 {
        let mut env = Recorder::default();
        act(&mut self.nodes[me.index()], &mut env);
        let mut sent = 0;
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    self.channels.entry((me, to)).or_default().push_back(msg);
                    sent += 1;
                }
                Effect::Emit(Event::Granted) => {
                    assert!(!self.phases.contains(&Phase::Inside), "two are inside: {self:?}");
                    self.phases[me.index()] = Phase::Inside;
                }
                effect => panic!("{effect} has no place here"),
            }
        }
        sent
    }

    /// The messages of the cheapest and of the costliest schedule; none if some schedule gets
    /// stuck. `check` looks at every state.
    pub(super) fn extremes(&self, check: &impl Fn(&Self)) -> Option<(u64, u64)> {
        self.explore(check, &mut BTreeMap::new())
    }

    fn explore(
        &self,
        check: &impl Fn(&Self),
        known: &mut BTreeMap<[u64; 2], (u64, u64)>,
    ) -> Option<(u64, u64)> {
        let key = self.key();
        if let Some(&found) = known.get(&key) {
            return Some(found);
        }
        check(self);
        let steps = self.steps();
        if steps.is_empty() && self.phases.contains(&Phase::Waiting) {
            return None;
        }
        let mut found = if steps.is_empty() { (0, 0) } else { (u64::MAX, 0) };
        for step in steps {
            let mut next = self.clone();
            let sent = next.take(step);
            let (least, most) = next.explore(check, known)?;
            found = (found.0.min(sent + least), found.1.max(sent + most));
        }
        known.insert(key, found);
        Some(found)
    }

    /// Two hashes instead of the state: it would fill the memory.
    fn key(&self) -> [u64; 2] {
        [1_u8, 2].map(|salt| {
            let mut hasher = DefaultHasher::new();
            (salt, self).hash(&mut hasher);
            hasher.finish()
        })
    }
}

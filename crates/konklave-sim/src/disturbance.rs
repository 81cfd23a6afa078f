//! Planned faults as they happen: crashes, pauses, partitions, garbage.

use std::collections::btree_map::Entry;
use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{Env, Input, Monitor, Protocol};
use konklave::trace::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::faults::{Faults, Target};
use crate::occurrence::{FORGED, NOBODY, Occurrence, Peer, What};
use crate::random::{Random, Stream};
use crate::rounds::Cause;
use crate::simulation::Simulation;
use crate::workload::Workload;
use konklave_stage::erased::Value;

/// One end of a planned fault.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    pub(crate) at: u64,
    what: Turn,
}

/// Why a node cannot act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It has crashed.
    Down,
    /// It is paused; what has reached it since waits in the simulation's inbox.
    Paused,
}

#[derive(Clone, Debug)]
enum Turn {
    Crash(NodeId),
    Restart(NodeId),
    Pause(NodeId),
    Resume(NodeId),
    Partition(String),
    Heal(String),
    Corrupt(Target),
}

/// What happens when, in the order of the options. Ends come before beginnings of the same tick.
pub(crate) fn plan(faults: &Faults) -> Vec<Disturbance> {
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    let mut add = |from, begin, to: Option<u64>, end| {
        begins.push(Disturbance { at: from, what: begin });
        ends.extend(to.map(|at| Disturbance { at, what: end }));
    };
    for crash in &faults.crashes {
        add(crash.from, Turn::Crash(crash.node), crash.to, Turn::Restart(crash.node));
    }
    for pause in &faults.pauses {
        add(pause.from, Turn::Pause(pause.node), pause.to, Turn::Resume(pause.node));
    }
    for partition in &faults.partitions {
        let text = partition.to_string();
        add(partition.from, Turn::Partition(text.clone()), partition.to, Turn::Heal(text));
    }
    for corruption in &faults.corruptions {
        begins.push(Disturbance {
            at: corruption.at,
            what: Turn::Corrupt(corruption.target.clone()),
        });
    }
    ends.extend(begins);
    ends
}

/// The random numbers of forgeries: apart from those of lost messages.
pub(crate) fn random(seed: u64) -> Random {
    Random::new(!seed, Stream::Faults)
}

/// How many messages spoil a state.
const GARBAGE: u64 = 5;

impl<P, W, M, const METERED: bool> Simulation<'_, P, W, M, METERED>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    #[cold]
    pub(crate) fn disturb(&mut self, what: What<P>) {
        let place = match what {
            What::Fault(place) => place,
            What::Turns => return self.turns.fall_due(),
            What::Message { .. } | What::Returned { .. } => {
                self.world.strays -= 1; // There is no receiver.
                return;
            }
            What::Command { .. } | What::Timer { .. } => return,
        };
        self.faults_left -= 1;
        let what = self.disturbances[place as usize].what.clone();
        let needs_specimens = matches!(what, Turn::Corrupt(Target::State(_) | Target::Channel(..)));
        if needs_specimens && !self.has_specimens() {
            return self.overdue.push(place);
        }
        self.world.digest.fold(place.into());
        match what {
            Turn::Crash(node) => self.crash(node),
            Turn::Restart(node) => self.restart(node),
            Turn::Pause(node) => {
                if let Entry::Vacant(place) = self.absent.entry(node) {
                    place.insert(Absence::Paused);
                    self.world.fault(Fault::Pause(node));
                }
            }
            Turn::Resume(node) => self.resume(node),
            Turn::Partition(groups) => self.world.fault(Fault::Partition(groups)),
            Turn::Heal(groups) => self.world.fault(Fault::Heal(groups)),
            Turn::Corrupt(Target::State(node)) => self.spoil(node),
            Turn::Corrupt(Target::Channel(from, to)) => self.forge(from, to),
            Turn::Corrupt(Target::Named { damage, .. }) => self.damage_all(&damage),
        }
    }

    fn has_specimens(&self) -> bool {
        self.world.specimens.as_ref().is_some_and(|specimens| !specimens.is_empty())
    }

    /// Plans the corruptions that had to wait.
    pub(crate) fn catch_up(&mut self) {
        if self.overdue.is_empty() || !self.has_specimens() {
            return;
        }
        let soon = self.world.now.saturating_add(1);
        for place in std::mem::take(&mut self.overdue) {
            let what = What::Fault(place);
            self.world.wheel.push_rarely(soon, Occurrence { node: NOBODY, what });
            self.faults_left += 1;
        }
    }

    fn is_down(&self, node: NodeId) -> bool {
        self.absent.get(&node) == Some(&Absence::Down)
    }

    fn crash(&mut self, node: NodeId) {
        if self.is_down(node) {
            return;
        }
        self.absent.insert(node, Absence::Down);
        self.world.forget(node);
        self.world.fault(Fault::Crash(node));
        for Occurrence { what, .. } in self.take_inbox(node) {
            self.miss(node, what);
        }
        let verdict = self.world.monitor.on_crash(node);
        self.world.judge(verdict);
        self.world.plan(|workload, agenda| workload.on_crash(node, agenda));
    }

    fn restart(&mut self, node: NodeId) {
        if !self.is_down(node) {
            return;
        }
        self.absent.remove(&node);
        self.nodes[node.index()].state = (self.make)(node);
        self.world.fault(Fault::Restart(node));
        let verdict = self.world.monitor.on_restart(node);
        self.world.judge(verdict);
        self.start(node);
        self.world.plan(|workload, agenda| workload.on_restart(node, agenda));
    }

    /// Something reaches a node that is paused or has crashed.
    #[cold]
    pub(crate) fn miss(&mut self, node: NodeId, what: What<P>) {
        if self.absent.get(&node) == Some(&Absence::Paused) {
            self.inbox.push(Occurrence { node, what });
            return;
        }
        match what {
            What::Message { label, .. } | What::Returned { label, .. } => {
                self.world.strays -= 1;
                if label != FORGED {
                    self.world.fault(Fault::Missed(label));
                }
            }
            What::Timer { timer, start } => {
                self.world.timers.take(node, &timer, start);
            }
            What::Command { .. } | What::Turns | What::Fault(_) => {}
        }
    }

    fn resume(&mut self, node: NodeId) {
        if self.absent.get(&node) != Some(&Absence::Paused) {
            return; // It crashed while it was paused.
        }
        self.absent.remove(&node);
        self.world.fault(Fault::Resume(node));
        for occurrence in self.take_inbox(node) {
            self.happen::<false>(occurrence);
        }
    }

    fn take_inbox(&mut self, node: NodeId) -> Vec<Occurrence<P>> {
        self.inbox.extract_if(.., |waiting| waiting.node == node).collect()
    }

    /// Corrupts a node's state: it handles forged messages, and the effects are discarded.
    /// So its state becomes some value that its own transitions can produce, however wrong, while
    /// what it is built from (its number, its neighbours) stays true.
    fn spoil(&mut self, node: NodeId) {
        if self.is_down(node) {
            return;
        }
        let nodes = self.nodes.len() as u64;
        let forged = |simulation: &mut Self| {
            let from = NodeId(simulation.fault_random.below(nodes) as u32);
            Some((from, simulation.forgery()?))
        };
        let messages: Vec<_> = (0..GARBAGE).filter_map(|_| forged(self)).collect();
        for (from, msg) in &messages {
            let input = Input::Message { from: *from, msg: msg.clone() };
            self.nodes[node.index()].state.on_dyn(input, &mut Void);
        }
        let messages = messages.iter().map(|(from, msg)| (*from, Value::json(msg))).collect();
        self.world.monitor.on_fault();
        self.world.fault(Fault::Garbage { node, messages });
    }

    /// Damages all nodes that are up.
    fn damage_all(&mut self, name: &str) {
        for node in NodeId::all(self.nodes.len() as u32) {
            if self.is_down(node) {
                continue;
            }
            let (mut choices, random) = (Vec::new(), &mut self.fault_random);
            self.nodes[node.index()].state.damage(name, &mut |bound| {
                choices.push(random.below(bound.max(1).into()) as u32);
                choices[choices.len() - 1]
            });
            self.world.monitor.on_damage();
            self.world.monitor.on_fault();
            self.world.fault(Fault::Damage { node, name: name.to_owned(), choices });
        }
        self.begin_recovery();
    }

    fn forge(&mut self, from: NodeId, to: NodeId) {
        let Some(msg) = self.forgery() else { return };
        self.world.monitor.on_fault();
        self.world.fault(Fault::Forged { from, to });
        let now = self.world.now;
        let from = Peer::new(from, Cause::default());
        let what = What::Message { from, label: FORGED, msg };
        self.world.strays += 1;
        self.world.deliver(now.saturating_add(1), Occurrence { node: to, what });
    }

    /// A message like those that were sent, with some bits changed if that still makes sense: an
    /// address stays one of a node of this system, since no algorithm recovers from others.
    fn forgery(&mut self) -> Option<P::Msg> {
        let specimens = self.world.specimens.as_deref()?;
        let random = &mut self.fault_random;
        let specimen = specimens.get(random.below(specimens.len() as u64) as usize)?;
        let reader = &self.nodes.first()?.state;
        let makes_sense =
            |msg: &P::Msg| reader.tells(msg).iter().all(|node| node.index() < self.nodes.len());
        let mutant = mutate(specimen, random).filter(makes_sense);
        Some(mutant.unwrap_or_else(|| specimen.clone()))
    }
}

fn mutate<T: Serialize + DeserializeOwned>(value: &T, random: &mut Random) -> Option<T> {
    let mut buffer = [0; 4096];
    let bytes = postcard::to_slice(value, &mut buffer).ok()?;
    let place = random.below(bytes.len() as u64) as usize;
    *bytes.get_mut(place)? ^= 1 << random.below(7);
    postcard::from_bytes(bytes).ok()
}

/// An environment from which nothing gets out.
struct Void;

impl<P: Protocol> Env<P> for Void {
    fn send(&mut self, _to: NodeId, _msg: P::Msg) {}
    fn set_timer(&mut self, _timer: P::Timer, _after: Duration) {}
    fn cancel_timer(&mut self, _timer: P::Timer) {}
    fn emit(&mut self, _event: P::Event) {}
    fn choose(&mut self, _bound: u32) -> u32 {
        0
    }
    fn leave(&mut self) {}
}

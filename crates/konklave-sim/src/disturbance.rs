//! Planned faults as they happen: crashes, pauses, partitions, garbage.

use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{Env, Monitor, Protocol};
use konklave::trace::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::faults::{Faults, Target};
use crate::occurrence::{FORGED, Occurrence};
use crate::random::{Random, Stream};
use crate::simulation::{Simulation, Status};
use crate::workload::Workload;

/// One end of a planned fault.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    pub(crate) at: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
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
        add(crash.from, What::Crash(crash.node), crash.to, What::Restart(crash.node));
    }
    for pause in &faults.pauses {
        add(pause.from, What::Pause(pause.node), pause.to, What::Resume(pause.node));
    }
    for partition in &faults.partitions {
        let text = partition.to_string();
        add(partition.from, What::Partition(text.clone()), partition.to, What::Heal(text));
    }
    for corruption in &faults.corruptions {
        begins.push(Disturbance { at: corruption.at, what: What::Corrupt(corruption.target) });
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

impl<P, W, M> Simulation<'_, P, W, M>
where
    P: Protocol,
    W: Workload<P>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    #[cold]
    pub(crate) fn disturb(&mut self, occurrence: Occurrence<P>) {
        let Occurrence::Fault(place) = occurrence else { return };
        let what = self.disturbances[place as usize].what.clone();
        self.world.digest.fold(place.into());
        match what {
            What::Crash(node) => self.crash(node),
            What::Restart(node) => self.restart(node),
            What::Pause(node) => {
                if self.status(node) == Status::Up {
                    self.nodes[node.index()].status = Status::Paused;
                    self.world.fault(Fault::Pause(node));
                }
            }
            What::Resume(node) => self.resume(node),
            What::Partition(groups) => self.world.fault(Fault::Partition(groups)),
            What::Heal(groups) => self.world.fault(Fault::Heal(groups)),
            What::Corrupt(Target::State(node)) => self.spoil(node),
            What::Corrupt(Target::Channel(from, to)) => self.forge(from, to),
        }
    }

    fn status(&self, node: NodeId) -> Status {
        self.nodes[node.index()].status
    }

    fn crash(&mut self, node: NodeId) {
        if self.status(node) == Status::Down {
            return;
        }
        self.nodes[node.index()].status = Status::Down;
        self.inboxes.remove(&node);
        self.world.drop_timers(node);
        self.world.fault(Fault::Crash(node));
        let verdict = self.world.monitor.on_crash(node);
        self.world.judge(verdict);
        self.world.plan(|workload, agenda| workload.on_crash(node, agenda));
    }

    fn restart(&mut self, node: NodeId) {
        if self.status(node) != Status::Down {
            return;
        }
        let fresh = (self.make)(node);
        let place = &mut self.nodes[node.index()];
        place.state = fresh;
        place.status = Status::Up;
        self.world.fault(Fault::Restart(node));
        let verdict = self.world.monitor.on_restart(node);
        self.world.judge(verdict);
        self.start(node);
        self.world.plan(|workload, agenda| workload.on_restart(node, agenda));
    }

    /// Keeps what reaches a paused node for later, in order.
    pub(crate) fn wait_for(&mut self, node: NodeId, occurrence: Occurrence<P>) {
        self.inboxes.entry(node).or_default().push(occurrence);
    }

    fn resume(&mut self, node: NodeId) {
        if self.status(node) != Status::Paused {
            return;
        }
        self.nodes[node.index()].status = Status::Up;
        self.world.fault(Fault::Resume(node));
        for occurrence in self.inboxes.remove(&node).unwrap_or_default() {
            self.happen(occurrence);
        }
    }

    /// Spoils a node's memory: it acts upon messages that nobody sent, and nothing of it gets out.
    /// So its state becomes some value that its own transitions can produce, however wrong, while
    /// what it is built from (its number, its neighbours) stays true.
    fn spoil(&mut self, node: NodeId) {
        if self.status(node) == Status::Down {
            return;
        }
        let nodes = self.nodes.len() as u64;
        let forged = |simulation: &mut Self| {
            let from = NodeId(simulation.fault_random.below(nodes) as u32);
            Some((from, simulation.forgery()?))
        };
        let messages: Vec<_> = (0..GARBAGE).filter_map(|_| forged(self)).collect();
        for (from, msg) in &messages {
            self.nodes[node.index()].state.on_message(*from, msg.clone(), &mut Void);
        }
        self.world.fault(Fault::Garbage { node, messages });
    }

    fn forge(&mut self, from: NodeId, to: NodeId) {
        let Some(msg) = self.forgery() else { return };
        self.world.fault(Fault::Forged { from, to });
        let now = self.world.now;
        let message = Occurrence::Message { from, to, depth: 0, number: FORGED, msg };
        self.world.depart(now + 1, message);
    }

    /// A message like those that were sent, with some bits changed if that still makes sense.
    fn forgery(&mut self) -> Option<P::Msg> {
        let specimens = self.world.specimens.as_deref()?;
        let random = &mut self.fault_random;
        let specimen = specimens.get(random.below(specimens.len() as u64) as usize)?;
        Some(mutate(specimen, random).unwrap_or_else(|| specimen.clone()))
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
pub(crate) struct Void;

impl<P: Protocol> Env<P> for Void {
    fn send(&mut self, _to: NodeId, _msg: P::Msg) {}
    fn set_timer(&mut self, _timer: P::Timer, _after: Duration) {}
    fn cancel_timer(&mut self, _timer: P::Timer) {}
    fn emit(&mut self, _event: P::Event) {}
    fn choose(&mut self, _bound: u32) -> u32 {
        0
    }
}

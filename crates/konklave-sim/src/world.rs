//! Everything around the nodes of a run: time, channels, timers, applications and watchers.

mod environment;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use konklave::NodeId;
use konklave::protocol::references::Acquaintances;
use konklave::protocol::{Broken, Effect, Input, Monitor, Protocol};
use konklave::trace::Fault;

use crate::digest::Digest;
use crate::links::Links;
use crate::memory::Shelf;
use crate::metrics::{Load, Metrics};
use crate::network::{Fate, Network};
use crate::occurrence::{FORGED, Occurrence, What};
use crate::random::{Random, Stream};
use crate::recording::Recording;
use crate::report::Violation;
use crate::rounds::{Cause, Rounds};
use crate::simulation::{Node, Options};
use crate::timers::Timers;
use crate::wheel::Wheel;
use crate::workload::{Agenda, Workload};
use environment::NodeEnv;
use konklave_stage::erased::{self, Erased, Value};

/// What nodes act upon and what acts upon them.
pub(crate) struct World<'a, P: Protocol, W, M, const METERED: bool> {
    pub(crate) now: u64,
    pub(crate) wheel: Wheel<Occurrence<P>>,
    /// Where the nodes are, to fetch them ahead.
    shelf: Shelf<Node<P>>,
    network: Network,
    pub(crate) links: Links,
    /// The nodes that the node that takes a step now may send to.
    pub(crate) known: Acquaintances,
    /// Whether nodes may only send to nodes that they know.
    watches_references: bool,
    choices: Random,
    workload_random: Random,
    pub(crate) workload: W,
    pub(crate) monitor: M,
    pub(crate) metrics: Metrics,
    pub(crate) digest: Digest,
    /// How many messages were sent.
    pub(crate) sent: u64,
    /// How many were received.
    pub(crate) received: u64,
    /// The number forged or duplicated, minus those lost or missed.
    pub(crate) strays: i64,
    pub(crate) rounds: Rounds,
    /// What the present transition descends from.
    pub(crate) cause: Cause,
    pub(crate) timers: Timers<P::Timer>,
    /// The longest chain of messages that ended at a node that has left.
    pub(crate) depth_of_gone: u32,
    /// How many commands were planned.
    pub(crate) plans: u32,
    /// The last plan of each crashed node that its crash has made void.
    void_plans: BTreeMap<NodeId, u32>,
    pub(crate) violation: Option<Box<Violation>>,
    recording: Option<Recording<'a>>,
    /// Whether nothing goes wrong and nothing is written down: a message just travels. What runs
    /// under a constant `PLAIN` is compiled apart for this, the usual case.
    pub(crate) is_plain: bool,
    /// The latest messages, as raw material for forgeries; kept only if there will be some.
    pub(crate) specimens: Option<Vec<P::Msg>>,
}

/// How many messages are remembered for forgeries.
const SPECIMENS: usize = 64;
/// With so few things pending, a node that is fetched when something is planned for it is still in
/// the cache when that happens.
const FEW: u64 = 256;

impl<'a, P, W, M, const METERED: bool> World<'a, P, W, M, METERED>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    pub(crate) fn new(options: &Options, nodes: &[Node<P>], workload: W, monitor: M) -> Self {
        let Options { seed, delay, fifo, faults, .. } = options;
        let network = Network::new(*seed, nodes.len() as u32, *delay, *fifo, faults);
        let specimens = (!faults.corruptions.is_empty()).then(Vec::new);
        Self {
            now: 0,
            wheel: Wheel::default(),
            shelf: Shelf::of(nodes),
            is_plain: network.is_plain() && faults.is_none(),
            network,
            links: Links::complete(nodes.len() as u32),
            known: Acquaintances::ALL,
            watches_references: false,
            choices: Random::new(*seed, Stream::Choices),
            workload_random: Random::new(*seed, Stream::Workload),
            workload,
            monitor,
            metrics: Metrics::default(),
            digest: Digest::default(),
            sent: 0,
            received: 0,
            strays: 0,
            rounds: Rounds::default(),
            cause: Cause::default(),
            timers: Timers::default(),
            depth_of_gone: 0,
            plans: 0,
            void_plans: BTreeMap::new(),
            violation: None,
            recording: None,
            specimens,
        }
    }

    /// Writes the run down from now on.
    pub(crate) fn record(&mut self, recording: Recording<'a>) {
        self.recording = Some(recording);
        self.is_plain = false;
    }

    /// From now on, a message to a node whose address its sender does not hold breaks a promise.
    pub(crate) fn watch_references(&mut self) {
        self.watches_references = true;
        self.is_plain = false;
    }

    /// Whether the run cannot be written down any more.
    pub(crate) fn has_recording_failed(&self) -> bool {
        self.recording.as_ref().is_some_and(Recording::has_failed)
    }

    /// Takes the recording out, to finish it.
    pub(crate) fn end_recording(&mut self) -> Option<Recording<'a>> {
        self.recording.take()
    }

    /// Runs a transition of a node.
    #[inline(always)] // So that the kind of input is known.
    pub(crate) fn transition<const PLAIN: bool>(
        &mut self,
        me: NodeId,
        node: &mut P,
        load: &mut Load,
        input: Input<P>,
        label: u32,
    ) {
        if PLAIN {
            node.on(input, &mut NodeEnv::<_, _, _, METERED, true> { world: self, me, load });
        } else {
            self.transition_carefully(me, node, load, input, label);
        }
    }

    /// The same in a run that is not plain: what is written down also is if the node panics.
    #[cold]
    #[inline(never)]
    fn transition_carefully(
        &mut self,
        me: NodeId,
        node: &mut P,
        load: &mut Load,
        input: Input<P>,
        label: u32,
    ) {
        if self.watches_references {
            self.known = Acquaintances::of(node, &input);
        }
        if self.recording.is_none() {
            return node
                .on_dyn(input, &mut NodeEnv::<_, _, _, METERED, false> { world: self, me, load });
        }
        let has_number = matches!(input, Input::Message { .. } | Input::Returned { .. });
        let is_sent = has_number && label != FORGED;
        let recorded = erased::input(&input);
        let env = &mut NodeEnv::<_, _, _, METERED, false> { world: self, me, load };
        let outcome = catch_unwind(AssertUnwindSafe(|| node.on_dyn(input, env)));
        let now = self.now;
        if let Some(recording) = &mut self.recording {
            recording.step(now, me, recorded, is_sent.then_some(label), node);
        }
        if let Err(panic) = outcome {
            resume_unwind(panic); // The step that failed is in the trace now.
        }
    }

    /// Lets the workload plan.
    pub(crate) fn plan(&mut self, planning: impl FnOnce(&mut W, &mut Agenda<'_, P::Command>)) {
        let (plans, wheel) = (&mut self.plans, &mut self.wheel);
        let mut agenda = Agenda {
            now: self.now,
            messages: self.sent,
            rounds: self.rounds.number(),
            plan: &mut |time, node, command| {
                *plans += 1;
                let what = What::Command { command, plan: *plans };
                wheel.push_rarely(time, Occurrence { node, what });
            },
            random: &mut self.workload_random,
        };
        planning(&mut self.workload, &mut agenda);
    }

    /// An application gives a command to its node.
    pub(crate) fn on_command(&mut self, node: NodeId, command: &P::Command) {
        self.digest.add(&(node, command));
        let verdict = match self.in_transit() {
            0 => self.monitor.on_command_in_silence(node, command),
            _ => self.monitor.on_command(node, command),
        };
        self.judge(verdict);
        self.plan(|workload, agenda| workload.on_command(node, command, agenda));
    }

    /// Remembers the first broken promise.
    #[inline(always)]
    pub(crate) fn judge(&mut self, verdict: Result<(), Broken>) {
        if let Err(broken) = verdict {
            self.condemn(broken);
        }
    }

    /// A node sends a message where it has no channel.
    #[cold]
    fn reject(&mut self, from: NodeId, to: NodeId) {
        self.judge(self.links.judge(from, to));
    }

    #[cold]
    fn condemn(&mut self, broken: Broken) {
        let violation = Violation { time: self.now, broken };
        self.violation.get_or_insert_with(|| Box::new(violation));
    }

    /// Forgets the timers of a node that has crashed, and what its application had planned.
    pub(crate) fn forget(&mut self, node: NodeId) {
        self.timers.forget(node);
        self.void_plans.insert(node, self.plans);
    }

    /// Whether a plan for a node was made before its latest crash.
    pub(crate) fn is_void(&self, node: NodeId, plan: u32) -> bool {
        self.void_plans.get(&node).is_some_and(|&last| plan <= last)
    }

    /// Whether only this many faults, and timers that do not count any more, are pending.
    pub(crate) fn is_at_rest(&self, faults: u64) -> bool {
        self.wheel.len() == self.timers.dead() + faults
    }

    pub(crate) fn fault(&mut self, what: Fault<Erased>) {
        let now = self.now;
        if let Some(recording) = &mut self.recording {
            recording.fault(now, what);
        }
    }

    /// Whether so little is pending that nodes are fetched as soon as a message is sent to them.
    /// Otherwise they are fetched a few steps before it arrives.
    #[inline(always)]
    pub(crate) fn is_calm(&self) -> bool {
        self.wheel.len() < FEW
    }

    /// Fetches a node from memory to which something will happen soon.
    #[inline(always)]
    pub(crate) fn fetch(&self, node: NodeId) {
        self.shelf.prefetch(node.index());
    }

    /// The present tick is over, as far as messages in flight are counted.
    pub(crate) fn count_in_flight(&mut self) {
        self.metrics.on_tick(self.in_transit());
    }

    /// How many messages are in transit.
    pub(crate) fn in_transit(&self) -> u64 {
        self.sent.wrapping_add_signed(self.strays) - self.received
    }

    /// Moves on to the next busy tick.
    pub(crate) fn advance(&mut self, time: u64) {
        self.count_in_flight();
        self.now = time;
        self.digest.fold(time);
    }

    /// The label of the next message, to which `depth` messages have led.
    fn label(&mut self, depth: u32) -> u32 {
        match &mut self.recording {
            Some(recording) => recording.number(depth),
            None => depth,
        }
    }

    /// How many messages have led to the one with this label.
    pub(crate) fn depth(&self, label: u32) -> u32 {
        match &self.recording {
            Some(recording) => recording.depth(label),
            None if label == FORGED => 0,
            None => label,
        }
    }

    /// Sends a message that is watched, or that may be lost, duplicated or delayed.
    #[cold]
    fn send_carefully(&mut self, message: Occurrence<P>) {
        let Occurrence { node: to, what: What::Message { from, label, msg, .. } } = &message else {
            return;
        };
        let (from, to, label) = (from.node(), *to, *label);
        if let Some(recording) = &mut self.recording {
            recording.effect(Effect::Send { to, msg: Value::json(msg) });
        }
        if let Some(specimens) = &mut self.specimens {
            match specimens.len() < SPECIMENS {
                true => specimens.push(msg.clone()),
                false => specimens[self.sent as usize % SPECIMENS] = msg.clone(),
            }
        }
        match self.network.send(from, to, self.now) {
            // Nothing is in transit to a node that does not exist, and the run ends with this step.
            _ if !self.links.contain(to) => {}
            Fate::Once(time) => self.deliver(time, message),
            Fate::Twice(first, second) => {
                self.message_fault(Fault::Doubled(label));
                self.strays += 1;
                self.deliver(first, message.clone());
                self.deliver(second, message);
            }
            Fate::Lost => {
                self.message_fault(Fault::Lost(label));
                self.strays -= 1;
            }
        }
    }

    /// Lets a message arrive then.
    pub(crate) fn deliver(&mut self, time: u64, message: Occurrence<P>) {
        self.rounds.expect(time);
        self.wheel.push_rarely(time, message);
    }

    /// When a message that cannot be delivered is back at its sender.
    pub(crate) fn return_time(&mut self, sender: NodeId) -> u64 {
        self.network.arrival(sender, sender, self.now)
    }

    fn message_fault(&mut self, fault: Fault<Erased>) {
        self.monitor.on_fault();
        if let Some(recording) = &mut self.recording {
            recording.message_fault(fault);
        }
    }
}

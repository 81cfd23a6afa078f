//! The simulator: takes what happens next from the wheel and lets it happen.

mod drive;
mod stability;
mod turns;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use konklave::NodeId;
use konklave::graph::Graph;
use konklave::protocol::{Input, Monitor, Protocol};
use konklave::trace::{End, Ended};
use konklave_stage::local::{failed_assertion, panic_message};

use crate::delay::Delay;
use crate::disturbance::{self, Absence, Disturbance};
use crate::faults::Faults;
use crate::links::Links;
use crate::memory::Pages;
use crate::metrics::Load;
use crate::occurrence::{FORGED, NOBODY, Occurrence, Peer, What};
use crate::random::Random;
use crate::recording::Recording;
use crate::report::{RunReport, Waiting};
use crate::rounds::Cause;
use crate::workload::Workload;
use crate::world::World;
use drive::Drive;
use stability::Stability;
use turns::Turns;

/// How a run is to go. The same options and nodes give the same run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// How long messages travel.
    pub delay: Delay,
    /// Whether channels keep the order of messages.
    pub fifo: bool,
    /// After how many ticks a node that acts by itself does so again; at least one. With this and
    /// the delay of messages at one, time is counted in synchronous rounds.
    pub period: u64,
    /// What goes wrong.
    pub faults: Faults,
    /// The last tick, if there is one.
    pub time_limit: Option<u64>,
    /// The largest number of steps, if there is one.
    pub event_limit: Option<u64>,
    /// The largest number of rounds of nodes that act by themselves, if there is one.
    pub round_limit: Option<u64>,
    /// Whether the protocol never rests, so that the run ends when its workload is done.
    pub perpetual: bool,
    /// After how many rounds in which the system is legal all the time the run of a
    /// self-stabilising protocol ends; never, if none is given.
    pub stable_rounds: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            delay: Delay::Constant(1),
            fifo: false,
            period: 1,
            faults: Faults::default(),
            time_limit: None,
            event_limit: None,
            round_limit: None,
            perpetual: false,
            stable_rounds: None,
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The present, in ticks.
    pub time: u64,
    /// How many messages were received.
    pub deliveries: u64,
    /// The number of events that are planned or messages in transit.
    pub pending: u64,
}

/// A system of nodes, ready to run. Messages are counted if it is `METERED`.
pub struct Simulation<'a, P: Protocol, W, M, const METERED: bool = true> {
    pub(crate) nodes: Pages<Node<P>>,
    pub(crate) world: World<'a, P, W, M, METERED>,
    pub(crate) make: Box<dyn Fn(NodeId) -> P + 'a>,
    pub(crate) disturbances: Vec<Disturbance>,
    /// How many of them are still to come.
    pub(crate) faults_left: u64,
    pub(crate) fault_random: Random,
    pub(crate) turns: Turns,
    stability: Option<Stability<P>>,
    /// Corruptions that wait for the first message: they are made of what was sent.
    pub(crate) overdue: Vec<u32>,
    /// The nodes that cannot act now. Apart from the nodes: mostly there are none.
    pub(crate) absent: BTreeMap<NodeId, Absence>,
    /// What has reached paused nodes, in order.
    pub(crate) inbox: Vec<Occurrence<P>>,
    options: Options,
    steps: u64,
}

/// A node and what the simulator knows about it, side by side in memory.
pub(crate) struct Node<P> {
    pub(crate) state: P,
    pub(crate) load: Load,
}

/// The last tick of the clock: a run that would go on is stopped there. Sums of times that are
/// larger come out one tick later, where nothing can be told apart.
pub const LAST_TICK: u64 = u64::MAX - 1;
/// How far ahead nodes are fetched from memory: enough steps to hide a cache miss.
const LOOK_AHEAD: usize = 16;
/// The largest system in which the addresses that nodes hold are looked at before every step.
const LARGEST: usize = 1024;
/// How many waiting nodes a report names.
const WAITING_SHOWN: usize = 20;
/// About how many steps are taken and messages sent between two looks at the outside.
const WORK_PER_LOOK: u64 = 1 << 17;
/// How many steps are taken at least.
const STEPS_BEFORE_LOOK: u64 = 1 << 8;

impl<'a, P, W, M> Simulation<'a, P, W, M>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// A system of `nodes` nodes, each built by `make`, under this workload and watched by this
    /// monitor.
    pub fn new(
        options: Options,
        nodes: u32,
        make: impl Fn(NodeId) -> P + 'a,
        workload: W,
        monitor: M,
    ) -> Self {
        Self::assemble(options, nodes, make, workload, monitor)
    }
}

impl<'a, P, W, M, const METERED: bool> Simulation<'a, P, W, M, METERED>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// The same, metered or not; what that costs is for benchmarks to say.
    pub fn assemble(
        options: Options,
        nodes: u32,
        make: impl Fn(NodeId) -> P + 'a,
        workload: W,
        monitor: M,
    ) -> Self {
        let disturbances = disturbance::plan(&options.faults);
        let node = |place| Node { state: make(NodeId(place as u32)), load: Load::default() };
        let nodes = Pages::new(nodes as usize, node);
        Self {
            world: World::new(&options, &nodes, workload, monitor),
            nodes,
            faults_left: disturbances.len() as u64,
            disturbances,
            fault_random: disturbance::random(options.seed),
            turns: Turns::default(),
            stability: None,
            overdue: Vec::new(),
            absent: BTreeMap::new(),
            inbox: Vec::new(),
            make: Box::new(make),
            options,
            steps: 0,
        }
    }

    /// Puts the nodes on a network: a message to a node that is not a neighbour breaks a promise.
    /// Of large networks, only complete ones are checked.
    pub fn connect(&mut self, graph: &Graph) {
        self.world.links = Links::of(graph);
    }

    /// Writes the run down.
    pub fn record(&mut self, recording: Recording<'a>) {
        self.world.record(recording);
    }

    /// The state of a node.
    pub fn node(&self, node: NodeId) -> &P {
        &self.nodes[node.index()].state
    }

    /// Runs to the end. `go_on` is asked from time to time and can stop the run.
    ///
    /// A node that fails one of its own assertions ends the run as a broken promise. The error is
    /// that of writing the trace.
    pub fn run(
        &mut self,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> std::io::Result<RunReport<W::Report>> {
        let run = AssertUnwindSafe(|| self.run_until_it_ends(go_on));
        let ended = catch_unwind(run).unwrap_or_else(|panic| {
            self.world.judge(Err(failed_assertion(None, panic_message(panic.as_ref()))));
            Ended::Violation
        });
        if let Some(recording) = self.world.end_recording() {
            let broken = self.world.violation.as_ref().map(|violation| violation.broken.clone());
            let time = self.world.now;
            recording.finish(|steps| End { ended, time, steps, broken })?;
        }
        Ok(self.report(ended))
    }

    fn run_until_it_ends(&mut self, go_on: &mut dyn FnMut(Progress) -> bool) -> Ended {
        for (place, disturbance) in (0..).zip(&self.disturbances) {
            let what = What::Fault(place);
            self.world.wheel.push_rarely(disturbance.at, Occurrence { node: NOBODY, what });
        }
        for node in 0..self.nodes.len() as u32 {
            self.start(NodeId(node));
        }
        if self.nodes.len() <= LARGEST && self.nodes.iter().any(|it| it.state.knows().is_some()) {
            self.world.watch_references();
        }
        self.world.plan(|workload, agenda| workload.on_start(agenda));
        self.begin_turns();
        self.stability = self.nodes.first().and_then(|node| Stability::of(&node.state));
        let ended = match self.world.is_plain {
            true => P::drive::<_, _, METERED, true>(self, go_on),
            false => P::drive::<_, _, METERED, false>(self, go_on),
        };
        self.world.count_in_flight(); // A run can end in the middle of a tick.
        if !ended.is_early() && self.world.violation.is_none() {
            let verdict = self.world.monitor.at_rest();
            self.world.judge(verdict);
        }
        if self.world.violation.is_some() { Ended::Violation } else { ended }
    }

    /// Whether nothing more will happen but planned faults. What waits for a paused node may not
    /// count either, but is not looked at: its pause will end.
    fn is_at_rest(&self) -> bool {
        let is_paused = |absence: &Absence| *absence == Absence::Paused;
        self.world.is_at_rest(self.faults_left) && !self.absent.values().any(is_paused)
    }

    /// How many steps may pass unwatched: a step can send many messages.
    fn steps_until_look(&self) -> u64 {
        let work = self.steps.max(1) + self.world.sent;
        (WORK_PER_LOOK * self.steps.max(1) / work).max(STEPS_BEFORE_LOOK)
    }

    /// The progress, with this many pending events.
    fn progress(&self, imminent: usize) -> Progress {
        Progress {
            time: self.world.now,
            deliveries: self.world.received,
            pending: self.world.wheel.len() + imminent as u64,
        }
    }

    #[inline(always)]
    pub(crate) fn happen<const PLAIN: bool>(&mut self, occurrence: Occurrence<P>) {
        let Occurrence { node: to, what } = occurrence;
        let Some(node) = self.nodes.get_mut(to.index()) else {
            return self.disturb(what);
        };
        if !PLAIN && !self.absent.is_empty() && self.absent.contains_key(&to) {
            return self.miss(to, what);
        }
        let What::Message { from, label, msg } = what else {
            return P::happen_inside::<_, _, METERED, PLAIN>(self, to, what);
        };
        let Node { state, load } = node;
        if load.has_left() {
            let to = Peer::new(to, from.cause());
            return self.send_back(from.node(), What::Returned { to, label, msg });
        }
        let world = &mut self.world;
        world.received += 1;
        world.cause = from.cause();
        let from = from.node();
        world.digest.fold(u64::from(from.0) << 32 | u64::from(to.0));
        if METERED {
            load.messages += 1;
            load.depth = load.depth.max(if PLAIN { label } else { world.depth(label) });
        }
        world.transition::<PLAIN>(to, state, load, Input::Message { from, msg }, label);
    }

    /// A message to a node that has left goes back to its sender.
    #[cold]
    fn send_back(&mut self, sender: NodeId, what: What<P>) {
        let time = self.world.return_time(sender);
        self.world.deliver(time, Occurrence { node: sender, what });
    }

    /// What follows a batch: turns, and faults that had to wait. Why the run ends then, if it does.
    #[inline(always)]
    pub(crate) fn end_batch<const PLAIN: bool>(&mut self) -> Option<Ended> {
        if self.turns.take_due()
            && let Some(ended) = self.take_turns::<PLAIN>()
        {
            return Some(ended);
        }
        if !PLAIN {
            self.catch_up();
        }
        (self.options.perpetual && self.world.workload.is_done()).then_some(Ended::Done)
    }

    /// A node wakes up.
    pub(crate) fn start(&mut self, node: NodeId) {
        let Node { state, load } = &mut self.nodes[node.index()];
        self.world.cause = Cause::Request;
        match self.world.is_plain {
            true => self.world.transition::<true>(node, state, load, Input::Start, FORGED),
            false => self.world.transition::<false>(node, state, load, Input::Start, FORGED),
        }
    }

    /// The nodes that wait, and the nodes that they wait for.
    fn waiting(&self) -> impl Iterator<Item = Waiting> + '_ {
        let nodes = NodeId::all(self.nodes.len() as u32).zip(self.nodes.iter());
        let up =
            nodes.filter(|(node, place)| !self.absent.contains_key(node) && !place.load.has_left());
        up.map(|(node, place)| Waiting { node, waits_for: place.state.waits_for() })
            .filter(|waiting| !waiting.waits_for.is_empty())
    }

    fn report(&self, ended: Ended) -> RunReport<W::Report> {
        let world = &self.world;
        let (mut digest, mut causal_depth) = (world.digest, world.depth_of_gone);
        let loads = self.nodes.iter().map(|Node { state, load }| {
            digest.add(state);
            causal_depth = causal_depth.max(if load.has_left() { 0 } else { load.depth });
            load.messages
        });
        let messages = world.metrics.summary(loads.collect());
        let unit = self.options.delay.mean();
        RunReport {
            digest: digest.to_hex(),
            ended,
            time: world.now,
            deliveries: world.received,
            problem: world.workload.report(&messages, world.now, unit),
            messages,
            causal_depth,
            rounds: world.rounds.number(),
            stabilisation: self.stability.as_ref().map(|it| it.report(world, self.nodes.len())),
            course: self.stability.as_ref().map_or_else(Vec::new, |it| it.course().to_vec()),
            violations: world.violation.as_deref().cloned().into_iter().collect(),
            waiting: match ended {
                Ended::Violation => self.waiting().take(WAITING_SHOWN).collect(),
                _ => Vec::new(),
            },
        }
    }
}

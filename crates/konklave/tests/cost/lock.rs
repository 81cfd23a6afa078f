//! Runs of mutual exclusion algorithms, and the moments of their entries.

use konklave::NodeId;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;
use konklave_catalog::mutex::workload::{Contention, Demand, MutexReport, Plan};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_sim::{Ended, Options, RunReport, Simulation};

use super::turns::{InTurn, Turn};

/// More than any of these runs needs: an algorithm that never rests must not hang the tests.
pub(super) const EVENTS_MAX: u64 = 1_000_000;

/// A plan in which all nodes take part, with E = 5 and no time to think.
pub(super) fn plan(options: &Options, nodes: u32, demand: Demand, entries: u32) -> Plan {
    Plan {
        demand,
        entries,
        requesters: NodeId::all(nodes).collect(),
        inside: 5,
        think: 0,
        warmup: 0,
        unit: options.delay.mean(),
        perpetual: false,
    }
}

/// What was measured, and when each entry happened.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Measured {
    pub(super) mutex: MutexReport,
    pub(super) entries: Vec<Entry>,
    /// What each turn cost, if they entered in turn.
    pub(super) turns: Vec<Turn>,
}

/// The moment of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct Entry {
    pub(super) time: u64,
    pub(super) node: NodeId,
    /// How many messages were sent until then.
    pub(super) messages: u64,
}

/// Runs the plan to the end, which must be a good one.
pub(super) fn run<P>(
    options: &Options,
    nodes: u32,
    plan: Plan,
    make: impl Fn(NodeId) -> P,
) -> RunReport<Measured>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let wanted = plan.requesters.len() as u64 * u64::from(plan.entries);
    let report = watch(options, nodes, plan, None, make);
    assert_eq!(report.problem.mutex.entries, wanted, "{nodes} nodes, {options:?}");
    report
}

/// Runs the plan, or these turns instead, to a good end.
pub(super) fn watch<P>(
    options: &Options,
    nodes: u32,
    plan: Plan,
    in_turn: Option<InTurn>,
    make: impl Fn(NodeId) -> P,
) -> RunReport<Measured>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let options = Options { event_limit: Some(EVENTS_MAX), ..options.clone() };
    let context = format!("{nodes} nodes, {plan:?}, {options:?}");
    let contention = Contention::new(nodes, plan);
    let workload = Watched { contention, in_turn, entries: Vec::new() };
    let monitor = Monitor::new(nodes);
    let mut simulation = Simulation::new(options, nodes, make, workload, monitor);
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    assert_eq!(report.ended, Ended::Quiescence, "{context}: {:?}", report.violations);
    report
}

/// Everyone all the time, with constant delays and E = 5T: what is measured in so many rounds,
/// between the first thousand entries and the last.
pub(super) fn saturated<P>(nodes: u32, rounds: u32, make: impl Fn(NodeId) -> P) -> MutexReport
where
    P: Protocol<Command = Command, Event = Event>,
{
    let options = Options::default();
    let left_out = 1000 / nodes + 1;
    let plan = plan(&options, nodes, Demand::Heavy, 2 * left_out + rounds);
    let plan = Plan { warmup: u64::from(left_out * nodes), ..plan };
    run(&options, nodes, plan, make).problem.mutex
}

/// Enough rounds for all that repeats itself after up to six.
pub(super) const ROUNDS: u32 = 60;

/// Equal but for rounding.
pub(super) fn assert_close(measured: f64, expected: f64, context: &str) {
    assert!((measured - expected).abs() < 1e-9, "{context}: {measured}, not {expected}");
}

/// Messages per entry, and the mean of the coordination delay, once everyone asks all the time.
pub(super) fn assert_saturated<P>(
    nodes: u32,
    messages: f64,
    delay: f64,
    context: &str,
    make: impl Fn(NodeId) -> P,
) where
    P: Protocol<Command = Command, Event = Event>,
{
    let context = format!("{context}, {nodes} nodes");
    let report = saturated(nodes, ROUNDS, make);
    assert_close(report.messages_per_entry.unwrap(), messages, &context);
    let measured = report.coordination_delay.unwrap().mean;
    assert_close(measured, delay, &context);
    // Nobody is ever late, so E and the delay are all that happens.
    assert_close(report.throughput.unwrap(), 1.0 / (5.0 + delay), &context);
}

/// Applications that are watched as they enter, asking as planned or in turn. One type for both:
/// every algorithm is compiled with it, which takes its time.
struct Watched {
    contention: Contention,
    in_turn: Option<InTurn>,
    entries: Vec<Entry>,
}

impl Workload for Watched {
    type Command = Command;
    type Event = Event;
    type Report = Measured;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.contention.on_start(agenda);
    }

    fn on_command(&mut self, node: NodeId, command: &Command, agenda: &mut Agenda<'_, Command>) {
        self.contention.on_command(node, command, agenda);
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        self.entries.push(Entry { time: agenda.now(), node, messages: agenda.messages() });
        match &mut self.in_turn {
            Some(in_turn) => in_turn.on_granted(node, agenda),
            None => self.contention.on_event(node, event, agenda),
        }
    }

    fn on_rest(&mut self, agenda: &mut Agenda<'_, Command>) {
        match &mut self.in_turn {
            Some(in_turn) => in_turn.on_rest(agenda),
            None => self.contention.on_rest(agenda),
        }
    }

    fn report(&self, messages: &Messages, time: u64, unit: f64) -> Measured {
        let mutex = self.contention.report(messages, time, unit);
        let turns = self.in_turn.as_ref().map_or_else(Vec::new, |in_turn| in_turn.turns.clone());
        Measured { mutex, entries: self.entries.clone(), turns }
    }
}

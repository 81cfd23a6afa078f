//! Applications that enter a critical section, and their measurements.

use konklave::mutex::{Command, Event};
use konklave::{NodeId, NodeSet};
use serde::Serialize;

use konklave_sim::metrics::Messages;
use konklave_sim::random::Random;
use konklave_sim::workload::{Agenda, Distribution, Spread, Times, Workload};

pub use crate::demand::Demand;

/// The plan of the applications.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The load.
    pub demand: Demand,
    /// The number of entries of each node; under light load, on average.
    pub entries: u32,
    /// The nodes that make requests, ascending.
    pub requesters: Vec<NodeId>,
    /// The time inside the critical section, in ticks.
    pub inside: u64,
    /// The think time between two requests, in ticks.
    pub think: u64,
    /// The number of entries that are not measured at the beginning, and as many at the end, so
    /// that heavy load is measured in its steady state.
    pub warmup: u64,
    /// The mean delay of a message, in ticks: T.
    pub unit: f64,
    /// Whether the protocol never rests, so that light load cannot wait for rest.
    pub perpetual: bool,
}

/// Applications that follow a [`Plan`], and their measurements.
#[derive(Debug)]
pub struct Contention {
    plan: Plan,
    nodes: Vec<Application>,
    /// Requests still to be made under light load.
    left: u64,
    /// The node that enters next under light load, or is inside.
    chosen: Option<NodeId>,
    /// The requests left of nodes that are up, under other loads.
    wishes: u64,
    down: NodeSet,
    entries: u64,
    measured: Measured,
    /// The number of commands so far, which orders those within one tick.
    commands: u64,
    latest_release: Option<Moment>,
}

/// A point in time, and its place among the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    command: u64,
    time: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Application {
    left: u32,
    asked: Moment,
    /// The number of entries of all nodes before its request.
    entries_before: u64,
    status: Status,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Thinking,
    /// It has asked to enter.
    Waiting,
    Inside,
}

impl Application {
    /// The number of releases to come, if it does not crash.
    fn wishes(&self) -> u64 {
        u64::from(self.left) + u64::from(self.status != Status::Thinking)
    }
}

#[derive(Debug)]
struct Measured {
    /// Time and messages when measuring began.
    began: (u64, u64),
    /// Time and messages when measuring ended, if it does before the run does.
    ended: Option<(u64, u64)>,
    entries: u64,
    coordination: Sum,
    waiting: Times,
    response: Times,
    awaited_max: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    total: u64,
    max: u64,
}

impl Measured {
    fn new() -> Self {
        Self {
            began: (0, 0),
            ended: None,
            entries: 0,
            coordination: Sum::default(),
            waiting: Times::new(),
            response: Times::new(),
            awaited_max: 0,
        }
    }
}

impl Contention {
    /// The applications of `nodes` nodes.
    pub fn new(nodes: u32, plan: Plan) -> Self {
        let mut applications = vec![Application::default(); nodes as usize];
        for node in &plan.requesters {
            applications[node.index()].left = plan.entries;
        }
        let left = plan.requesters.len() as u64 * u64::from(plan.entries);
        Self {
            left,
            wishes: left,
            chosen: None,
            down: NodeSet::new(),
            nodes: applications,
            plan,
            entries: 0,
            measured: Measured::new(),
            commands: 0,
            latest_release: None,
        }
    }

    /// The total number of entries.
    fn wanted(&self) -> u64 {
        self.plan.requesters.len() as u64 * u64::from(self.plan.entries)
    }

    /// Whether the latest entry is measured.
    fn is_measuring(&self) -> bool {
        let warmup = self.plan.warmup;
        self.entries > warmup && self.entries.saturating_add(warmup) <= self.wanted()
    }

    fn thinking_time(&self, agenda: &mut Agenda<'_, Command>) -> u64 {
        match self.plan.demand {
            Demand::Light | Demand::Heavy => self.plan.think,
            Demand::Poisson(rate) => {
                let mean = self.plan.requesters.len() as f64 * self.plan.unit / rate;
                agenda.random().exponential(mean) as u64 + self.plan.think
            }
        }
    }

    /// Schedules the next request of a node, except under light load.
    fn ask_again(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        if self.nodes[node.index()].left > 0 {
            let pause = self.thinking_time(agenda);
            agenda.after(pause, node, Command::Acquire);
        }
    }

    /// Schedules the next request under light load, by a random node that is up.
    fn ask_next(&mut self, pause: u64, agenda: &mut Agenda<'_, Command>) {
        if self.left == 0 {
            return;
        }
        self.chosen = match self.down.is_empty() {
            true => drawn(&self.plan.requesters, agenda.random()), // At once, however many.
            false => {
                let is_up = |node: &NodeId| !self.down.contains(*node);
                let up: Vec<_> = self.plan.requesters.iter().copied().filter(is_up).collect();
                drawn(&up, agenda.random())
            }
        };
        if let Some(node) = self.chosen {
            self.left -= 1;
            agenda.after(pause, node, Command::Acquire);
        }
    }

    /// A random time, long enough for a circling token to be anywhere.
    fn random_pause(&self, agenda: &mut Agenda<'_, Command>) -> u64 {
        let round = (self.nodes.len() as f64 * self.plan.unit) as u64;
        self.plan.think + round + agenda.random().below(round + 1)
    }
}

/// One of these nodes, if there are any.
fn drawn(nodes: &[NodeId], random: &mut Random) -> Option<NodeId> {
    nodes.get(random.below(nodes.len() as u64) as usize).copied()
}

impl Workload for Contention {
    type Command = Command;
    type Event = Event;
    type Report = MutexReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        match self.plan.demand {
            Demand::Light if self.plan.perpetual => self.ask_next(0, agenda),
            Demand::Light => {} // The first rest is the beginning.
            Demand::Heavy | Demand::Poisson(_) => {
                for node in self.plan.requesters.clone() {
                    let pause = match self.plan.demand {
                        Demand::Poisson(_) => self.thinking_time(agenda),
                        _ => 0,
                    };
                    if self.plan.entries > 0 {
                        agenda.after(pause, node, Command::Acquire);
                    }
                }
            }
        }
    }

    fn on_command(&mut self, node: NodeId, command: &Command, agenda: &mut Agenda<'_, Command>) {
        let now = agenda.now();
        self.commands += 1;
        let moment = Moment { command: self.commands, time: now };
        match command {
            Command::Acquire => {
                let application = &mut self.nodes[node.index()];
                application.left = application.left.saturating_sub(1);
                application.status = Status::Waiting;
                application.asked = moment;
                application.entries_before = self.entries;
            }
            Command::Release => {
                self.latest_release = Some(moment);
                self.chosen = None;
                self.nodes[node.index()].status = Status::Thinking;
                self.wishes = self.wishes.saturating_sub(1);
                if self.is_measuring() {
                    let response = now - self.nodes[node.index()].asked.time;
                    self.measured.response.record(response);
                }
                match self.plan.demand {
                    Demand::Light if self.plan.perpetual => {
                        let pause = self.random_pause(agenda);
                        self.ask_next(pause, agenda);
                    }
                    Demand::Light => {}
                    Demand::Heavy | Demand::Poisson(_) => self.ask_again(node, agenda),
                }
            }
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        let Event::Granted = event;
        let now = agenda.now();
        agenda.after(self.plan.inside, node, Command::Release);
        self.nodes[node.index()].status = Status::Inside;
        let Application { asked, entries_before, .. } = self.nodes[node.index()];
        let awaited = self.entries - entries_before;
        self.entries += 1;
        let mark = (now, agenda.messages());
        if self.entries == self.plan.warmup {
            self.measured.began = mark;
        }
        if !self.is_measuring() {
            return;
        }
        let ends_early = self.plan.warmup > 0 || self.plan.perpetual;
        if ends_early && self.entries == self.wanted() - self.plan.warmup {
            self.measured.ended = Some(mark);
        }
        let measured = &mut self.measured;
        measured.entries += 1;
        measured.waiting.record(now - asked.time);
        measured.awaited_max = measured.awaited_max.max(awaited);
        // Only if it was waiting already when the one before left: else it delayed itself.
        if let Some(release) = self.latest_release.filter(|release| asked < *release) {
            let delay = now - release.time;
            measured.coordination.count += 1;
            measured.coordination.total += delay;
            measured.coordination.max = measured.coordination.max.max(delay);
        }
    }

    fn on_rest(&mut self, agenda: &mut Agenda<'_, Command>) {
        if self.plan.demand == Demand::Light && self.chosen.is_none() {
            self.ask_next(self.plan.think, agenda);
        }
    }

    fn on_crash(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        self.down.insert(node);
        let application = &mut self.nodes[node.index()];
        self.wishes = self.wishes.saturating_sub(application.wishes());
        application.status = Status::Thinking;
        if self.chosen.take_if(|chosen| *chosen == node).is_some() && self.plan.perpetual {
            self.ask_next(self.plan.think, agenda);
        }
    }

    fn on_restart(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        self.down.remove(node);
        self.wishes += self.nodes[node.index()].wishes();
        match self.plan.demand {
            Demand::Light if self.chosen.is_some() || !self.plan.perpetual => {}
            Demand::Light => self.ask_next(self.plan.think, agenda),
            Demand::Heavy | Demand::Poisson(_) => self.ask_again(node, agenda),
        }
    }

    fn is_done(&self) -> bool {
        match self.plan.demand {
            Demand::Light => self.chosen.is_none(), // Else the next one was chosen at once.
            Demand::Heavy | Demand::Poisson(_) => self.wishes == 0,
        }
    }

    fn report(&self, messages: &Messages, time: u64, unit: f64) -> MutexReport {
        let measured = &self.measured;
        let in_units = |ticks: u64| ticks as f64 / unit;
        let Sum { count, total, max } = measured.coordination;
        let per_entry =
            |amount: f64| (measured.entries > 0).then(|| amount / measured.entries as f64);
        let (began, messages_before) = measured.began;
        let (ended, messages_after) = measured.ended.unwrap_or((time, messages.total));
        let span = (ended - began) as f64 / unit;
        // A wait that the end of the run cuts off counts as far as it got.
        let waiting = self.nodes.iter().filter(|it| it.status == Status::Waiting);
        let awaited = waiting.map(|it| self.entries - it.entries_before).max();
        MutexReport {
            entries: self.entries,
            messages_per_entry: per_entry((messages_after - messages_before) as f64),
            coordination_delay: (count > 0)
                .then(|| Spread { mean: total as f64 / count as f64 / unit, max: in_units(max) }),
            response_time: measured.response.distribution(unit),
            waiting_time: measured.waiting.distribution(unit),
            waiting_times: measured.waiting.counts(unit),
            throughput: (span > 0.0).then(|| measured.entries as f64 / span),
            awaited_max: measured.awaited_max.max(awaited.unwrap_or(0)),
        }
    }
}

/// The measurements of mutual exclusion. Times are in units of T, the mean delay of a message;
/// quantities without samples are missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MutexReport {
    /// The number of entries.
    pub entries: u64,
    /// All messages, divided by entries; if the protocol never rests, those until the last entry.
    pub messages_per_entry: Option<f64>,
    /// The time from a release to the next entry, if the entering node was waiting already.
    pub coordination_delay: Option<Spread>,
    /// The time from request to release.
    pub response_time: Option<Distribution>,
    /// The time from request to entry.
    pub waiting_time: Option<Distribution>,
    /// The histogram of waiting times.
    #[serde(skip)]
    pub waiting_times: Vec<(f64, u64)>,
    /// Entries per T.
    pub throughput: Option<f64>,
    /// The largest number of entries of other nodes while one node waited.
    pub awaited_max: u64,
}

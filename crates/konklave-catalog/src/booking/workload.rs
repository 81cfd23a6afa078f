//! Applications that book intervals of a shared resource, and their measurements.

use konklave::NodeId;
use konklave::booking::{Command, Event, Interval};
use serde::Serialize;

use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Distribution, Times, Workload};

pub use crate::demand::Demand;

/// The plan of the applications.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The load.
    pub demand: Demand,
    /// The number of requests of each node; under light load, on average.
    pub attempts: u32,
    /// The nodes that make requests, ascending.
    pub requesters: Vec<NodeId>,
    /// The time that a node holds an interval, in ticks.
    pub inside: u64,
    /// The think time between two attempts, in ticks.
    pub think: u64,
    /// The mean delay of a message, in ticks: T.
    pub unit: f64,
}

/// The number of hours of a day.
const HOURS: u32 = 24;
/// The longest interval of a request, in hours.
const HOURS_MAX: u32 = 4;

/// Applications that follow a [`Plan`], and their measurements. Each requests some hours of a day,
/// releases them, and only then asks again.
#[derive(Debug)]
pub struct Diary {
    plan: Plan,
    nodes: Vec<Application>,
    /// Attempts still to be made under light load.
    left: u64,
    attempts: u64,
    entries: u64,
    denials: u64,
    inside: u32,
    inside_max: u32,
    waiting: Times,
}

#[derive(Clone, Copy, Debug, Default)]
struct Application {
    left: u32,
    asked: u64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Idle,
    Waiting(Interval),
    Inside(Interval),
}

impl Diary {
    /// The applications of `nodes` nodes.
    pub fn new(nodes: u32, plan: Plan) -> Self {
        let mut applications = vec![Application::default(); nodes as usize];
        for node in &plan.requesters {
            applications[node.index()].left = plan.attempts;
        }
        Self {
            left: plan.requesters.len() as u64 * u64::from(plan.attempts),
            nodes: applications,
            plan,
            attempts: 0,
            entries: 0,
            denials: 0,
            inside: 0,
            inside_max: 0,
            waiting: Times::new(),
        }
    }

    fn ask(&mut self, pause: u64, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        let length = 1 + agenda.random().below(HOURS_MAX.into()) as u32;
        let start = agenda.random().below((HOURS - length + 1).into()) as u32;
        agenda.after(pause, node, Command::Reserve(Interval { start, end: start + length }));
    }

    /// Schedules the next attempt of a node, except under light load.
    fn ask_again(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        if self.nodes[node.index()].left == 0 {
            return;
        }
        let pause = match self.plan.demand {
            Demand::Light => return, // The next attempt follows at rest.
            Demand::Heavy => 0,
            Demand::Poisson(rate) => {
                let mean = self.plan.requesters.len() as f64 * self.plan.unit / rate;
                agenda.random().exponential(mean) as u64
            }
        };
        self.ask(self.plan.think + pause, node, agenda);
    }

    fn leave(&mut self, node: NodeId) {
        let phase = std::mem::take(&mut self.nodes[node.index()].phase);
        if let Phase::Inside(_) = phase {
            self.inside -= 1;
        }
    }
}

impl Workload for Diary {
    type Command = Command;
    type Event = Event;
    type Report = BookingReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        for node in self.plan.requesters.clone() {
            self.ask_again(node, agenda);
        }
    }

    fn on_command(&mut self, node: NodeId, command: &Command, agenda: &mut Agenda<'_, Command>) {
        match *command {
            Command::Reserve(interval) => {
                self.attempts += 1;
                let application = &mut self.nodes[node.index()];
                application.left = application.left.saturating_sub(1);
                application.asked = agenda.now();
                application.phase = Phase::Waiting(interval);
            }
            Command::Release(interval) => {
                if self.nodes[node.index()].phase == Phase::Inside(interval) {
                    self.leave(node);
                    self.ask_again(node, agenda);
                } // Else it has crashed since.
            }
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        let application = &mut self.nodes[node.index()];
        let Phase::Waiting(interval) = application.phase else { return }; // The monitor complains.
        self.waiting.record(agenda.now() - application.asked);
        match event {
            Event::Granted => {
                application.phase = Phase::Inside(interval);
                self.entries += 1;
                self.inside += 1;
                self.inside_max = self.inside_max.max(self.inside);
                agenda.after(self.plan.inside, node, Command::Release(interval));
            }
            Event::Denied => {
                application.phase = Phase::Idle;
                self.denials += 1;
                self.ask_again(node, agenda);
            }
        }
    }

    fn on_rest(&mut self, agenda: &mut Agenda<'_, Command>) {
        if self.plan.demand == Demand::Light && self.left > 0 {
            self.left -= 1;
            let requesters = &self.plan.requesters;
            let node = requesters[agenda.random().below(requesters.len() as u64) as usize];
            self.ask(self.plan.think, node, agenda);
        }
    }

    fn on_crash(&mut self, node: NodeId, _agenda: &mut Agenda<'_, Command>) {
        self.leave(node);
    }

    fn on_restart(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        self.ask_again(node, agenda);
    }

    fn report(&self, messages: &Messages, time: u64, unit: f64) -> BookingReport {
        let span = time as f64 / unit;
        BookingReport {
            attempts: self.attempts,
            entries: self.entries,
            denials: self.denials,
            messages_per_attempt: (self.attempts > 0)
                .then(|| messages.total as f64 / self.attempts as f64),
            inside_at_once_max: self.inside_max,
            waiting_time: self.waiting.distribution(unit),
            waiting_times: self.waiting.counts(unit),
            throughput: (span > 0.0).then(|| self.entries as f64 / span),
        }
    }
}

/// The measurements of booking. Times are in units of T, the mean delay of a message; quantities
/// without samples are missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BookingReport {
    /// The number of requests.
    pub attempts: u64,
    /// The number of requests granted.
    pub entries: u64,
    /// The number of requests denied.
    pub denials: u64,
    /// All messages, divided by attempts.
    pub messages_per_attempt: Option<f64>,
    /// The largest number of intervals held at once.
    pub inside_at_once_max: u32,
    /// The time from request to answer.
    pub waiting_time: Option<Distribution>,
    /// The histogram of waiting times.
    #[serde(skip)]
    pub waiting_times: Vec<(f64, u64)>,
    /// Entries per T.
    pub throughput: Option<f64>,
}

#[cfg(test)]
mod tests {
    use konklave::booking::{Form, Monitor, reservation::Reservation};
    use konklave::protocol::{Env, Never, Protocol};

    use super::*;
    use konklave_sim::{Ended, Options, RunReport, Simulation};

    const NODES: u32 = 8;

    fn run<P>(form: Form, make: impl Fn(NodeId) -> P) -> RunReport<BookingReport>
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        let plan = Plan {
            demand: Demand::Heavy,
            attempts: 10,
            requesters: NodeId::all(NODES).collect(),
            inside: 5,
            think: 0,
            unit: 1.0,
        };
        let (diary, monitor) = (Diary::new(NODES, plan), Monitor::new(NODES, form));
        let mut simulation = Simulation::new(Options::default(), NODES, make, diary, monitor);
        simulation.run(&mut |_| true).unwrap()
    }

    #[test]
    fn every_attempt_is_answered_and_costs_the_same() {
        for form in [Form::Block, Form::Deny] {
            let report = run(form, |me| Reservation::new(me, NODES, form));
            assert_eq!(report.ended, Ended::Quiescence, "{form:?}");
            let BookingReport { attempts, entries, denials, .. } = report.problem;
            assert_eq!((attempts, entries + denials), (80, 80), "{form:?}");
            assert_eq!(denials > 0, form == Form::Deny);
            assert!(report.problem.inside_at_once_max > 1, "{form:?}");
            assert_eq!(report.messages.total, 80 * 2 * (8 - 1), "{form:?}");
        }
    }

    /// A node that takes what it wants.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Greedy;

    impl Protocol for Greedy {
        type Msg = ();
        type Timer = Never;
        type Command = Command;
        type Event = Event;

        fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
            if let Command::Reserve(_) = command {
                env.emit(Event::Granted);
            }
        }

        fn on_message(&mut self, _from: NodeId, (): (), _env: &mut impl Env<Self>) {}
    }

    #[test]
    fn greed_is_noticed() {
        let report = run(Form::Block, |_| Greedy);
        assert_eq!(report.violations[0].broken.promise, "no overlap");
    }
}

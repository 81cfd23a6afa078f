//! The processes of a simulation that share an object, and what is measured about them.

use std::collections::{BTreeMap, BTreeSet};

use konklave::NodeId;
use konklave::object::{Answer, Command, Event, Object};
use konklave_check::history::Operation;
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Legal, Times, Workload};

mod changes;
mod kept;
mod plan;

use super::Service;
use super::options::{KeyDraw, Keys, tree_node};
use super::report::ObjectReport;
use changes::Change;
use kept::Again;
pub use plan::{Amount, Plan};
use plan::{Counts, Process};

/// The most levels of a search tree: a million leaves.
const TREE_LEVELS: u32 = 21;

/// Processes that follow a [`Plan`], and their measurements. Joins and leaves are spread over the
/// operations: each has its turn after a number of them that is drawn at random. What a process
/// that leaves has not asked yet, another member asks.
pub struct Users<S: Service> {
    plan: Plan,
    /// By their numbers.
    processes: Vec<Process>,
    /// How many clients have not asked for everything, if that is a matter of time.
    asking: usize,
    /// How many operations were asked for, or are about to be.
    planned: u64,
    /// The members, without those that leave.
    members: Vec<NodeId>,
    /// Joins and leaves to come, the next one last: after how many operations, and which.
    changes: Vec<(u64, Change)>,
    /// Leaves that wait for another member.
    postponed: u32,
    /// The processes that have been asked to join, with their contacts, which stay meanwhile.
    joining: BTreeMap<NodeId, NodeId>,
    /// The processes that have been asked to leave.
    leaving: BTreeSet<NodeId>,
    /// Keys to be put before everything else.
    to_load: std::ops::Range<u64>,
    key_draw: KeyDraw,
    invoked: u64,
    fresh: u64,
    pending: BTreeMap<(NodeId, u32), Invoked<S>>,
    counts: Counts,
    latency: Times,
    history: Option<Vec<Operation<<S::Object as Object>::Op>>>,
    again: Option<Again>,
    /// The number of invocations and returns: the times of a history, which tells them apart
    /// within a tick.
    clock: u64,
}

/// An operation that has not returned.
struct Invoked<S: Service> {
    op: <S::Object as Object>::Op,
    at: u64,
    clock: u64,
}

impl<S: Service> Users<S> {
    /// The processes of a run.
    pub fn new(plan: Plan) -> Self {
        let mut processes = vec![Process::default(); plan.processes()];
        for (place, node) in (0..).zip(&plan.clients) {
            processes[node.index()].left = plan.share(place);
        }
        let keys = match &plan.among {
            Some(among) => among.end() - among.start() + 1,
            None if plan.items > 0 => plan.items,
            None => plan.operations().div_ceil(2),
        };
        Self {
            processes,
            asking: match plan.amount {
                Amount::Ops(_) => 0,
                Amount::Until(_) => plan.clients.len(),
            },
            planned: 0,
            members: plan.members.clone(),
            changes: Vec::new(),
            postponed: 0,
            joining: BTreeMap::new(),
            leaving: BTreeSet::new(),
            to_load: 0..plan.items,
            key_draw: KeyDraw::new(plan.keys, keys),
            invoked: 0,
            fresh: 0,
            pending: BTreeMap::new(),
            counts: Counts::default(),
            latency: Times::new(),
            history: None,
            again: None,
            clock: 0,
            plan,
        }
    }

    /// Keeps all operations for a history.
    pub(super) fn keep_history(&mut self) {
        self.history = Some(Vec::new());
    }

    /// Whether all operations have returned, and all that were asked to join or leave have.
    fn has_finished(&self) -> bool {
        self.asking == 0
            && self.counts.operations == self.total()
            && self.changes.is_empty()
            && self.joining.is_empty()
            && self.leaving.is_empty()
    }

    fn total(&self) -> u64 {
        match self.plan.amount {
            Amount::Ops(_) => {
                let given = self.again.as_ref().map_or(0, |again| again.given);
                self.plan.operations() + self.plan.items + given
            }
            Amount::Until(_) => self.planned,
        }
    }

    /// The next operation of a client that has planned so many before.
    fn next_operation(
        &mut self,
        node: NodeId,
        planned: u32,
        agenda: &mut Agenda<'_, Ask<S>>,
    ) -> <S::Object as Object>::Op {
        self.fresh += 1;
        let (letter, key) = match self.to_load.next() {
            Some(key) => (('a'..='z').find(|it| brings::<S>(*it)), key),
            None => {
                let place = agenda.random().below(self.plan.mix.len() as u64);
                let key = match self.plan.keys {
                    Keys::Tree => tree_node(node, planned, self.tree_levels()),
                    _ => {
                        let first = self.plan.among.as_ref().map_or(0, |among| *among.start());
                        first + self.key_draw.draw(agenda.random())
                    }
                };
                (Some(self.plan.mix[place as usize]), key)
            }
        };
        let letter = letter.unwrap_or(self.plan.mix[0]);
        let key = self.plan.scatter.map_or(key, |scatter| scatter.key(key));
        S::operation(letter, key, self.fresh).expect("letters of the mix were checked")
    }

    /// The levels of a search tree: a client goes down once, if the number of its operations says
    /// how often it goes on.
    fn tree_levels(&self) -> u32 {
        match self.plan.amount {
            Amount::Ops(ops) => ops.min(TREE_LEVELS),
            Amount::Until(_) => TREE_LEVELS,
        }
    }

    /// Plans operations of a process, as many as its window allows.
    fn plan_operations(&mut self, node: NodeId, agenda: &mut Agenda<'_, Ask<S>>) {
        loop {
            let window = self.plan.window;
            let process = &mut self.processes[node.index()];
            let is_idle = self.plan.pause.is_none() || process.planned == process.invoked;
            let has_room = process.planned - process.returned < window && is_idle;
            if process.left == 0 || process.is_leaving || !has_room {
                return self.leave_if_idle(node, agenda);
            }
            let pause = self.plan.pause.map_or(0, |mean| agenda.random().exponential(mean) as u64);
            match self.plan.amount {
                Amount::Ops(_) => process.left -= 1,
                Amount::Until(end) if agenda.now().saturating_add(pause) < end => {}
                Amount::Until(_) => {
                    self.stop(node);
                    continue;
                }
            }
            process.planned += 1;
            self.planned += 1;
            let planned = process.planned - 1;
            let op = self.next_operation(node, planned, agenda);
            agenda.after(pause, node, Command::Invoke(op));
        }
    }

    fn finish(&mut self, node: NodeId, event: (u32, Answer, Option<u64>), now: u64) {
        let (ticket, answer, witness) = event;
        let Some(Invoked { op, at, clock }) = self.pending.remove(&(node, ticket)) else { return };
        self.clock += 1;
        self.latency.record(now - at);
        self.counts.operations += 1;
        if S::Object::nature(op).asks() {
            self.counts.asked += 1;
            self.counts.found += u64::from(answer.is_some());
            if let (Some(again), Some(element)) = (&mut self.again, answer) {
                again.find(element);
            }
        }
        if let Some(history) = &mut self.history {
            history.push(Operation {
                process: node.0,
                seq: ticket,
                op,
                result: S::Object::nature(op).asks().then_some(answer),
                invoked: clock,
                returned: Some(self.clock),
                witness: witness.map(|place| vec![i64::try_from(place).unwrap_or(i64::MAX)]),
            });
        }
    }
}

type Ask<S> = Command<<<S as Service>::Object as Object>::Op>;

/// Whether an operation brings something that others can find.
fn brings<S: Service>(letter: char) -> bool {
    let nature = S::operation(letter, 0, 1).map(S::Object::nature);
    nature.is_some_and(|nature| !nature.asks() && nature.value(None).is_some())
}

impl<S: Service> Workload for Users<S> {
    type Command = Ask<S>;
    type Event = Event;
    type Report = ObjectReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        self.draw_changes(agenda);
        for node in self.plan.clients.clone() {
            self.plan_operations(node, agenda);
        }
        self.change_if_due(agenda);
    }

    fn on_command(&mut self, node: NodeId, command: &Ask<S>, agenda: &mut Agenda<'_, Ask<S>>) {
        let Command::Invoke(op) = *command else { return };
        let process = &mut self.processes[node.index()];
        self.clock += 1;
        let invoked = Invoked { op, at: agenda.now(), clock: self.clock };
        self.pending.insert((node, process.invoked), invoked);
        process.invoked += 1;
        self.invoked += 1;
        self.change_if_due(agenda);
        if self.plan.pause.is_some() {
            self.plan_operations(node, agenda);
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Ask<S>>) {
        match *event {
            Event::Returned { ticket, answer, witness } => {
                self.processes[node.index()].returned += 1;
                self.finish(node, (ticket, answer, witness), agenda.now());
                self.plan_operations(node, agenda);
                if self.is_over() {
                    self.change_if_due(agenda);
                }
            }
            Event::Joined => {
                self.joining.remove(&node);
                self.counts.joined += 1;
                self.members.push(node);
                self.dismiss_if_possible(agenda);
            }
            Event::Left => {
                self.leaving.remove(&node);
                self.counts.left += 1;
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.has_finished()
    }

    /// Whatever was wrong before, all has to be right now.
    fn on_stable(&mut self, _legal: Legal, agenda: &mut Agenda<'_, Ask<S>>) {
        self.go_on(agenda);
    }

    fn on_crash(&mut self, node: NodeId, _agenda: &mut Agenda<'_, Ask<S>>) {
        self.stop(node);
        self.joining.remove(&node);
        self.leaving.remove(&node);
        if self.members.len() > 1 {
            self.members.retain(|other| *other != node);
        }
    }

    /// The run of a self-stabilising system ends when it is legal.
    fn is_done(&self) -> bool {
        self.has_finished() && !self.plan.stabilises
    }

    fn report(&self, messages: &Messages, time: u64, unit: f64) -> ObjectReport {
        let Counts { operations, asked, found, joined, left } = self.counts;
        let per_operation = |count: u64| (operations > 0).then(|| count as f64 / operations as f64);
        let span = time as f64 / unit;
        ObjectReport {
            operations,
            asked,
            found,
            found_again: self.again.as_ref().map(|it| it.found_again),
            joined,
            left,
            messages_per_operation: per_operation(messages.total),
            latency: self.latency.distribution(unit),
            latencies: self.latency.counts(unit),
            throughput: (span > 0.0).then(|| operations as f64 / span),
            history: self.history(),
        }
    }
}

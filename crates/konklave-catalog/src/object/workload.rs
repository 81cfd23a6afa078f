//! The processes of a simulation that share an object, and what is measured about them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use konklave::NodeId;
use konklave::object::{Answer, Command, Event, Object};
use konklave_check::history::Operation;
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Legal, Times, Workload};

mod kept;

use super::Service;
use super::options::{KeyDraw, Keys, tree_node};
use super::report::ObjectReport;
use super::scatter::Scatter;
use kept::Again;

/// The most levels of a search tree: a million leaves.
const TREE_LEVELS: u32 = 21;

/// What the processes do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The processes that invoke operations at the beginning, some of the members.
    pub clients: Vec<NodeId>,
    /// The members at the beginning.
    pub members: Vec<NodeId>,
    /// The processes that join.
    pub joiners: Vec<NodeId>,
    /// How many members leave.
    pub leaves: u32,
    /// The number of operations of each client.
    pub ops: u32,
    /// How many operations of a client may be outstanding.
    pub window: u32,
    /// The mean time between two operations of a client, in ticks; none if it does not wait.
    pub pause: Option<f64>,
    /// The operations, as letters.
    pub mix: Vec<char>,
    /// How many keys are put before everything else.
    pub items: u64,
    /// How often keys are asked for.
    pub keys: Keys,
    /// Which keys there are, if that is given.
    pub among: Option<RangeInclusive<u64>>,
    /// What keys are, if they are not just numbered.
    pub scatter: Option<Scatter>,
    /// Whether the system is self-stabilising.
    pub stabilises: bool,
}

/// Processes that follow a [`Plan`], and their measurements. Joins and leaves are spread over the
/// operations: each has its turn after a number of them that is drawn at random. What a process
/// that leaves has not asked yet, another member asks.
pub struct Users<S: Service> {
    plan: Plan,
    processes: BTreeMap<NodeId, Process>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Join(NodeId),
    Leave,
}

/// An operation that has not returned.
struct Invoked<S: Service> {
    op: <S::Object as Object>::Op,
    at: u64,
    clock: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Process {
    /// How many operations it has to ask for.
    left: u64,
    /// How many it has asked for, or is about to.
    planned: u32,
    invoked: u32,
    returned: u32,
    is_leaving: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    operations: u64,
    asked: u64,
    found: u64,
    joined: u64,
    left: u64,
}

impl<S: Service> Users<S> {
    /// The processes of a run.
    pub fn new(plan: Plan) -> Self {
        let total = plan.clients.len() as u64 * u64::from(plan.ops) + plan.items;
        let share = |place: u64| {
            // Client i puts the items i, i + c, i + 2c, ...
            let clients = plan.clients.len() as u64;
            u64::from(plan.ops) + plan.items / clients + u64::from(place < plan.items % clients)
        };
        let clients = (0..).zip(&plan.clients);
        let process = |(place, &node)| (node, Process { left: share(place), ..Process::default() });
        let keys = match &plan.among {
            Some(among) => among.end() - among.start() + 1,
            None if plan.items > 0 => plan.items,
            None => total.div_ceil(2),
        };
        Self {
            processes: clients.map(process).collect(),
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
        self.counts.operations == self.total() + self.again.as_ref().map_or(0, |it| it.given)
            && self.changes.is_empty()
            && self.joining.is_empty()
            && self.leaving.is_empty()
    }

    fn total(&self) -> u64 {
        self.plan.clients.len() as u64 * u64::from(self.plan.ops) + self.plan.items
    }

    /// Draws after how many operations each join and leave has its turn: not before all items are
    /// there.
    fn draw_changes(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        let (first, last) = (self.plan.items, self.total());
        let joins = self.plan.joiners.iter().map(|node| Change::Join(*node));
        let leaves = (0..self.plan.leaves).map(|_| Change::Leave);
        let all: Vec<Change> = joins.chain(leaves).collect();
        let timed = all.into_iter().map(|it| (agenda.random().between(first, last), it));
        self.changes = timed.collect();
        self.changes.sort_by_key(|(after, _)| u64::MAX - after);
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
                    Keys::Tree => tree_node(node, planned, self.plan.ops.min(TREE_LEVELS)),
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

    /// Plans operations of a process, as many as its window allows.
    fn plan_operations(&mut self, node: NodeId, agenda: &mut Agenda<'_, Ask<S>>) {
        loop {
            let window = self.plan.window;
            let process = self.processes.entry(node).or_default();
            let is_idle = self.plan.pause.is_none() || process.planned == process.invoked;
            let has_room = process.planned - process.returned < window && is_idle;
            if process.left == 0 || process.is_leaving || !has_room {
                return self.leave_if_idle(node, agenda);
            }
            process.left -= 1;
            process.planned += 1;
            let planned = process.planned - 1;
            let pause = self.plan.pause.map_or(0, |mean| agenda.random().exponential(mean) as u64);
            let op = self.next_operation(node, planned, agenda);
            agenda.after(pause, node, Command::Invoke(op));
        }
    }

    fn change_if_due(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        while let Some((after, change)) = self.changes.last().copied()
            && after <= self.invoked
        {
            self.changes.pop();
            match change {
                Change::Join(node) => {
                    let place = agenda.random().below(self.members.len() as u64);
                    let contact = self.members[place as usize];
                    self.joining.insert(node, contact);
                    agenda.after(0, node, Command::Join { contact });
                }
                Change::Leave => {
                    self.postponed += 1;
                    self.dismiss_if_possible(agenda);
                }
            }
        }
    }

    /// Members leave that were to leave earlier, as long as one stays. A member that others need in
    /// order to join is not asked to.
    fn dismiss_if_possible(&mut self, agenda: &mut Agenda<'_, Ask<S>>) {
        while self.postponed > 0 && self.members.len() > 1 {
            let place = agenda.random().below(self.members.len() as u64);
            let is_needed = |node: &NodeId| self.joining.values().any(|contact| contact == node);
            let free = self.members.iter().cycle().skip(place as usize).take(self.members.len());
            let Some(node) = free.copied().find(|node| !is_needed(node)) else { return };
            self.postponed -= 1;
            self.members.retain(|other| *other != node);
            self.leaving.insert(node);
            let process = self.processes.entry(node).or_default();
            process.is_leaving = true;
            let left = std::mem::take(&mut process.left);
            let place = agenda.random().below(self.members.len() as u64);
            let heir = self.members[place as usize];
            self.processes.entry(heir).or_default().left += left;
            self.leave_if_idle(node, agenda);
            self.plan_operations(heir, agenda);
        }
    }

    fn leave_if_idle(&mut self, node: NodeId, agenda: &mut Agenda<'_, Ask<S>>) {
        let process = self.processes.entry(node).or_default();
        if process.is_leaving && process.planned == process.returned {
            process.planned += 1; // So that it leaves once only.
            agenda.after(0, node, Command::Leave);
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
        let process = self.processes.entry(node).or_default();
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
                self.processes.entry(node).or_default().returned += 1;
                self.finish(node, (ticket, answer, witness), agenda.now());
                self.plan_operations(node, agenda);
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
        self.processes.entry(node).or_default().left = 0;
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

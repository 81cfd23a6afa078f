//! What the server does: it lets reads happen together and updates one at a time, and has members
//! settle when the bound changes.

use std::collections::VecDeque;

use super::{BoundedLoads, LoadFactor, Msg, Outcome, Task};
use crate::NodeId;
use crate::dictionary::Table;
use crate::protocol::Env;

/// What the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Server {
    table: Table,
    factor: LoadFactor,
    /// How many keys there are.
    keys: u64,
    /// What members may store at most.
    bound: u32,
    activity: Activity,
    /// What was asked for and has not begun, in order.
    queue: VecDeque<Wish>,
    /// A member that leaves as soon as another one stays.
    last: Option<NodeId>,
    /// How many keys joins and leaves have moved.
    moved: u64,
}

/// What is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Activity {
    /// This many reads; none if the system is idle.
    Reads(u32),
    /// A write, whose key the number of keys includes or not.
    Write { is_counted: bool },
    /// What a change of keys or members makes necessary.
    Update(Update),
}

/// Steps, one after the other, and what holds after them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Update {
    /// The first is under way.
    steps: VecDeque<Step>,
    keys: u64,
    bound: u32,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Then {
    /// There was one key less.
    Rest,
    /// A member has joined or left.
    Welcome,
    /// There is room for this write.
    Write(Task, u64),
}

/// What one member is told; it reports when all is still again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Settle(NodeId, u32),
    Split(NodeId, NodeId),
    Merge(NodeId, NodeId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wish {
    Operation(Task),
    Join(NodeId),
    Leave(NodeId),
}

impl Server {
    pub(super) fn new(table: Table, factor: LoadFactor) -> Self {
        Self {
            bound: factor.bound(0, table.count()),
            table,
            factor,
            keys: 0,
            activity: Activity::Reads(0),
            queue: VecDeque::new(),
            last: None,
            moved: 0,
        }
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn bound(&self) -> u32 {
        self.bound
    }

    pub(super) fn keys(&self) -> u64 {
        self.keys
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    /// Whether nothing but reads is under way.
    pub(super) fn is_still(&self) -> bool {
        matches!(self.activity, Activity::Reads(_))
    }

    pub(super) fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<BoundedLoads>) {
        match msg {
            Msg::Request { ticket, op } => {
                self.queue.push_back(Wish::Operation(Task { client: from, ticket, op }));
                self.begin_if_possible(env);
            }
            Msg::Join if !self.table.has(from) => {
                self.queue.push_back(Wish::Join(from));
                self.begin_if_possible(env);
            }
            Msg::Leave if self.table.has(from) => {
                self.queue.push_back(Wish::Leave(from));
                self.begin_if_possible(env);
            }
            Msg::Finished(outcome) => self.finish(from, outcome, env),
            Msg::NoRoom { task, witness } => self.make_room(task, witness, env),
            Msg::Settled { moved } => self.go_on(moved, env),
            _ => {} // Not for the server, or a duplicate.
        }
    }

    /// Lets what was asked for begin, in order: reads beside reads, all else alone.
    fn begin_if_possible(&mut self, env: &mut impl Env<BoundedLoads>) {
        while let (Activity::Reads(reads), Some(wish)) = (&self.activity, self.queue.front()) {
            let (reads, wish) = (*reads, *wish);
            let is_read = matches!(wish, Wish::Operation(task) if !task.op.is_write());
            if reads > 0 && !is_read {
                return;
            }
            self.queue.pop_front();
            match wish {
                Wish::Operation(task) => {
                    self.activity = match is_read {
                        true => Activity::Reads(reads + 1),
                        false => Activity::Write { is_counted: false },
                    };
                    let room = self.suitable(self.keys + 1) == self.bound;
                    env.send(self.home(task), Msg::Do { task, room });
                }
                Wish::Join(node) => self.admit(node, env),
                Wish::Leave(node) if self.table.count() == 1 => self.last = Some(node),
                Wish::Leave(node) => self.dismiss(node, env),
            }
        }
    }

    fn home(&self, task: Task) -> NodeId {
        self.table.responsible(self.table.mixer().key(task.op.key()))
    }

    /// The bound for this many keys.
    fn suitable(&self, keys: u64) -> u32 {
        self.factor.bound(keys, self.table.count())
    }

    fn finish(&mut self, from: NodeId, outcome: Outcome, env: &mut impl Env<BoundedLoads>) {
        match (&mut self.activity, outcome) {
            (Activity::Reads(reads), Outcome::Read) => *reads = reads.saturating_sub(1),
            (Activity::Write { is_counted }, Outcome::Inserted) => {
                self.keys += u64::from(!*is_counted);
                self.activity = Activity::Reads(0);
            }
            (Activity::Write { .. }, Outcome::Kept) => self.activity = Activity::Reads(0),
            (Activity::Write { .. }, Outcome::Deleted) => {
                let keys = self.keys.saturating_sub(1);
                let fill = Step::Settle(from, self.bound);
                return self.update([fill].into(), keys, Then::Rest, env);
            }
            _ => return, // A duplicate.
        }
        self.begin_if_possible(env);
    }

    /// One more key raises the bound: members settle first.
    fn make_room(&mut self, task: Task, witness: u64, env: &mut impl Env<BoundedLoads>) {
        if matches!(self.activity, Activity::Write { is_counted: false }) {
            self.update(VecDeque::new(), self.keys + 1, Then::Write(task, witness), env);
        } // Else a duplicate.
    }

    /// The process takes over a part of the circle, and pulls; and so does the member before it,
    /// which has room now.
    fn admit(&mut self, node: NodeId, env: &mut impl Env<BoundedLoads>) {
        if self.table.has(node) {
            return; // A duplicate.
        }
        let (_, before) = self.table.insert(node);
        let fill = [node, before].map(|node| Step::Settle(node, self.bound));
        let steps = std::iter::once(Step::Split(before, node)).chain(fill).collect();
        self.update(steps, self.keys, Then::Welcome, env);
    }

    /// The others have room for everything first. Then the member pushes all that it stores, and
    /// the member before it, whose part of the circle is larger now, pulls.
    fn dismiss(&mut self, node: NodeId, env: &mut impl Env<BoundedLoads>) {
        if !self.table.has(node) {
            return; // A duplicate.
        }
        let (_, before) = self.table.remove(node);
        let bound = self.suitable(self.keys);
        let mut steps: VecDeque<Step> = match bound > self.bound {
            true => self.table.members().map(|it| Step::Settle(it, bound)).collect(),
            false => VecDeque::new(),
        };
        self.bound = bound;
        steps.push_back(Step::Settle(node, 0));
        steps.push_back(Step::Merge(node, before));
        steps.push_back(Step::Settle(before, bound));
        self.update(steps, self.keys, Then::Welcome, env);
    }

    /// Begins an update that leads to this many keys: first these steps, then a step for every
    /// member if the bound changes. Until it ends the larger bound counts.
    fn update(
        &mut self,
        mut steps: VecDeque<Step>,
        keys: u64,
        then: Then,
        env: &mut impl Env<BoundedLoads>,
    ) {
        let bound = self.suitable(keys);
        if bound != self.bound {
            steps.extend(self.table.members().map(|node| Step::Settle(node, bound)));
        }
        self.keys = self.keys.max(keys);
        self.bound = self.bound.max(bound);
        let first = steps.front().copied();
        self.activity = Activity::Update(Update { steps, keys, bound, then });
        if let Some(step) = first {
            tell(step, env);
        }
    }

    /// A step is done if it has moved nothing; a member that has pulled or pushed may do so again.
    fn go_on(&mut self, moved: u32, env: &mut impl Env<BoundedLoads>) {
        let Activity::Update(update) = &mut self.activity else { return }; // A duplicate.
        if update.then == Then::Welcome {
            self.moved += u64::from(moved);
        }
        let is_done = moved == 0 || !matches!(update.steps.front(), Some(Step::Settle(..)));
        if is_done {
            update.steps.pop_front();
        }
        if let Some(step) = update.steps.front() {
            return tell(*step, env);
        }
        let Update { keys, bound, then, .. } = *update;
        (self.keys, self.bound) = (keys, bound);
        self.activity = Activity::Reads(0);
        match then {
            Then::Write(task, witness) => {
                self.activity = Activity::Write { is_counted: true };
                env.send(self.home(task), Msg::Walk { task, witness, room: true });
            }
            Then::Welcome if self.table.count() > 1 => {
                self.queue.extend(self.last.take().map(Wish::Leave));
            }
            Then::Welcome | Then::Rest => {}
        }
        self.begin_if_possible(env);
    }
}

fn tell(step: Step, env: &mut impl Env<BoundedLoads>) {
    match step {
        Step::Settle(node, bound) => env.send(node, Msg::Settle { bound }),
        Step::Split(node, next) => env.send(node, Msg::Split { next }),
        Step::Merge(node, into) => env.send(node, Msg::Merge { into }),
    }
}

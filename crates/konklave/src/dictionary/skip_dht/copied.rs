//! Copied placement: records move towards their responsible node by themselves, from any state.
//!
//! A node that holds a record and is not responsible for its key sends it to the next node on the
//! way, again in every turn, and drops it when that node has acknowledged it. So a record can be in
//! several places, and an old copy can arrive after a newer one: the overwriting problem. The
//! number of operations that a record knows of, and the node that carried out the last, are its
//! version; of two copies the one with the higher version is kept. The responsible node counts from
//! the highest version that it has seen, at itself or on the way of a request. So a version that is
//! too high by mistake is exceeded by the next operation; a time stamp of the writer would not be.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::super::{
    Census, Command, Copied, DictionaryOp, Event, Opening, Record, Storage, Tally, Task, Version,
};
use crate::NodeId;
use crate::NodeSet;
use crate::object::{Answer, OneByOne};
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Hop, Member, Overlay, Place, place, responsible};
use crate::protocol::{Env, Hosts, Invariant, Lifts, Never, Protocol, Snapshot};

/// What nodes send each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// About the overlay.
    Overlay(overlay::Msg),
    /// An operation travels to the node that is responsible for its key.
    Request {
        /// The operation.
        task: Task,
        /// The number of messages since it was invoked or last waited, this one included.
        hops: u32,
        /// Whether it was sent from the smallest node to the largest.
        has_turned: bool,
        /// The newest copy that it has met.
        met: Option<Box<Copied>>,
    },
    /// To a process: its operation was carried out.
    Done {
        /// Which.
        ticket: u32,
        /// Its answer.
        answer: Answer,
        /// How many operations on its key had been carried out, as far as was known.
        witness: u64,
    },
    /// A copy on its way to its responsible node.
    Move {
        /// Its key.
        key: u64,
        /// The copy.
        copy: Copied,
    },
    /// The copy was stored.
    MoveAck {
        /// Its key.
        key: u64,
        /// Its version.
        version: Version,
    },
}

const _: () = assert!(size_of::<Msg>() <= 48);

/// One node, with copied placement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopiedDht {
    member: Member<SkipPlus>,
    phase: Phase,
    operations: OneByOne<DictionaryOp>,
    copies: BTreeMap<u64, Copied>,
    /// Operations that this process has invoked before it has joined.
    waiting: VecDeque<Task>,
    opening: Opening,
    tally: Tally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Outside,
    Inside,
    Leaving,
    Gone,
}

impl CopiedDht {
    /// A node with this part in the overlay; it is inside, or joins later.
    pub fn new(member: Member<SkipPlus>, is_inside: bool, opening: Opening) -> Self {
        Self {
            member,
            phase: if is_inside { Phase::Inside } else { Phase::Outside },
            operations: OneByOne::default(),
            copies: BTreeMap::new(),
            waiting: VecDeque::new(),
            opening,
            tally: Tally::default(),
        }
    }

    fn place(&self) -> Place {
        self.member.overlay().place()
    }

    /// The next node on the way to a key; none if this one is responsible. A node that leaves is
    /// responsible for nothing.
    fn next(&self, key: u64, has_turned: &mut bool) -> Option<NodeId> {
        let hop = self.member.overlay().next_once(self.place().mixer.key(key), has_turned);
        match (hop, self.phase) {
            (Hop::To(to), _) => Some(to),
            (Hop::Here, Phase::Leaving) => self.member.heir(),
            (Hop::Here, _) => None,
        }
    }

    fn begin(&mut self, env: &mut impl Env<Self>) {
        if let Some((ticket, op)) = self.operations.under_way() {
            self.handle(Task { client: self.place().me, ticket, op }, 0, false, None, env);
        }
    }

    fn finish(&mut self, ticket: u32, answer: Answer, witness: u64, env: &mut impl Env<Self>) {
        if self.operations.finish(ticket) {
            let witness = self.opening.witness(witness);
            env.emit(Event::Returned { ticket, answer, witness });
            self.begin(env);
        } // Else a duplicate.
    }

    /// Carries an operation out on the newest copy, or passes it on.
    fn handle(
        &mut self,
        task: Task,
        hops: u32,
        mut has_turned: bool,
        met: Option<Copied>,
        env: &mut impl Env<Self>,
    ) {
        let (key, me) = (task.op.key(), self.place().me);
        let newest = Copied::newer(met, self.copies.get(&key).copied());
        if self.phase == Phase::Outside {
            return self.waiting.push_back(task);
        }
        if let Some(to) = self.next(key, &mut has_turned) {
            let met = newest.map(Box::new);
            return env.send(to, Msg::Request { task, hops: hops + 1, has_turned, met });
        }
        self.tally.carry_out(hops);
        let mut record = newest.map_or_else(Record::default, |copy| copy.record);
        let (answer, witness) = record.carry_out(task.op);
        self.copies.insert(key, Copied { record, by: me });
        match task.client == me {
            true => self.finish(task.ticket, answer, witness, env),
            false => env.send(task.client, Msg::Done { ticket: task.ticket, answer, witness }),
        }
    }

    /// Copies that belong elsewhere are sent on, and kept until they have arrived.
    fn move_copies(&self, env: &mut impl Env<Self>) {
        for (&key, &copy) in &self.copies {
            if let Some(to) = self.next(key, &mut false) {
                env.send(to, Msg::Move { key, copy });
            }
        }
    }

    fn store(&mut self, key: u64, copy: Copied) {
        let newest = Copied::newer(Some(copy), self.copies.get(&key).copied());
        self.copies.extend(newest.map(|copy| (key, copy)));
    }

    /// The next node has stored a copy. It is dropped here, unless it has changed meanwhile, or
    /// this node has become responsible.
    fn drop_if_moved(&mut self, key: u64, version: Version) {
        let is_same = self.copies.get(&key).is_some_and(|copy| copy.version() == version);
        if is_same && self.next(key, &mut false).is_some() {
            let value = self.copies.remove(&key).and_then(|copy| copy.record.value);
            self.tally.handed_over += u64::from(value.is_some());
        }
    }
}

impl Protocol for CopiedDht {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(env, |it, env| it.on_start(env));
        if self.phase == Phase::Inside {
            self.copies = self.opening.copies(self.place().me, |bound| env.choose(bound));
        }
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.phase) {
            (Command::Invoke(op), _) => {
                let is_next = self.operations.invoke(op).is_some();
                if is_next {
                    self.begin(env);
                }
            }
            (Command::Join { contact }, Phase::Outside) => {
                self.phase = Phase::Inside;
                self.run(env, |it, env| it.on_command(overlay::Command::Join { contact }, env));
                for task in std::mem::take(&mut self.waiting) {
                    self.handle(task, 0, false, None, env);
                }
            }
            (Command::Leave, Phase::Inside) => {
                self.phase = Phase::Leaving;
                self.run(env, |it, env| it.on_command(overlay::Command::Leave, env));
            }
            (Command::Join { .. }, Phase::Inside) => env.emit(Event::Joined),
            (Command::Leave, Phase::Outside) => env.emit(Event::Left),
            _ => {} // It is on its way.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Overlay(msg) => self.run(env, |it, env| it.on_message(from, msg, env)),
            Msg::Request { task, hops, has_turned, met } => {
                self.handle(task, hops, has_turned, met.map(|it| *it), env);
            }
            Msg::Done { ticket, answer, witness } => self.finish(ticket, answer, witness, env),
            Msg::Move { key, copy } => {
                self.store(key, copy);
                env.send(from, Msg::MoveAck { key, version: copy.version() });
            }
            Msg::MoveAck { key, version } => self.drop_if_moved(key, version),
        }
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        match self.phase {
            Phase::Outside | Phase::Gone => {}
            Phase::Inside => {
                self.run(env, |it, env| it.on_tick(env));
                self.move_copies(env);
            }
            Phase::Leaving => {
                self.move_copies(env);
                let is_free = self.copies.is_empty() && self.operations.is_idle();
                self.run(env, |it, env| it.bid_farewell(is_free, env));
            }
        }
    }

    /// The receiver has left. A copy is still here, and a request goes another way.
    fn on_returned(&mut self, to: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Overlay(msg) => self.run(env, |it, env| it.on_returned(to, msg, env)),
            Msg::Request { task, hops, met, .. } => {
                self.member.bury(to);
                self.handle(task, hops, false, met.map(|it| *it), env);
            }
            Msg::Done { .. } | Msg::Move { .. } | Msg::MoveAck { .. } => self.member.bury(to),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let is_waiting = self.operations.under_way().is_some() || self.phase == Phase::Leaving;
        self.member.successor().filter(|_| is_waiting).into_iter().collect()
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        self.member.knows()
    }

    fn tells(&self, msg: &Msg) -> Vec<NodeId> {
        match msg {
            Msg::Overlay(msg) => self.member.tells(msg),
            // Its process is answered.
            Msg::Request { task, .. } => vec![task.client],
            _ => Vec::new(),
        }
    }

    /// The overlay is legal, and every record is at its responsible node only, or on its way to it.
    fn legality(&self) -> Option<Invariant<Self>> {
        let overlay = Self::lift(self.member.legality()?);
        Some(Invariant::new("legal", move |system| {
            overlay.judge(system).map_err(|broken| broken.detail)?;
            misplaced(system)
        }))
    }
}

fn misplaced(system: &Snapshot<'_, CopiedDht>) -> Result<(), String> {
    let Some(first) = system.nodes.first() else { return Ok(()) };
    let mixer = first.place().mixer;
    let inside = system.nodes.iter().filter(|node| node.phase == Phase::Inside);
    let members = place::sorted(mixer, inside.map(|node| node.place().me));
    let target = |key: u64| responsible(mixer, &members, mixer.key(key), true);
    let held = system.nodes.iter().flat_map(|node| {
        let me = node.place().me;
        node.copies.keys().map(move |key| (*key, me))
    });
    let moving = system.messages.iter().filter_map(|(_, to, msg)| match msg {
        Msg::Move { key, .. } => Some((*key, *to)),
        _ => None,
    });
    match held.chain(moving).find(|&(key, node)| members.is_empty() || target(key) != node) {
        None => Ok(()),
        Some((key, node)) => Err(format!("key {key} is at node {node}")),
    }
}

impl Hosts<Member<SkipPlus>> for CopiedDht {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Member<SkipPlus>> {
        Some(&mut self.member)
    }

    fn wrap_msg((): &(), msg: overlay::Msg) -> Msg {
        Msg::Overlay(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn wrap_event((): &(), event: &overlay::Event) -> Option<Event> {
        match event {
            overlay::Event::Joined => Some(Event::Joined),
            overlay::Event::Left => Some(Event::Left),
            overlay::Event::Found { .. } => None,
        }
    }

    fn on_part(&mut self, (): &(), event: overlay::Event, _env: &mut impl Env<Self>) {
        if event == overlay::Event::Left {
            self.phase = Phase::Gone;
        }
    }
}

impl Lifts<Member<SkipPlus>> for CopiedDht {
    fn slots(_nodes: &[&Self]) -> Vec<()> {
        vec![()]
    }

    fn seen(&self, (): &()) -> Option<&Member<SkipPlus>> {
        Some(&self.member)
    }

    fn unwrap_msg(msg: &Msg) -> Option<((), &overlay::Msg)> {
        match msg {
            Msg::Overlay(msg) => Some(((), msg)),
            _ => None,
        }
    }
}

impl Storage for CopiedDht {
    fn census(nodes: &[&Self]) -> Census {
        let load = |node: &&Self| {
            let with_value = node.copies.values().filter(|copy| copy.record.value.is_some());
            with_value.count() as u64
        };
        let tally = Tally::sum(nodes.iter().map(|node| node.tally));
        Census {
            loads: nodes
                .iter()
                .copied()
                .filter(|it| it.phase == Phase::Inside)
                .map(|it| load(&it))
                .collect(),
            moved: tally.handed_over,
            tally: Some(tally),
            ..Census::default()
        }
    }
}

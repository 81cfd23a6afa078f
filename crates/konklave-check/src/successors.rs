//! Everything that can happen next.

mod faults;
mod leaving;
mod rest;

use konklave::NodeId;
use konklave_stage::Status;

use crate::lookup::{BROKEN, Lookup};
use crate::meaning::{AT_FAULT, IN_SILENCE, NO_NEWS, Outage, Shared, Traits, ask};
use crate::shape::{Shape, Side};
use crate::system::{Faults, Pace, World};

/// Something that can happen in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Action {
    /// A node gets the input of its own with this number.
    Own { node: u16, index: u16 },
    /// The message at this place arrives.
    Deliver { place: u16 },
    /// The message at this place arrives, and stays in transit: it will arrive again.
    Duplicate { place: u16 },
    /// The message at this place is lost.
    Lose { place: u16 },
    /// The message at this place reaches a node that is away.
    Miss { place: u16 },
    /// The message at this place comes back to its sender: its receiver has left.
    Back { place: u16 },
    /// A node crashes.
    Crash { node: u16, outage: Outage },
    /// A node that was away returns, and starts.
    Return { node: u16 },
    /// The network is cut.
    Cut { side: Side },
    /// The network is whole again.
    Heal,
}

impl Action {
    /// Whether it is a fault that need not happen, nor anything instead of it.
    fn is_optional_fault(self) -> bool {
        matches!(self, Self::Crash { .. } | Self::Cut { .. })
    }
}

/// A state that can be next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub(crate) print: u64,
    pub(crate) action: Action,
    /// Which outcome of the step, if a node takes one.
    pub(crate) outcome: u32,
    /// The next monitor; [`BROKEN`] if this breaks a promise.
    pub(crate) monitor: u32,
}

/// Whether a state with these successors is an end: nothing more happens unless a node crashes or
/// the network is cut, and neither has to.
pub(crate) fn is_end(successors: &[Successor]) -> bool {
    successors.iter().all(|successor| successor.action.is_optional_fault())
}

/// The news of an action, with the circumstances that a monitor is told of.
fn circumstances(action: Action, packets: &[u32], news: u32) -> u32 {
    match action {
        Action::Own { .. } if packets.is_empty() && news != NO_NEWS => news | IN_SILENCE,
        Action::Duplicate { .. } | Action::Lose { .. } => news | AT_FAULT,
        _ => news,
    }
}

/// The fingerprint after the monitor has changed, unless a promise is broken.
fn watched(shape: Shape, print: u64, old: u32, new: u32) -> u64 {
    if new == old || new == BROKEN {
        return print;
    }
    print
        .wrapping_sub(Shape::print_at(shape.nodes, old))
        .wrapping_add(Shape::print_at(shape.nodes, new))
}

/// The outcome of an action in which no node takes a step.
const NONE: u32 = u32::MAX;

/// The number of the only input of a node that has not started.
const START: u32 = 0;

/// One thread's way to look for successors.
pub(crate) struct Successors<'a> {
    pub(crate) shape: Shape,
    world: World,
    /// Whether some messages never are in transit: to nodes that are down, across cuts.
    can_stop: bool,
    /// Whether the nodes repair themselves.
    pub(crate) stabilises: bool,
    shared: &'a Shared,
    pub(crate) lookup: Lookup,
}

impl<'a> Successors<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        let meaning = ask(shared);
        let world = meaning.world();
        let shape = Shape::new(meaning.nodes(), meaning.codes(), world);
        let stabilises = meaning.stabilises();
        drop(meaning);
        let can_stop = world.faults.crashes > 0 || world.faults.partitions > 0;
        Self { shape, world, can_stop, stabilises, shared, lookup: Lookup::default() }
    }

    /// Names all successors of a state, in a fixed order.
    pub(crate) fn of(&mut self, row: &[u32], print: u64, found: &mut impl FnMut(Successor)) {
        let shape = self.shape;
        if self.traits(row[shape.nodes - 1]).status == Status::Asleep {
            // All nodes start before anything else happens, one after the other.
            let is_asleep = |&node: &usize| self.traits(row[node]).status == Status::Asleep;
            let node = (0..shape.nodes).find(is_asleep).expect("the last one is asleep");
            return self.own(row, print, node, 1, found);
        }
        if !self.is_connected(row) {
            return; // Nothing could repair that: it is no state to start from.
        }
        let packets = shape.packets(row);
        let is_hasty = self.world.pace == Pace::Free;
        let can_notice = is_hasty || packets.is_empty();
        let can_time_out = is_hasty || can_notice && self.is_all_noticed(row);
        for node in 0..shape.nodes {
            let Traits { free, notices, timers, turns, .. } = self.traits(row[node]);
            let notices = if can_notice { notices } else { 0 };
            let timers = if can_time_out { timers + turns } else { 0 };
            self.own(row, print, node, free + notices + timers, found);
        }
        let faults = shape.faults(row);
        for place in shape.deliverable(packets) {
            let action = Action::Deliver { place: place as u16 };
            let change = shape.taken(packets, place);
            let without = print.wrapping_add(change);
            if self.is_missed(row, packets[place]) {
                let action = Action::Miss { place: place as u16 };
                let (monitor, print) = self.fail(row, without);
                found(Successor { print, action, outcome: NONE, monitor });
                continue;
            }
            if self.has_left(row, shape.codes.receiver(packets[place])) {
                self.come_back(row, without, place, found);
                continue;
            }
            self.deliver(row, without, action, place, found);
            if faults.duplicates > 0 {
                let left = Faults { duplicates: faults.duplicates - 1, ..faults };
                let print = self.spend(row, print, left);
                self.deliver(row, print, Action::Duplicate { place: place as u16 }, place, found);
            }
            if faults.losses > 0 {
                let left = Faults { losses: faults.losses - 1, ..faults };
                let action = Action::Lose { place: place as u16 };
                let (monitor, print) = self.fail(row, without);
                let print = self.spend(row, print, left);
                found(Successor { print, action, outcome: NONE, monitor });
            }
        }
        self.outages(row, faults, found);
        self.cuts(row, print, faults, found);
    }

    fn traits(&mut self, local: u32) -> Traits {
        self.lookup.traits(self.shared, local)
    }

    /// The monitor and the fingerprint after a message was lost, or the network cut.
    fn fail(&mut self, row: &[u32], print: u64) -> (u32, u64) {
        let old = self.shape.monitor(row);
        let monitor = self.lookup.judge(self.shared, old, AT_FAULT);
        (monitor, watched(self.shape, print, old, monitor))
    }

    /// The fingerprint when these faults are left.
    fn spend(&self, row: &[u32], print: u64, left: Faults) -> u64 {
        let place = self.shape.nodes + 1;
        print
            .wrapping_sub(Shape::print_at(place, row[place]))
            .wrapping_add(Shape::print_at(place, Shape::budget(left)))
    }

    /// The first `inputs` inputs of a node's own.
    fn own(
        &mut self,
        row: &[u32],
        print: u64,
        node: usize,
        inputs: u32,
        found: &mut impl FnMut(Successor),
    ) {
        for index in 0..inputs {
            let action = Action::Own { node: node as u16, index: index as u16 };
            let code = self.shape.codes.own(NodeId(node as u32), index);
            self.step(row, print, node, code, action, found);
        }
    }

    fn deliver(
        &mut self,
        row: &[u32],
        print: u64,
        action: Action,
        place: usize,
        found: &mut impl FnMut(Successor),
    ) {
        let packet = self.shape.packets(row)[place];
        let node = self.shape.codes.receiver(packet).index();
        self.step(row, print, node, packet, action, found);
    }

    /// A node takes a step: one successor for each outcome. The fingerprint is that of the state
    /// without the message that arrives.
    fn step(
        &mut self,
        row: &[u32],
        print: u64,
        node: usize,
        code: u32,
        action: Action,
        found: &mut impl FnMut(Successor),
    ) {
        let shape = self.shape;
        let local = row[node];
        let packets = shape.packets(row);
        let taken = match action {
            Action::Deliver { place } | Action::Back { place } => Some(packets[place as usize]),
            _ => None,
        };
        let before = print.wrapping_sub(Shape::print_at(node, local));
        for outcome in self.lookup.step(self.shared, NodeId(node as u32), local, code) {
            let brief = self.lookup.outcome(outcome);
            let old = shape.monitor(row);
            let news = circumstances(action, packets, brief.news);
            let monitor = self.lookup.judge(self.shared, old, news);
            let print = before.wrapping_add(Shape::print_at(node, brief.local));
            let print = watched(shape, print, old, monitor);
            let change = match self.can_stop {
                false => shape.sent(packets, taken, self.lookup.sends(brief).iter().copied()),
                true => {
                    let sends = self.arriving(row, outcome);
                    shape.sent(packets, taken, sends.iter().copied())
                }
            };
            found(Successor { print: print.wrapping_add(change), action, outcome, monitor });
        }
    }

    /// The messages of an outcome that go neither to crashed nodes nor across the present cut.
    fn arriving(&mut self, row: &[u32], outcome: u32) -> Vec<u32> {
        let side = self.shape.side(row);
        let mut sends = self.lookup.sends(self.lookup.outcome(outcome)).to_vec();
        sends.retain(|&packet| {
            let receiver = self.shape.codes.receiver(packet).index();
            let status = self.lookup.traits(self.shared, row[receiver]).status;
            status != Status::Down && !self.shape.crosses(side, packet)
        });
        sends
    }

    /// What the monitor hears about a successor.
    pub(crate) fn news(&mut self, row: &[u32], successor: Successor) -> u32 {
        match (successor.action, successor.outcome) {
            (Action::Crash { node, outage }, _) => {
                let locals = self.shape.locals(row);
                ask(self.shared).crash(NodeId(node.into()), locals, outage).1
            }
            (Action::Return { node }, outcome) if outcome != NONE => {
                let start = self.lookup.outcome(outcome).news;
                ask(self.shared).news_of_restart(NodeId(node.into()), start)
            }
            (action, outcome) => {
                let news = match outcome {
                    NONE => NO_NEWS,
                    _ => self.lookup.outcome(outcome).news,
                };
                circumstances(action, self.shape.packets(row), news)
            }
        }
    }

    /// Writes the row of a successor.
    pub(crate) fn write(&mut self, row: &[u32], successor: Successor, next: &mut Vec<u32>) {
        let shape = self.shape;
        next.clear();
        let Successor { action, outcome, monitor, .. } = successor;
        let mut budget = shape.faults(row);
        let node = match action {
            Action::Crash { node, outage } => {
                self.crash(row, node.into(), outage, next);
                return;
            }
            Action::Return { node } => {
                let locals = ask(self.shared).restart(NodeId(node.into()), shape.locals(row));
                next.extend(locals);
                next.extend_from_slice(&row[shape.nodes..]);
                usize::from(node)
            }
            Action::Own { node, .. } => {
                next.extend_from_slice(row);
                usize::from(node)
            }
            Action::Deliver { place }
            | Action::Duplicate { place }
            | Action::Lose { place }
            | Action::Miss { place }
            | Action::Back { place } => {
                next.extend_from_slice(row);
                let place = shape.head + usize::from(place);
                match action {
                    Action::Duplicate { .. } => budget.duplicates -= 1,
                    Action::Lose { .. } => budget.losses -= 1,
                    _ => {}
                }
                if !matches!(action, Action::Duplicate { .. }) {
                    next.remove(place);
                }
                next[shape.nodes + 1] = Shape::budget(budget);
                match action {
                    Action::Back { .. } => shape.codes.sender(row[place]).index(),
                    _ => shape.codes.receiver(row[place]).index(),
                }
            }
            Action::Cut { .. } | Action::Heal => {
                next.extend_from_slice(row);
                next[shape.nodes] = monitor;
                next[shape.nodes + 2] = self.cut(row, action);
                return;
            }
        };
        next[shape.nodes] = monitor;
        if outcome == NONE {
            return;
        }
        next[node] = self.lookup.outcome(outcome).local;
        for packet in self.arriving(row, outcome) {
            shape.insert(next, 0, packet);
        }
    }

    /// The node that takes a step, its state when it does, and the code of what it gets.
    pub(crate) fn input(&mut self, row: &[u32], action: Action) -> Option<(NodeId, u32, u32)> {
        let codes = self.shape.codes;
        match action {
            Action::Own { node, index } => {
                let node = NodeId(node.into());
                Some((node, row[node.index()], codes.own(node, index.into())))
            }
            Action::Deliver { place } | Action::Duplicate { place } => {
                let packet = self.shape.packets(row)[usize::from(place)];
                let node = codes.receiver(packet);
                Some((node, row[node.index()], packet))
            }
            Action::Back { place } => {
                let packet = self.shape.packets(row)[usize::from(place)];
                let node = codes.sender(packet);
                Some((node, row[node.index()], ask(self.shared).returned(packet)))
            }
            Action::Return { node } => {
                let node = NodeId(node.into());
                let locals = ask(self.shared).restart(node, self.shape.locals(row));
                Some((node, locals[node.index()], codes.own(node, START)))
            }
            Action::Lose { .. }
            | Action::Miss { .. }
            | Action::Crash { .. }
            | Action::Cut { .. }
            | Action::Heal => None,
        }
    }

    /// Which of the reactions of the node it is, if one takes a step.
    pub(crate) fn reaction(&mut self, row: &[u32], successor: Successor) -> usize {
        let Some((node, local, code)) = self.input(row, successor.action) else { return 0 };
        let outcomes = self.lookup.step(self.shared, node, local, code);
        (successor.outcome - outcomes.start) as usize
    }

    /// How many messages are sent, lost ones and those to crashed nodes included.
    pub(crate) fn messages(&self, successor: Successor) -> u32 {
        match successor.outcome {
            NONE => 0,
            outcome => self.lookup.sends(self.lookup.outcome(outcome)).len() as u32,
        }
    }
}

//! Everything that can happen next.

use konklave::NodeId;
use konklave_stage::Status;

use crate::application::Standing;
use crate::lookup::{BROKEN, Lookup};
use crate::meaning::{NO_NEWS, Shared, Traits, ask};
use crate::shape::Shape;
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
    /// A node crashes.
    Crash { node: u16 },
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

/// Whether a state with these successors is an end: nothing more happens unless a node crashes, and
/// none has to.
pub(crate) fn is_end(successors: &[Successor]) -> bool {
    successors.iter().all(|successor| matches!(successor.action, Action::Crash { .. }))
}

/// The outcome of an action in which no node takes a step.
const NONE: u32 = u32::MAX;

/// One thread's way to look for successors.
pub(crate) struct Successors<'a> {
    pub(crate) shape: Shape,
    world: World,
    shared: &'a Shared,
    pub(crate) lookup: Lookup,
}

impl<'a> Successors<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        let meaning = ask(shared);
        let world = meaning.world();
        let shape = Shape::new(meaning.nodes(), meaning.codes(), world);
        drop(meaning);
        Self { shape, world, shared, lookup: Lookup::default() }
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
        let packets = shape.packets(row);
        let is_hasty = self.world.pace == Pace::Free;
        let can_notice = is_hasty || packets.is_empty();
        let can_time_out = is_hasty
            || can_notice && (0..shape.nodes).all(|node| self.traits(row[node]).notices == 0);
        for node in 0..shape.nodes {
            let Traits { free, notices, timers, .. } = self.traits(row[node]);
            let notices = if can_notice { notices } else { 0 };
            let timers = if can_time_out { timers } else { 0 };
            self.own(row, print, node, free + notices + timers, found);
        }
        let faults = shape.faults(row);
        for place in shape.deliverable(packets) {
            let action = Action::Deliver { place: place as u16 };
            let change = shape.taken(packets, place);
            let without = print.wrapping_add(change);
            self.deliver(row, without, action, place, found);
            if faults.duplicates > 0 {
                let left = Faults { duplicates: faults.duplicates - 1, ..faults };
                let print = self.spend(row, print, left);
                self.deliver(row, print, Action::Duplicate { place: place as u16 }, place, found);
            }
            if faults.losses > 0 {
                let left = Faults { losses: faults.losses - 1, ..faults };
                let print = self.spend(row, without, left);
                let action = Action::Lose { place: place as u16 };
                let monitor = shape.monitor(row);
                found(Successor { print, action, outcome: NONE, monitor });
            }
        }
        if faults.crashes > 0 {
            self.crashes(row, found);
        }
    }

    /// Whether a state with these successors is at rest: nothing more has to happen. Nodes may
    /// crash and applications may ask for something, if any has before: where nobody asks for
    /// anything, that nobody gets it breaks no promise.
    pub(crate) fn is_at_rest(&mut self, row: &[u32], successors: &[Successor]) -> bool {
        let is_optional = |action| match action {
            Action::Crash { .. } => true,
            Action::Own { node, index } => {
                u32::from(index) < self.traits(row[usize::from(node)]).wishes
            }
            Action::Deliver { .. } | Action::Duplicate { .. } | Action::Lose { .. } => false,
        };
        if !successors.iter().map(|successor| successor.action).all(is_optional) {
            return false;
        }
        let mut locals = self.shape.locals(row).iter();
        is_end(successors) || locals.any(|&local| self.traits(local).standing != Standing::Idle)
    }

    fn traits(&mut self, local: u32) -> Traits {
        self.lookup.traits(self.shared, local)
    }

    /// The fingerprint when so much less can go wrong.
    fn spend(&self, row: &[u32], print: u64, left: Faults) -> u64 {
        let place = self.shape.nodes + 1;
        print
            .wrapping_sub(Shape::print_at(place, row[place]))
            .wrapping_add(Shape::print_at(place, Shape::budget(left)))
    }

    /// The first so many inputs of a node's own.
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
            Action::Deliver { place } => Some(packets[place as usize]),
            _ => None,
        };
        let before = print.wrapping_sub(Shape::print_at(node, local));
        for outcome in self.lookup.step(self.shared, NodeId(node as u32), local, code) {
            let brief = self.lookup.outcome(outcome);
            let old = shape.monitor(row);
            let monitor = self.lookup.judge(self.shared, old, brief.news);
            let mut print = before.wrapping_add(Shape::print_at(node, brief.local));
            if monitor != old && monitor != BROKEN {
                print = print
                    .wrapping_sub(Shape::print_at(shape.nodes, old))
                    .wrapping_add(Shape::print_at(shape.nodes, monitor));
            }
            let change = match self.world.faults.crashes {
                0 => shape.sent(packets, taken, self.lookup.sends(brief).iter().copied()),
                _ => {
                    let sends = self.arriving(row, outcome);
                    shape.sent(packets, taken, sends.iter().copied())
                }
            };
            found(Successor { print: print.wrapping_add(change), action, outcome, monitor });
        }
    }

    /// The messages of an outcome that do not go to crashed nodes.
    fn arriving(&mut self, row: &[u32], outcome: u32) -> Vec<u32> {
        let mut sends = self.lookup.sends(self.lookup.outcome(outcome)).to_vec();
        sends.retain(|&packet| {
            let receiver = self.shape.codes.receiver(packet).index();
            self.lookup.traits(self.shared, row[receiver]).status != Status::Down
        });
        sends
    }

    fn crashes(&mut self, row: &[u32], found: &mut impl FnMut(Successor)) {
        for node in 0..self.shape.nodes {
            if self.traits(row[node]).status != Status::Up {
                continue;
            }
            let action = Action::Crash { node: node as u16 };
            let mut next = Vec::new();
            let monitor = self.crash(row, node, &mut next);
            let print = self.shape.print(&next);
            found(Successor { print, action, outcome: NONE, monitor });
        }
    }

    /// The row after a crash.
    fn crash(&mut self, row: &[u32], node: usize, next: &mut Vec<u32>) -> u32 {
        let shape = self.shape;
        let crashed = NodeId(node as u32);
        let (locals, news) = ask(self.shared).crash(crashed, shape.locals(row));
        let monitor = self.lookup.judge(self.shared, shape.monitor(row), news);
        let faults = shape.faults(row);
        next.extend(locals);
        next.push(monitor);
        next.push(Shape::budget(Faults { crashes: faults.crashes - 1, ..faults }));
        let packets = shape.packets(row).iter();
        next.extend(packets.filter(|&&packet| shape.codes.receiver(packet) != crashed));
        monitor
    }

    /// What the monitor hears about a successor.
    pub(crate) fn news(&mut self, row: &[u32], successor: Successor) -> u32 {
        match (successor.action, successor.outcome) {
            (Action::Crash { node }, _) => {
                ask(self.shared).crash(NodeId(node.into()), self.shape.locals(row)).1
            }
            (_, NONE) => NO_NEWS,
            (_, outcome) => self.lookup.outcome(outcome).news,
        }
    }

    /// Writes the row of a successor.
    pub(crate) fn write(&mut self, row: &[u32], successor: Successor, next: &mut Vec<u32>) {
        let shape = self.shape;
        next.clear();
        let Successor { action, outcome, monitor, .. } = successor;
        if let Action::Crash { node } = action {
            self.crash(row, node.into(), next);
            return;
        }
        next.extend_from_slice(row);
        next[shape.nodes] = monitor;
        let first = shape.nodes + 2;
        let faults = shape.faults(row);
        let node = match action {
            Action::Own { node, .. } | Action::Crash { node } => usize::from(node),
            Action::Deliver { place } | Action::Duplicate { place } | Action::Lose { place } => {
                shape.codes.receiver(row[first + usize::from(place)]).index()
            }
        };
        match action {
            Action::Deliver { place } => {
                next.remove(first + usize::from(place));
            }
            Action::Duplicate { .. } => {
                let left = Faults { duplicates: faults.duplicates - 1, ..faults };
                next[shape.nodes + 1] = Shape::budget(left);
            }
            Action::Lose { place } => {
                next.remove(first + usize::from(place));
                let left = Faults { losses: faults.losses - 1, ..faults };
                next[shape.nodes + 1] = Shape::budget(left);
                return;
            }
            Action::Own { .. } | Action::Crash { .. } => {}
        }
        next[node] = self.lookup.outcome(outcome).local;
        for packet in self.arriving(row, outcome) {
            shape.insert(next, 0, packet);
        }
    }

    /// The code of the input that a node gets, and the node, if one takes a step.
    pub(crate) fn input(&self, row: &[u32], action: Action) -> Option<(NodeId, u32)> {
        let codes = self.shape.codes;
        match action {
            Action::Own { node, index } => {
                let node = NodeId(node.into());
                Some((node, codes.own(node, index.into())))
            }
            Action::Deliver { place } | Action::Duplicate { place } => {
                let packet = self.shape.packets(row)[usize::from(place)];
                Some((codes.receiver(packet), packet))
            }
            Action::Lose { .. } | Action::Crash { .. } => None,
        }
    }

    /// Which of the reactions of the node it is, if one takes a step.
    pub(crate) fn reaction(&mut self, row: &[u32], successor: Successor) -> usize {
        let Some((node, code)) = self.input(row, successor.action) else { return 0 };
        let outcomes = self.lookup.step(self.shared, node, row[node.index()], code);
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

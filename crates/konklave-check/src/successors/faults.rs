//! Nodes that crash and return, and cuts of the network.

use konklave::NodeId;
use konklave_stage::Status;

use super::{Action, NONE, START, Successor, Successors};
use crate::code::Packet;
use crate::meaning::{Outage, ask};
use crate::shape::{Shape, Side};
use crate::system::{Faults, Pace};

impl Successors<'_> {
    /// Whether a message that arrives now is missed, because its receiver is away.
    pub(super) fn is_missed(&mut self, row: &[u32], packet: Packet) -> bool {
        let receiver = self.shape.codes.receiver(packet).index();
        self.world.faults.restarts > 0 && self.traits(row[receiver]).status == Status::Away
    }

    /// The nodes that can crash now, and those that can return.
    pub(super) fn outages(&mut self, row: &[u32], left: Faults, found: &mut impl FnMut(Successor)) {
        for (count, outage) in [(left.crashes, Outage::Final), (left.restarts, Outage::Passing)] {
            if count > 0 {
                self.crashes(row, outage, found);
            }
        }
        let can_any_return = self.world.faults.restarts > 0;
        if can_any_return && (self.world.pace == Pace::Free || self.is_all_noticed(row)) {
            self.returns(row, found);
        }
    }

    fn crashes(&mut self, row: &[u32], outage: Outage, found: &mut impl FnMut(Successor)) {
        for node in 0..self.shape.nodes {
            if self.traits(row[node]).status != Status::Up {
                continue;
            }
            let action = Action::Crash { node: node as u16, outage };
            let mut next = Vec::new();
            let monitor = self.crash(row, node, outage, &mut next);
            let print = self.shape.print(&next);
            found(Successor { print, action, outcome: NONE, monitor });
        }
    }

    /// Writes the row after a crash; the next monitor. What is in transit to a node that will
    /// return stays there: it can arrive later than the node.
    pub(super) fn crash(
        &mut self,
        row: &[u32],
        node: usize,
        outage: Outage,
        next: &mut Vec<u32>,
    ) -> u32 {
        let shape = self.shape;
        let crashed = NodeId(node as u32);
        let (locals, news) = ask(self.shared).crash(crashed, shape.locals(row), outage);
        let monitor = self.lookup.judge(self.shared, shape.monitor(row), news);
        let mut left = shape.faults(row);
        match outage {
            Outage::Final => left.crashes -= 1,
            Outage::Passing => left.restarts -= 1,
        }
        next.extend(locals);
        next.push(monitor);
        next.extend(shape.weather(left, shape.side(row)));
        let is_gone =
            |packet: Packet| outage == Outage::Final && shape.codes.receiver(packet) == crashed;
        next.extend(shape.packets(row).iter().filter(|&&packet| !is_gone(packet)));
        monitor
    }

    /// Each node that is away returns: one successor for each outcome of its start.
    fn returns(&mut self, row: &[u32], found: &mut impl FnMut(Successor)) {
        for node in 0..self.shape.nodes {
            if self.traits(row[node]).status != Status::Away {
                continue;
            }
            let me = NodeId(node as u32);
            let action = Action::Return { node: node as u16 };
            let asleep = ask(self.shared).restart(me, self.shape.locals(row))[node];
            let code = self.shape.codes.own(me, START);
            let mut next = Vec::new();
            for outcome in self.lookup.step(self.shared, me, asleep, code) {
                let start = self.lookup.outcome(outcome).news;
                let news = ask(self.shared).news_of_restart(me, start);
                let monitor = self.lookup.judge(self.shared, self.shape.monitor(row), news);
                let mut successor = Successor { print: 0, action, outcome, monitor };
                self.write(row, successor, &mut next);
                successor.print = self.shape.print(&next);
                found(successor);
            }
        }
    }

    /// Every cut that can be made now, or that the present one heals.
    pub(super) fn cuts(
        &mut self,
        row: &[u32],
        print: u64,
        left: Faults,
        found: &mut impl FnMut(Successor),
    ) {
        if self.world.faults.partitions == 0 {
            return;
        }
        let place = self.shape.nodes + 2;
        let without = print.wrapping_sub(Shape::print_at(place, row[place]));
        let (monitor, without) = self.fail(row, without);
        let mut turn = |action| {
            let print = without.wrapping_add(Shape::print_at(place, self.cut(row, action)));
            found(Successor { print, action, outcome: NONE, monitor });
        };
        if self.shape.side(row) != 0 {
            turn(Action::Heal);
        } else if left.partitions > 0 {
            // Node 0 stays on its side: the groups have no names.
            let sides: Side = (1 << (self.shape.nodes - 1)) - 1;
            (1..=sides).for_each(|side| turn(Action::Cut { side: side << 1 }));
        }
    }

    /// The number of the cut after one was made or has healed.
    pub(super) fn cut(&self, row: &[u32], action: Action) -> u32 {
        let left = self.shape.faults(row).partitions;
        match action {
            Action::Cut { side } => Shape::cut(side, left - 1),
            _ => Shape::cut(0, left),
        }
    }
}

//! When nodes act by themselves: each once in every period, the nodes of one moment in order, after
//! everything else that happens then.
//!
//! The nodes are spread over the period by their numbers. A turn is not an entry of the wheel, only
//! the moment is: a million nodes take their turns without a million entries.

use konklave::NodeId;
use konklave::protocol::{Input, Monitor, Protocol};
use konklave::trace::Ended;

use super::{Node, Simulation};
use crate::occurrence::{FORGED, NOBODY, Occurrence, What};
use crate::rounds::Cause;
use crate::workload::Workload;

/// Whether it is time for turns.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    are_due: bool,
}

impl Turns {
    /// Turns are taken at the end of this moment.
    pub(crate) fn fall_due(&mut self) {
        self.are_due = true;
    }

    #[inline(always)]
    pub(crate) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.are_due)
    }
}

impl<P, W, M, const METERED: bool> Simulation<'_, P, W, M, METERED>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Plans the first turns, if nodes take any.
    pub(crate) fn begin_turns(&mut self) {
        if self.nodes.first().is_some_and(|node| node.state.ticks()) {
            self.plan_turns();
        }
    }

    /// Every node whose turn it is acts by itself; why the run ends then, if it does.
    #[cold]
    pub(crate) fn take_turns<const PLAIN: bool>(&mut self) -> Option<Ended> {
        let period = self.options.period.max(1);
        let (first, nodes) = (self.world.now % period, self.nodes.len() as u64);
        for node in (first..nodes).step_by(usize::try_from(period).unwrap_or(usize::MAX)) {
            let me = NodeId(node as u32);
            let Node { state, load } = &mut self.nodes[node as usize];
            if load.has_left() || !PLAIN && self.absent.contains_key(&me) {
                continue; // A node that is paused or down misses its turn.
            }
            self.steps += 1;
            self.world.cause = Cause::Turn;
            self.world.digest.fold(1 << 63 | node);
            self.world.transition::<PLAIN>(me, state, load, Input::Tick, FORGED);
            if self.world.violation.is_some() {
                return Some(Ended::Violation);
            }
        }
        self.plan_turns();
        let world = &mut self.world;
        // What waits at a node that is paused has not arrived.
        if self.inbox.is_empty() && world.rounds.go_on_if_over(world.now, period) {
            self.judge_round();
        }
        if self.is_settled() {
            return Some(Ended::Stable);
        }
        let limit = self.options.round_limit?;
        (self.world.rounds.number() >= limit).then_some(Ended::RoundLimit)
    }

    /// The next moment at which it is some node's turn.
    fn plan_turns(&mut self) {
        let period = self.options.period.max(1);
        let next = self.world.now.saturating_add(1);
        let time = match next % period < self.nodes.len() as u64 {
            true => next,
            false => next.next_multiple_of(period),
        };
        let moment = Occurrence { node: NOBODY, what: What::Turns };
        self.world.wheel.push_rarely(time, moment);
    }
}

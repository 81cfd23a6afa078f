//! The loop of a simulation.

use konklave::NodeId;
use konklave::protocol::{Input, Monitor, Protocol};

use super::{LAST_TICK, LOOK_AHEAD, Node, Progress, STEPS_BEFORE_LOOK, Simulation};
use crate::occurrence::{FORGED, What};
use crate::rounds::Cause;
use crate::workload::Workload;
use konklave::trace::Ended;

/// The loop as a method of the protocol that is simulated, and not of the simulation: the compiler
/// keeps the methods of a type together, with all that is inlined there. So the loop of each
/// algorithm is compiled with its transitions, beside those of others, and again only if that
/// algorithm has changed.
pub(crate) trait Drive: Protocol {
    /// Lets things happen until there is a reason to stop.
    fn drive<
        W: Workload<Command = Self::Command, Event = Self::Event>,
        M: Monitor<Command = Self::Command, Event = Self::Event>,
        const METERED: bool,
        const PLAIN: bool,
    >(
        simulation: &mut Simulation<'_, Self, W, M, METERED>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Ended;

    /// Something happens to a node that comes from its application or from itself.
    fn happen_inside<
        W: Workload<Command = Self::Command, Event = Self::Event>,
        M: Monitor<Command = Self::Command, Event = Self::Event>,
        const METERED: bool,
        const PLAIN: bool,
    >(
        simulation: &mut Simulation<'_, Self, W, M, METERED>,
        to: NodeId,
        what: What<Self>,
    );
}

impl<P: Protocol> Drive for P {
    fn drive<
        W: Workload<Command = Self::Command, Event = Self::Event>,
        M: Monitor<Command = Self::Command, Event = Self::Event>,
        const METERED: bool,
        const PLAIN: bool,
    >(
        simulation: &mut Simulation<'_, Self, W, M, METERED>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Ended {
        let last_tick = simulation.options.time_limit.unwrap_or(u64::MAX).min(LAST_TICK);
        let last_step = simulation.options.event_limit.unwrap_or(u64::MAX);
        let mut checkpoint = last_step.min(STEPS_BEFORE_LOOK);
        loop {
            if simulation.is_at_rest() {
                simulation.world.plan(|workload, agenda| workload.on_rest(agenda));
                if simulation.is_at_rest() && simulation.faults_left == 0 {
                    return Ended::Quiescence;
                }
            }
            let Some((time, mut batch)) = simulation.world.wheel.pop() else {
                return Ended::Quiescence; // Some node is paused for ever.
            };
            if time > last_tick {
                simulation.world.now = last_tick;
                return Ended::TimeLimit;
            }
            let mut is_cut = false;
            if batch.len() as u64 > checkpoint.saturating_sub(simulation.steps) {
                let progress = simulation.progress(batch.len());
                if simulation.world.has_recording_failed() || !go_on(progress) {
                    return Ended::Interrupted;
                }
                checkpoint =
                    last_step.min(simulation.steps.saturating_add(simulation.steps_until_look()));
                is_cut = batch.truncate(last_step.saturating_sub(simulation.steps));
                if batch.is_empty() {
                    return Ended::EventLimit;
                }
            }
            simulation.steps += batch.len() as u64;
            if time != simulation.world.now {
                simulation.world.advance(time);
            }
            if !simulation.world.is_calm() {
                batch.coming(LOOK_AHEAD).for_each(|next| simulation.world.fetch(next.node));
            }
            while let Some(occurrence) = batch.next() {
                if let Some(next) = batch.ahead(LOOK_AHEAD) {
                    simulation.world.fetch(next.node);
                }
                simulation.happen::<PLAIN>(occurrence);
                if simulation.world.violation.is_some() {
                    return Ended::Violation;
                }
            }
            if is_cut {
                return Ended::EventLimit;
            }
            simulation.world.wheel.recycle(batch);
            if let Some(ended) = simulation.end_batch::<PLAIN>() {
                return ended;
            }
        }
    }

    #[inline(never)] // Messages are far more frequent: their way stays short.
    fn happen_inside<
        W: Workload<Command = Self::Command, Event = Self::Event>,
        M: Monitor<Command = Self::Command, Event = Self::Event>,
        const METERED: bool,
        const PLAIN: bool,
    >(
        simulation: &mut Simulation<'_, Self, W, M, METERED>,
        to: NodeId,
        what: What<Self>,
    ) {
        let Node { state, load } = &mut simulation.nodes[to.index()];
        if load.has_left() {
            return simulation.miss(to, what);
        }
        let world = &mut simulation.world;
        world.cause = Cause::Request;
        match what {
            What::Command { plan, .. } if !PLAIN && world.is_void(to, plan) => {}
            What::Command { command, .. } => {
                world.on_command(to, &command);
                world.transition::<PLAIN>(to, state, load, Input::Command(command), FORGED);
            }
            What::Timer { timer, start } => {
                if world.timers.take(to, &timer, start) {
                    world.digest.add(&(to, &timer));
                    world.transition::<PLAIN>(to, state, load, Input::Timer(timer), FORGED);
                }
            }
            What::Returned { to: gone, label, msg } => {
                world.strays -= 1;
                world.cause = gone.cause();
                let gone = gone.node();
                world.digest.fold(1 << 62 | u64::from(gone.0) << 31 | u64::from(to.0));
                let input = Input::Returned { to: gone, msg };
                world.transition::<PLAIN>(to, state, load, input, label);
            }
            What::Message { .. } | What::Turns | What::Fault(_) => {}
        }
    }
}

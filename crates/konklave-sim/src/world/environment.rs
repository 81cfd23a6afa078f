//! What a transition of a node does to the world.

use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{Effect, Env, Monitor, Protocol};
use konklave_stage::erased::Value;

use super::World;
use crate::metrics::Load;
use crate::occurrence::{Occurrence, Peer, What};
use crate::workload::Workload;

/// The environment of one transition of one node.
pub(super) struct NodeEnv<'a, 'w, P: Protocol, W, M, const METERED: bool, const PLAIN: bool> {
    pub(super) world: &'a mut World<'w, P, W, M, METERED>,
    pub(super) me: NodeId,
    pub(super) load: &'a mut Load,
}

impl<P, W, M, const METERED: bool, const PLAIN: bool> Env<P>
    for NodeEnv<'_, '_, P, W, M, METERED, PLAIN>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    #[inline(always)]
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        let world = &mut *self.world;
        let from = self.me;
        world.sent += 1;
        if world.links.lack(from, to) {
            world.reject(from, to);
        }
        if !PLAIN {
            let verdict = world.known.judge(from, to);
            world.judge(verdict);
        }
        let depth = self.load.depth + 1;
        let label = if PLAIN { depth } else { world.label(depth) };
        if METERED {
            self.load.messages += 1;
            world.metrics.on_send(&msg);
            world.metrics.on_cause(world.cause);
        }
        let peer = Peer::new(from, world.cause);
        let message = Occurrence { node: to, what: What::Message { from: peer, label, msg } };
        if PLAIN {
            let time = world.network.arrival(from, to, world.now);
            world.rounds.expect(time);
            world.wheel.push(time, message);
            if world.is_calm() {
                world.fetch(to);
            }
        } else {
            world.send_carefully(message);
        }
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        let world = &mut *self.world;
        if let Some(recording) = &mut world.recording {
            recording.effect(Effect::SetTimer { timer: Value::json(&timer), after });
        }
        let start = world.timers.start(self.me, timer.clone());
        let time = world.now.saturating_add(ticks(after));
        let what = What::Timer { timer, start };
        world.wheel.push_rarely(time, Occurrence { node: self.me, what });
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        if let Some(recording) = &mut self.world.recording {
            recording.effect(Effect::CancelTimer(Value::json(&timer)));
        }
        self.world.timers.cancel(self.me, &timer);
    }

    fn emit(&mut self, event: P::Event) {
        let world = &mut *self.world;
        if !PLAIN && let Some(recording) = &mut world.recording {
            recording.effect(Effect::Emit(Value::json(&event)));
        }
        world.digest.add(&event);
        let verdict = world.monitor.on_event(self.me, &event);
        world.judge(verdict);
        let me = self.me;
        world.plan(|workload, agenda| workload.on_event(me, &event, agenda));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        let value = self.world.choices.below(bound.into()) as u32;
        if let Some(recording) = &mut self.world.recording {
            recording.effect(Effect::Choose { bound, value });
        }
        value
    }

    fn leave(&mut self) {
        let world = &mut *self.world;
        if let Some(recording) = &mut world.recording {
            recording.effect(Effect::Leave);
        }
        world.depth_of_gone = world.depth_of_gone.max(self.load.leave());
        world.forget(self.me);
    }
}

/// The ticks of a timer: a tick is a millisecond, and no timer runs out at once.
fn ticks(after: Duration) -> u64 {
    u64::try_from(after.as_millis()).unwrap_or(u64::MAX).max(1)
}

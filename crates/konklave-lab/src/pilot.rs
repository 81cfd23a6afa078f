//! Who decides what happens next when nobody does.

use konklave::NodeId;
use konklave::protocol::Input;
use konklave::trace::Line;
use konklave_catalog::stage::AnyStage;
use konklave_sim::random::Random;
use konklave_stage::Action;
use konklave_stage::erased::{Erased, Value};

use crate::moves::is_idle_start;
use crate::trunk::Trunk;

/// What has waited longest: nodes start, then messages arrive in the order sent, then applications
/// act, then timers run out and nodes take their turns. `None` if nothing can happen.
pub fn oldest(stage: &dyn AnyStage) -> Option<Action<Erased>> {
    let urgency = |action: &Action<Erased>| match action {
        Action::Start(_) => (0, 0),
        Action::Deliver(number) | Action::Return(number) => (1, *number),
        Action::Command { .. } => (2, 0),
        Action::Timer { .. } => (3, 0),
        _ => (4, 0),
    };
    stage.enabled().into_iter().min_by_key(urgency)
}

/// Anything that can happen, each as likely as any other.
pub fn random(stage: &dyn AnyStage, random: &mut Random) -> Option<Action<Erased>> {
    let mut enabled = stage.enabled();
    let count = enabled.len() as u64;
    (count > 0).then(|| enabled.swap_remove(random.below(count) as usize))
}

/// What the trunk did next, from this moment on, if it can still happen; what can no longer happen
/// is left out. Behind the end of the trunk, what has waited longest. Also, how far the trunk has
/// been followed.
pub fn as_before(
    stage: &dyn AnyStage,
    trunk: &Trunk,
    followed: usize,
) -> (Option<Action<Erased>>, usize) {
    let enabled = stage.enabled();
    let transit = stage.transit();
    for (moment, next) in trunk.moments.iter().zip(1..).skip(followed) {
        let Line::Step(step) = &moment.line else { continue };
        if is_idle_start(&moment.line) {
            continue;
        }
        let action = match &step.input {
            Input::Message { from, msg } => arrival(&enabled, &transit, *from, step.node, msg),
            Input::Returned { to, msg } => arrival(&enabled, &transit, step.node, *to, msg),
            _ => Action::of(&moment.line).filter(|action| enabled.contains(action)),
        };
        if action.is_some() {
            return (action, next);
        }
    }
    (oldest(stage), trunk.moments.len())
}

/// The arrival of a message between these nodes: of one that says this, or else of the oldest of
/// its kind.
fn arrival(
    enabled: &[Action<Erased>],
    transit: &[(u32, NodeId, NodeId, Value)],
    from: NodeId,
    to: NodeId,
    msg: &Value,
) -> Option<Action<Erased>> {
    let between = || transit.iter().filter(|it| (it.1, it.2) == (from, to));
    let same = between().find(|it| it.3 == *msg);
    let alike = || between().find(|it| it.3.kind() == msg.kind());
    let number = same.or_else(alike)?.0;
    let arrives = [Action::Deliver(number), Action::Return(number)];
    arrives.into_iter().find(|action| enabled.contains(action))
}

//! Flaws of Sanders' algorithm: permissions without a lock, and clocks.

use konklave::NodeId;
use konklave::mutex::Stamp;
use konklave::mutex::sanders::{Msg, Sanders};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// Permits only the oldest waiting request, although it grants that permission without a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnePermission;

impl Flaw<Sanders> for OnePermission {
    fn effects(
        &mut self,
        _: &Sanders,
        _: &Input<Sanders>,
        mut effects: Vec<Effect<Sanders>>,
    ) -> Vec<Effect<Sanders>> {
        let mut is_first = true;
        effects.retain(|effect| match effect {
            Effect::Send { msg: Msg::Locked(_), .. } => std::mem::replace(&mut is_first, false),
            _ => true,
        });
        effects
    }
}

/// Does not update its clock on a request; for the structure in which an arbiter is locked for its
/// own node only.
///
/// A timestamp beyond the node's clock is replaced by the current one, still younger than its own.
/// As answers name the request, its true timestamp is encoded in the number of the requester.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoClockUpdate {
    clock: u64,
}

/// Above the numbers of all nodes of a small system.
const DISGUISED: u32 = 1 << 10;

/// More than the nodes of a small system.
const SMALL: u32 = 1 << 4;

fn disguise(theirs: Stamp, clock: u64) -> Stamp {
    let place = DISGUISED + theirs.time as u32 * SMALL + theirs.node.0;
    Stamp { time: clock, node: NodeId(place) }
}

fn reveal(shown: Stamp) -> Stamp {
    match shown.node.0.checked_sub(DISGUISED) {
        Some(place) => Stamp { time: (place / SMALL).into(), node: NodeId(place % SMALL) },
        None => shown,
    }
}

impl Flaw<Sanders> for NoClockUpdate {
    fn inputs(&mut self, _: &Sanders, mut input: Input<Sanders>) -> Vec<Input<Sanders>> {
        if let Input::Message { msg: Msg::Request(theirs), .. } = &mut input
            && theirs.time > self.clock
        {
            *theirs = disguise(*theirs, self.clock);
        }
        vec![input]
    }

    fn effects(
        &mut self,
        _: &Sanders,
        _: &Input<Sanders>,
        mut effects: Vec<Effect<Sanders>>,
    ) -> Vec<Effect<Sanders>> {
        for effect in &mut effects {
            let Effect::Send { to, msg } = effect else { continue };
            match msg {
                Msg::Request(mine) => self.clock = mine.time,
                Msg::Locked(theirs) | Msg::Failed(theirs) => {
                    *theirs = reveal(*theirs);
                    *to = theirs.node;
                }
                Msg::Inquire(_) | Msg::Yield(_) | Msg::Release(_) => {}
            }
        }
        effects
    }
}

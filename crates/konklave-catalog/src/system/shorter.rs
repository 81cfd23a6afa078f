//! A schedule without what its violation does not need.

use konklave::NodeId;
use konklave::protocol::{Broken, Data};
use konklave::trace::Line;
use konklave_check::World;
use konklave_check::shrink::{Shrunk, Size, Unfit};
use konklave_stage::erased::{AnyNode, Erased};

use crate::refusal::Refusal;

/// A schedule that was shrunk.
#[derive(Clone, Debug)]
pub struct Shorter {
    /// The promise that it breaks.
    pub broken: Broken,
    /// The schedule.
    pub schedule: Vec<Line<Erased>>,
    /// The size of the original schedule.
    pub before: Size,
    /// The size of this schedule.
    pub after: Size,
    /// The assumptions under which it happens.
    pub world: World,
    /// Whether the user interrupted the shrinking, so that more could be removed.
    pub is_interrupted: bool,
}

/// Reads the lines of a trace as those of such nodes, and shrinks them.
pub(super) fn shorten<C: Data, E: Data>(
    make: &dyn Fn(NodeId) -> AnyNode<C, E>,
    lines: &[String],
    shrink: impl FnOnce(&[Line<AnyNode<C, E>>]) -> Result<Shrunk<AnyNode<C, E>>, Unfit>,
) -> Result<Shorter, Refusal> {
    let reader = make(NodeId(0));
    let lines: Result<Vec<_>, _> = lines.iter().map(|line| reader.read(line)).collect();
    let lines = lines.map_err(|_| unfit(Unfit::Damaged))?;
    let Shrunk { broken, schedule, world, is_interrupted } = shrink(&lines).map_err(unfit)?;
    Ok(Shorter {
        broken,
        before: Size::of(&lines),
        after: Size::of(&schedule),
        schedule: schedule.iter().map(AnyNode::erase).collect(),
        world,
        is_interrupted,
    })
}

fn unfit(unfit: Unfit) -> Refusal {
    Refusal::new(match unfit {
        Unfit::NothingBroken => "the trace breaks no promise, so there is nothing to shrink",
        Unfit::Endless => {
            "the last steps of the trace repeat for ever, and such schedules cannot be shrunk"
        }
        Unfit::Damaged => "the trace is cut off, or was changed",
        Unfit::Unrepeatable => "the replay of the trace does not break its promise",
    })
}

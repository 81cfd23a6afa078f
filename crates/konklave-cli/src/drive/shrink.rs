//! Shortens a schedule. What algorithms differ in ends here: the result is the same for all.

use konklave::NodeId;
use konklave::protocol::{Broken, Monitor};
use konklave_check::World;
use konklave_check::application::Application;
use konklave_check::shrink::{Shrunk, Size, Unfit, shrink as shrink_lines};
use konklave_stage::erased::AnyNode;

use super::Told;
use crate::failure::Failure;

/// A schedule from which nothing can be taken away.
#[derive(Clone, Debug)]
pub struct Shorter {
    /// The promise that it breaks.
    pub broken: Broken,
    /// The schedule.
    pub told: Told,
    /// The size of what it was made from.
    pub before: Size,
    /// Its own size.
    pub after: Size,
    /// The world in which it happens.
    pub world: World,
    /// Whether nothing more could go; if not, somebody has stopped it.
    pub is_minimal: bool,
}

/// Shortens the lines of a trace.
pub(super) fn shrink<A, M>(
    make: &dyn Fn(NodeId) -> AnyNode<M::Command, M::Event>,
    nodes: u32,
    monitor: M,
    lines: &[String],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shorter, Failure>
where
    A: Application<Command = M::Command, Event = M::Event>,
    M: Monitor,
{
    let reader = make(NodeId(0));
    let lines: Result<Vec<_>, _> = lines.iter().map(|line| reader.read(line)).collect();
    let lines = lines.map_err(|_| unfit(Unfit::Damaged))?;
    let shrunk = shrink_lines::<_, A, M>(make, nodes, monitor, &lines, go_on).map_err(unfit)?;
    let Shrunk { broken, schedule, world, is_minimal } = shrunk;
    Ok(Shorter {
        broken,
        told: Told::new(&schedule),
        before: Size::of(&lines),
        after: Size::of(&schedule),
        world,
        is_minimal,
    })
}

fn unfit(unfit: Unfit) -> Failure {
    Failure::bad(match unfit {
        Unfit::NothingBroken => "the trace breaks no promise, so there is nothing to shorten",
        Unfit::Endless => {
            "the last steps of the trace can repeat for ever: with fewer of them, they could not"
        }
        Unfit::Damaged => "the trace is cut off, or was changed",
        Unfit::Unrepeatable => {
            "what happens in the trace does not break its promise when it happens again"
        }
    })
}

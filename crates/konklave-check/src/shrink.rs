//! Shrinks a schedule that breaks a promise, until nothing more can be removed from it.
//!
//! A schedule is a list of events. Some of them are left out, and the rest are replayed as far as
//! possible: a message arrives only if it was sent, a timer expires only if it is pending, and an
//! application makes only requests that it may. If the same promise still breaks, the shorter list
//! is kept. A node is removed in the same way, with all its events. That nothing can be removed
//! does not mean that no other schedule is shorter: only a search can tell.

mod happening;
mod minimise;
mod play;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Input, Monitor, Protocol};
use konklave::trace::{Fault, Line, Step};
use serde::Serialize;

use crate::application::Application;
use crate::report::Schedule;
use crate::system::{Order, Pace, System, World};
use happening::Recorded;
pub use happening::{Unfit, commands};
use minimise::minimise;
use play::Play;

/// The size of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Crashes, losses and other faults.
    pub faults: u64,
    /// Commands of applications, and notices.
    pub commands: u64,
    /// Messages that are sent.
    pub messages: u64,
    /// Messages that arrive.
    pub deliveries: u64,
    /// Timers that expire.
    pub timers: u64,
    /// Steps of nodes.
    pub steps: u64,
}

impl Size {
    /// Whether some count is larger than in the other size, and none is smaller.
    fn is_worse_than(self, other: Self) -> bool {
        let of = |size: Self| [size.faults, size.commands, size.messages, size.steps];
        let (here, there) = (of(self), of(other));
        here != there && here.iter().zip(there).all(|(here, there)| *here >= there)
    }

    /// The size of a schedule.
    pub fn of<P: Protocol>(lines: &[Line<P>]) -> Self {
        let mut size = Self::default();
        for line in lines {
            match line {
                Line::Step(Step { input, effects, .. }) => {
                    size.steps += 1;
                    match input {
                        Input::Start => {}
                        Input::Command(_) => size.commands += 1,
                        Input::Message { .. } | Input::Returned { .. } => size.deliveries += 1,
                        Input::Timer(_) | Input::Tick => size.timers += 1,
                    }
                    let is_send = |effect: &&_| matches!(effect, Effect::Send { .. });
                    size.messages += effects.iter().filter(is_send).count() as u64;
                }
                // A consequence of the crash.
                Line::Fault { what: Fault::Missed(_), .. } => {}
                Line::Fault { .. } => size.faults += 1,
                Line::Loop { .. } | Line::End(_) => {}
            }
        }
        size
    }
}

/// A schedule that was shrunk.
#[derive(Clone, Debug)]
pub struct Shrunk<P: Protocol> {
    /// The promise that it breaks.
    pub broken: Broken,
    /// The schedule.
    pub schedule: Schedule<P>,
    /// The world in which it happens: that of the trace.
    pub world: World,
    /// Whether the user interrupted the shrinking, so that more could be removed.
    pub is_interrupted: bool,
}

/// How often a schedule is read anew. It never was necessary more than a few times.
const ROUNDS: usize = 20;

/// Shrinks the lines of a trace, the header left out. The world of the system is that of the trace:
/// messages overtake each other only if they do there, and timers wait for messages if they can.
/// If a node of the trace is `gone`, those behind it move up: `make` makes the nodes of the system
/// without it. `go_on` is asked from time to time and can stop the search.
///
/// # Errors
///
/// If the trace breaks no promise, cannot be replayed, or does not break it without the node.
pub fn shrink<P, A, M>(
    make: impl Fn(NodeId) -> P,
    nodes: u32,
    monitor: M,
    gone: Option<NodeId>,
    lines: &[Line<P>],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shrunk<P>, Unfit>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let place = |node: NodeId| match gone.map(|gone| node.cmp(&gone)) {
        None | Some(Ordering::Less) => Some(node),
        Some(Ordering::Equal) => None,
        Some(Ordering::Greater) => Some(NodeId(node.0 - 1)),
    };
    let rename = |command: &P::Command| A::renamed(command, &place);
    // Only the number of those that are gone matters, and what they promise.
    let all = NodeId::all(nodes).chain(gone.map(|_| NodeId(0))).map(&make).collect::<Vec<_>>();
    let recorded = Recorded::read(&all, lines)?.renamed(&place, &rename);
    let commands = commands(lines).into_iter();
    let commands = commands.filter_map(|(node, command)| Some((place(node)?, rename(&command)?)));
    let system = System::<P, A, M> {
        nodes: NodeId::all(nodes).map(make).collect(),
        applications: A::supply(nodes, &commands.collect::<Vec<_>>()),
        monitor,
        world: World { order: Order::Fifo, pace: Pace::Patient, ..World::new() },
    };
    let mut shrunk = shrink_recorded(system, recorded, go_on)?;
    // What brings the system to rest is not chosen, and can be more than what was left out.
    if gone.is_none() && Size::of(&shrunk.schedule).is_worse_than(Size::of(lines)) {
        shrunk.schedule = lines.to_vec();
        let recorded = lines.iter().find_map(|line| match line {
            Line::End(end) => end.broken.clone(),
            _ => None,
        });
        shrunk.broken = recorded.unwrap_or(shrunk.broken);
    }
    Ok(shrunk)
}

/// Shrinks what was recorded, and the result again, until nothing changes.
fn shrink_recorded<P, A, M>(
    mut system: System<P, A, M>,
    recorded: Recorded<P>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shrunk<P>, Unfit>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let mut shrunk = shrink_once(&mut system, &recorded, go_on)?;
    for _ in 0..ROUNDS {
        // What arrived instead of what was recorded is now recorded: more may go.
        let again = Recorded::read(&system.nodes, &shrunk.schedule)
            .and_then(|recorded| shrink_once(&mut system, &recorded, go_on));
        let Ok(again) = again else { break };
        let is_settled = again.schedule == shrunk.schedule || again.is_interrupted;
        shrunk = again;
        if is_settled {
            break;
        }
    }
    Ok(shrunk)
}

fn shrink_once<P, A, M>(
    system: &mut System<P, A, M>,
    recorded: &Recorded<P>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Shrunk<P>, Unfit>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    system.world.order = recorded.order;
    let all: Vec<u32> = (0..recorded.happenings.len() as u32).collect();
    // With all the patience that the schedule allows.
    for pace in [Pace::Patient, Pace::Free] {
        system.world.pace = pace;
        let Some(mut play) = Play::new(system, recorded) else { continue };
        let mut is_interrupted = false;
        let list = minimise(all, &mut |beginning, rest| {
            is_interrupted |= !go_on();
            if is_interrupted { None } else { play.attempt(beginning, rest) }
        });
        let (broken, schedule) = play.write(&list);
        return Ok(Shrunk { broken, schedule, world: system.world, is_interrupted });
    }
    Err(Unfit::Unrepeatable)
}

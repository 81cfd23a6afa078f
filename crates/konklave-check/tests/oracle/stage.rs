//! The stage that counterexamples are played on, as an explorer: whatever it lists, it lets happen.

use std::collections::HashSet;
use std::hash::Hash;

use konklave::NodeId;
use konklave::protocol::{Monitor, Protocol};
use konklave::trace::Line;
use konklave_check::application::Application;
use konklave_check::{Faults, Order, System};
use konklave_stage::local::choices_in;
use konklave_stage::{Action, Letter, Local, Stage, Status};

/// A stage, and what may still go wrong on it.
type Place<P, A, M> = (Stage<P, A, M>, Faults);

/// A state without what does not matter to the future: numbers and times, and all about crashed
/// nodes but that they are. If order does not matter, messages are sorted.
#[derive(PartialEq, Eq, Hash)]
struct Key<P: Protocol, A, M> {
    locals: Vec<Option<Local<P, A>>>,
    monitor: M,
    messages: Vec<(NodeId, NodeId, P::Msg)>,
    faults: Faults,
}

/// How many states a system that keeps its promises has. All nodes start one after the other.
pub(crate) fn states<P, A, M>(name: &str, system: &System<P, A, M>) -> u64
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let System { nodes, applications, monitor, world } = system.clone();
    let stage = Stage::new(nodes, applications, monitor).ruled(world.order, world.pace);
    let mut seen = HashSet::from([key(&stage, world.faults, world.order)]);
    let mut places = vec![(stage, world.faults)];
    while let Some((mut stage, faults)) = places.pop() {
        assert_eq!(stage.broken(), None, "{name}");
        for next in successors(&stage, faults) {
            if seen.insert(key(&next.0, next.1, world.order)) {
                places.push(next);
            }
        }
        if stage.is_at_rest() && stage.was_asked() {
            assert_eq!(stage.judge_at_rest(), Ok(()), "{name}");
        }
    }
    seen.len() as u64
}

fn successors<P, A, M>(stage: &Stage<P, A, M>, faults: Faults) -> Vec<Place<P, A, M>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let mut found = Vec::new();
    let mut enabled = stage.enabled();
    if let [Action::Start(_), ..] = enabled[..] {
        enabled.truncate(1);
    }
    let is_missed = |action: &Action<P>| match action {
        Action::Deliver(number) => is_down(stage, stage.letter(*number).unwrap().to),
        _ => false,
    };
    enabled.retain(|action| !is_missed(action));
    for action in &enabled {
        found.extend(outcomes(stage, action).into_iter().map(|next| (next, faults)));
    }
    for fault in stage.faults() {
        // Only what can arrive now is lost, or arrives and stays.
        let number = match fault {
            Action::Lose(number) | Action::Duplicate(number) => Some(number),
            _ => None,
        };
        let Faults { losses, duplicates, crashes } = faults;
        let left = match fault {
            Action::Lose(_) if losses > 0 => Faults { losses: losses - 1, ..faults },
            Action::Duplicate(_) if duplicates > 0 => {
                Faults { duplicates: duplicates - 1, ..faults }
            }
            Action::Crash(_) if crashes > 0 => Faults { crashes: crashes - 1, ..faults },
            _ => continue,
        };
        if number.is_some_and(|number| !enabled.contains(&Action::Deliver(number))) {
            continue;
        }
        let [next] = &outcomes(stage, &fault)[..] else { panic!("a fault is no step") };
        match fault {
            Action::Duplicate(number) => {
                let arrivals = outcomes(next, &Action::Deliver(number));
                found.extend(arrivals.into_iter().map(|next| (next, left)));
            }
            _ => found.push((next.clone(), left)),
        }
    }
    found
}

/// What can become of an action: one stage for each sequence of choices.
fn outcomes<P, A, M>(stage: &Stage<P, A, M>, action: &Action<P>) -> Vec<Stage<P, A, M>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let mut whole = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(choices) = open.pop() {
        let mut next = stage.clone();
        let outcome = next.apply(action, &choices).unwrap();
        let bounds: Vec<_> = match &outcome.line {
            Line::Step(step) => choices_in(&step.effects).map(|(bound, _)| bound).collect(),
            _ => Vec::new(),
        };
        match bounds.get(choices.len()) {
            None => whole.push(next),
            Some(&bound) => {
                open.extend((0..bound).map(|value| [choices.clone(), vec![value]].concat()));
            }
        }
    }
    whole
}

fn is_down<P, A, M>(stage: &Stage<P, A, M>, node: NodeId) -> bool
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    stage.local(node).unwrap().status == Status::Down
}

fn key<P, A, M>(stage: &Stage<P, A, M>, faults: Faults, order: Order) -> Key<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let local = |local: &Local<P, A>| (local.status != Status::Down).then(|| local.clone());
    let arriving = stage.transit().filter(|letter| !is_down(stage, letter.to));
    let mut messages: Vec<_> =
        arriving.map(|Letter { from, to, msg, .. }| (*from, *to, msg.clone())).collect();
    match order {
        Order::Any => messages.sort(),
        Order::Fifo => messages.sort_by_key(|(from, to, _)| (*from, *to)),
    }
    let locals = stage.locals().iter().map(local).collect();
    Key { locals, monitor: stage.monitor().clone(), messages, faults }
}

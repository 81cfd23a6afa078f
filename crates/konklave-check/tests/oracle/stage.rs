//! The stage that counterexamples are played on, as an explorer: whatever it lists, it lets happen.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

use konklave::NodeId;
use konklave::protocol::{Monitor, Protocol};
use konklave::trace::Line;
use konklave_check::application::Application;
use konklave_check::{Faults, Order, Pace, System};
use konklave_stage::local::choices_in;
use konklave_stage::{Action, Letter, Local, Stage, Status};

/// A stage, what may still go wrong on it, and what only we know about what has.
#[derive(Clone)]
struct Place<P: Protocol, A, M> {
    stage: Stage<P, A, M>,
    faults: Faults,
    /// The nodes that have crashed and will return.
    away: BTreeSet<NodeId>,
    /// The nodes that are cut off from the others.
    cut_off: BTreeSet<NodeId>,
}

/// A state without what does not matter to the future: numbers and times, and all about crashed
/// nodes but that they are, and what they still want if they return. If order does not matter,
/// messages are sorted.
#[derive(PartialEq, Eq, Hash)]
struct Key<P: Protocol, A, M> {
    locals: Vec<Option<Local<P, A>>>,
    away: Vec<(NodeId, A)>,
    monitor: M,
    messages: Vec<(NodeId, NodeId, P::Msg)>,
    faults: Faults,
    cut_off: BTreeSet<NodeId>,
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
    let (away, cut_off) = (BTreeSet::new(), BTreeSet::new());
    let first = Place { stage, faults: world.faults, away, cut_off };
    let mut seen = HashSet::from([first.key(world.order)]);
    let mut places = vec![first];
    while let Some(mut place) = places.pop() {
        assert_eq!(place.stage.broken(), None, "{name}");
        for next in place.successors(world.pace) {
            if seen.insert(next.key(world.order)) {
                places.push(next);
            }
        }
        let can_stay = place.away.is_empty() && place.cut_off.is_empty();
        if can_stay && place.stage.is_at_rest() && place.stage.was_asked() {
            assert_eq!(place.stage.judge_at_rest(), Ok(()), "{name}");
        }
    }
    seen.len() as u64
}

impl<P, A, M> Place<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    fn successors(&self, pace: Pace) -> Vec<Self> {
        let mut enabled = self.stage.enabled();
        if let [Action::Start(_), ..] = enabled[..] {
            enabled.truncate(1);
            return self.after(&enabled[0], &self.stage);
        }
        enabled.retain(|action| !self.is_gone(action) && !self.is_early(action, pace));
        let mut found: Vec<_> =
            enabled.iter().flat_map(|action| self.after(action, &self.stage)).collect();
        for fault in self.stage.faults() {
            found.extend(self.after_fault(&fault, &enabled, pace));
        }
        found.extend(self.cuts());
        found
    }

    /// What can come of an action on a stage; what it sends across the cut is lost.
    fn after(&self, action: &Action<P>, stage: &Stage<P, A, M>) -> Vec<Self> {
        let mut found = Vec::new();
        for mut next in outcomes(stage, action) {
            let beyond = |node: &NodeId| self.cut_off.contains(node);
            let is_lost = |letter: &&Letter<P>| {
                letter.number >= stage.sent() && beyond(&letter.from) != beyond(&letter.to)
            };
            let lost: Vec<_> = next.transit().filter(is_lost).map(|it| it.number).collect();
            for number in lost {
                next.apply(&Action::Lose(number), &[]).unwrap();
            }
            found.push(Self { stage: next, ..self.clone() });
        }
        found
    }

    fn after_fault(&self, fault: &Action<P>, enabled: &[Action<P>], pace: Pace) -> Vec<Self> {
        let mut found = Vec::new();
        let mut left = self.clone();
        match fault {
            // Only what can arrive now is lost, or arrives and stays.
            Action::Lose(number) | Action::Duplicate(number)
                if !enabled.contains(&Action::Deliver(*number))
                    || is_down(&self.stage, self.stage.letter(*number).unwrap().to) => {}
            Action::Lose(_) if self.faults.losses > 0 => {
                left.faults.losses -= 1;
                found.extend(left.after(fault, &self.stage));
            }
            Action::Duplicate(number) if self.faults.duplicates > 0 => {
                left.faults.duplicates -= 1;
                let [twice] = &outcomes(&self.stage, fault)[..] else { panic!("it is no step") };
                found.extend(left.after(&Action::Deliver(*number), twice));
            }
            Action::Crash(node) => {
                if self.faults.crashes > 0 {
                    let mut left = left.clone();
                    left.faults.crashes -= 1;
                    found.extend(left.after(fault, &self.stage));
                }
                if self.faults.restarts > 0 {
                    left.faults.restarts -= 1;
                    left.away.insert(*node);
                    found.extend(left.after(fault, &self.stage));
                }
            }
            Action::Restart(node) if self.away.contains(node) && self.can_return(pace) => {
                left.away.remove(node);
                let [asleep] = &outcomes(&self.stage, fault)[..] else { panic!("it is no step") };
                found.extend(left.after(&Action::Start(*node), asleep));
            }
            _ => {}
        }
        found
    }

    fn cuts(&self) -> Vec<Self> {
        let with = |cut_off: BTreeSet<NodeId>, faults| Self { cut_off, faults, ..self.clone() };
        if !self.cut_off.is_empty() {
            return vec![with(BTreeSet::new(), self.faults)];
        }
        if self.faults.partitions == 0 {
            return Vec::new();
        }
        let left = Faults { partitions: self.faults.partitions - 1, ..self.faults };
        let nodes = self.stage.locals().len() as u32;
        let side = |bits: u32| NodeId::all(nodes).filter(|node| bits >> node.0 & 1 == 1).collect();
        (2..1 << nodes).step_by(2).map(|bits| with(side(bits), left)).collect()
    }

    fn can_return(&self, pace: Pace) -> bool {
        let mut up = self.stage.locals().iter().filter(|local| local.status == Status::Up);
        pace == Pace::Free || up.all(|local| local.application.notices().is_empty())
    }

    /// Whether a message goes to a node that never returns.
    fn is_gone(&self, action: &Action<P>) -> bool {
        let Action::Deliver(number) = action else { return false };
        let to = self.stage.letter(*number).unwrap().to;
        is_down(&self.stage, to) && !self.away.contains(&to)
    }

    /// Whether something waits for the messages to nodes that will return, of which the stage does
    /// not know that they may arrive.
    fn is_early(&self, action: &Action<P>, pace: Pace) -> bool {
        let waits = match action {
            Action::Timer { .. } => true,
            Action::Command { node, command } => {
                self.stage.local(*node).unwrap().application.notices().contains(command)
            }
            _ => false,
        };
        let mut transit = self.stage.transit();
        waits && pace == Pace::Patient && transit.any(|it| self.away.contains(&it.to))
    }

    fn key(&self, order: Order) -> Key<P, A, M> {
        let stage = &self.stage;
        let local = |local: &Local<P, A>| (local.status != Status::Down).then(|| local.clone());
        let is_gone = |node| is_down(stage, node) && !self.away.contains(&node);
        let arriving = stage.transit().filter(|letter| !is_gone(letter.to));
        let mut messages: Vec<_> =
            arriving.map(|Letter { from, to, msg, .. }| (*from, *to, msg.clone())).collect();
        match order {
            Order::Any => messages.sort(),
            Order::Fifo => messages.sort_by_key(|(from, to, _)| (*from, *to)),
        }
        let revived = |node: &NodeId| {
            let mut application = stage.local(*node).unwrap().application.clone();
            application.revive();
            (*node, application)
        };
        Key {
            locals: stage.locals().iter().map(local).collect(),
            away: self.away.iter().map(revived).collect(),
            monitor: stage.monitor().clone(),
            messages,
            faults: self.faults,
            cut_off: self.cut_off.clone(),
        }
    }
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

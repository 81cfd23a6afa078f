//! Lets some of what happened happen again, as far as it can.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::protocol::{Broken, Input, Invariant, Monitor, Protocol};

use super::happening::{Happening, Recorded};
use crate::application::Application;
use crate::report::Schedule;
use crate::stage::{Letter, Stage};
use crate::system::{Order, Pace, System};

/// A recorded schedule, some of which is tried again and again.
pub(super) struct Play<'a, P: Protocol, A, M> {
    recorded: &'a Recorded<P>,
    /// What has to hold, if the promise is one of these.
    invariants: &'a [Invariant<P>],
    /// When the promise is broken.
    breach: Breach,
    /// How many steps lead to rest at most.
    steps_to_rest: u64,
    system: &'a System<P, A, M>,
    /// What was tried last up to some place, and the stage there.
    known: Option<(Vec<u32>, Stage<'a, P, A, M>)>,
}

/// When a promise is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breach {
    /// By something that happens.
    OnTheWay,
    /// When everything has come to rest.
    AtRest,
}

/// How many steps lead to rest at most, beyond ten times those of the recorded schedule.
const STEPS_TO_REST: u64 = 5_000;

impl<'a, P, A, M> Play<'a, P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Lets everything happen again; nothing, if that does not break the promise.
    pub(super) fn new(system: &'a System<P, A, M>, recorded: &'a Recorded<P>) -> Option<Self> {
        let invariants = &recorded.invariants;
        let is_one = invariants.iter().any(|it| it.name() == recorded.broken.promise);
        let mut play = Self {
            system,
            recorded,
            invariants: if is_one { invariants } else { &[] },
            breach: Breach::OnTheWay,
            steps_to_rest: STEPS_TO_REST + 10 * recorded.happenings.len() as u64,
            known: None,
        };
        let all: Vec<u32> = (0..recorded.happenings.len() as u32).collect();
        for breach in [Breach::OnTheWay, Breach::AtRest] {
            play.breach = breach;
            if play.attempt(&[], &all).is_some() {
                return Some(play);
            }
        }
        None
    }

    /// Whether what happens breaks the promise: which of the rest could happen until then.
    pub(super) fn attempt(&mut self, beginning: &[u32], rest: &[u32]) -> Option<Vec<u32>> {
        let mut stage = self.know(beginning);
        let used = self.continue_with(&mut stage, rest);
        self.breaks(&mut stage).then_some(used)
    }

    /// The trace of such a list, which breaks the promise.
    pub(super) fn write(&self, list: &[u32]) -> (Broken, Schedule<P>) {
        let mut stage = self.opening(true);
        self.continue_with(&mut stage, list);
        assert!(self.breaks(&mut stage), "what broke the promise breaks it again");
        let broken = stage.broken().cloned().expect("it is broken");
        (broken.clone(), stage.end(Some(broken)))
    }

    /// All nodes have started, unless that breaks something. If `is_kept`, what happens is written
    /// down.
    fn opening(&self, is_kept: bool) -> Stage<'a, P, A, M> {
        let mut stage = Stage::new(self.system, is_kept);
        stage.watch(self.invariants);
        for (node, choices) in NodeId::all(stage.nodes()).zip(&self.recorded.starts) {
            if stage.broken().is_none() {
                stage.step(node, Input::Start, choices);
            }
        }
        stage
    }

    /// The stage where this beginning ends. Mostly it is a little longer than the last one.
    fn know(&mut self, beginning: &[u32]) -> Stage<'a, P, A, M> {
        let known = self.known.take().filter(|(done, _)| beginning.starts_with(done));
        let (done, mut stage) = known.unwrap_or_else(|| (Vec::new(), self.opening(false)));
        self.continue_with(&mut stage, &beginning[done.len()..]);
        self.known = Some((beginning.to_vec(), stage.clone()));
        stage
    }

    /// Lets these things happen until a promise breaks; which of them could.
    fn continue_with(&self, stage: &mut Stage<'a, P, A, M>, list: &[u32]) -> Vec<u32> {
        let mut used = Vec::with_capacity(list.len());
        for &place in list {
            if stage.broken().is_some() {
                break;
            }
            if self.happen(stage, &self.recorded.happenings[place as usize]) {
                used.push(place);
            }
        }
        used
    }

    fn breaks(&self, stage: &mut Stage<'a, P, A, M>) -> bool {
        if self.breach == Breach::AtRest {
            // Where nobody asks for anything, that nobody gets it breaks no promise.
            if !stage.was_asked() || stage.broken().is_some() || !self.come_to_rest(stage) {
                return false;
            }
            stage.at_rest();
        }
        stage.broken().is_some_and(|broken| broken.promise == self.recorded.broken.promise)
    }

    /// Lets something happen, if it can; whether it could.
    fn happen(&self, stage: &mut Stage<'a, P, A, M>, happening: &Happening<P>) -> bool {
        match happening {
            Happening::Own { node, input, choices } => {
                let can = self.can(stage, *node, input);
                if can {
                    stage.step(*node, input.clone(), choices);
                }
                can
            }
            Happening::Arrive { letter, choices } => match self.find(stage, letter) {
                Some(place) => {
                    stage.arrive(place, choices);
                    true
                }
                None => false,
            },
            Happening::Forge { letter, choices } => {
                let can = stage.is_up(letter.to);
                if can {
                    stage.forge(letter.clone(), choices);
                }
                can
            }
            Happening::Lose(letter) => {
                self.find_sent(stage, letter).map(|it| stage.lose(it)).is_some()
            }
            Happening::Double(letter) => {
                self.find_sent(stage, letter).map(|it| stage.double(it)).is_some()
            }
            Happening::Crash(node) => {
                let can = stage.is_up(*node);
                if can {
                    stage.crash(*node);
                }
                can
            }
            Happening::Restart { node, choices } => {
                let can = !stage.is_up(*node);
                if can {
                    stage.restart(*node, choices);
                }
                can
            }
            Happening::Spoil { node, messages } => {
                let can = stage.is_up(*node);
                if can {
                    stage.spoil(*node, messages);
                }
                can
            }
        }
    }

    /// Whether a node can get this input of its own now.
    fn can(&self, stage: &Stage<'a, P, A, M>, node: NodeId, input: &Input<P>) -> bool {
        let Some(local) = stage.local(node).filter(|_| stage.is_up(node)) else { return false };
        let is_soon =
            self.system.world.pace == Pace::Patient && stage.transit().any(|it| stage.is_up(it.to));
        match input {
            Input::Command(command) => {
                let is_notice = local.application.notices().contains(command);
                local.application.may(command) && !(is_notice && is_soon)
            }
            Input::Timer(timer) => local.timers.contains(timer) && !is_soon,
            Input::Start | Input::Message { .. } => false,
        }
    }

    /// The message that can arrive: this one, or else the oldest on its channel.
    fn find(&self, stage: &Stage<'a, P, A, M>, letter: &Letter<P>) -> Option<usize> {
        match self.system.world.order {
            Order::Any => self.find_sent(stage, letter),
            Order::Fifo => oldest(stage, letter),
        }
    }

    /// This message, or else the oldest on its channel, whatever the order of arrival.
    fn find_sent(&self, stage: &Stage<'a, P, A, M>, letter: &Letter<P>) -> Option<usize> {
        stage.place(|other| other == letter).or_else(|| oldest(stage, letter))
    }

    /// Everything arrives in the order of sending, who is inside leaves, notices come, and then
    /// timers run out, until nothing is left to happen; whether that ends.
    fn come_to_rest(&self, stage: &mut Stage<'a, P, A, M>) -> bool {
        let last = stage.steps() + self.steps_to_rest;
        let mut timers = VecDeque::new();
        while stage.steps() < last && stage.broken().is_none() {
            if stage.transit().len() > 0 {
                stage.arrive(0, &[]);
                continue;
            }
            if let Some((node, command)) = duty(stage) {
                stage.step(node, Input::Command(command), &[]);
                continue;
            }
            if timers.is_empty() {
                timers = pending(stage);
            }
            let Some((node, timer)) = timers.pop_front() else { return true };
            if stage.local(node).is_some_and(|local| local.timers.contains(&timer)) {
                stage.step(node, Input::Timer(timer), &[]);
            }
        }
        false
    }
}

/// The oldest message on the same channel.
fn oldest<P, A, M>(stage: &Stage<'_, P, A, M>, letter: &Letter<P>) -> Option<usize>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    stage.place(|other| (other.from, other.to) == (letter.from, letter.to))
}

/// The first thing that has to happen to a node.
fn duty<P, A, M>(stage: &Stage<'_, P, A, M>) -> Option<(NodeId, P::Command)>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    NodeId::all(stage.nodes()).find_map(|node| {
        let duty = stage.local(node)?.duties().next()?;
        Some((node, duty))
    })
}

/// All timers that are pending.
fn pending<P, A, M>(stage: &Stage<'_, P, A, M>) -> VecDeque<(NodeId, P::Timer)>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let of_node = |node| {
        let timers = stage.local(node).map(|local| local.timers.clone()).unwrap_or_default();
        timers.into_iter().map(move |timer| (node, timer))
    };
    NodeId::all(stage.nodes()).flat_map(of_node).collect()
}

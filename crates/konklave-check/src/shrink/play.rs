//! Lets some of what happened happen again, as far as it can.

use std::collections::VecDeque;

use konklave::protocol::{Broken, Invariant, Monitor, Protocol};
use konklave::{NodeId, NodeSet};
use konklave_stage::local::Urge;
use konklave_stage::{Action, Letter, Stage, Status};

use super::happening::{Happening, Recorded};
use crate::application::Application;
use crate::chronicle::Chronicle;
use crate::report::Schedule;
use crate::system::System;

/// A recorded schedule, some of which is tried again and again.
pub(super) struct Play<'a, P: Protocol, A, M> {
    recorded: &'a Recorded<P>,
    /// What has to hold, if the promise is one of these.
    invariants: &'a [Invariant<P>],
    /// When the promise is broken.
    breach: Breach,
    /// How many steps lead to rest at most.
    steps_to_rest: u64,
    /// The nodes that have crashed and returned: with one of them down, nothing is at rest.
    returned: NodeSet,
    system: &'a System<P, A, M>,
    /// What was tried last up to some place, and what it had come to there.
    known: Option<(Vec<u32>, Chronicle<P, A, M>)>,
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
            returned: returned(&recorded.happenings),
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
        let mut chronicle = self.know(beginning);
        let used = self.continue_with(&mut chronicle, rest);
        self.breaks(&mut chronicle).then_some(used)
    }

    /// The trace of such a list, which breaks the promise.
    pub(super) fn write(&self, list: &[u32]) -> (Broken, Schedule<P>) {
        let mut chronicle = self.open(self.empty().kept());
        self.continue_with(&mut chronicle, list);
        assert!(self.breaks(&mut chronicle), "what broke the promise breaks it again");
        let broken = chronicle.stage.broken().cloned().expect("it is broken");
        (broken.clone(), chronicle.end(Some(broken)))
    }

    /// Nothing has happened.
    fn empty(&self) -> Chronicle<P, A, M> {
        let mut chronicle = Chronicle::new(self.system);
        chronicle.stage = chronicle.stage.watched(self.invariants.to_vec());
        chronicle
    }

    /// All nodes start, unless that breaks something.
    fn open(&self, mut chronicle: Chronicle<P, A, M>) -> Chronicle<P, A, M> {
        for (node, choices) in chronicle.stage.nodes().zip(&self.recorded.starts) {
            if chronicle.stage.broken().is_none() {
                chronicle.happen(&Action::Start(node), choices);
            }
        }
        chronicle
    }

    /// What this beginning comes to. Mostly it is a little longer than the last one.
    fn know(&mut self, beginning: &[u32]) -> Chronicle<P, A, M> {
        let known = self.known.take().filter(|(done, _)| beginning.starts_with(done));
        let (done, mut chronicle) = known.unwrap_or_else(|| (Vec::new(), self.open(self.empty())));
        self.continue_with(&mut chronicle, &beginning[done.len()..]);
        self.known = Some((beginning.to_vec(), chronicle.clone()));
        chronicle
    }

    /// Lets these things happen until a promise breaks; which of them could.
    fn continue_with(&self, chronicle: &mut Chronicle<P, A, M>, list: &[u32]) -> Vec<u32> {
        let mut used = Vec::with_capacity(list.len());
        for &place in list {
            if chronicle.stage.broken().is_some() {
                break;
            }
            if happen(chronicle, &self.recorded.happenings[place as usize]) {
                used.push(place);
            }
        }
        used
    }

    fn breaks(&self, chronicle: &mut Chronicle<P, A, M>) -> bool {
        if self.breach == Breach::AtRest {
            let stage = &chronicle.stage;
            let is_down = |node: NodeId| stage.locals()[node.index()].status == Status::Down;
            // A promise to answer is not broken where no application has asked.
            if !stage.was_asked()
                || stage.broken().is_some()
                || self.returned.iter().any(is_down)
                || !self.come_to_rest(chronicle)
            {
                return false;
            }
            let _ = chronicle.stage.judge_at_rest(); // The stage remembers.
        }
        let broken = chronicle.stage.broken();
        broken.is_some_and(|broken| broken.promise == self.recorded.broken.promise)
    }

    /// Everything arrives in the order of sending, applications that are inside leave, notices
    /// come, and then timers run out, until nothing is left to happen; whether that ends.
    fn come_to_rest(&self, chronicle: &mut Chronicle<P, A, M>) -> bool {
        let last = chronicle.stage.steps() + self.steps_to_rest;
        let mut timers = VecDeque::new();
        while chronicle.stage.steps() < last && chronicle.stage.broken().is_none() {
            if let Some(action) = pressing(&chronicle.stage) {
                chronicle.happen(&action, &[]);
                continue;
            }
            if timers.is_empty() {
                timers = pending(&chronicle.stage);
            }
            let Some(timer) = timers.pop_front() else { return true };
            if chronicle.stage.allows(&timer) {
                chronicle.happen(&timer, &[]);
            }
        }
        false
    }
}

/// The nodes that have crashed and are up again at the end.
fn returned<P: Protocol>(happenings: &[Happening<P>]) -> NodeSet {
    let mut returned = NodeSet::new();
    for happening in happenings {
        match happening {
            Happening::Restart { node, .. } => {
                returned.insert(*node);
            }
            Happening::Act { action: Action::Crash(node), .. } => {
                returned.remove(*node);
            }
            _ => {}
        }
    }
    returned
}

/// Lets something happen, if it can; whether it could.
fn happen<P, A, M>(chronicle: &mut Chronicle<P, A, M>, happening: &Happening<P>) -> bool
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let stage = &chronicle.stage;
    match happening {
        Happening::Act { action, choices } => act(chronicle, action, choices),
        Happening::Arrive { letter, choices } => {
            let arrivals = similar(stage, letter, 0).map(|number| stage.arrival(number));
            let arrival = arrivals.into_iter().find(|it| stage.allows(it));
            arrival.is_some_and(|arrival| act(chronicle, &arrival, choices))
        }
        Happening::Lose { letter, before } => {
            let number = similar(stage, letter, *before).next();
            number.is_some_and(|number| act(chronicle, &Action::Lose(number), &[]))
        }
        Happening::Duplicate(letter) => {
            let number = similar(stage, letter, usize::MAX).next();
            number.is_some_and(|number| act(chronicle, &Action::Duplicate(number), &[]))
        }
        Happening::Forge { from, to, msg, choices } => {
            let (from, to, msg) = (*from, *to, msg.clone());
            stage.local(to).is_ok_and(|local| local.status == Status::Up)
                && act(chronicle, &Action::Forge { from, to }, &[])
                && act(chronicle, &Action::DeliverForged { from, to, msg }, choices)
        }
        Happening::Restart { node, choices } => {
            act(chronicle, &Action::Restart(*node), &[])
                && act(chronicle, &Action::Start(*node), choices)
        }
    }
}

/// Lets something happen, if it may; whether it did.
fn act<P, A, M>(chronicle: &mut Chronicle<P, A, M>, action: &Action<P>, choices: &[u32]) -> bool
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let may = chronicle.stage.allows(action);
    if may {
        chronicle.happen(action, choices);
    }
    may
}

/// The numbers of the messages that can stand for this one: an equal one with this many equal ones
/// before it, or as many as there are, or else the oldest on its channel.
fn similar<'a, P, A, M>(
    stage: &'a Stage<P, A, M>,
    letter: &'a Letter<P>,
    before: usize,
) -> impl Iterator<Item = u32> + use<'a, P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let channel = || stage.transit().filter(|it| (it.from, it.to) == (letter.from, letter.to));
    let same = channel().filter(|it| it.msg == letter.msg).take(before.saturating_add(1)).last();
    same.into_iter().chain(channel().next()).map(|letter| letter.number)
}

/// The first thing that has to happen before timers run out.
fn pressing<P, A, M>(stage: &Stage<P, A, M>) -> Option<Action<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let oldest = stage.transit().next().map(|letter| stage.arrival(letter.number));
    oldest.or_else(|| {
        stage.nodes().zip(stage.locals()).find_map(|(node, local)| {
            let is_pressing = |urge| matches!(urge, Urge::Duty | Urge::Notice);
            let duty = local.inputs().into_iter().find(|(urge, _)| is_pressing(*urge));
            duty.and_then(|(_, input)| Action::own(node, input))
        })
    })
}

/// That each of the pending timers runs out.
fn pending<P, A, M>(stage: &Stage<P, A, M>) -> VecDeque<Action<P>>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let timers = stage.nodes().zip(stage.locals()).flat_map(|(node, local)| {
        local.timers.iter().map(move |timer| Action::Timer { node, timer: timer.clone() })
    });
    timers.collect()
}

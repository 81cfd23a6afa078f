//! Everything about one node that can change: the node, its application, its timers.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use konklave::Recorder;
use konklave::protocol::{Effect, Input, Protocol};

use crate::application::{Application, Standing};

/// A node and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local<P: Protocol, A> {
    pub(crate) status: Status,
    pub(crate) node: P,
    pub(crate) application: A,
    /// Its pending timers, sorted.
    pub(crate) timers: Vec<P::Timer>,
}

/// Whether a node takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    /// It has not started.
    Asleep,
    /// It takes part.
    Up,
    /// It has crashed.
    Down,
}

/// What can happen to a node by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urge {
    /// A wish of its application: at any time, or never. Nobody has to ask for anything.
    Wish,
    /// Its start, or that its application leaves: at any time, but at last.
    Duty,
    /// A notice: not before messages, if the world is patient.
    Notice,
    /// A timer: not before messages and notices, if the world is patient.
    Timer,
}

/// One way in which a node can react to an input.
pub(crate) struct Reaction<P: Protocol, A> {
    pub(crate) local: Local<P, A>,
    pub(crate) effects: Vec<Effect<P>>,
    /// What it failed with, if it failed an assertion of its own.
    pub(crate) panic: Option<String>,
}

impl<P, A> Local<P, A>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
{
    pub(crate) fn asleep(node: P, application: A) -> Self {
        Self { status: Status::Asleep, node, application, timers: Vec::new() }
    }

    /// What can happen to it by itself, in a fixed order.
    pub(crate) fn inputs(&self) -> Vec<(Urge, Input<P>)> {
        match self.status {
            Status::Down => Vec::new(),
            Status::Asleep => vec![(Urge::Duty, Input::Start)],
            Status::Up => {
                let urge = self.urge();
                let commands = self.application.commands().into_iter();
                let notices = self.application.notices().into_iter();
                let timers = self.timers.iter().cloned();
                let free = commands.map(|command| (urge, Input::Command(command)));
                let notices = notices.map(|command| (Urge::Notice, Input::Command(command)));
                let timers = timers.map(|timer| (Urge::Timer, Input::Timer(timer)));
                free.chain(notices).chain(timers).collect()
            }
        }
    }

    /// Who is inside leaves at last. All else that an application commands is a wish.
    fn urge(&self) -> Urge {
        match A::TAKES_TURNS && self.application.standing() == Standing::Served {
            true => Urge::Duty,
            false => Urge::Wish,
        }
    }

    /// The commands that it gets at last, in a fixed order: who is inside leaves, and notices come.
    pub(crate) fn duties(&self) -> impl Iterator<Item = P::Command> {
        self.inputs().into_iter().filter_map(|(urge, input)| match (urge, input) {
            (Urge::Duty | Urge::Notice, Input::Command(command)) => Some(command),
            _ => None,
        })
    }

    /// All the ways in which it can react: one, unless it makes choices.
    pub(crate) fn reactions(&self, input: &Input<P>) -> Vec<Reaction<P, A>> {
        let mut reactions = Vec::new();
        let mut choices = Vec::new();
        loop {
            let reaction = self.react(input, &choices);
            let mut made: Vec<(u32, u32)> = choices_in(&reaction.effects).collect();
            reactions.push(reaction);
            // The next sequence of choices, in lexicographic order.
            while made.last().is_some_and(|(bound, value)| value + 1 >= *bound) {
                made.pop();
            }
            let Some((_, last)) = made.last_mut() else { return reactions };
            *last += 1;
            choices = made.into_iter().map(|(_, value)| value).collect();
        }
    }

    /// What it does about an input, if its choices begin with these and are zero from then on.
    pub(crate) fn react(&self, input: &Input<P>, choices: &[u32]) -> Reaction<P, A> {
        let mut local = self.clone();
        match input {
            Input::Start => local.status = Status::Up,
            Input::Command(command) => local.application.on_command(command),
            Input::Timer(timer) => local.timers.retain(|other| other != timer),
            Input::Message { .. } => {}
        }
        let mut env = Recorder::choosing(choices);
        let node = &mut local.node;
        let outcome = catch_unwind(AssertUnwindSafe(|| node.on_dyn(input.clone(), &mut env)));
        let effects = env.take();
        for effect in &effects {
            match effect {
                Effect::SetTimer { timer, .. } => {
                    if let Err(place) = local.timers.binary_search(timer) {
                        local.timers.insert(place, timer.clone());
                    }
                }
                Effect::CancelTimer(timer) => local.timers.retain(|other| other != timer),
                Effect::Emit(event) => local.application.on_event(event),
                Effect::Send { .. } | Effect::Choose { .. } => {}
            }
        }
        let panic = outcome.err().map(|panic| text_of(panic.as_ref()));
        Reaction { local, effects, panic }
    }
}

/// The choices among these effects: how many there were to choose from, and which was taken.
pub(crate) fn choices_in<P: Protocol>(
    effects: &[Effect<P>],
) -> impl Iterator<Item = (u32, u32)> + '_ {
    effects.iter().filter_map(|effect| match effect {
        Effect::Choose { bound, value } => Some((*bound, *value)),
        _ => None,
    })
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a node panicked").to_owned()
}

//! Everything about one node that can change: the node, its application, its timers.

use std::any::Any;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use konklave::protocol::{Broken, Effect, Input, Protocol};
use konklave::{NodeId, Recorder};

use crate::application::{Application, Standing};

/// The local state of a node: all that its next step depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local<P: Protocol, A> {
    /// Whether the node takes part.
    pub status: Status,
    /// The node itself.
    pub node: P,
    /// What gives it commands and hears of its events.
    pub application: A,
    /// Its pending timers, sorted.
    pub timers: Vec<P::Timer>,
}

/// Whether a node takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It has not started, or not again since its crash.
    Asleep,
    /// It takes part.
    Up,
    /// It has crashed.
    Down,
    /// It has crashed and will return. Only a search knows that in advance; on a stage, such a node
    /// is down until it does.
    Away,
    /// It has left for good.
    Gone,
}

/// How pressing an input is that a node can get by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urge {
    /// A wish of its application: at any time, or never. No application has to ask for anything.
    Wish,
    /// Its start, or that its application leaves: at any time, but eventually.
    Duty,
    /// A notice: not before messages, if the pace is patient.
    Notice,
    /// A timer: not before messages and notices, if the pace is patient.
    Timer,
    /// Its turn to act by itself: as for a timer, and again and again.
    Turn,
}

/// What a node does about an input.
#[derive(Clone, Debug)]
pub struct Reaction<P: Protocol> {
    /// Everything that it does, in order.
    pub effects: Vec<Effect<P>>,
    /// Where in the algorithm each of the effects stands.
    pub statements: Vec<&'static Location<'static>>,
    /// The message of the assertion that failed in it, if one did.
    pub panic: Option<String>,
}

impl<P, A> Local<P, A>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
{
    /// A node to which nothing has happened yet.
    pub fn asleep(node: P, application: A) -> Self {
        Self { status: Status::Asleep, node, application, timers: Vec::new() }
    }

    /// The inputs that it can get by itself, in a fixed order: wishes before duties, then notices,
    /// then timers, then its turn.
    pub fn inputs(&self) -> Vec<(Urge, Input<P>)> {
        match self.status {
            Status::Down | Status::Away | Status::Gone => Vec::new(),
            Status::Asleep => vec![(Urge::Duty, Input::Start)],
            Status::Up => {
                let urge = self.urge();
                let commands = self.application.commands().into_iter();
                let notices = self.application.notices().into_iter();
                let timers = self.timers.iter().cloned();
                let free = commands.map(|command| (urge, Input::Command(command)));
                let notices = notices.map(|command| (Urge::Notice, Input::Command(command)));
                let timers = timers.map(|timer| (Urge::Timer, Input::Timer(timer)));
                let turn = self.has_turn().then_some((Urge::Turn, Input::Tick));
                free.chain(notices).chain(timers).chain(turn).collect()
            }
        }
    }

    /// Whether the node acts by itself, and would not just stay as it is: a turn without an effect
    /// is not a step.
    fn has_turn(&self) -> bool {
        self.node.ticks() && {
            let is_idle = |(next, reaction): &(Self, Reaction<P>)| {
                let mut effects = reaction.effects.iter();
                effects.all(|effect| matches!(effect, Effect::Choose { .. }))
                    && reaction.panic.is_none()
                    && next == self
            };
            !self.reactions(&Input::Tick).iter().all(is_idle)
        }
    }

    /// An application that is inside leaves eventually. All else that it commands is a wish.
    fn urge(&self) -> Urge {
        match A::TAKES_TURNS && self.application.standing() == Standing::Served {
            true => Urge::Duty,
            false => Urge::Wish,
        }
    }

    /// All the ways in which it can react, each with what becomes of it: one, unless it chooses.
    pub fn reactions(&self, input: &Input<P>) -> Vec<(Self, Reaction<P>)> {
        let mut reactions = Vec::new();
        let mut choices = Vec::new();
        loop {
            let mut next = self.clone();
            let reaction = next.take_step(input, &choices);
            let mut made: Vec<(u32, u32)> = choices_in(&reaction.effects).collect();
            reactions.push((next, reaction));
            // The next sequence of choices, in lexicographic order.
            while made.last().is_some_and(|(bound, value)| value + 1 >= *bound) {
                made.pop();
            }
            let Some((_, last)) = made.last_mut() else { return reactions };
            *last += 1;
            choices = made.into_iter().map(|(_, value)| value).collect();
        }
    }

    /// Takes a step. Its choices begin with these and are zero from then on.
    pub fn take_step(&mut self, input: &Input<P>, choices: &[u32]) -> Reaction<P> {
        match input {
            Input::Start => self.status = Status::Up,
            Input::Command(command) => self.application.on_command(command),
            Input::Timer(timer) => self.timers.retain(|other| other != timer),
            Input::Message { .. } | Input::Tick | Input::Returned { .. } => {}
        }
        let mut env = Recorder::choosing(choices);
        let node = &mut self.node;
        let outcome = catch_unwind(AssertUnwindSafe(|| node.on_dyn(input.clone(), &mut env)));
        let (effects, statements) = env.take_with_statements();
        for effect in &effects {
            match effect {
                Effect::SetTimer { timer, .. } => {
                    if let Err(place) = self.timers.binary_search(timer) {
                        self.timers.insert(place, timer.clone());
                    }
                }
                Effect::CancelTimer(timer) => self.timers.retain(|other| other != timer),
                Effect::Emit(event) => self.application.on_event(event),
                Effect::Leave => {
                    self.status = Status::Gone;
                    self.timers.clear();
                }
                Effect::Send { .. } | Effect::Choose { .. } => {}
            }
        }
        let panic = outcome.err().map(|panic| panic_message(panic.as_ref()));
        Reaction { effects, statements, panic }
    }
}

/// The choices among these effects: how many there were to choose from, and which was taken.
pub fn choices_in<P: Protocol>(effects: &[Effect<P>]) -> impl Iterator<Item = (u32, u32)> + '_ {
    effects.iter().filter_map(|effect| match effect {
        Effect::Choose { bound, value } => Some((*bound, *value)),
        _ => None,
    })
}

/// The message of a panic: that of the failed assertion of a node.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a node panicked").to_owned()
}

/// The promise that every node keeps by itself.
pub const ASSERTIONS_HOLD: &str = "assertions hold";

/// That promise, broken by an assertion of a node's own that failed; by which node, if it is known.
pub fn failed_assertion(node: Option<NodeId>, message: impl Into<String>) -> Broken {
    Broken { promise: ASSERTIONS_HOLD.to_owned(), detail: message.into(), node }
}

/// The promise that every node keeps, whatever it solves: it sends only to nodes that it has a
/// channel to.
pub const SENDS_TO_NEIGHBOURS: &str = "sends to neighbours";

/// Judges a message, in a system of this many nodes: its receiver exists, and is a neighbour.
pub fn judge_send(
    from: NodeId,
    to: NodeId,
    nodes: usize,
    is_neighbour: impl FnOnce() -> bool,
) -> Result<(), Broken> {
    let problem = match to.index() < nodes {
        true if from == to || is_neighbour() => return Ok(()),
        true => "is not its neighbour",
        false => "does not exist",
    };
    let detail = format!("node {from} sends a message to node {to}, which {problem}");
    Broken::by(from, SENDS_TO_NEIGHBOURS, detail)
}

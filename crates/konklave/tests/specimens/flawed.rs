//! A protocol that is right but for one flaw.

use std::fmt::Debug;
use std::hash::Hash;

use konklave::protocol::{Effect, Env, Input, Protocol};
use konklave::{NodeId, Recorder};
use konklave_sim::{Ended, Report};

/// What is wrong, compared with a right protocol.
pub(super) trait Flaw<P: Protocol>: Clone + Eq + Hash + Debug + Send + 'static {
    /// What reaches the right protocol instead of this input.
    fn inputs(&mut self, _node: &P, input: Input<P>) -> Vec<Input<P>> {
        vec![input]
    }

    /// What it does about the input instead of these effects.
    fn effects(&mut self, _input: &Input<P>, effects: Vec<Effect<P>>) -> Vec<Effect<P>> {
        effects
    }
}

/// No flaw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flawless;

impl<P: Protocol> Flaw<P> for Flawless {}

/// A node of a right protocol that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flawed<P, F> {
    right: P,
    flaw: F,
}

impl<P: Protocol, F: Flaw<P>> Flawed<P, F> {
    pub(super) fn new(right: P, flaw: F) -> Self {
        Self { right, flaw }
    }

    fn happen(&mut self, input: Input<P>, env: &mut impl Env<Self>) {
        for input in self.flaw.inputs(&self.right, input) {
            let mut recorder = Recorder::default();
            self.right.on(input.clone(), &mut recorder);
            for effect in self.flaw.effects(&input, recorder.take()) {
                match effect {
                    Effect::Send { to, msg } => env.send(to, msg),
                    Effect::SetTimer { timer, after } => env.set_timer(timer, after),
                    Effect::CancelTimer(timer) => env.cancel_timer(timer),
                    Effect::Emit(event) => env.emit(event),
                    Effect::Choose { bound, .. } => {
                        env.choose(bound); // None of these protocols does.
                    }
                }
            }
        }
    }
}

impl<P: Protocol, F: Flaw<P>> Protocol for Flawed<P, F> {
    type Msg = P::Msg;
    type Timer = P::Timer;
    type Command = P::Command;
    type Event = P::Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.happen(Input::Start, env);
    }

    fn on_command(&mut self, command: P::Command, env: &mut impl Env<Self>) {
        self.happen(Input::Command(command), env);
    }

    fn on_message(&mut self, from: NodeId, msg: P::Msg, env: &mut impl Env<Self>) {
        self.happen(Input::Message { from, msg }, env);
    }

    fn on_timer(&mut self, timer: P::Timer, env: &mut impl Env<Self>) {
        self.happen(Input::Timer(timer), env);
    }
}

/// The promise that was broken, and how; `kept` if none was, and `endless` if nobody can tell.
pub(super) fn verdict<R>(report: &Report<R>) -> String {
    match &report.violations[..] {
        [] if report.ended == Ended::EventLimit => "endless".to_owned(),
        [] => "kept".to_owned(),
        [violation] => violation.broken.to_string(),
        more => panic!("{more:?}"),
    }
}

/// The name of the promise that was broken; `kept` if none was, and `endless` if nobody can tell.
pub(super) fn promise<R>(report: &Report<R>) -> String {
    verdict(report).split(':').next().unwrap_or_default().to_owned()
}

//! A protocol that is right but for one flaw.

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use konklave::protocol::{Effect, Env, Input, Protocol};
use konklave::{NodeId, NodeSet, Recorder};

/// What is wrong, compared with a right protocol.
///
/// A flaw changes what reaches the right node and what leaves it. It may remember a little, and may
/// look at the node as anyone can: by its public functions, or by [`probe`].
pub trait Flaw<P: Protocol>: Clone + Eq + Hash + Debug + Send + 'static {
    /// What reaches the right node, as it is now, instead of this input.
    fn inputs(&mut self, _node: &P, input: Input<P>) -> Vec<Input<P>> {
        vec![input]
    }

    /// What it does about one of these inputs instead of these effects. The node is shown as it is
    /// afterwards.
    fn effects(&mut self, _node: &P, _input: &Input<P>, effects: Vec<Effect<P>>) -> Vec<Effect<P>> {
        effects
    }
}

/// No flaw: for right algorithms in places that they are not made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flawless;

impl<P: Protocol> Flaw<P> for Flawless {}

/// What the right node would become and do, if this reached it.
pub fn probe<P: Protocol>(node: &P, input: Input<P>) -> (P, Vec<Effect<P>>) {
    let mut node = node.clone();
    let mut recorder = Recorder::default();
    node.on(input, &mut recorder);
    (node, recorder.take())
}

/// A node of a right protocol that goes wrong.
///
/// The lemmas of the right proof ([`Protocol::invariants`]) are not asked of it: they speak about
/// the right node inside, of which the outside sees something else. A flaw has to show in what it
/// does to the promises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flawed<P, F> {
    right: P,
    flaw: F,
}

impl<P: Protocol, F: Flaw<P>> Flawed<P, F> {
    /// The right node with a flaw.
    pub fn new(right: P, flaw: F) -> Self {
        Self { right, flaw }
    }

    fn happen(&mut self, input: Input<P>, env: &mut impl Env<Self>) {
        for input in self.flaw.inputs(&self.right, input) {
            let mut inner = Inner { choose: &mut |bound| env.choose(bound), effects: Vec::new() };
            self.right.on(input.clone(), &mut inner);
            let effects = inner.effects;
            for effect in self.flaw.effects(&self.right, &input, effects) {
                match effect {
                    Effect::Send { to, msg } => env.send(to, msg),
                    Effect::SetTimer { timer, after } => env.set_timer(timer, after),
                    Effect::CancelTimer(timer) => env.cancel_timer(timer),
                    Effect::Emit(event) => env.emit(event),
                    Effect::Choose { .. } => {} // Was made when it was needed.
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

    fn waits_for(&self) -> NodeSet {
        self.right.waits_for()
    }
}

/// The environment of the right node: its effects wait for the flaw, but choices cannot wait.
struct Inner<'a, E, P: Protocol> {
    choose: &'a mut E,
    effects: Vec<Effect<P>>,
}

impl<P: Protocol, E: FnMut(u32) -> u32> Env<P> for Inner<'_, E, P> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.effects.push(Effect::Send { to, msg });
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.effects.push(Effect::SetTimer { timer, after });
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.effects.push(Effect::CancelTimer(timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.effects.push(Effect::Emit(event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        (self.choose)(bound)
    }
}

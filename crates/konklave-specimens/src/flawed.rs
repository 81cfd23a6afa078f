//! A protocol that is right but for one flaw.

use std::fmt::Debug;
use std::hash::Hash;

use konklave::protocol::{Effect, Env, Hosts, Input, Protocol};
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
            let effects = self.hold(&(), input.clone(), env);
            for effect in self.flaw.effects(&self.right, &input, effects) {
                self.release(&(), effect, env);
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

    fn ticks(&self) -> bool {
        self.right.ticks()
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        self.happen(Input::Tick, env);
    }

    fn on_returned(&mut self, to: NodeId, msg: P::Msg, env: &mut impl Env<Self>) {
        self.happen(Input::Returned { to, msg }, env);
    }

    fn waits_for(&self) -> NodeSet {
        self.right.waits_for()
    }
}

impl<P: Protocol, F: Flaw<P>> Hosts<P> for Flawed<P, F> {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut P> {
        Some(&mut self.right)
    }

    fn wrap_msg((): &(), msg: P::Msg) -> P::Msg {
        msg
    }

    fn wrap_timer((): &(), timer: P::Timer) -> P::Timer {
        timer
    }

    fn on_part(&mut self, (): &(), event: P::Event, env: &mut impl Env<Self>) {
        env.emit(event);
    }
}

//! A protocol that can be any of those that solve a problem.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::time::Duration;

use konklave::protocol::{Data, Env, Input, Invariant, Protocol, Snapshot};
use konklave::trace::Line;
use konklave::{NodeId, NodeSet};
use serde_json::Error;

use super::dyn_node::{DynInvariant, DynNode};
use super::{Erased, Value, translate};

/// A node of any algorithm for a problem with these commands and events. Its messages and timers
/// are words. What it can do takes longer, but is compiled only once for all of them.
pub struct AnyNode<C, E> {
    /// The node itself.
    pub node: Box<dyn DynNode>,
    problem: PhantomData<fn() -> (C, E)>,
}

impl<C: Data, E: Data> AnyNode<C, E> {
    /// This node.
    pub fn new(node: impl Protocol<Command = C, Event = E>) -> Self {
        Self::from_actor(Box::new(node))
    }

    fn from_actor(node: Box<dyn DynNode>) -> Self {
        Self { node, problem: PhantomData }
    }

    /// The line of a trace that this text is.
    ///
    /// # Errors
    ///
    /// If it is none of this algorithm.
    pub fn read(&self, text: &str) -> Result<Line<Self>, Error> {
        let mut line: Line<Erased> = serde_json::from_str(text)?;
        self.node.normalise_line(&mut line)?;
        translate(&line)
    }

    /// A line of a trace in words.
    pub fn erase(line: &Line<Self>) -> Line<Erased> {
        translate(line).expect("there are words for everything")
    }

    fn happen(&mut self, input: Input<Erased>, env: &mut impl Env<Self>) {
        let understood = self.node.on_any(&input, &mut Typing(env, PhantomData));
        understood.expect("nodes are spoken to in words of their own algorithm");
    }
}

impl<C: Data, E: Data> Protocol for AnyNode<C, E> {
    type Msg = Value;
    type Timer = Value;
    type Command = C;
    type Event = E;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.happen(Input::Start, env);
    }

    fn on_command(&mut self, command: C, env: &mut impl Env<Self>) {
        self.happen(Input::Command(Value::of(&command)), env);
    }

    fn on_message(&mut self, from: NodeId, msg: Value, env: &mut impl Env<Self>) {
        self.happen(Input::Message { from, msg }, env);
    }

    fn on_timer(&mut self, timer: Value, env: &mut impl Env<Self>) {
        self.happen(Input::Timer(timer), env);
    }

    fn waits_for(&self) -> NodeSet {
        self.node.awaits()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let dyn_invariants = self.node.dyn_invariants().into_iter();
        let invariant = |invariant: DynInvariant| {
            Invariant::new(invariant.name, move |system: &Snapshot<'_, Self>| {
                let nodes: Vec<_> = system.nodes.iter().map(|node| node.node.as_ref()).collect();
                (invariant.judge)(&nodes, system.messages).map_err(|broken| broken.detail)
            })
        };
        dyn_invariants.map(invariant).collect()
    }
}

/// Understands the events that a node tells in words.
struct Typing<'a, N, P>(&'a mut N, PhantomData<P>);

impl<P: Protocol<Msg = Value, Timer = Value>, N: Env<P>> Env<Erased> for Typing<'_, N, P> {
    fn send(&mut self, to: NodeId, msg: Value) {
        self.0.send(to, msg);
    }

    fn set_timer(&mut self, timer: Value, after: Duration) {
        self.0.set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: Value) {
        self.0.cancel_timer(timer);
    }

    fn emit(&mut self, event: Value) {
        self.0.emit(event.get().expect("it was an event when it was put into words"));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }
}

impl<C: Data, E: Data> Clone for AnyNode<C, E> {
    fn clone(&self) -> Self {
        Self::from_actor(self.node.boxed_clone())
    }
}

impl<C, E> Debug for AnyNode<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.node.state())
    }
}

impl<C, E> PartialEq for AnyNode<C, E> {
    fn eq(&self, other: &Self) -> bool {
        self.node.equals(other.node.as_ref())
    }
}

impl<C, E> Eq for AnyNode<C, E> {}

impl<C, E> Hash for AnyNode<C, E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.node.hash_into(state);
    }
}

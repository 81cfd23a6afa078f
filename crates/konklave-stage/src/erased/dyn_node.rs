//! What every node can do once its type is erased.

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hasher;
use std::panic::Location;
use std::time::Duration;

use konklave::protocol::{Data, Env, Input, Invariant, Protocol, Snapshot};
use konklave::{NodeId, NodeSet};
use serde_json::Error;

use super::{AnyNode, Value, within};

/// A node of some algorithm for a problem with these commands and events.
pub(super) trait DynNode<C: Data, E: Data>: Debug + Send {
    /// Any of the transitions.
    fn on_erased(&mut self, input: Input<AnyNode<C, E>>, env: &mut dyn Env<AnyNode<C, E>>);

    /// The message as its own type writes and prints it.
    fn normalise_message(&self, msg: &Value) -> Result<Value, Error>;

    /// The timer as its own type writes and prints it.
    fn normalise_timer(&self, timer: &Value) -> Result<Value, Error>;

    /// See [`Protocol::ticks`].
    fn is_ticking(&self) -> bool;

    /// See [`Protocol::waits_for`].
    fn awaits(&self) -> NodeSet;

    /// See [`Protocol::knows`].
    fn known(&self) -> Option<Vec<NodeId>>;

    /// See [`Protocol::tells`].
    fn told(&self, msg: &Value) -> Vec<NodeId>;

    /// See [`Protocol::legality`].
    fn erased_legality(&self) -> Option<Invariant<AnyNode<C, E>>>;

    /// See [`Protocol::converges_by_chance`].
    fn by_chance(&self) -> bool;

    /// See [`Protocol::damages`].
    fn known_damages(&self) -> &'static [&'static str];

    /// See [`Protocol::damage`].
    fn suffer(&mut self, name: &str, choose: &mut dyn FnMut(u32) -> u32);

    /// See [`Protocol::invariants`]. They say nothing about nodes of several algorithms.
    fn erased_invariants(&self) -> Vec<Invariant<AnyNode<C, E>>>;

    /// The node itself, to be downcast.
    fn as_any(&self) -> &dyn Any;

    /// Another one in the same state.
    fn boxed_clone(&self) -> Box<dyn DynNode<C, E>>;

    /// Whether the other one is of the same algorithm and in the same state.
    fn equals(&self, other: &AnyNode<C, E>) -> bool;

    /// Shows its state to a hasher.
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl<P: Protocol> DynNode<P::Command, P::Event> for P {
    fn on_erased(
        &mut self,
        input: Input<AnyNode<P::Command, P::Event>>,
        env: &mut dyn Env<AnyNode<P::Command, P::Event>>,
    ) {
        let input = match input {
            Input::Start => Input::Start,
            Input::Command(command) => Input::Command(command),
            Input::Message { from, msg } => Input::Message { from, msg: expect(&msg) },
            Input::Timer(timer) => Input::Timer(expect(&timer)),
            Input::Tick => Input::Tick,
            Input::Returned { to, msg } => Input::Returned { to, msg: expect(&msg) },
        };
        self.on_dyn(input, &mut Erasing(env));
    }

    fn normalise_message(&self, msg: &Value) -> Result<Value, Error> {
        let mut msg: P::Msg = msg.get()?;
        within::normalise_message::<P::Command, P::Event>(self, &mut msg)?;
        Ok(Value::of(&msg))
    }

    fn normalise_timer(&self, timer: &Value) -> Result<Value, Error> {
        let mut timer: P::Timer = timer.get()?;
        within::normalise_timer::<P::Command, P::Event>(self, &mut timer)?;
        Ok(Value::of(&timer))
    }

    fn is_ticking(&self) -> bool {
        self.ticks()
    }

    fn awaits(&self) -> NodeSet {
        self.waits_for()
    }

    fn known(&self) -> Option<Vec<NodeId>> {
        self.knows()
    }

    fn told(&self, msg: &Value) -> Vec<NodeId> {
        match msg.original() {
            Some(msg) => self.tells(msg),
            None => self.tells(&expect(msg)),
        }
    }

    fn erased_legality(&self) -> Option<Invariant<AnyNode<P::Command, P::Event>>> {
        self.legality().map(erase)
    }

    fn by_chance(&self) -> bool {
        self.converges_by_chance()
    }

    fn known_damages(&self) -> &'static [&'static str] {
        self.damages()
    }

    fn suffer(&mut self, name: &str, choose: &mut dyn FnMut(u32) -> u32) {
        self.damage(name, choose);
    }

    fn erased_invariants(&self) -> Vec<Invariant<AnyNode<P::Command, P::Event>>> {
        self.invariants().into_iter().map(erase).collect()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed_clone(&self) -> Box<dyn DynNode<P::Command, P::Event>> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &AnyNode<P::Command, P::Event>) -> bool {
        other.node.as_any().downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

fn expect<T: Data>(value: &Value) -> T {
    value.get().expect("nodes get messages and timers of their own algorithm")
}

fn erase<P: Protocol>(invariant: Invariant<P>) -> Invariant<AnyNode<P::Command, P::Event>> {
    Invariant::new(invariant.name(), move |system: &Snapshot<'_, AnyNode<_, _>>| {
        let nodes = system.nodes.iter().map(|node| node.node.as_any().downcast_ref());
        let Some(nodes) = nodes.collect::<Option<Vec<&P>>>() else { return Ok(()) };
        let read = |&(from, to, msg): &(_, _, &Value)| (from, to, expect::<P::Msg>(msg));
        let messages: Vec<_> = system.messages.iter().map(read).collect();
        let messages: Vec<_> = messages.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
        let verdict = invariant.judge(&Snapshot { nodes: &nodes, messages: &messages });
        verdict.map_err(|broken| broken.detail)
    })
}

/// Erases messages and timers on their way out of a node.
struct Erasing<'a, C: Data, E: Data>(&'a mut dyn Env<AnyNode<C, E>>);

impl<P: Protocol> Env<P> for Erasing<'_, P::Command, P::Event> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.0.send(to, Value::of(&msg));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.0.set_timer(Value::of(&timer), after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.0.cancel_timer(Value::of(&timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.0.emit(event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.0.choose(bound)
    }

    fn leave(&mut self) {
        self.0.leave();
    }

    fn at(&mut self, statement: &'static Location<'static>) {
        self.0.at(statement);
    }
}

//! A protocol that can be any of those that solve a problem.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use konklave::protocol::{Data, Effect, Env, Input, Invariant, Protocol};
use konklave::reliable::{Order, Reliable};
use konklave::trace::{Fault, Line};
use konklave::{NodeId, NodeSet};
use serde_json::Error;

use super::dyn_node::DynNode;
use super::{Erased, Value};

/// A node of any algorithm for a problem with these commands and events. Its messages and timers
/// are erased. What it can do takes longer, but is compiled only once for all algorithms.
///
/// # Panics
///
/// If it gets a message or timer that its algorithm does not have: [`read`](Self::read) makes sure
/// that those in a trace exist.
pub struct AnyNode<C: Data, E: Data> {
    pub(super) node: Box<dyn DynNode<C, E>>,
    /// The nodes that it can send to, ascending; none given if it can send to all.
    neighbours: Option<Arc<[NodeId]>>,
}

impl<C: Data, E: Data> AnyNode<C, E> {
    /// Erases a node.
    pub fn new(node: impl Protocol<Command = C, Event = E>) -> Self {
        Self { node: Box::new(node), neighbours: None }
    }

    /// The same node in a network in which it can send only to these, in ascending order.
    #[must_use]
    pub fn among(self, neighbours: impl Iterator<Item = NodeId>) -> Self {
        Self { neighbours: Some(neighbours.collect()), ..self }
    }

    /// The same node with reliable links, which keep this order and send again after this time.
    #[must_use]
    pub fn reliable(self, order: Order, period: Duration) -> Self {
        Self::new(Reliable::new(self, order, period))
    }

    /// The node as it was before it was erased, if it is of this type.
    pub fn get<P: 'static>(&self) -> Option<&P> {
        let node = self.node.as_any();
        let inside = || node.downcast_ref::<Reliable<Self>>()?.node().get();
        node.downcast_ref().or_else(inside)
    }

    /// Reads a line of a trace of this node's algorithm, and normalises its values.
    ///
    /// # Errors
    ///
    /// If it is not a line of a trace, or has values that the algorithm does not have.
    pub fn read(&self, text: &str) -> Result<Line<Self>, Error> {
        let mut line: Line<Self> = serde_json::from_str(text)?;
        let message = |msg: &mut Value| self.node.normalise_message(msg).map(|it| *msg = it);
        let timer = |timer: &mut Value| self.node.normalise_timer(timer).map(|it| *timer = it);
        match &mut line {
            Line::Step(step) => {
                match &mut step.input {
                    Input::Message { msg, .. } | Input::Returned { msg, .. } => message(msg)?,
                    Input::Timer(name) => timer(name)?,
                    Input::Start | Input::Command(_) | Input::Tick => {}
                }
                step.effects.iter_mut().try_for_each(|effect| match effect {
                    Effect::Send { msg, .. } => message(msg),
                    Effect::SetTimer { timer: name, .. } => timer(name),
                    Effect::CancelTimer(name) => timer(name),
                    Effect::Emit(_) | Effect::Choose { .. } | Effect::Leave => Ok(()),
                })?;
            }
            Line::Fault { what: Fault::Garbage { messages, .. }, .. } => {
                messages.iter_mut().try_for_each(|(_, msg)| message(msg))?;
            }
            Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => {}
        }
        Ok(line)
    }

    /// Erases also the commands and events of a line.
    pub fn erase(line: &Line<Self>) -> Line<Erased> {
        super::line(line)
    }
}

impl<C: Data, E: Data> Protocol for AnyNode<C, E> {
    type Msg = Value;
    type Timer = Value;
    type Command = C;
    type Event = E;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Start, env);
    }

    fn on_command(&mut self, command: C, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Command(command), env);
    }

    fn on_message(&mut self, from: NodeId, msg: Value, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Message { from, msg }, env);
    }

    fn on_timer(&mut self, timer: Value, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Timer(timer), env);
    }

    fn ticks(&self) -> bool {
        self.node.is_ticking()
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Tick, env);
    }

    fn on_returned(&mut self, to: NodeId, msg: Value, env: &mut impl Env<Self>) {
        self.node.on_erased(Input::Returned { to, msg }, env);
    }

    fn waits_for(&self) -> NodeSet {
        self.node.awaits()
    }

    fn reaches(&self, to: NodeId) -> bool {
        self.neighbours.as_ref().is_none_or(|neighbours| neighbours.binary_search(&to).is_ok())
    }

    fn knows(&self) -> Option<Vec<NodeId>> {
        self.node.known()
    }

    fn tells(&self, msg: &Value) -> Vec<NodeId> {
        self.node.told(msg)
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        self.node.erased_legality()
    }

    fn converges_by_chance(&self) -> bool {
        self.node.by_chance()
    }

    fn damages(&self) -> &'static [&'static str] {
        self.node.known_damages()
    }

    fn damage(&mut self, name: &str, choose: &mut dyn FnMut(u32) -> u32) {
        self.node.suffer(name, choose);
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        self.node.erased_invariants()
    }
}

impl<C: Data, E: Data> Clone for AnyNode<C, E> {
    fn clone(&self) -> Self {
        Self { node: self.node.boxed_clone(), neighbours: self.neighbours.clone() }
    }
}

impl<C: Data, E: Data> Debug for AnyNode<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl<C: Data, E: Data> PartialEq for AnyNode<C, E> {
    fn eq(&self, other: &Self) -> bool {
        self.node.equals(other)
    }
}

impl<C: Data, E: Data> Eq for AnyNode<C, E> {}

impl<C: Data, E: Data> Hash for AnyNode<C, E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.node.hash_into(state);
    }
}

#[cfg(test)]
mod tests {
    use konklave::mutex::ricart_agrawala::RicartAgrawala;
    use konklave::mutex::{Command, Event};

    use super::*;

    fn read(text: &str) -> Result<Line<AnyNode<Command, Event>>, Error> {
        AnyNode::new(RicartAgrawala::new(NodeId(0), 2)).read(text)
    }

    #[test]
    fn values_are_normalised_when_they_are_read() {
        let message = r#"{"Request" : {"node":1, "time":3}}"#;
        let line = |msg: &str, to: &str| {
            let send = format!(r#"{{"send":{{"to":1,"msg":{to}}}}}"#);
            let input = format!(r#"{{"message":{{"from":1,"msg":{msg}}}}}"#);
            format!(r#"{{"step":{{"at":1,"node":0,"input":{input},"effects":[{send}]}}}}"#)
        };
        let read_line = read(&line(message, r#""Reply""#)).unwrap();
        let Line::Step(step) = &read_line else { panic!("{read_line:?}") };
        let Input::Message { msg, .. } = &step.input else { panic!("{read_line:?}") };
        assert_eq!(format!("{msg:?}"), "Request(3@1)");
        assert_eq!(step.effects[0].to_string(), "-> 1 Reply");
        let written = serde_json::to_string(&AnyNode::erase(&read_line)).unwrap();
        assert!(written.contains(r#"{"Request":{"time":3,"node":1}}"#), "{written}");
        for (msg, to) in [(r#""Nonsense""#, r#""Reply""#), (r#""Reply""#, "7")] {
            assert!(read(&line(msg, to)).is_err(), "{msg}, {to}");
        }
    }

    #[test]
    fn garbage_is_normalised_too() {
        let line = |msg| {
            format!(
                r#"{{"fault":{{"at":1,"what":{{"garbage":{{"node":0,"messages":[[1,{msg}]]}}}}}}}}"#
            )
        };
        let read_line = read(&line(r#" "Reply" "#)).unwrap();
        let expected = r#"Fault { at: 1, what: Garbage { node: 0, messages: [(1, Reply)] } }"#;
        assert_eq!(format!("{read_line:?}"), expected);
        assert!(read(&line("{}")).is_err());
    }
}

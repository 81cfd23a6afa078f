//! A system of nodes whose messages arrive in an order that a number decides, for tests.

use std::fmt::Debug;

use super::{Command, DictionaryOp, Event};
use crate::circle::{Mixer, Salt};
use crate::object::{Answer, Dictionary, Object as _};
use crate::protocol::{Effect, Input, Protocol, Snapshot};
use crate::{NodeId, Recorder};

/// Nodes and what is in transit between them.
pub(super) struct Pump<P: Protocol> {
    pub nodes: Vec<P>,
    mail: Vec<(NodeId, NodeId, P::Msg)>,
    events: Vec<(NodeId, Event)>,
    model: Dictionary,
    order: u64,
    /// How many messages have arrived.
    pub arrived: u64,
}

impl<P: Protocol<Command = Command, Event = Event> + Debug> Pump<P> {
    pub(super) fn new(nodes: Vec<P>, order: u64) -> Self {
        let (mail, events, model) = (Vec::new(), Vec::new(), Dictionary::default());
        Self { nodes, mail, events, model, order, arrived: 0 }
    }

    fn happen(&mut self, node: NodeId, input: Input<P>) {
        let mut env = Recorder::default();
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => self.mail.push((node, to, msg)),
                Effect::Emit(event) => self.events.push((node, event)),
                other => panic!("{other:?}"),
            }
        }
    }

    /// A node is asked for something, while other messages are in transit.
    pub(super) fn ask(&mut self, node: u32, command: Command) {
        self.happen(NodeId(node), Input::Command(command));
    }

    /// Lets this many messages arrive, or all if there are fewer, in an order that the number
    /// decides, with all invariants kept.
    pub(super) fn deliver(&mut self, most: usize) {
        for _ in 0..most.min(self.mail.len()) {
            self.arrived += 1;
            let draw = Mixer::new(self.order).mix(self.arrived, Salt(9));
            let (from, to, msg) = self.mail.swap_remove(draw as usize % self.mail.len());
            self.happen(to, Input::Message { from, msg });
            self.judge();
        }
    }

    /// Lets everything arrive; returns what was told since the last time.
    pub(super) fn settle(&mut self) -> Vec<(NodeId, Event)> {
        while !self.mail.is_empty() {
            self.deliver(1);
        }
        std::mem::take(&mut self.events)
    }

    /// Two processes join, three members leave and others put and get meanwhile, with a few
    /// messages in between: everything returns, and every key is found afterwards.
    pub(super) fn churn(&mut self) {
        (0..24).for_each(|key| _ = self.invoke(1 + key as u32 % 4, put(key)));
        let get = |key| Command::Invoke(DictionaryOp::Get(key));
        let join = Command::Join { contact: NodeId(1) };
        let asked = [
            (5, join),
            (1, get(3)),
            (2, Command::Leave),
            (4, Command::Invoke(DictionaryOp::Put { key: 30, value: 1 })),
            (6, join),
            (3, Command::Leave),
            (4, get(30)),
            (1, Command::Invoke(DictionaryOp::Delete(30))),
            (4, Command::Leave),
        ];
        for (place, (node, command)) in (0..).zip(asked) {
            self.ask(node, command);
            let draw = Mixer::new(self.order).mix(place, Salt(10));
            self.deliver(draw as usize % 12);
        }
        let events = self.settle();
        assert_eq!(events.len(), asked.len(), "order {}: {events:?}", self.order);
        self.invoke(5, DictionaryOp::Delete(30)); // It was put and deleted at the same time.
        for key in 0..24 {
            assert_eq!(self.invoke(5, DictionaryOp::Get(key)), Some(100 + key));
        }
    }

    fn judge(&self) {
        let nodes: Vec<&P> = self.nodes.iter().collect();
        let messages: Vec<_> = self.mail.iter().map(|(from, to, msg)| (*from, *to, msg)).collect();
        let system = Snapshot { nodes: &nodes, messages: &messages };
        for invariant in self.nodes[0].invariants() {
            assert_eq!(invariant.judge(&system), Ok(()), "order {}", self.order);
        }
    }

    /// One operation alone; its answer is that of a single dictionary.
    pub(super) fn invoke(&mut self, node: u32, op: DictionaryOp) -> Answer {
        self.ask(node, Command::Invoke(op));
        let events = self.settle();
        let right = self.model.apply(op);
        match events[..] {
            [(at, Event::Returned { answer, .. })] if at == NodeId(node) => {
                assert_eq!(answer, right, "{op:?}, order {}", self.order);
                answer
            }
            _ => panic!("{op:?} ends with {events:?}"),
        }
    }
}

/// A value that tells the key.
pub(super) fn put(key: u64) -> DictionaryOp {
    DictionaryOp::Put { key, value: 100 + key }
}

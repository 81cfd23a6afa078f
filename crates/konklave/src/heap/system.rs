//! Heaps in tests: processes, what is in transit between them, and the monitor.

use super::{Command, Event, HeapOp, Monitor};
use crate::circle::{Mixer, Salt};
use crate::object::Answer;
use crate::protocol::{Broken, Effect, Input, Monitor as _, Protocol};
use crate::{NodeId, Recorder};

pub(super) struct System<P: Protocol> {
    pub(super) nodes: Vec<P>,
    pub(super) mail: Vec<(NodeId, NodeId, P::Msg)>,
    pub(super) monitor: Monitor,
    pub(super) broken: Vec<Broken>,
    pub(super) returned: Vec<(NodeId, u32, Answer)>,
    pub(super) sent: u64,
    draw: Mixer,
    drawn: u64,
    fresh: u64,
}

impl<P: Protocol<Command = Command, Event = Event>> System<P> {
    pub(super) fn new(nodes: Vec<P>, monitor: Monitor, seed: u64) -> Self {
        Self {
            nodes,
            mail: Vec::new(),
            monitor,
            broken: Vec::new(),
            returned: Vec::new(),
            sent: 0,
            draw: Mixer::new(seed),
            drawn: 0,
            fresh: 0,
        }
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        self.draw.mix(self.drawn, Salt(1000)) % bound
    }

    fn happen(&mut self, node: NodeId, input: Input<P>) {
        let choices = [self.below(4) as u32; 50];
        let mut env = Recorder::choosing(&choices);
        self.nodes[node.index()].on(input, &mut env);
        for effect in env.take() {
            match effect {
                Effect::Send { to, msg } => {
                    assert_ne!(to, node, "steps inside a process are not messages: {msg:?}");
                    self.sent += 1;
                    self.mail.push((node, to, msg));
                }
                Effect::Emit(event) => {
                    self.broken.extend(self.monitor.on_event(node, &event).err());
                    let Event::Returned { ticket, answer, .. } = event else { panic!("{event:?}") };
                    self.returned.push((node, ticket, answer));
                }
                Effect::Choose { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub(super) fn invoke(&mut self, node: u32, op: HeapOp) {
        let command = Command::Invoke(op);
        self.monitor.on_command(NodeId(node), &command).unwrap();
        self.happen(NodeId(node), Input::Command(command));
    }

    /// Inserts an element with this priority; its number is the next one.
    pub(super) fn insert(&mut self, node: u32, priority: u64) {
        self.fresh += 1;
        self.invoke(node, HeapOp::Insert { id: self.fresh, priority });
    }

    /// How many elements were inserted.
    pub(super) fn inserted(&self) -> usize {
        self.fresh as usize
    }

    pub(super) fn delete(&mut self, node: u32) {
        self.invoke(node, HeapOp::DeleteMin);
    }

    /// Any process invokes any operation, with one of a few priorities.
    pub(super) fn invoke_any(&mut self) {
        let node = self.below(self.nodes.len() as u64) as u32;
        match self.below(2) {
            0 => self.delete(node),
            _ => {
                let priority = 1 + self.below(9);
                self.insert(node, priority);
            }
        }
    }

    /// One message arrives, any of them.
    pub(super) fn deliver(&mut self) {
        let at = self.below(self.mail.len() as u64) as usize;
        let (from, to, msg) = self.mail.swap_remove(at);
        self.happen(to, Input::Message { from, msg });
    }

    pub(super) fn settle(&mut self) {
        while !self.mail.is_empty() {
            self.deliver();
        }
        self.broken.extend(self.monitor.at_rest().err());
    }

    /// So many operations in bursts, while messages arrive in any order.
    pub(super) fn storm(&mut self, operations: u32) {
        for _ in 0..operations {
            self.invoke_any();
            if self.below(4) == 0 {
                for _ in 0..self.below(60) {
                    if !self.mail.is_empty() {
                        self.deliver();
                    }
                }
            }
        }
        self.settle();
        assert_eq!(self.returned.len() as u32, operations);
    }
}

//! A system in which things happen one by one, and are written down: what a schedule becomes when
//! it is played.

use konklave::protocol::{Broken, Effect, Input, Invariant, Monitor, Protocol, Snapshot, Verdict};
use konklave::trace::{End, Ended, Fault, Line, Step};
use konklave::{NodeId, Recorder};

use crate::application::Application;
use crate::local::{Local, Reaction, Status};
use crate::system::System;

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Letter<P: Protocol> {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) msg: P::Msg,
}

/// A whole system at one moment.
pub(crate) struct Stage<'a, P: Protocol, A, M> {
    system: &'a System<P, A, M>,
    locals: Vec<Local<P, A>>,
    monitor: M,
    /// What is in transit with its numbers, in the order of sending.
    transit: Vec<(Letter<P>, u32)>,
    sent: u32,
    /// How many things have happened.
    at: u64,
    steps: u64,
    /// Whether any application has asked for anything.
    was_asked: bool,
    broken: Option<Broken>,
    /// What must hold of all nodes and messages together.
    invariants: &'a [Invariant<P>],
    /// What has happened, if that is to be kept.
    lines: Option<Vec<Line<P>>>,
}

impl<P: Protocol, A: Clone, M: Clone> Clone for Stage<'_, P, A, M> {
    fn clone(&self) -> Self {
        Self {
            system: self.system,
            locals: self.locals.clone(),
            monitor: self.monitor.clone(),
            transit: self.transit.clone(),
            sent: self.sent,
            at: self.at,
            steps: self.steps,
            was_asked: self.was_asked,
            broken: self.broken.clone(),
            invariants: self.invariants,
            lines: self.lines.clone(),
        }
    }
}

impl<'a, P, A, M> Stage<'a, P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// All nodes are asleep. If `is_kept`, what happens is written down.
    pub(crate) fn new(system: &'a System<P, A, M>, is_kept: bool) -> Self {
        let nodes = system.nodes.iter().cloned().zip(system.applications.iter().cloned());
        Self {
            system,
            locals: nodes.map(|(node, application)| Local::asleep(node, application)).collect(),
            monitor: system.monitor.clone(),
            transit: Vec::new(),
            sent: 0,
            at: 0,
            steps: 0,
            was_asked: false,
            broken: None,
            invariants: &[],
            lines: is_kept.then(Vec::new),
        }
    }

    /// From now on, these have to hold.
    pub(crate) fn watch(&mut self, invariants: &'a [Invariant<P>]) {
        self.invariants = invariants;
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> u32 {
        self.locals.len() as u32
    }

    /// How many steps nodes have taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether any application has asked for anything.
    pub(crate) fn was_asked(&self) -> bool {
        self.was_asked
    }

    /// The first promise that was broken.
    pub(crate) fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// What the monitor says if nothing more happens.
    pub(crate) fn at_rest(&mut self) {
        let verdict = self.monitor.at_rest();
        self.judge(verdict);
    }

    /// A node, if there is one with this number.
    pub(crate) fn local(&self, node: NodeId) -> Option<&Local<P, A>> {
        self.locals.get(node.index())
    }

    /// Whether a node takes part.
    pub(crate) fn is_up(&self, node: NodeId) -> bool {
        self.local(node).is_some_and(|local| local.status == Status::Up)
    }

    /// Whether a node has crashed; one that has not started yet has not.
    fn is_down(&self, node: NodeId) -> bool {
        self.local(node).is_none_or(|local| local.status == Status::Down)
    }

    /// What is in transit, in the order of sending.
    pub(crate) fn transit(&self) -> impl ExactSizeIterator<Item = &Letter<P>> {
        self.transit.iter().map(|(letter, _)| letter)
    }

    /// The first place in transit of such a message.
    pub(crate) fn place(&self, is_meant: impl Fn(&Letter<P>) -> bool) -> Option<usize> {
        self.transit().position(is_meant)
    }

    /// A node takes a step that comes from itself or its application.
    pub(crate) fn step(&mut self, node: NodeId, input: Input<P>, choices: &[u32]) {
        self.take_step(node, input, None, choices);
    }

    /// The message at this place arrives; a node that has crashed misses it.
    pub(crate) fn arrive(&mut self, place: usize, choices: &[u32]) {
        let (Letter { from, to, msg }, number) = self.transit.remove(place);
        match self.is_up(to) {
            true => self.take_step(to, Input::Message { from, msg }, Some(number), choices),
            false => self.fault(Fault::Missed(number)),
        }
    }

    /// A message arrives that nobody has sent.
    pub(crate) fn forge(&mut self, letter: Letter<P>, choices: &[u32]) {
        let Letter { from, to, msg } = letter;
        self.fault(Fault::Forged { from, to });
        self.take_step(to, Input::Message { from, msg }, None, choices);
    }

    /// The message at this place is lost.
    pub(crate) fn lose(&mut self, place: usize) {
        let (_, number) = self.transit.remove(place);
        self.fault(Fault::Lost(number));
    }

    /// The message at this place will arrive twice.
    pub(crate) fn double(&mut self, place: usize) {
        let copy = self.transit[place].clone();
        let number = copy.1;
        self.transit.insert(place, copy);
        self.fault(Fault::Doubled(number));
    }

    /// What is on its way to nodes that have crashed never arrives.
    pub(crate) fn miss(&mut self) {
        while let Some(place) = self.place(|letter| self.is_down(letter.to)) {
            let (_, number) = self.transit.remove(place);
            self.write(Line::Fault { at: self.at, what: Fault::Missed(number) });
        }
    }

    /// A node crashes. The others may notice.
    pub(crate) fn crash(&mut self, node: NodeId) {
        self.fault(Fault::Crash(node));
        let local = &mut self.locals[node.index()];
        local.status = Status::Down;
        local.timers.clear();
        let verdict = self.monitor.on_crash(node);
        self.judge(verdict);
        self.tell_others(node, |application| application.on_crash(node));
    }

    /// A node that has crashed starts anew. It is told who else has crashed.
    pub(crate) fn restart(&mut self, node: NodeId, choices: &[u32]) {
        self.fault(Fault::Restart(node));
        let is_down = |other: &NodeId| self.locals[other.index()].status == Status::Down;
        let down: Vec<_> = NodeId::all(self.nodes()).filter(is_down).collect();
        let local = &mut self.locals[node.index()];
        local.node = self.system.nodes[node.index()].clone();
        local.application.revive();
        for &other in down.iter().filter(|other| **other != node) {
            local.application.on_crash(other);
        }
        let verdict = self.monitor.on_restart(node);
        self.judge(verdict);
        self.tell_others(node, |application| application.on_restart(node));
        self.step(node, Input::Start, choices);
    }

    /// A node's memory is spoilt as if by these messages; what it does about them is lost.
    pub(crate) fn spoil(&mut self, node: NodeId, messages: &[(NodeId, P::Msg)]) {
        let local = &mut self.locals[node.index()];
        for (from, msg) in messages {
            local.node.on_message(*from, msg.clone(), &mut Recorder::default());
        }
        self.fault(Fault::Garbage { node, messages: messages.to_vec() });
    }

    /// From here on, the steps can repeat for ever.
    pub(crate) fn mark_loop(&mut self) {
        self.write(Line::Loop { at: self.at });
    }

    /// What has happened, as a trace that ends with this.
    pub(crate) fn end(self, broken: Option<Broken>) -> Vec<Line<P>> {
        let mut lines = self.lines.unwrap_or_default();
        lines.push(Line::End(End {
            ended: if broken.is_some() { Ended::Violation } else { Ended::Quiescence },
            time: self.at,
            steps: self.steps,
            broken,
        }));
        lines
    }

    fn tell_others(&mut self, node: NodeId, tell: impl Fn(&mut A)) {
        let others = NodeId::all(self.nodes()).filter(|other| *other != node);
        for other in others {
            let local = &mut self.locals[other.index()];
            if local.status == Status::Up {
                tell(&mut local.application);
            }
        }
    }

    fn take_step(&mut self, node: NodeId, input: Input<P>, number: Option<u32>, choices: &[u32]) {
        if let Input::Command(command) = &input {
            let notices = self.locals[node.index()].application.notices();
            self.was_asked |= !notices.contains(command);
            let verdict = self.monitor.on_command(node, command);
            self.judge(verdict);
        }
        let Reaction { local, effects, panic } = self.locals[node.index()].react(&input, choices);
        for effect in &effects {
            match effect {
                Effect::Send { to, msg } => {
                    if to.index() < self.locals.len() {
                        let letter = Letter { from: node, to: *to, msg: msg.clone() };
                        self.transit.push((letter, self.sent));
                    }
                    self.sent += 1;
                }
                Effect::Emit(event) => {
                    let verdict = self.monitor.on_event(node, event);
                    self.judge(verdict);
                }
                Effect::SetTimer { .. } | Effect::CancelTimer(_) | Effect::Choose { .. } => {}
            }
        }
        if let Some(text) = panic {
            self.judge(Broken::promise("assertions hold", text));
        }
        self.steps += 1;
        if self.lines.is_some() {
            let (at, state) = (self.at, Some(format!("{:?}", local.node)));
            self.write(Line::Step(Step { at, node, input, number, effects, state }));
        }
        self.locals[node.index()] = local;
        self.at += 1;
        self.look();
    }

    /// Whether the invariants hold.
    fn look(&mut self) {
        if self.invariants.is_empty() {
            return;
        }
        let nodes: Vec<&P> = self.locals.iter().map(|local| &local.node).collect();
        let messages: Vec<_> = self.transit().map(|it| (it.from, it.to, &it.msg)).collect();
        let snapshot = Snapshot { nodes: &nodes, messages: &messages };
        let verdict = self.invariants.iter().try_for_each(|it| it.judge(&snapshot));
        self.judge(verdict);
    }

    fn fault(&mut self, what: Fault<P>) {
        self.write(Line::Fault { at: self.at, what });
        self.at += 1;
    }

    fn write(&mut self, line: Line<P>) {
        if let Some(lines) = &mut self.lines {
            lines.push(line);
        }
    }

    fn judge(&mut self, verdict: Verdict) {
        if let (Err(broken), None) = (verdict, &self.broken) {
            self.broken = Some(broken);
        }
    }
}

//! How things happen.

use std::panic::{AssertUnwindSafe, catch_unwind};

use konklave::protocol::references::Acquaintances;
use konklave::protocol::{Broken, Effect, Input, Monitor, Protocol};
use konklave::trace::{Fault, Line, Step};
use konklave::{NodeId, Recorder};

use super::{Applied, Breach, Impossible, Letter, Stage};
use crate::action::Action;
use crate::application::Application;
use crate::local::{Reaction, Status, failed_assertion, judge_send, panic_message};

impl<P, A, M> Stage<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Lets something happen. The choices of the node that takes a step begin with these and are
    /// zero from then on. A failed assertion in a node is a broken promise.
    ///
    /// # Errors
    ///
    /// If it is impossible; then nothing has changed. What the rules do not allow is possible.
    pub fn apply(&mut self, action: &Action<P>, choices: &[u32]) -> Result<Applied<P>, Impossible> {
        self.possible(action)?;
        Ok(match action {
            Action::Start(node) => self.step(*node, Input::Start, None, choices),
            Action::Command { node, command } => {
                self.step(*node, Input::Command(command.clone()), None, choices)
            }
            Action::Timer { node, timer } => {
                self.step(*node, Input::Timer(timer.clone()), None, choices)
            }
            Action::Tick(node) => self.step(*node, Input::Tick, None, choices),
            Action::Deliver(number) => {
                let Letter { from, to, msg, .. } = self.take(*number)?;
                match self.local(to)?.status {
                    Status::Down | Status::Gone => self.fault(Fault::Missed(*number), Ok(())),
                    _ => self.step(to, Input::Message { from, msg }, Some(*number), choices),
                }
            }
            Action::Return(number) => {
                let Letter { from, to, msg, .. } = self.take(*number)?;
                self.step(from, Input::Returned { to, msg }, Some(*number), choices)
            }
            Action::DeliverForged { from, to, msg } => {
                self.take_forged(*from, *to);
                let input = Input::Message { from: *from, msg: msg.clone() };
                self.step(*to, input, None, choices)
            }
            Action::Lose(number) => {
                self.take(*number)?;
                self.fault(Fault::Lost(*number), Ok(()))
            }
            Action::Duplicate(number) => {
                let letter = self.transit.get_mut(number);
                letter.ok_or(Impossible::NotInTransit(*number))?.1 += 1;
                self.fault(Fault::Doubled(*number), Ok(()))
            }
            Action::Crash(node) => self.crash(*node),
            Action::Restart(node) => self.restart(*node),
            Action::Forge { from, to } => {
                *self.forged.entry((*from, *to)).or_default() += 1;
                self.fault(Fault::Forged { from: *from, to: *to }, Ok(()))
            }
            Action::Spoil { node, messages } => self.spoil(*node, messages),
            Action::Damage { node, name, choices } => self.damage(*node, name, choices),
        })
    }

    fn step(
        &mut self,
        node: NodeId,
        input: Input<P>,
        number: Option<u32>,
        choices: &[u32],
    ) -> Applied<P> {
        let mut broken = Vec::new();
        if let Input::Command(command) = &input {
            let notices = self.locals[node.index()].application.notices();
            self.was_asked |= !notices.contains(command);
            let verdict = match self.transit.is_empty() && self.forged.is_empty() {
                true => self.monitor.on_command_in_silence(node, command),
                false => self.monitor.on_command(node, command),
            };
            self.judge(verdict, 0, &mut broken);
        }
        let known = Acquaintances::of(&self.locals[node.index()].node, &input);
        let reaction = self.locals[node.index()].take_step(&input, choices);
        let Reaction { effects, statements, panic } = reaction;
        for (effect, before) in effects.iter().zip(1..) {
            match effect {
                Effect::Send { to, msg } => {
                    let sender = &self.locals[node.index()].node;
                    let nodes = self.locals.len();
                    let verdict = judge_send(node, *to, nodes, || sender.reaches(*to));
                    let verdict = verdict.and_then(|()| known.judge(node, *to));
                    self.judge(verdict, before, &mut broken);
                    self.send(node, *to, msg.clone());
                }
                Effect::Emit(event) => {
                    let verdict = self.monitor.on_event(node, event);
                    self.judge(verdict, before, &mut broken);
                }
                Effect::SetTimer { .. }
                | Effect::CancelTimer(_)
                | Effect::Choose { .. }
                | Effect::Leave => {}
            }
        }
        if let Some(message) = panic {
            self.judge(Err(failed_assertion(Some(node), message)), effects.len(), &mut broken);
        }
        if !self.invariants.is_empty() {
            let verdict =
                self.snapshot(|system| self.invariants.iter().try_for_each(|it| it.judge(system)));
            // A lemma names no node; the one that took the step is to blame.
            let verdict = verdict.map_err(|broken| Broken { node: Some(node), ..broken });
            self.judge(verdict, effects.len(), &mut broken);
        }
        self.steps += 1;
        let step = Step { at: self.now, node, input, number, effects, state: None };
        Applied { line: Line::Step(step), statements, broken }
    }

    /// A message to a node that does not exist has a number too, but does not arrive.
    fn send(&mut self, from: NodeId, to: NodeId, msg: P::Msg) {
        let number = self.sent;
        self.sent += 1;
        if to.index() < self.locals.len() {
            self.transit.insert(number, (Letter { number, from, to, msg }, 1));
        }
    }

    /// One copy of a message leaves the network.
    fn take(&mut self, number: u32) -> Result<Letter<P>, Impossible> {
        let (letter, copies) =
            self.transit.remove(&number).ok_or(Impossible::NotInTransit(number))?;
        if copies > 1 {
            self.transit.insert(number, (letter.clone(), copies - 1));
        }
        Ok(letter)
    }

    fn take_forged(&mut self, from: NodeId, to: NodeId) {
        if let Some(count) = self.forged.get_mut(&(from, to)) {
            *count -= 1;
            if *count == 0 {
                self.forged.remove(&(from, to));
            }
        }
    }

    /// The other applications may notice.
    fn crash(&mut self, node: NodeId) -> Applied<P> {
        let local = &mut self.locals[node.index()];
        local.status = Status::Down;
        local.timers.clear();
        let verdict = self.monitor.on_crash(node);
        self.tell_others(|application| application.on_crash(node));
        self.fault(Fault::Crash(node), verdict)
    }

    /// The application of the node is told which others have crashed.
    fn restart(&mut self, node: NodeId) -> Applied<P> {
        let is_down = |other: &NodeId| self.locals[other.index()].status == Status::Down;
        let down: Vec<_> = self.nodes().filter(is_down).filter(|other| *other != node).collect();
        let local = &mut self.locals[node.index()];
        local.status = Status::Asleep;
        local.node = self.fresh[node.index()].clone();
        local.application.revive();
        for other in down {
            local.application.on_crash(other);
        }
        let verdict = self.monitor.on_restart(node);
        self.tell_others(|application| application.on_restart(node));
        self.fault(Fault::Restart(node), verdict)
    }

    /// A node that is not up is told when it restarts.
    fn tell_others(&mut self, tell: impl Fn(&mut A)) {
        let up = self.locals.iter_mut().filter(|local| local.status == Status::Up);
        up.for_each(|local| tell(&mut local.application));
    }

    fn spoil(&mut self, node: NodeId, messages: &[(NodeId, P::Msg)]) -> Applied<P> {
        let local = &mut self.locals[node.index()];
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            for (from, msg) in messages {
                local.node.on_message(*from, msg.clone(), &mut Recorder::default());
            }
        }));
        let failed = |message| failed_assertion(Some(node), message);
        let verdict = outcome.map_err(|panic| failed(panic_message(panic.as_ref())));
        self.fault(Fault::Garbage { node, messages: messages.to_vec() }, verdict)
    }

    fn damage(&mut self, node: NodeId, name: &str, choices: &[u32]) -> Applied<P> {
        let local = &mut self.locals[node.index()];
        let mut rest = choices.iter();
        local.node.damage(name, &mut |bound| rest.next().map_or(0, |it| it % bound.max(1)));
        self.monitor.on_damage();
        let (name, choices) = (name.to_owned(), choices.to_vec());
        self.fault(Fault::Damage { node, name, choices }, Ok(()))
    }

    fn fault(&mut self, what: Fault<P>, verdict: Result<(), Broken>) -> Applied<P> {
        let mut broken = Vec::new();
        self.monitor.on_fault();
        self.judge(verdict, 0, &mut broken);
        Applied { line: Line::Fault { at: self.now, what }, statements: Vec::new(), broken }
    }

    fn judge(&mut self, verdict: Result<(), Broken>, effects: usize, breaches: &mut Vec<Breach>) {
        if let Err(broken) = verdict {
            self.broken.get_or_insert_with(|| Broken::clone(&broken));
            breaches.push(Breach { effects, broken });
        }
    }
}

//! A stage on which a schedule is played and, if it is to be kept, written down as a trace.

use konklave::protocol::{Broken, Monitor, Protocol};
use konklave::trace::{End, Ended, Fault, Line};
use konklave_stage::{Action, Applied, Letter, Stage};

use crate::application::Application;
use crate::report::Schedule;
use crate::system::System;

/// A schedule that is being played.
#[derive(Clone)]
pub(crate) struct Chronicle<P: Protocol, A, M> {
    pub(crate) stage: Stage<P, A, M>,
    /// What has happened, if that is to be kept.
    lines: Option<Schedule<P>>,
}

impl<P, A, M> Chronicle<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// All nodes are asleep. Nothing is written down.
    pub(crate) fn new(system: &System<P, A, M>) -> Self {
        let System { nodes, applications, monitor, world } = system;
        let stage = Stage::new(nodes.clone(), applications.clone(), monitor.clone());
        Self { stage: stage.ruled(world.order, world.pace), lines: None }
    }

    /// The same, but what happens is written down.
    pub(crate) fn kept(self) -> Self {
        Self { lines: Some(Vec::new()), ..self }
    }

    /// Lets something happen that can, and a tick pass.
    pub(crate) fn happen(&mut self, action: &Action<P>, choices: &[u32]) {
        self.happen_at_once(action, choices);
        self.stage.pass_until(self.stage.now() + 1);
    }

    /// What becomes at once of messages in transit that never arrive. That takes no time.
    pub(crate) fn stop(&mut self, fate: impl Fn(&Letter<P>) -> Option<Action<P>>) {
        let fates: Vec<_> = self.stage.transit().filter_map(fate).collect();
        for action in fates {
            self.happen_at_once(&action, &[]);
        }
    }

    /// Writes down a fault that changes nothing on the stage, and lets a tick pass.
    pub(crate) fn note(&mut self, what: Fault<P>) {
        let at = self.stage.now();
        if let Some(lines) = &mut self.lines {
            lines.push(Line::Fault { at, what });
        }
        self.stage.pass_until(at + 1);
    }

    fn happen_at_once(&mut self, action: &Action<P>, choices: &[u32]) {
        let outcome = self.stage.apply(action, choices);
        let Applied { mut line, .. } = outcome.expect("only what can happen does");
        if let Some(lines) = &mut self.lines {
            if let Line::Step(step) = &mut line {
                step.state = Some(format!("{:?}", self.stage.locals()[step.node.index()].node));
            }
            lines.push(line);
        }
    }

    /// From here on, the steps can repeat for ever.
    pub(crate) fn mark_loop(&mut self) {
        let at = self.stage.now();
        if let Some(lines) = &mut self.lines {
            lines.push(Line::Loop { at });
        }
    }

    /// What has happened, as a trace that ends with this.
    pub(crate) fn end(self, broken: Option<Broken>) -> Schedule<P> {
        let mut lines = self.lines.unwrap_or_default();
        let ended = if broken.is_some() { Ended::Violation } else { Ended::Quiescence };
        let (time, steps) = (self.stage.now(), self.stage.steps());
        lines.push(Line::End(End { ended, time, steps, broken }));
        lines
    }
}

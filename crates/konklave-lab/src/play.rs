//! A system that is steered: what has happened since it left its trunk, and how it stands.

use std::panic::Location;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Input};
use konklave::sense::Sense;
use konklave::trace::{Fault, Line};
use konklave_catalog::problem::Senses;
use konklave_catalog::stage::{AnyStage, Moved, Seen};
use konklave_sim::random::{Random, Stream};
use konklave_stage::Action;
use konklave_stage::erased::Erased;

use crate::moves::{Move, What};
use crate::pilot;
use crate::trunk::Trunk;

/// One step or fault, and what can be seen of it.
#[derive(Clone, Debug)]
pub struct Moment {
    /// What happened, as a line of a trace.
    pub line: Line<Erased>,
    /// The move that lets it happen; `None` if links have no word for it.
    pub what: Option<What>,
    /// The node that took the step, or that the fault is about, as it is afterwards.
    pub node: Option<(NodeId, Seen)>,
    /// What that node is to its application afterwards, if the step changes it.
    pub phase: Option<Phase>,
    /// Where in the algorithm each effect stands.
    pub statements: Vec<&'static Location<'static>>,
    /// The promises that it breaks.
    pub broken: Vec<Broken>,
    /// The promise that would be broken if nothing more happened.
    pub open: Option<Broken>,
}

/// What a node is to its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its application wants nothing.
    Idle,
    /// Its application has asked, and waits.
    Waits,
    /// Its application has what it asked for.
    Holds,
    /// It has learned what all nodes learn.
    Knows,
}

/// A system on its way.
pub struct Play {
    stage: Box<dyn AnyStage>,
    senses: Senses,
    moments: Vec<Moment>,
    /// How many moments of the trunk its pilot has followed.
    followed: usize,
}

impl Play {
    pub(crate) fn new(stage: Box<dyn AnyStage>, trunk: &Trunk, cut: usize) -> Self {
        let senses = trunk.site.entry().problem.senses;
        Self { stage, senses, moments: Vec::new(), followed: cut }
    }

    /// The system as it is now.
    pub fn stage(&self) -> &dyn AnyStage {
        &*self.stage
    }

    /// What has happened since it left its trunk.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// What has happened, and the system as it is now.
    pub(crate) fn finish(self) -> (Vec<Moment>, Box<dyn AnyStage>) {
        (self.moments, self.stage)
    }

    /// The same system at the same moment.
    pub fn copy(&self) -> Self {
        Self {
            stage: self.stage.copy(),
            senses: self.senses,
            moments: self.moments.clone(),
            followed: self.followed,
        }
    }

    /// Lets time pass until a recorded line.
    pub(crate) fn pass_until(&mut self, line: &Line<Erased>) {
        if let Line::Step(konklave::trace::Step { at, .. }) | Line::Fault { at, .. } = line {
            self.stage.pass_until(*at);
        }
    }

    /// Does again what is known to have happened.
    pub(crate) fn redo(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<(), String> {
        let moved = self.stage.follow(action, choices);
        moved.map(drop).map_err(|refusal| refusal.to_string())
    }

    /// Lets happen what was recorded, whether or not it may.
    pub(crate) fn follow(
        &mut self,
        action: &Action<Erased>,
        choices: &[u32],
    ) -> Result<(), String> {
        let what = Move::of(action, self.stage());
        let moved = self.stage.follow(action, choices).map_err(|refusal| refusal.to_string())?;
        if !crate::moves::is_idle_start(&moved.line) {
            self.keep(moved, what);
        }
        Ok(())
    }

    /// Notes what changes nothing on the stage: a pause or a partition.
    pub(crate) fn note(&mut self, line: Line<Erased>) {
        let open = self.stage.open();
        let (node, phase, statements, broken) = (None, None, Vec::new(), Vec::new());
        self.moments.push(Moment { line, what: None, node, phase, statements, broken, open });
    }

    /// Carries out a move, or several moves of a pilot, at most up to this many moments.
    ///
    /// # Errors
    ///
    /// If it cannot happen now; then nothing has changed.
    pub fn perform(&mut self, step: &Move, trunk: &Trunk, most: usize) -> Result<(), String> {
        match step.what {
            What::Oldest(count) => self.fly(count, most, |play| pilot::oldest(play.stage())),
            What::AsBefore(count) => self.fly(count, most, |play| {
                let (action, followed) = pilot::as_before(play.stage(), trunk, play.followed);
                play.followed = followed;
                action
            }),
            What::Random(seed, count) => {
                let mut random = Random::new(seed, Stream::Network);
                self.fly(count, most, |play| pilot::random(play.stage(), &mut random))
            }
            _ => self.apply(&step.action(self.stage())?, &step.choices),
        }
    }

    /// Lets a pilot choose what happens, until nothing can happen any more.
    fn fly(
        &mut self,
        count: u32,
        most: usize,
        mut choose: impl FnMut(&mut Self) -> Option<Action<Erased>>,
    ) -> Result<(), String> {
        for _ in 0..count {
            let Some(action) = choose(self).filter(|_| self.moments.len() < most) else { break };
            self.apply(&action, &[])?;
        }
        Ok(())
    }

    fn apply(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<(), String> {
        let what = Move::of(action, self.stage());
        let moved = self.stage.apply(action, choices).map_err(|refusal| refusal.to_string())?;
        self.keep(moved, what);
        Ok(())
    }

    fn keep(&mut self, moved: Moved, what: Option<What>) {
        let Moved { line, statements, broken } = moved;
        let node = subject(&line).and_then(|node| Some((node, self.stage.node(node)?)));
        let phase = phase(&line, &self.senses);
        let open = self.stage.open();
        self.moments.push(Moment { line, what, node, phase, statements, broken, open });
    }
}

/// The node that a line is about.
fn subject(line: &Line<Erased>) -> Option<NodeId> {
    match line {
        Line::Step(step) => Some(step.node),
        Line::Fault { what, .. } => match what {
            Fault::Crash(node)
            | Fault::Restart(node)
            | Fault::Pause(node)
            | Fault::Resume(node) => Some(*node),
            Fault::Garbage { node, .. } | Fault::Damage { node, .. } => Some(*node),
            Fault::Forged { to, .. } => Some(*to),
            Fault::Lost(_)
            | Fault::Doubled(_)
            | Fault::Missed(_)
            | Fault::Partition(_)
            | Fault::Heal(_) => None,
        },
        Line::Loop { .. } | Line::End(_) => None,
    }
}

/// What the node of a step is to its application afterwards, if that changes.
fn phase(line: &Line<Erased>, senses: &Senses) -> Option<Phase> {
    let step = match line {
        Line::Step(step) => step,
        Line::Fault { what: Fault::Crash(_) | Fault::Restart(_), .. } => return Some(Phase::Idle),
        _ => return None,
    };
    let after = |sense: &Sense| match sense {
        Sense::Ask(_) => Some(Phase::Waits),
        Sense::Grant(_) => Some(Phase::Holds),
        Sense::Answer(_) | Sense::Return(_) => Some(Phase::Idle),
        Sense::Learn(_) => Some(Phase::Knows),
        Sense::Other => None,
    };
    let asked = match &step.input {
        Input::Command(command) => after(&(senses.command)(&command.to_json())),
        _ => None,
    };
    let mut told = step.effects.iter().filter_map(|effect| match effect {
        Effect::Emit(event) => after(&(senses.event)(&event.to_json())),
        _ => None,
    });
    told.next_back().or(asked)
}

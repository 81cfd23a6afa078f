//! The stage of a system whose problem and algorithm are forgotten: for callers that show and steer
//! any system, step by step.

use std::convert::Infallible;

use konklave::NodeId;
use konklave::protocol::{Broken, Data, Monitor};
use konklave::trace::Line;
use konklave_stage::erased::{AnyNode, Erased, Value};
use konklave_stage::{Action, Application, Stage, Status};

use crate::refusal::Refusal;

/// A system at one moment, which can be looked at and stepped. A copy is the way back.
pub trait AnyStage {
    /// Everything that may happen now, but for faults.
    fn enabled(&self) -> Vec<Action<Erased>>;

    /// Every fault that can happen now.
    fn faults(&self) -> Vec<Action<Erased>>;

    /// Lets something happen; what happened, as a line of a trace.
    ///
    /// # Errors
    ///
    /// If it cannot happen now. Then nothing has changed.
    fn apply(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Line<Erased>, Refusal>;

    /// Each node: whether it is up, and its state as the algorithm prints it.
    fn nodes(&self) -> Vec<(Status, String)>;

    /// What is in transit: number, sender, receiver and content, in the order of sending.
    fn transit(&self) -> Vec<(u32, NodeId, NodeId, Value)>;

    /// Whether nothing has to happen any more.
    fn is_at_rest(&self) -> bool;

    /// The first promise that was broken.
    fn broken(&self) -> Option<&Broken>;

    /// The same system at the same moment.
    fn copy(&self) -> Box<dyn AnyStage>;
}

impl<C, E, A, M> AnyStage for Stage<AnyNode<C, E>, A, M>
where
    C: Data,
    E: Data,
    A: Application<Command = C, Event = E>,
    M: Monitor<Command = C, Event = E>,
{
    fn enabled(&self) -> Vec<Action<Erased>> {
        self.enabled().into_iter().map(erased).collect()
    }

    fn faults(&self) -> Vec<Action<Erased>> {
        self.faults().into_iter().map(erased).collect()
    }

    fn apply(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Line<Erased>, Refusal> {
        let action = typed(action.clone())?;
        if !self.allows(&action) {
            return Err(Refusal::new("this cannot happen now"));
        }
        let applied = self.apply(&action, choices);
        let outcome = applied.map_err(|impossible| Refusal::new(impossible.to_string()))?;
        Ok(AnyNode::erase(&outcome.line))
    }

    fn nodes(&self) -> Vec<(Status, String)> {
        self.locals().iter().map(|local| (local.status, format!("{:?}", local.node))).collect()
    }

    fn transit(&self) -> Vec<(u32, NodeId, NodeId, Value)> {
        self.transit().map(|it| (it.number, it.from, it.to, it.msg.clone())).collect()
    }

    fn is_at_rest(&self) -> bool {
        self.is_at_rest()
    }

    fn broken(&self) -> Option<&Broken> {
        self.broken()
    }

    fn copy(&self) -> Box<dyn AnyStage> {
        Box::new(self.clone())
    }
}

/// The same action without the type of its command: all else has none.
fn erased<C: Data, E: Data>(action: Action<AnyNode<C, E>>) -> Action<Erased> {
    let Ok(action) = action.convert(|_, command| Ok::<_, Infallible>(Value::of(&command)));
    action
}

/// The same action with the type of its command.
fn typed<C: Data, E: Data>(action: Action<Erased>) -> Result<Action<AnyNode<C, E>>, Refusal> {
    action.convert(|node, command| {
        let unknown = |error| Refusal::new(format!("node {node} has no such command: {error}"));
        command.get().map_err(unknown)
    })
}

//! The stage of a system whose problem and algorithm are forgotten: for callers that show and steer
//! any system, step by step.

use std::convert::Infallible;
use std::panic::Location;

use konklave::NodeId;
use konklave::protocol::{Broken, Data, Monitor, Protocol};
use konklave::trace::Line;
use konklave_stage::erased::{AnyNode, Erased, Value};
use konklave_stage::{Action, Application, Stage, Status};

use crate::refusal::Refusal;

/// What an action has come to.
#[derive(Clone, Debug)]
pub struct Moved {
    /// What happened, as a line of a trace.
    pub line: Line<Erased>,
    /// Where in the algorithm each effect of a step stands.
    pub statements: Vec<&'static Location<'static>>,
    /// The promises that this broke, the first one first.
    pub broken: Vec<Broken>,
}

/// A node at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whether it takes part.
    pub status: Status,
    /// Its state, as the algorithm prints it.
    pub state: String,
    /// The nodes that it waits for, ascending.
    pub waits_for: Vec<NodeId>,
    /// The nodes whose addresses it holds; `None` if the network decides whom it may talk to.
    pub knows: Option<Vec<NodeId>>,
}

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
    fn apply(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Moved, Refusal>;

    /// Lets something happen that has happened elsewhere: the rules about order, pace and
    /// applications are those of the recording.
    ///
    /// # Errors
    ///
    /// If it is impossible. Then nothing has changed.
    fn follow(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Moved, Refusal>;

    /// Lets time pass until then.
    fn pass_until(&mut self, then: u64);

    /// The number of nodes.
    fn size(&self) -> usize;

    /// A node; `None` if there is no such node.
    fn node(&self, node: NodeId) -> Option<Seen>;

    /// What is in transit: number, sender, receiver and content, in the order of sending.
    fn transit(&self) -> Vec<(u32, NodeId, NodeId, Value)>;

    /// Whether nothing has to happen any more.
    fn is_at_rest(&self) -> bool;

    /// What would be broken if nothing more happened: a promise that is still open.
    fn open(&self) -> Option<Broken>;

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

    fn apply(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Moved, Refusal> {
        let action = typed(action.clone())?;
        if !self.allows(&action) {
            return Err(Refusal::new("this cannot happen now"));
        }
        moved(self, &action, choices)
    }

    fn follow(&mut self, action: &Action<Erased>, choices: &[u32]) -> Result<Moved, Refusal> {
        moved(self, &typed(action.clone())?, choices)
    }

    fn pass_until(&mut self, then: u64) {
        self.pass_until(then);
    }

    fn size(&self) -> usize {
        self.locals().len()
    }

    fn node(&self, node: NodeId) -> Option<Seen> {
        let local = self.local(node).ok()?;
        Some(Seen {
            status: local.status,
            state: format!("{:?}", local.node),
            waits_for: local.node.waits_for().iter().collect(),
            knows: local.node.knows(),
        })
    }

    fn transit(&self) -> Vec<(u32, NodeId, NodeId, Value)> {
        self.transit().map(|it| (it.number, it.from, it.to, it.msg.clone())).collect()
    }

    fn is_at_rest(&self) -> bool {
        self.is_at_rest()
    }

    fn open(&self) -> Option<Broken> {
        self.monitor().at_rest().err()
    }

    fn broken(&self) -> Option<&Broken> {
        self.broken()
    }

    fn copy(&self) -> Box<dyn AnyStage> {
        Box::new(self.clone())
    }
}

fn moved<C, E, A, M>(
    stage: &mut Stage<AnyNode<C, E>, A, M>,
    action: &Action<AnyNode<C, E>>,
    choices: &[u32],
) -> Result<Moved, Refusal>
where
    C: Data,
    E: Data,
    A: Application<Command = C, Event = E>,
    M: Monitor<Command = C, Event = E>,
{
    let applied = stage.apply(action, choices);
    let applied = applied.map_err(|impossible| Refusal::new(impossible.to_string()))?;
    Ok(Moved {
        line: AnyNode::erase(&applied.line),
        statements: applied.statements,
        broken: applied.broken.into_iter().map(|breach| breach.broken).collect(),
    })
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

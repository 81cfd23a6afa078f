//! A system in which things happen one by one.

mod apply;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Display};
use std::iter::repeat_n;
use std::panic::Location;
use std::sync::Arc;

use konklave::NodeId;
use konklave::protocol::{Broken, Invariant, Monitor, Protocol, Snapshot};
use konklave::trace::Line;

use crate::application::{Application, Unrestricted};
use crate::local::{Local, Status};
pub use rules::{Order, Pace};

/// A whole system at one moment: its nodes, what is in transit between them, and what was promised.
///
/// Something happens by [`apply`](Self::apply); [`enabled`](Self::enabled) lists what can. A clone
/// is the way back. Time passes only when the caller says so.
#[derive(Clone, Debug)]
pub struct Stage<P: Protocol, A, M> {
    locals: Vec<Local<P, A>>,
    /// What nodes are when they are new.
    fresh: Arc<[P]>,
    monitor: M,
    /// What is in transit, by number, and how many copies of it.
    transit: BTreeMap<u32, (Letter<P>, u32)>,
    /// How many messages were forged and have not arrived, by sender and receiver.
    forged: BTreeMap<(NodeId, NodeId), u32>,
    order: Order,
    pace: Pace,
    sent: u32,
    now: u64,
    steps: u64,
    was_asked: bool,
    broken: Option<Broken>,
    invariants: Arc<[Invariant<P>]>,
}

/// A message in transit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Letter<P: Protocol> {
    /// Its place among all messages, from zero, in the order of sending. A duplicate has that of
    /// its original.
    pub number: u32,
    /// Its sender.
    pub from: NodeId,
    /// Its receiver.
    pub to: NodeId,
    /// Its content.
    pub msg: P::Msg,
}

impl<P: Protocol> Display for Letter<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {} {:?}", self.from, self.to, self.msg)
    }
}

/// What an action has come to.
#[derive(Clone, Debug)]
pub struct Applied<P: Protocol> {
    /// What happened, as a line of a trace; a step has no state in it.
    pub line: Line<P>,
    /// Where in the algorithm each effect of a step stands.
    pub statements: Vec<&'static Location<'static>>,
    /// The promises that this broke.
    pub broken: Vec<Breach>,
}

/// A promise that a step breaks, and where in the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// How many effects the step had before: none if the input itself breaks the promise.
    pub effects: usize,
    /// The promise.
    pub broken: Broken,
}

/// Why an action cannot happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// It concerns a node that does not exist.
    NoNode {
        /// The node.
        node: NodeId,
        /// How many nodes there are.
        nodes: usize,
    },
    /// The node would have to be awake, asleep or down, and is not.
    Status {
        /// The node.
        node: NodeId,
        /// What it is instead.
        status: Status,
    },
    /// No message with this number is in transit.
    NotInTransit(u32),
    /// A message arrives that has no number and was not forged.
    NotForged,
    /// The timer is not pending.
    NotPending {
        /// Whose timer.
        node: NodeId,
        /// The timer, as the algorithm prints it.
        timer: String,
    },
}

impl Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNode { node, nodes } => {
                write!(f, "there is no node {node} among {nodes} nodes")
            }
            Self::Status { node, status } => match status {
                Status::Asleep => write!(f, "node {node} has not started"),
                Status::Up => write!(f, "node {node} is up"),
                Status::Down | Status::Away => write!(f, "node {node} has crashed"),
                Status::Gone => write!(f, "node {node} has left"),
            },
            Self::NotInTransit(number) => write!(f, "message {number} is not on its way"),
            Self::NotForged => f.write_str("nobody has sent or forged this message"),
            Self::NotPending { node, timer } => {
                write!(f, "timer {timer} of node {node} is not pending")
            }
        }
    }
}

impl Error for Impossible {}

impl<P, M> Stage<P, Unrestricted<P::Command, P::Event>, M>
where
    P: Protocol,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// A system whose applications may ask for anything at any time.
    pub fn unrestricted(nodes: Vec<P>, monitor: M) -> Self {
        let applications = vec![Unrestricted::default(); nodes.len()];
        Self::new(nodes, applications, monitor)
    }
}

impl<P, A, M> Stage<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// A system before anything has happened: all nodes are asleep. Messages may overtake each
    /// other, and timers run out at any time.
    ///
    /// # Panics
    ///
    /// If there are not as many applications as nodes.
    pub fn new(nodes: Vec<P>, applications: Vec<A>, monitor: M) -> Self {
        assert_eq!(nodes.len(), applications.len(), "every node has an application");
        let fresh = nodes.clone().into();
        let locals = nodes.into_iter().zip(applications);
        Self {
            locals: locals.map(|(node, application)| Local::asleep(node, application)).collect(),
            fresh,
            monitor,
            transit: BTreeMap::new(),
            forged: BTreeMap::new(),
            order: Order::Any,
            pace: Pace::Free,
            sent: 0,
            now: 0,
            steps: 0,
            was_asked: false,
            broken: None,
            invariants: Arc::default(),
        }
    }

    /// The same under these rules.
    pub fn ruled(self, order: Order, pace: Pace) -> Self {
        Self { order, pace, ..self }
    }

    /// The same, but after each step these have to hold as well.
    pub fn watched(self, invariants: Vec<Invariant<P>>) -> Self {
        Self { invariants: invariants.into(), ..self }
    }

    /// The addresses of all nodes, in order.
    pub fn nodes(
        &self,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<P, A, M> {
        NodeId::all(self.locals.len() as u32)
    }

    /// A node and what belongs to it.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub fn local(&self, node: NodeId) -> Result<&Local<P, A>, Impossible> {
        let nodes = self.locals.len();
        self.locals.get(node.index()).ok_or(Impossible::NoNode { node, nodes })
    }

    /// All nodes with what belongs to them, by their numbers.
    pub fn locals(&self) -> &[Local<P, A>] {
        &self.locals
    }

    /// What is in transit, in the order of sending: duplicates beside their originals, and forged
    /// messages left out, since nobody knows yet what they say.
    pub fn transit(&self) -> impl Iterator<Item = &Letter<P>> {
        self.transit.values().flat_map(|(letter, copies)| repeat_n(letter, *copies as usize))
    }

    /// The message in transit with this number.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn letter(&self, number: u32) -> Result<&Letter<P>, Impossible> {
        let letter = self.transit.get(&number).map(|(letter, _)| letter);
        letter.ok_or(Impossible::NotInTransit(number))
    }

    /// How many messages were sent.
    pub fn sent(&self) -> u32 {
        self.sent
    }

    /// How many steps nodes have taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The time, in ticks of the caller's choice.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets time pass until then. It never goes backwards.
    pub fn pass_until(&mut self, then: u64) {
        self.now = self.now.max(then);
    }

    /// Whether any application has asked for anything; what nodes are told by the outside does not
    /// count.
    pub fn was_asked(&self) -> bool {
        self.was_asked
    }

    /// What watches the problem's promises, in its present state.
    pub fn monitor(&self) -> &M {
        &self.monitor
    }

    /// The first promise that was broken.
    pub fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// What the monitor says if nothing more happens.
    pub fn judge_at_rest(&mut self) -> Result<(), Broken> {
        let verdict = self.monitor.at_rest();
        self.broken = self.broken.take().or_else(|| verdict.clone().err());
        verdict
    }

    /// Shows the system as invariants look at it.
    pub fn snapshot<T>(&self, look: impl FnOnce(&Snapshot<'_, P>) -> T) -> T {
        let nodes: Vec<&P> = self.locals.iter().map(|local| &local.node).collect();
        let messages: Vec<_> = self.transit().map(|it| (it.from, it.to, &it.msg)).collect();
        look(&Snapshot { nodes: &nodes, messages: &messages })
    }
}

//! The model of a distributed algorithm: a node is a state machine with a few transitions
//! ([`Protocol`]), whose effects go through an [`Env`]; one protocol can run inside another
//! ([`Hosts`]), and a [`Monitor`] checks the promises of a problem.

pub mod hosts;
pub mod references;

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use self::hosts::{Hosts, Lifts, PartEnv};
use crate::NodeSet;

mod broken;
mod dynamic;

pub use broken::{Broken, Promise};

/// The address of a node: its number, from zero, without gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's place in an array of all nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The addresses of a system of `nodes` nodes, in order.
    pub fn all(nodes: u32) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..nodes).map(Self)
    }
}

impl Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

/// What messages, timers, commands and events have to be: values that can be compared, hashed,
/// printed, sent over a wire and written to a trace. Implemented for everything that qualifies.
pub trait Data:
    Clone + Eq + Ord + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

impl<T> Data for T where
    T: Clone + Eq + Ord + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}

/// The timer of a protocol that sets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Never {}

/// One node of a distributed algorithm: a value, changed only by its transitions.
///
/// A transition is total. A late or duplicate input is ignored on purpose; what the node's own
/// logic makes impossible is an `assert!`; what a dishonest peer could send never panics.
pub trait Protocol: Clone + Eq + Hash + Debug + Send + Sized + 'static {
    /// What nodes send each other.
    type Msg: Data;
    /// The name of a pending timeout; [`Never`] if there is none.
    type Timer: Data;
    /// What the application asks of the node.
    type Command: Data;
    /// What the node tells the application.
    type Event: Data;

    /// The node wakes up, before anything else happens to it.
    fn on_start(&mut self, _env: &mut impl Env<Self>) {}

    /// The application asks for something.
    fn on_command(&mut self, command: Self::Command, env: &mut impl Env<Self>);

    /// A message has arrived.
    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>);

    /// A timer that was set, and not cancelled, has run out.
    fn on_timer(&mut self, _timer: Self::Timer, _env: &mut impl Env<Self>) {}

    /// Whether the node acts by itself, again and again, as self-stabilising algorithms do: then
    /// [`on_tick`](Self::on_tick) is called for ever, with fairness to all nodes. The answer is the
    /// same for all nodes and never changes.
    fn ticks(&self) -> bool {
        false
    }

    /// The node's turn to act by itself: the periodic timeout of self-stabilising algorithms.
    fn on_tick(&mut self, _env: &mut impl Env<Self>) {}

    /// A message of this node comes back: its receiver has [left](Env::leave) for good.
    fn on_returned(&mut self, _to: NodeId, _msg: Self::Msg, _env: &mut impl Env<Self>) {}

    /// The nodes that this node waits for before it can go on; empty if it does not wait. Shown
    /// about runs that get stuck, so it may say what it believes, even if that is wrong.
    fn waits_for(&self) -> NodeSet {
        NodeSet::new()
    }

    /// Whether there is a channel from this node to that one, as far as is known here. Algorithms
    /// leave it as it is; a driver's wrapper around a node knows the network.
    fn reaches(&self, _to: NodeId) -> bool {
        true
    }

    /// The nodes whose addresses this node holds, where a node may only talk to nodes that it
    /// knows. `None` if the network decides that, or if this node does not take part.
    fn knows(&self) -> Option<Vec<NodeId>> {
        None
    }

    /// The nodes whose addresses a message carries: its receiver knows them from then on.
    fn tells(&self, _msg: &Self::Msg) -> Vec<NodeId> {
        Vec::new()
    }

    /// When a system is legal, if the algorithm is self-stabilising: from any state in which the
    /// nodes are [connected](references::connected), every fair schedule leads to a legal state
    /// (convergence), and no step leads out of one (closure). The same for all nodes of a system.
    fn legality(&self) -> Option<Invariant<Self>> {
        None
    }

    /// Whether nodes choose at random, and convergence is a matter of chance: some fair schedules
    /// of unlucky choices never become legal, but from every state some choices lead to a legal
    /// one. So the system becomes legal with probability one.
    fn converges_by_chance(&self) -> bool {
        false
    }

    /// The damages that a self-stabilising algorithm has names for, because each needs a rule of
    /// its own. The same for all nodes of a system.
    fn damages(&self) -> &'static [&'static str] {
        &[]
    }

    /// One of its [damages](Self::damages) befalls this node, in a way that is chosen.
    fn damage(&mut self, _name: &str, _choose: &mut dyn FnMut(u32) -> u32) {}

    /// What holds in every state of a system that keeps the algorithm's assumptions, beyond the
    /// problem's promises: the lemmas of its proof. They are the same for all nodes of a system.
    fn invariants(&self) -> Vec<Invariant<Self>> {
        Vec::new()
    }

    /// Any of these transitions: the one entry for drivers that replay or enumerate inputs.
    #[inline(always)]
    fn on(&mut self, input: Input<Self>, env: &mut impl Env<Self>) {
        match input {
            Input::Start => self.on_start(env),
            Input::Command(command) => self.on_command(command, env),
            Input::Message { from, msg } => self.on_message(from, msg, env),
            Input::Timer(timer) => self.on_timer(timer, env),
            Input::Tick => self.on_tick(env),
            Input::Returned { to, msg } => self.on_returned(to, msg, env),
        }
    }

    /// The same in an environment that is known only at run time. Drivers that are not in a hurry
    /// call this: they share one compiled copy of the transitions.
    #[inline(never)]
    fn on_dyn(&mut self, input: Input<Self>, mut env: &mut dyn Env<Self>) {
        self.on(input, &mut env);
    }
}

/// Everything that can happen to a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Input<P: Protocol> {
    /// It wakes up.
    Start,
    /// The application asks for something.
    Command(P::Command),
    /// A message arrives.
    Message {
        /// Its sender.
        from: NodeId,
        /// Its content.
        msg: P::Msg,
    },
    /// A timer runs out.
    Timer(P::Timer),
    /// It acts by itself.
    Tick,
    /// A message of its own comes back.
    Returned {
        /// The receiver, which has left.
        to: NodeId,
        /// Its content.
        msg: P::Msg,
    },
}

/// Everything a transition can do to the outside. Each driver implements this once.
///
/// Where in an algorithm's file an effect stands is known without the algorithm's help: every
/// method knows its caller, and an environment that is chosen at run time hears of it by
/// [`at`](Self::at).
pub trait Env<P: Protocol> {
    /// Sends `msg` to `to`. Every call is one message, also to the node itself.
    #[track_caller]
    fn send(&mut self, to: NodeId, msg: P::Msg);

    /// Starts `timer`, or restarts it if it is pending.
    #[track_caller]
    fn set_timer(&mut self, timer: P::Timer, after: Duration);

    /// Stops `timer` if it is pending.
    #[track_caller]
    fn cancel_timer(&mut self, timer: P::Timer);

    /// Tells the application.
    #[track_caller]
    fn emit(&mut self, event: P::Event);

    /// A number in `0..bound`: drawn from the seed, or every one in turn by the checker.
    #[track_caller]
    fn choose(&mut self, bound: u32) -> u32;

    /// Leaves for good, as the last thing that the node ever does. What is sent to it, and what is
    /// on its way, [comes back](Protocol::on_returned) to its sender.
    #[track_caller]
    fn leave(&mut self);

    /// The statement of the algorithm to which the next effect belongs. Only those who show it
    /// listen.
    fn at(&mut self, _statement: &'static Location<'static>) {}
}

/// Everything a transition did: what [`Env`] was told, as data.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Effect<P: Protocol> {
    /// A message was sent.
    Send {
        /// Its receiver.
        to: NodeId,
        /// Its content.
        msg: P::Msg,
    },
    /// A timer was started or restarted.
    SetTimer {
        /// Its name.
        timer: P::Timer,
        /// How long it runs.
        after: Duration,
    },
    /// A timer was stopped.
    CancelTimer(P::Timer),
    /// The application was told something.
    Emit(P::Event),
    /// A number was chosen.
    Choose {
        /// How many there were to choose from.
        bound: u32,
        /// The one that was taken.
        value: u32,
    },
    /// The node left for good.
    Leave,
}

/// Watches the commands and events of one run from outside and names the promise that breaks.
///
/// The simulator feeds it at every step, the checker carries it as part of the state, a recorded
/// trace is judged by it. Each problem has one.
pub trait Monitor: Clone + Eq + Hash + Debug + Send + 'static {
    /// What applications ask for in this problem.
    type Command: Data;
    /// What they are told.
    type Event: Data;

    /// An application asks for something.
    fn on_command(&mut self, node: NodeId, command: &Self::Command) -> Result<(), Broken>;

    /// The same, while no message is in transit: all that was sent before has arrived.
    fn on_command_in_silence(
        &mut self,
        node: NodeId,
        command: &Self::Command,
    ) -> Result<(), Broken> {
        self.on_command(node, command)
    }

    /// An application is told something.
    fn on_event(&mut self, node: NodeId, event: &Self::Event) -> Result<(), Broken>;

    /// A node has crashed: it takes no more part until it restarts.
    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken>;

    /// A crashed node is back and has forgotten everything.
    fn on_restart(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    /// Something went wrong: a message was lost, duplicated or forged, say.
    fn on_fault(&mut self) {}

    /// Nodes were [damaged](Protocol::damage): until the system is legal, nothing need be right.
    fn on_damage(&mut self) {}

    /// The system is legal, after a damage or a wrong start, and nobody waits for anything.
    fn on_legal(&mut self) {}

    /// All promises of the problem.
    fn promises() -> &'static [Promise] {
        &[]
    }

    /// Whether it watches this promise in this system: some depend on the algorithm.
    fn watches(&self, _promise: &str) -> bool {
        true
    }

    /// The run has come to rest: nothing is in transit, nothing more will happen.
    /// Whatever was promised to happen eventually must have happened.
    fn at_rest(&self) -> Result<(), Broken>;
}

/// Something that an algorithm's proof says about all nodes and messages together, in every state.
#[derive(Clone)]
pub struct Invariant<P: Protocol> {
    name: &'static str,
    check: Arc<Check<P>>,
}

/// Says why something does not hold.
type Check<P> = dyn Fn(&Snapshot<'_, P>) -> Result<(), String> + Send + Sync;

impl<P: Protocol> Invariant<P> {
    /// An invariant with this name, such as `one token`; `check` says why it does not hold.
    pub fn new(
        name: &'static str,
        check: impl Fn(&Snapshot<'_, P>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self { name, check: Arc::new(check) }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it holds for a system; if not, a broken promise of its name.
    pub fn judge(&self, system: &Snapshot<'_, P>) -> Result<(), Broken> {
        (self.check)(system).or_else(|detail| Broken::promise(self.name, detail))
    }
}

impl<P: Protocol> Debug for Invariant<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A whole system at one moment.
#[derive(Debug)]
pub struct Snapshot<'a, P: Protocol> {
    /// Its nodes, by their numbers.
    pub nodes: &'a [&'a P],
    /// What is in transit: sender, receiver, content.
    pub messages: &'a [(NodeId, NodeId, &'a P::Msg)],
}

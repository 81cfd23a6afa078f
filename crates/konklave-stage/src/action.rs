//! Everything that can happen on a stage, as data.

use konklave::NodeId;
use konklave::protocol::{Input, Protocol};
use konklave::trace::{Fault, Line};
use serde::{Deserialize, Serialize};

/// Something that can happen on a [`Stage`](crate::Stage). Messages are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound = "", rename_all = "snake_case")]
pub enum Action<P: Protocol> {
    /// A node wakes up: for the first time, or after its restart.
    Start(NodeId),
    /// An application gives a command, or its node is told about the outside.
    Command {
        /// Where.
        node: NodeId,
        /// What.
        command: P::Command,
    },
    /// A pending timer runs out.
    Timer {
        /// Whose.
        node: NodeId,
        /// Its name.
        timer: P::Timer,
    },
    /// A node acts by itself.
    Tick(NodeId),
    /// A message arrives. A crashed node misses it.
    Deliver(u32),
    /// A forged message arrives.
    DeliverForged {
        /// Whose it pretends to be.
        from: NodeId,
        /// Its receiver.
        to: NodeId,
        /// What it turns out to say.
        msg: P::Msg,
    },
    /// A message comes back to its sender: its receiver has left.
    Return(u32),
    /// A message never arrives.
    Lose(u32),
    /// A message will arrive once more.
    Duplicate(u32),
    /// A node stops and forgets everything.
    Crash(NodeId),
    /// A crashed node is new again, and asleep.
    Restart(NodeId),
    /// A message appears that no node has sent.
    Forge {
        /// Whose it pretends to be.
        from: NodeId,
        /// Its receiver.
        to: NodeId,
    },
    /// A node's memory is spoilt, as if by these messages; what it does about them is lost.
    Spoil {
        /// Whose.
        node: NodeId,
        /// What it believes to have received, and from which nodes.
        messages: Vec<(NodeId, P::Msg)>,
    },
    /// A node's state is damaged, in a way that its algorithm has a name for.
    Damage {
        /// Whose.
        node: NodeId,
        /// The damage.
        name: String,
        /// What is chosen about it.
        choices: Vec<u32>,
    },
}

impl<P: Protocol> Action<P> {
    /// The same action of nodes that differ only in the type of their commands.
    ///
    /// # Errors
    ///
    /// If it is a command that cannot be converted.
    pub fn convert<Q, E>(
        self,
        convert: impl FnOnce(NodeId, P::Command) -> Result<Q::Command, E>,
    ) -> Result<Action<Q>, E>
    where
        Q: Protocol<Msg = P::Msg, Timer = P::Timer>,
    {
        Ok(match self {
            Self::Command { node, command } => {
                Action::Command { node, command: convert(node, command)? }
            }
            Self::Start(node) => Action::Start(node),
            Self::Timer { node, timer } => Action::Timer { node, timer },
            Self::Tick(node) => Action::Tick(node),
            Self::Deliver(number) => Action::Deliver(number),
            Self::Return(number) => Action::Return(number),
            Self::DeliverForged { from, to, msg } => Action::DeliverForged { from, to, msg },
            Self::Lose(number) => Action::Lose(number),
            Self::Duplicate(number) => Action::Duplicate(number),
            Self::Crash(node) => Action::Crash(node),
            Self::Restart(node) => Action::Restart(node),
            Self::Forge { from, to } => Action::Forge { from, to },
            Self::Spoil { node, messages } => Action::Spoil { node, messages },
            Self::Damage { node, name, choices } => Action::Damage { node, name, choices },
        })
    }

    /// That a node gets an input by itself; none if the input is a message, or one that comes back.
    pub fn own(node: NodeId, input: Input<P>) -> Option<Self> {
        match input {
            Input::Start => Some(Self::Start(node)),
            Input::Command(command) => Some(Self::Command { node, command }),
            Input::Timer(timer) => Some(Self::Timer { node, timer }),
            Input::Tick => Some(Self::Tick(node)),
            Input::Message { .. } | Input::Returned { .. } => None,
        }
    }

    /// What a line of a trace tells of; none if it changes nothing on a stage: a pause or a
    /// partition only holds back what happens later.
    pub fn of(line: &Line<P>) -> Option<Self> {
        match line {
            Line::Step(step) => match (&step.input, step.number) {
                (Input::Message { .. }, Some(number)) => Some(Self::Deliver(number)),
                (Input::Message { from, msg }, None) => {
                    Some(Self::DeliverForged { from: *from, to: step.node, msg: msg.clone() })
                }
                (Input::Returned { .. }, Some(number)) => Some(Self::Return(number)),
                (input, _) => Self::own(step.node, input.clone()),
            },
            Line::Fault { what, .. } => match what {
                Fault::Lost(number) => Some(Self::Lose(*number)),
                Fault::Doubled(number) => Some(Self::Duplicate(*number)),
                Fault::Missed(number) => Some(Self::Deliver(*number)),
                Fault::Crash(node) => Some(Self::Crash(*node)),
                Fault::Restart(node) => Some(Self::Restart(*node)),
                Fault::Forged { from, to } => Some(Self::Forge { from: *from, to: *to }),
                Fault::Garbage { node, messages } => {
                    Some(Self::Spoil { node: *node, messages: messages.clone() })
                }
                Fault::Damage { node, name, choices } => {
                    Some(Self::Damage { node: *node, name: name.clone(), choices: choices.clone() })
                }
                Fault::Pause(_) | Fault::Resume(_) | Fault::Partition(_) | Fault::Heal(_) => None,
            },
            Line::Loop { .. } | Line::End(_) => None,
        }
    }
}

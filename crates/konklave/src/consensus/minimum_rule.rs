//! In every round a node takes the smaller of its value and that of a random node.
//!
//! B. Doerr, L. A. Goldberg, L. Minder, T. Sauerwald, C. Scheideler: Stabilizing consensus with the
//! power of two choices. ACM Symposium on Parallelism in Algorithms and Architectures, 2011.
//!
//! # Idea
//!
//! At its turn a node asks a node that it draws at random, itself included, for its value, and
//! takes the smaller of the two. The smallest value spreads like a rumour: as long as few nodes
//! hold it, their number doubles in a round, and at the end the share of those that lack it is
//! squared. So all nodes hold it after O(log n) rounds with high probability, from any state.
//!
//! One liar is enough to ruin that: it keeps a smaller value to itself, and tells it when all the
//! others agree. They all leave their agreement, so the time until it lasts is unbounded.
//!
//! # Cost
//!
//! Messages: 2 per node and round, O(log n) rounds with high probability. From n different values
//! the mean is 1.25 to 1.5 log2 n rounds; from two values of n/2 nodes each about log2 log2 n.
//!
//! - Time: 2 per round: a question and its answer.
//! - State: one value.
//!
//! # Assumes
//!
//! Every node can ask every other. Rounds need not be synchronous.
//!
//! - Loss: a node whose question or answer is lost asks again after eight turns.
//! - Duplication: a duplicate is harmless.
//! - Crash: the others agree. A node that restarts begins with its first value, and may bring a
//!   smaller one back.
//! - Order: any order is harmless.
//!
//! # Differs from the paper
//!
//! Questions and answers are messages, and a node that asks itself sends them, too. Rounds are
//! those of each node: it begins the next when it has its answer.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Question, Surroundings, Value};
use crate::NodeId;
use crate::protocol::{Env, Invariant, Never, Protocol};

/// The messages between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Asks the receiver for its value.
    Ask,
    /// Answers with the sender's value.
    Tell(Value),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// A node of the minimum rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MinimumRule {
    value: Value,
    question: Question<Value>,
    around: Surroundings,
}

const _: () = assert!(size_of::<MinimumRule>() <= 64);

impl MinimumRule {
    /// A node that begins with this value.
    pub fn new(value: Value, around: Surroundings) -> Self {
        Self { value, question: Question::Answered, around }
    }

    /// The value that the node holds.
    pub fn value(&self) -> Value {
        self.value
    }
}

impl Protocol for MinimumRule {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        env.emit(Event::Began(self.value));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let (Command::Write(value) | Command::Overwrite(value)) = command;
        self.value = value;
        env.emit(Event::Took(value));
    }

    fn ticks(&self) -> bool {
        true
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        if self.question.is_over() {
            self.question = Question::to(1);
            let other = NodeId(env.choose(self.around.nodes));
            env.send(other, Msg::Ask);
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask => {
                let mood = self.around.moods().map_or(0, |moods| env.choose(moods));
                env.send(from, Msg::Tell(self.around.told(self.value, mood)));
            }
            Msg::Tell(value) => {
                if let Some((_, other)) = self.question.answer(value) {
                    self.value = self.value.min(other);
                    env.emit(Event::Took(self.value));
                }
            }
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        Some(self.around.agreement(
            |node| node.around.liar.is_none().then_some(&node.value),
            |node| node.question.heard(),
            |msg| match msg {
                Msg::Ask => None,
                Msg::Tell(value) => Some(value),
            },
        ))
    }

    fn converges_by_chance(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    #[test]
    fn a_node_takes_the_smaller_value() {
        for (own, other, expected) in [(3, 5, 3), (5, 3, 3), (4, 4, 4)] {
            let mut node = MinimumRule::new(own, Surroundings::honest(9));
            let mut env = Recorder::choosing(&[7]);
            node.on_tick(&mut env);
            assert_eq!(env.lines(), ["choose 7 of 9", "-> 7 Ask"]);
            node.on_tick(&mut env);
            assert!(env.lines().is_empty(), "one question at a time");
            node.on_message(NodeId(7), Msg::Tell(other), &mut env);
            assert_eq!(env.lines(), [format!("! Took({expected})")]);
        }
    }

    #[test]
    fn a_liar_tells_what_nobody_holds() {
        let around = Surroundings { liar: Some(9), ..Surroundings::honest(2) };
        let mut node = MinimumRule::new(4, around);
        for (mood, told) in [(0, 0), (1, 9), (2, 4), (63, 4)] {
            let mut env = Recorder::choosing(&[mood]);
            node.on_message(NodeId(1), Msg::Ask, &mut env);
            assert_eq!(env.lines()[1], format!("-> 1 Tell({told})"));
        }
    }
}

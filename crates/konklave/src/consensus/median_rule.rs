//! In every round a node takes the median of its value and those of two random nodes.
//!
//! B. Doerr, L. A. Goldberg, L. Minder, T. Sauerwald, C. Scheideler: Stabilizing consensus with the
//! power of two choices. ACM Symposium on Parallelism in Algorithms and Architectures, 2011.
//!
//! # Idea
//!
//! At its turn a node asks two nodes, which it draws at random and independently, itself included,
//! for their values, and takes the median of the three. Of two values, the one that more nodes hold
//! grows: if n/2 + d nodes hold it, about n/2 + 3d/2 do after a round. A balanced start is left by
//! chance, with d in the order of the square root of n, and at the end the share of the other value
//! is squared in each round. Of more values, split them at any threshold: what is above it is one
//! value, what is below it the other. So all nodes agree after O(log n) rounds with high
//! probability, from any state, and on a value near the median of those of the beginning.
//!
//! An adversary that knows everything and rewrites T values in every round is up against that
//! growth. For T below the square root of n, by a constant factor, all nodes but O(T) agree after
//! O(log n log log n) rounds with high probability.
//!
//! # Cost
//!
//! Messages: 4 per node and round, O(log n) rounds with high probability. From n different values
//! the mean is 2 to 2.3 log2 n rounds; from two values of n/2 nodes each 1.2 to 1.7 log2 n. An
//! adversary that balances two values is hardly noticed with T = sqrt(n)/8; with sqrt(n)/2 it takes
//! several times as many rounds, and with sqrt(n) a thousand are not enough for n = 1024.
//!
//! - Time: 2 per round: questions and their answers.
//! - State: one value, and the first answer.
//!
//! # Assumes
//!
//! Every node can ask every other. Rounds need not be synchronous.
//!
//! - Loss: a node whose question or answer is lost asks again after eight turns.
//! - Duplication: a duplicate is harmless: it is a node that was drawn twice.
//! - Crash: the others agree. A node that restarts begins with its first value, and takes that of
//!   the others.
//! - Order: any order is harmless.
//!
//! # Differs from the paper
//!
//! Questions and answers are messages, and a node that asks itself sends them, too. Rounds are
//! those of each node: it begins the next when it has its answers. Liars answer what they like, but
//! their own values are not counted.

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

/// A node of the median rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MedianRule {
    value: Value,
    question: Question<Value>,
    around: Surroundings,
}

const _: () = assert!(size_of::<MedianRule>() <= 64);

impl MedianRule {
    /// A node that begins with this value.
    pub fn new(value: Value, around: Surroundings) -> Self {
        Self { value, question: Question::Answered, around }
    }

    /// The value that the node holds.
    pub fn value(&self) -> Value {
        self.value
    }
}

impl Protocol for MedianRule {
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
            self.question = Question::to(2);
            for _ in 0..2 {
                let other = NodeId(env.choose(self.around.nodes));
                env.send(other, Msg::Ask);
            }
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Ask => {
                let mood = self.around.moods().map_or(0, |moods| env.choose(moods));
                env.send(from, Msg::Tell(self.around.told(self.value, mood)));
            }
            Msg::Tell(value) => {
                if let Some((first, second)) = self.question.answer(value) {
                    // A first answer can be missing only if the state was corrupted.
                    self.value = median(self.value, first.unwrap_or(second), second);
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

/// The second of three in order.
pub(super) fn median<T: Ord>(a: T, b: T, c: T) -> T {
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    low.max(high.min(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    #[test]
    fn a_median_is_in_the_middle_of_every_order() {
        for (a, b, c) in (0..27).map(|it| (it / 9, it / 3 % 3, it % 3)) {
            let mut sorted = [a, b, c];
            sorted.sort_unstable();
            assert_eq!(median(a, b, c), sorted[1], "{a} {b} {c}");
        }
    }

    #[test]
    fn a_node_asks_two_and_takes_the_median() {
        let mut node = MedianRule::new(5, Surroundings::honest(9));
        let mut env = Recorder::choosing(&[7, 7]);
        node.on_tick(&mut env);
        let asked = ["choose 7 of 9", "-> 7 Ask", "choose 7 of 9", "-> 7 Ask"];
        assert_eq!(env.lines(), asked, "the same node may be drawn twice");
        node.on_message(NodeId(7), Msg::Tell(9), &mut env);
        node.on_tick(&mut env);
        assert!(env.lines().is_empty(), "an answer is missing");
        node.on_message(NodeId(7), Msg::Tell(8), &mut env);
        assert_eq!(env.lines(), ["! Took(8)"]);
    }

    #[test]
    fn one_answer_alone_changes_nothing() {
        for other in [0, 9] {
            let mut node = MedianRule::new(5, Surroundings::honest(3));
            let mut env = Recorder::choosing(&[0, 1]);
            node.on_tick(&mut env);
            env.lines();
            node.on_message(NodeId(0), Msg::Tell(5), &mut env);
            node.on_message(NodeId(1), Msg::Tell(other), &mut env);
            assert_eq!(env.lines(), ["! Took(5)"], "one liar cannot move who agree");
        }
    }
}

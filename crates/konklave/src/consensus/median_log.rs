//! The median rule on logs of all writes, so that a new value prevails over an agreed one.
//!
//! C. Scheideler: Verteilte Algorithmen und Datenstrukturen, chapter 6 of the lecture; after
//! B. Doerr et al.: Stabilizing consensus with the power of two choices. SPAA, 2011.
//!
//! # Idea
//!
//! Once all nodes agree, the median rule outvotes every new value. So a node keeps the log of all
//! writes that it knows, the oldest first, and its value is that of the last one. A write appends
//! an entry to the log of its node. At its turn a node asks two random nodes for their logs; each
//! of the three logs is completed with the entries that only the others have, in their order, and
//! the node takes the median of the completed logs, compared entry by entry.
//!
//! A node that asks one that knows an entry knows it afterwards, whichever log is the median: so
//! every entry spreads like a rumour, in O(log n) rounds. A single new entry is appended to equal
//! logs, and then nothing is left to vote on. Competing entries end in logs with the same entries
//! in different orders: completion changes nothing more, and the rule is the median rule on a
//! finite set. What all logs begin with stays as it is.
//!
//! # Cost
//!
//! Messages: 4 per node and round, O(log n) rounds with high probability. An answer carries a log.
//!
//! - Time: 2 per round: questions and their answers.
//! - State: a log, and the first answer.
//!
//! # Assumes
//!
//! Every node can ask every other. Rounds need not be synchronous. Entries are operations and not
//! values: a value that is written again is a new entry.
//!
//! - Loss: a node whose question or answer is lost asks again after eight turns.
//! - Duplication: a duplicate is harmless: it is a node that was drawn twice.
//! - Crash: the others agree. An entry that no other node has heard of is gone.
//! - Order: any order is harmless.
//!
//! # Differs from the paper
//!
//! The lecture's example takes y' as the median of x', y' and z'; but x' and z' begin with the same
//! entry, so it is z'. Logs only grow: the lecture says nothing of cutting them. A liar answers
//! with its log in reverse. An adversary that overwrites a value rearranges the log.

use std::collections::BTreeSet;
use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use super::median_rule::median;
use super::{Command, Event, Question, Surroundings, Value};
use crate::NodeId;
use crate::protocol::{Env, Invariant, Never, Protocol};

/// A write: logs are compared by these, first by their writers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Entry {
    /// The node that it was written to; none for a value of the beginning.
    writer: Option<NodeId>,
    /// Which of the writes to that node it is, from one.
    number: u32,
    value: Value,
}

impl Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.writer {
            Some(writer) => write!(f, "{}@{writer}.{}", self.value, self.number),
            None => write!(f, "{}", self.value),
        }
    }
}

/// Writes, the oldest first, each once.
type Log = Vec<Entry>;

/// The messages between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Asks the receiver for its log.
    Ask,
    /// Answers with the sender's log.
    Tell(Log),
}

/// A node of the median rule on logs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MedianLog {
    me: NodeId,
    log: Log,
    /// How many values were written here.
    writes: u32,
    question: Question<Log>,
    around: Surroundings,
}

impl MedianLog {
    /// A node that begins with this value.
    pub fn new(me: NodeId, value: Value, around: Surroundings) -> Self {
        let log = vec![Entry { writer: None, number: 0, value }];
        Self { me, log, writes: 0, question: Question::Answered, around }
    }

    /// The value of the last write.
    pub fn value(&self) -> Value {
        self.log.last().map_or(0, |entry| entry.value)
    }

    /// The values of all writes that the node knows, the oldest first.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.log.iter().map(|entry| entry.value)
    }
}

impl Protocol for MedianLog {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        env.emit(Event::Began(self.value()));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let entry = match command {
            Command::Write(value) => {
                self.writes += 1;
                Entry { writer: Some(self.me), number: self.writes, value }
            }
            // Not a new entry: the one that it knows becomes the last.
            Command::Overwrite(value) => {
                let known = self.log.iter().position(|entry| entry.value == value);
                let first = Entry { writer: None, number: 0, value };
                known.map_or(first, |place| self.log.remove(place))
            }
        };
        self.log.push(entry);
        env.emit(Event::Took(entry.value));
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
                let mut log = self.log.clone();
                if self.around.moods().is_some_and(|moods| env.choose(moods) == 0) {
                    log.reverse();
                }
                env.send(from, Msg::Tell(log));
            }
            Msg::Tell(log) => {
                if let Some((first, second)) = self.question.answer(log) {
                    // A first answer can be missing only if the state was corrupted.
                    let first = first.unwrap_or_else(|| second.clone());
                    let [x, y, z] = complete([&self.log, &first, &second]);
                    self.log = median(x, y, z);
                    env.emit(Event::Took(self.value()));
                }
            }
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        Some(self.around.agreement(
            |node| node.around.liar.is_none().then_some(&node.log),
            |node| node.question.heard(),
            |msg| match msg {
                Msg::Ask => None,
                Msg::Tell(log) => Some(log),
            },
        ))
    }

    fn converges_by_chance(&self) -> bool {
        true
    }
}

/// Appends to each log what only the others have, in their order.
fn complete(logs: [&Log; 3]) -> [Log; 3] {
    logs.map(|log| {
        let mut known: BTreeSet<Entry> = log.iter().copied().collect();
        let others = logs.iter().flat_map(|other| other.iter());
        let missing = others.filter(|entry| known.insert(**entry)).collect::<Vec<_>>();
        log.iter().chain(missing).copied().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn log(values: &[Value]) -> Log {
        values.iter().map(|&value| Entry { writer: None, number: 0, value }).collect()
    }

    #[test]
    fn the_logs_of_the_lecture_are_completed() {
        let (x, y, z) = (log(&[1, 3, 5, 4]), log(&[2, 4, 5]), log(&[1, 4, 2, 3]));
        let [x, y, z] = complete([&x, &y, &z]);
        assert_eq!(x, log(&[1, 3, 5, 4, 2]));
        assert_eq!(y, log(&[2, 4, 5, 1, 3]));
        assert_eq!(z, log(&[1, 4, 2, 3, 5]));
        assert_eq!(median(x, y, z.clone()), z);
    }

    #[test]
    fn a_new_value_wins_even_if_one_node_of_three_knows_it() {
        let mut node = MedianLog::new(NodeId(0), 1, Surroundings::honest(3));
        let mut writer = MedianLog::new(NodeId(2), 1, Surroundings::honest(3));
        let mut env = Recorder::choosing(&[1, 2]);
        writer.on_command(Command::Write(7), &mut env);
        assert_eq!(env.lines(), ["! Took(7)"]);
        node.on_tick(&mut env);
        node.on_message(NodeId(1), Msg::Tell(log(&[1])), &mut env);
        node.on_message(NodeId(2), Msg::Tell(writer.log.clone()), &mut env);
        assert_eq!(env.lines().last().unwrap(), "! Took(7)");
        assert_eq!(node.log, writer.log);
    }

    #[test]
    fn a_value_that_is_written_again_is_a_new_entry() {
        let mut node = MedianLog::new(NodeId(0), 1, Surroundings::honest(1));
        let mut env = Recorder::default();
        for value in [2, 3, 2] {
            node.on_command(Command::Write(value), &mut env);
        }
        assert_eq!(format!("{:?}", node.log), "[1, 2@0.1, 3@0.2, 2@0.3]");
    }
}

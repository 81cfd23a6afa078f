//! What a trace says, put together: which node did what, what became of each message, and how long
//! nodes waited, had what they asked for, or were down. Pictures and exports are made of this.

mod read;
mod spans;
mod telling;
mod vocabulary;

use konklave::trace::{End, Line};
use konklave_stage::erased::Erased;

pub use read::{Recorded, TraceError, read};
pub use vocabulary::Vocabulary;

/// A trace, put together.
#[derive(Clone, Debug)]
pub struct Account {
    /// How many nodes there are.
    pub nodes: usize,
    /// What happened, in order. A start at which a node does nothing is left out.
    pub events: Vec<Event>,
    /// Every message, in the order in which they were sent; one that arrives twice is here twice.
    pub messages: Vec<Message>,
    /// Stretches of nodes' time.
    pub spans: Vec<Span>,
    /// The event at which each node has learned a result last, if it has: one that is the same for
    /// all nodes, and that they learn from each other.
    pub informed: Vec<Option<usize>>,
    /// Stretches of everyone's time: partitions, and what can repeat for ever.
    pub shades: Vec<Shade>,
    /// How it ended; none if the trace was cut off.
    pub end: Option<End>,
    /// The event that broke the promise that was broken; none if it is what did not happen.
    pub guilty: Option<usize>,
    /// Whether times are step numbers, as in traces of searches.
    pub is_in_steps: bool,
    /// What commands and events mean here, and what is held is called.
    pub vocabulary: Vocabulary,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of its step: the time, if that is the number of the step; or else how many lines
    /// of the trace come before it, the header left out.
    pub number: usize,
    /// When, in ticks.
    pub at: u64,
    /// To which node; none if to all.
    pub node: Option<usize>,
    /// What it was.
    pub what: What,
    /// A few words about it; empty if there is nothing to add.
    pub label: String,
    /// The same where there is little room: values without their names.
    pub brief: String,
}

/// What kind of event it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A node woke up and did something.
    Start,
    /// The application asked for something.
    Command,
    /// A message arrived.
    Receive,
    /// A timer ran out.
    Timer,
    /// A node crashed.
    Crash,
    /// A crashed node started anew.
    Restart,
    /// A node stopped for a while.
    Pause,
    /// A paused node went on.
    Resume,
    /// A message reached a crashed node.
    Missed,
    /// A node's memory was spoilt.
    Spoilt,
    /// A partition began or ended, or the steps that can repeat for ever began.
    Turn,
    /// A promise was broken.
    Violation,
}

/// A message, or one of its two copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in the trace; `None` if it was forged.
    pub number: Option<u32>,
    /// The event at which it was sent; `None` if it was forged.
    pub sent: Option<usize>,
    /// Its sender, or whose it pretends to be.
    pub from: usize,
    /// Its receiver.
    pub to: usize,
    /// What became of it.
    pub fate: Fate,
    /// Whether it is a duplicate that the network made of the message with the same number.
    pub is_duplicate: bool,
    /// Its kind, a word.
    pub kind: String,
    /// What it says to its receiver, in few words: without the parts that it passes through.
    pub label: String,
    /// All of it.
    pub text: String,
}

/// What became of a message. Numbers are those of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Arrived(usize),
    /// It reached a crashed node.
    Missed(usize),
    /// It was lost.
    Lost,
    /// It was in transit when the trace ended.
    InFlight,
}

/// A stretch of a node's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Whose.
    pub node: usize,
    /// The event with which it began.
    pub from: usize,
    /// The event with which it ended; none if it had not when the trace did.
    pub to: Option<usize>,
    /// What it was spent with.
    pub kind: SpanKind,
    /// The name of the operation, such as the interval that is booked; often empty.
    pub label: String,
}

/// What a node spends its time with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// It has what it asked for: [`Vocabulary::held`].
    Held,
    /// It has asked and waits.
    Waiting,
    /// It is down.
    Crashed,
    /// It stands still.
    Paused,
}

/// A stretch of everyone's time. Numbers are those of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shade {
    /// Where it begins.
    pub from: usize,
    /// Where it ends; none if it does not before the trace does.
    pub to: Option<usize>,
    /// What it is.
    pub kind: ShadeKind,
    /// The same in words.
    pub label: String,
}

/// What concerns all nodes for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShadeKind {
    /// Groups of nodes, as the trace writes them, cannot reach each other.
    Partition(String),
    /// What happens can happen again, for ever.
    Repetition,
}

impl Account {
    /// Puts together what the lines of a trace of `nodes` nodes say, the header left out, to a
    /// reader with this vocabulary.
    ///
    /// # Errors
    ///
    /// If a line speaks of a node that does not exist.
    pub fn new<'a>(
        lines: impl IntoIterator<Item = &'a Line<Erased>>,
        nodes: usize,
        vocabulary: Vocabulary,
    ) -> Result<Self, TraceError> {
        let mut telling = telling::Telling::new(nodes, vocabulary);
        for (index, line) in lines.into_iter().enumerate() {
            // The header is the first line.
            telling.line(line).map_err(|problem| TraceError { line: index + 2, problem })?;
        }
        Ok(telling.finish())
    }

    /// The event of a node with this number. A step without effects is not an event.
    pub fn numbered(&self, number: usize) -> Option<usize> {
        let is_meant = |event: &Event| {
            event.number == number && event.node.is_some() && event.what != What::Missed
        };
        self.events.iter().position(is_meant)
    }
}

/// Names of nodes: their numbers, and their ids where there are any.
pub fn labels(nodes: usize, ids: Option<&[u32]>) -> Vec<String> {
    let label = |node: usize| match ids.and_then(|ids| ids.get(node)) {
        Some(id) => format!("{node} (id {id})"),
        None => node.to_string(),
    };
    (0..nodes).map(label).collect()
}

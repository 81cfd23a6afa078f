//! Golden scripts: a run told step by step in a text file, with what the nodes did below each step.
//!
//! A script is a test as data. Its first block holds settings, from which the caller makes the
//! nodes. Every further block says what happens, and below `---` what comes of it: messages sent
//! (`->`), events (`!`), timers (`set`, `cancel`), choices (`choose`), promises `broken`. A blank
//! line ends a block; a line with `#` in front is a comment. An assertion that fails in a node is a
//! broken promise.
//!
//! ```
//! use konklave::NodeId;
//! use konklave::mutex::{Monitor, ricart_agrawala::RicartAgrawala};
//! use konklave_stage::erased::AnyNode;
//! use konklave_stage::script::{Script, ScriptError};
//!
//! let text = "\
//! ## Two nodes want to enter.
//! nodes 2
//!
//! 0 acquire
//! 1 acquire
//! ---
//! 0 -> 1 Request(1@0)
//! 1 -> 0 Request(1@1)
//!
//! ## Node 1 yields; node 0 keeps node 1 waiting.
//! deliver
//! ---
//! 1 -> 0 Reply
//!
//! deliver
//! ---
//! 0 ! Granted
//! ";
//! let script = Script::parse(text)?;
//! assert_eq!(script.settings(), [("nodes".to_owned(), "2".to_owned())]);
//! let nodes = NodeId::all(2).map(|me| AnyNode::new(RicartAgrawala::new(me, 2))).collect();
//! assert_eq!(script.play(nodes, Monitor::new(2))?, text);
//! # Ok::<(), ScriptError>(())
//! ```
//!
//! # Commands
//!
//! | command | what happens |
//! |---|---|
//! | `0 acquire` | the application at node 0 gives this command |
//! | `0 put-all [1, 2]` | with an argument in JSON: here `Command::PutAll` of a list |
//! | `deliver` | everything now in transit arrives, in the order sent |
//! | `deliver 0 -> 1` | the oldest message from 0 to 1 arrives |
//! | `deliver 0 -> 1 2` | the second oldest arrives and overtakes the oldest |
//! | `deliver all`, `settle` | messages arrive in the order sent, until none is in transit |
//! | `lose 0 -> 1` | the oldest message from 0 to 1 is lost; a number picks another, as above |
//! | `duplicate 0 -> 1` | a duplicate of it is in transit behind all others |
//! | `timer 0` | the only pending timer of node 0 runs out |
//! | `timer 0 Retry` | the one whose name starts so runs out |
//! | `tick 0` | node 0 acts by itself |
//! | `tick all` | every node does, in order |
//! | `choose 3 0 1` | the next choices of nodes; those not given are 0 |
//! | `crash 0` | node 0 does nothing any more; what it has sent still arrives |
//! | `rest` | nothing is in transit: checks what had to happen, or shows which nodes wait |
//! | `state 0` | shows node 0 |
//! | `watch 0` | from now on, shows node 0 after each step that changes it |
//! | `watch all` | the same for every node |
//! | `flight` | shows what is in transit, each message with `in flight:` in front |
//! | `count` | shows how many messages were sent so far, in all and by [kind](crate::kind) |
//! | `start` | nothing, as the very first command: its block shows what nodes do when they start |
//!
//! All nodes start before the first command, in order. What they do then is at the head of the
//! first block's output; `start` gives it a block of its own.

mod command;
mod player;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt::{self, Display};

use konklave::protocol::Monitor;

use command::Command;
use player::Player;

use crate::erased::AnyNode;

/// A script, well formed but not played yet.
#[derive(Clone, Debug)]
pub struct Script {
    settings: Vec<(String, String)>,
    /// Every line but the expected output.
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    number: usize,
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// A comment, a setting or a blank line: it only has to be kept.
    Inert,
    Command(Command),
    /// The output goes below this line.
    Cut,
}

/// Where a reader of a script is.
#[derive(Clone, Copy)]
enum Section {
    /// Before the settings, or among them.
    Settings,
    /// Between two blocks.
    Between,
    /// Among commands, before their `---`.
    Commands,
    /// Below `---`.
    Output,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// If a line is not understood or not in its place.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut script = Self { settings: Vec::new(), lines: Vec::new() };
        let mut section = Section::Settings;
        for (text, number) in text.lines().zip(1..) {
            let kind = script.read(text.trim(), &mut section).map_err(at(number))?;
            if let Some(kind) = kind {
                script.lines.push(Line { number, text: text.to_owned(), kind });
            }
        }
        if let Section::Commands = section {
            return Err(at(text.lines().count())("`---` is missing below the last commands"));
        }
        Ok(script)
    }

    /// What a line is; nothing if it is expected output. Moves on to the section it belongs to.
    fn read(&mut self, line: &str, section: &mut Section) -> Result<Option<Kind>, String> {
        let wrong = |problem: &str| Err(problem.to_owned());
        let is_comment = line.starts_with('#');
        match (*section, line) {
            (Section::Output, _) if is_comment => {
                wrong("a comment below `---` would be lost: it goes above a command")
            }
            _ if is_comment => Ok(Some(Kind::Inert)),

            (Section::Commands, "") => {
                wrong("`---` is missing between the commands and this blank line")
            }
            (_, "") => {
                if !self.settings.is_empty() {
                    *section = Section::Between;
                }
                Ok(Some(Kind::Inert))
            }

            (Section::Commands, "---") => {
                *section = Section::Output;
                Ok(Some(Kind::Cut))
            }
            (Section::Settings, "---") => {
                wrong("settings, such as `nodes 3`, come first and end with a blank line")
            }
            (Section::Between, "---") => wrong("`---` belongs below commands"),
            (Section::Output, "---") => wrong("a blank line is missing above these commands"),

            (Section::Settings, _) => {
                let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                self.settings.push((key.to_owned(), value.trim_start().to_owned()));
                Ok(Some(Kind::Inert))
            }
            (Section::Between | Section::Commands, _) => {
                *section = Section::Commands;
                let command = Command::parse(line)?;
                if matches!(command, Command::Start) && self.has_commands() {
                    return wrong("`start` can only be the first command");
                }
                Ok(Some(Kind::Command(command)))
            }
            (Section::Output, _) => Ok(None),
        }
    }

    fn has_commands(&self) -> bool {
        self.lines.iter().any(|line| matches!(line.kind, Kind::Command(_)))
    }

    /// The settings, in order: the first word of each line, and the rest of it.
    pub fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Plays the script with these nodes, and returns it with what they did below each `---`: the
    /// text that was read, if they did what it expects. All other lines are kept as they are, each
    /// with a newline at its end.
    ///
    /// # Errors
    ///
    /// If a command cannot be carried out, or a node sends to one that does not exist.
    pub fn play<M: Monitor>(
        &self,
        nodes: Vec<AnyNode<M::Command, M::Event>>,
        monitor: M,
    ) -> Result<String, ScriptError> {
        let mut player = Player::new(nodes, monitor);
        player.start().map_err(at(1))?;
        let mut played = String::new();
        let mut write = |line: &str| {
            played.push_str(line);
            played.push('\n');
        };
        for line in &self.lines {
            write(&line.text);
            match &line.kind {
                Kind::Inert => {}
                Kind::Command(command) => player.perform(command).map_err(at(line.number))?,
                Kind::Cut => player.take_output().for_each(|line| write(&line)),
            }
        }
        Ok(played)
    }
}

/// What is wrong with a script, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The number of the line, from one.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub problem: String,
}

fn at<S: Into<String>>(line: usize) -> impl Fn(S) -> ScriptError {
    move |problem| ScriptError { line, problem: problem.into() }
}

impl Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl Error for ScriptError {}

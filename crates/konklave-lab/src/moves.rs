//! Schedules as short texts: what stands in a link.

use std::fmt::{self, Display};

use konklave::NodeId;
use konklave::protocol::Input;
use konklave::trace::Line;
use konklave_catalog::stage::AnyStage;
use konklave_stage::Action;
use konklave_stage::erased::Erased;
use konklave_stage::local::choices_in;

/// Something that a person lets happen. Messages have the numbers of the trace format, and what an
/// application or a timer can do now has its place in the list of all that it can do now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// What happens.
    pub what: What,
    /// The choices that the node makes, if it chooses; zero from then on.
    pub choices: Vec<u32>,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// `s3`: a node starts.
    Start(u32),
    /// `a3.1`: the application of node 3 gives the second command that it can give now.
    Command(u32, usize),
    /// `t3.0`: the first pending timer of node 3 runs out.
    Timer(u32, usize),
    /// `k3`: node 3 acts by itself.
    Tick(u32),
    /// `d12`: message 12 arrives, or comes back.
    Deliver(u32),
    /// `x12`: message 12 is lost.
    Lose(u32),
    /// `u12`: message 12 is duplicated.
    Duplicate(u32),
    /// `c3`: node 3 crashes.
    Crash(u32),
    /// `r3`: node 3 restarts.
    Restart(u32),
    /// `o20`: twenty times, what has waited longest happens.
    Oldest(u32),
    /// `w20`: twenty times, what the trunk did next happens, if it still can.
    AsBefore(u32),
    /// `m7.20`: twenty times, something happens at random, with seed 7.
    Random(u64, u32),
}

impl Move {
    /// A move without choices.
    pub fn new(what: What) -> Self {
        Self { what, choices: Vec::new() }
    }

    /// The moves of a schedule, separated by commas.
    ///
    /// # Errors
    ///
    /// If one of them is not a move.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        let parts = text.split(',').filter(|part| !part.is_empty());
        parts.map(|part| Self::parse(part).ok_or_else(|| unreadable(part))).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let (text, choices) = match text.split_once('~') {
            Some((text, choices)) => (text, choices.split('.').map(number).collect::<Option<_>>()?),
            None => (text, Vec::new()),
        };
        let (letter, rest) = text.split_at_checked(1)?;
        let pair = || {
            let (first, second) = rest.split_once('.').unwrap_or((rest, "0"));
            Some((number(first)?, number(second)? as usize))
        };
        let what = match letter {
            "s" => What::Start(number(rest)?),
            "a" => pair().map(|(node, index)| What::Command(node, index))?,
            "t" => pair().map(|(node, index)| What::Timer(node, index))?,
            "k" => What::Tick(number(rest)?),
            "d" => What::Deliver(number(rest)?),
            "x" => What::Lose(number(rest)?),
            "u" => What::Duplicate(number(rest)?),
            "c" => What::Crash(number(rest)?),
            "r" => What::Restart(number(rest)?),
            "o" => What::Oldest(number(rest)?),
            "w" => What::AsBefore(number(rest)?),
            "m" => {
                let (seed, count) = rest.split_once('.')?;
                What::Random(seed.parse().ok()?, number(count)?)
            }
            _ => return None,
        };
        Some(Self { what, choices })
    }

    /// The move that is this action in a system at this moment; `None` if links have no word for
    /// it.
    pub fn of(action: &Action<Erased>, stage: &dyn AnyStage) -> Option<What> {
        let place = |node: NodeId, is_alike: &dyn Fn(&Action<Erased>) -> bool| {
            let enabled = stage.enabled();
            let mut alike = enabled.iter().filter(|it| is_alike(it));
            alike.position(|it| it == action).map(|index| (node.0, index))
        };
        Some(match action {
            Action::Start(node) => What::Start(node.0),
            Action::Command { node, .. } => {
                let (node, index) = place(*node, &|it| is_command_of(it, *node))?;
                What::Command(node, index)
            }
            Action::Timer { node, .. } => {
                let (node, index) = place(*node, &|it| is_timer_of(it, *node))?;
                What::Timer(node, index)
            }
            Action::Tick(node) => What::Tick(node.0),
            Action::Deliver(number) | Action::Return(number) => What::Deliver(*number),
            Action::Lose(number) => What::Lose(*number),
            Action::Duplicate(number) => What::Duplicate(*number),
            Action::Crash(node) => What::Crash(node.0),
            Action::Restart(node) => What::Restart(node.0),
            Action::DeliverForged { .. }
            | Action::Forge { .. }
            | Action::Damage { .. }
            | Action::Spoil { .. } => {
                return None;
            }
        })
    }

    /// The action that this move is now.
    ///
    /// # Errors
    ///
    /// If it cannot happen now, or is several: those of a [pilot](crate::pilot).
    pub fn action(&self, stage: &dyn AnyStage) -> Result<Action<Erased>, String> {
        let nth = |index: usize, what: &str, is_alike: &dyn Fn(&Action<Erased>) -> bool| {
            let enabled = stage.enabled();
            let found = enabled.into_iter().filter(|it| is_alike(it)).nth(index);
            found.ok_or_else(|| format!("{what} now"))
        };
        Ok(match self.what {
            What::Start(node) => Action::Start(NodeId(node)),
            What::Command(node, index) => {
                let what = format!("the application of node {node} cannot give such a command");
                nth(index, &what, &|it| is_command_of(it, NodeId(node)))?
            }
            What::Timer(node, index) => {
                let what = format!("no such timer of node {node} can run out");
                nth(index, &what, &|it| is_timer_of(it, NodeId(node)))?
            }
            What::Tick(node) => Action::Tick(NodeId(node)),
            What::Deliver(number) => {
                let back = Action::Return(number);
                match stage.enabled().contains(&back) {
                    true => back,
                    false => Action::Deliver(number),
                }
            }
            What::Lose(number) => Action::Lose(number),
            What::Duplicate(number) => Action::Duplicate(number),
            What::Crash(node) => Action::Crash(NodeId(node)),
            What::Restart(node) => Action::Restart(NodeId(node)),
            What::Oldest(_) | What::AsBefore(_) | What::Random(..) => {
                return Err("these are several moves".to_owned());
            }
        })
    }
}

/// The choices that a node has made in this line of a trace.
pub fn choices(line: &Line<Erased>) -> Vec<u32> {
    match line {
        Line::Step(step) => choices_in(&step.effects).map(|(_, value)| value).collect(),
        Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => Vec::new(),
    }
}

/// Whether a line of a trace is a start at which a node does nothing: nobody wants to see it.
pub fn is_idle_start(line: &Line<Erased>) -> bool {
    let Line::Step(step) = line else { return false };
    matches!(step.input, Input::Start) && step.effects.is_empty()
}

fn is_command_of(action: &Action<Erased>, of: NodeId) -> bool {
    matches!(action, Action::Command { node, .. } if *node == of)
}

fn is_timer_of(action: &Action<Erased>, of: NodeId) -> bool {
    matches!(action, Action::Timer { node, .. } if *node == of)
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

fn unreadable(part: &str) -> String {
    format!(
        "'{part}' is not a move: write d12 (message 12 arrives), x12 (is lost), u12 (is \
         duplicated), a3 (the application of node 3 acts), t3 (its timer runs out), k3 (it acts by \
         itself), c3, r3 (it crashes, restarts), o20 (20 steps, the oldest first), w20 (20 steps, \
         as before) or m7.20 (20 random ones, seed 7)"
    )
}

impl Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        let choices: Vec<_> = self.choices.iter().map(u32::to_string).collect();
        if choices.is_empty() { Ok(()) } else { write!(f, "~{}", choices.join(".")) }
    }
}

impl Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(node) => write!(f, "s{node}"),
            Self::Command(node, 0) => write!(f, "a{node}"),
            Self::Command(node, index) => write!(f, "a{node}.{index}"),
            Self::Timer(node, 0) => write!(f, "t{node}"),
            Self::Timer(node, index) => write!(f, "t{node}.{index}"),
            Self::Tick(node) => write!(f, "k{node}"),
            Self::Deliver(number) => write!(f, "d{number}"),
            Self::Lose(number) => write!(f, "x{number}"),
            Self::Duplicate(number) => write!(f, "u{number}"),
            Self::Crash(node) => write!(f, "c{node}"),
            Self::Restart(node) => write!(f, "r{node}"),
            Self::Oldest(count) => write!(f, "o{count}"),
            Self::AsBefore(count) => write!(f, "w{count}"),
            Self::Random(seed, count) => write!(f, "m{seed}.{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_written_as_it_is_read() {
        let text = "s0,a3,a3.1,t2,t2.1,k4,d12,x14,u5,c3,r3,o20,w5,m7.20,d3~1.0";
        let moves = Move::list(text).unwrap();
        let written: Vec<_> = moves.iter().map(Move::to_string).collect();
        assert_eq!(written.join(","), text);
        assert_eq!(moves[2], Move::new(What::Command(3, 1)));
        assert_eq!(moves[14].choices, [1, 0]);
        assert_eq!(Move::list("").unwrap(), []);
    }

    #[test]
    fn what_is_not_a_move_is_named() {
        for text in ["d", "z3", "dx", "d1,,q", "m7", "a1.x", "é", "d99999999999", "d1~x"] {
            let error = Move::list(text).unwrap_err();
            assert!(error.contains("is not a move: write d12"), "{error}");
        }
    }
}

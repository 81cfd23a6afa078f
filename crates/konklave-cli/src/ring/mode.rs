//! The two election algorithms of the ring.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::chang_roberts::{self, ChangRoberts, Wake};
use konklave::election::chang_roberts_numbered::{self, ChangRobertsNumbered};
use konklave_ring::{Kind, Setup, Vote};

/// The election algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Chang and Roberts. A crash can stop its elections, or make one last for ever.
    Plain,
    /// Chang and Roberts with numbered rounds, which tolerate crashes.
    #[default]
    Numbered,
}

const NAMES: [(Mode, &str); 2] =
    [(Mode::Plain, "chang-roberts"), (Mode::Numbered, "chang-roberts-numbered")];

impl Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES[*self as usize].1)
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(_, name)| *name == text).map(|(mode, _)| *mode);
        found.ok_or_else(|| "write chang-roberts or chang-roberts-numbered".to_owned())
    }
}

/// The operations that both algorithms provide.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) ids: Vec<Id>,
    pub(super) pause: Duration,
    pub(super) ack_timeout: Duration,
    pub(super) seed: u64,
}

pub(super) fn plain(parts: Parts) -> Setup<ChangRoberts> {
    let Parts { ids, pause, ack_timeout, seed } = parts;
    let (size, of) = (ids.len() as u32, ids.clone());
    let make = move |me: NodeId| {
        let next = NodeId((me.0 + 1) % size);
        ChangRoberts::new(of[me.index()], next, Wake::Suppress).ready_again()
    };
    let read = |msg: &chang_roberts::Msg| match *msg {
        chang_roberts::Msg::Propose(candidate) => {
            Vote { message: Kind::Proposal, round: None, candidate }
        }
        chang_roberts::Msg::Elected(candidate) => {
            Vote { message: Kind::Elected, round: None, candidate }
        }
    };
    Setup { ids, make: Box::new(make), read, pause, ack_timeout, seed }
}

/// A round is abandoned after `patience`.
pub(super) fn numbered(parts: Parts, patience: Duration) -> Setup<ChangRobertsNumbered> {
    let Parts { ids, pause, ack_timeout, seed } = parts;
    let (size, of) = (ids.len() as u32, ids.clone());
    let make = move |me: NodeId| {
        let successors = (1..size).map(|step| NodeId((me.0 + step) % size)).collect();
        ChangRobertsNumbered::new(of[me.index()], me, successors, patience)
    };
    let read = |msg: &chang_roberts_numbered::Msg| match *msg {
        chang_roberts_numbered::Msg::Propose(round, candidate) => {
            Vote { message: Kind::Proposal, round: Some(round), candidate }
        }
        chang_roberts_numbered::Msg::Elected(round, candidate) => {
            Vote { message: Kind::Elected, round: Some(round), candidate }
        }
    };
    Setup { ids, make: Box::new(make), read, pause, ack_timeout, seed }
}

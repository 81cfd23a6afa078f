//! Repeated elections, by any algorithm that holds one.
//!
//! # Idea
//!
//! Elections are numbered, and every message carries the number of its election. A start at a node
//! that knows the last result begins the next election with a fresh instance of the algorithm; a
//! node that receives a higher number for the first time does the same, and discards the lower one.
//! A leader steps down when it learns of the next election. The next winner is decided only after
//! every node has taken part, so the old leader has left office before.
//!
//! # Cost
//!
//! Messages: those of the algorithm, each a number larger.
//!
//! # Assumes
//!
//! What the algorithm assumes, and that a decision depends on every node. Channels may reorder
//! messages of different elections.

use std::fmt::{self, Debug};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Command, Event};
use crate::protocol::{Env, Input, Protocol};
use crate::{NodeId, NodeSet};

/// Something that belongs to one of the elections.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Numbered<T> {
    election: u32,
    of: T,
}

impl<T> Numbered<T> {
    /// Which one it belongs to.
    pub fn election(&self) -> u32 {
        self.election
    }
}

impl<T: Debug> Debug for Numbered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of.fmt(f)?;
        match self.election {
            0 => Ok(()), // Most systems only hold one.
            later => write!(f, " #{later}"),
        }
    }
}

/// A node of algorithm `P`, ready for any number of elections.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Repeated<P> {
    /// The node as it begins every election.
    fresh: P,
    election: u32,
    current: P,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The result is not known here.
    Undecided,
    /// It is, and it is not us.
    Decided,
    /// We are the leader.
    Leader,
}

impl<P: Clone> Repeated<P> {
    /// The node that is `fresh` at the beginning of every election.
    pub fn new(fresh: P) -> Self {
        Self::since(0, fresh)
    }

    /// The same, but the first election has this number.
    pub fn since(election: u32, fresh: P) -> Self {
        Self { current: fresh.clone(), fresh, election, state: State::Undecided }
    }
}

impl<P> Protocol for Repeated<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    type Msg = Numbered<P::Msg>;
    type Timer = P::Timer;
    type Command = Command;
    type Event = Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.run(Input::Start, env);
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state != State::Undecided {
            self.join(self.election.saturating_add(1), env);
        }
        self.run(Input::Command(command), env);
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        if msg.election > self.election {
            self.join(msg.election, env);
        }
        if msg.election == self.election {
            self.run(Input::Message { from, msg: msg.of }, env);
        } // Else it is from an election that is over.
    }

    /// Algorithms that survive no crashes set no timers, so this one is of the current election.
    fn on_timer(&mut self, timer: P::Timer, env: &mut impl Env<Self>) {
        self.run(Input::Timer(timer), env);
    }

    fn waits_for(&self) -> NodeSet {
        self.current.waits_for()
    }
}

impl<P> Repeated<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    fn join(&mut self, election: u32, env: &mut impl Env<Self>) {
        if self.state == State::Leader {
            env.emit(Event::SteppedDown);
        }
        (self.election, self.state) = (election, State::Undecided);
        self.current = self.fresh.clone();
        self.run(Input::Start, env);
    }

    fn run(&mut self, input: Input<P>, env: &mut impl Env<Self>) {
        let mut term = Term { env, election: self.election, state: &mut self.state };
        self.current.on(input, &mut term);
    }
}

/// The environment of the current election.
struct Term<'a, E> {
    env: &'a mut E,
    election: u32,
    state: &'a mut State,
}

impl<P, E> Env<P> for Term<'_, E>
where
    P: Protocol<Command = Command, Event = Event>,
    E: Env<Repeated<P>>,
{
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.env.send(to, Numbered { election: self.election, of: msg });
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.env.set_timer(timer, after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.env.cancel_timer(timer);
    }

    fn emit(&mut self, event: Event) {
        match event {
            Event::Elected => *self.state = State::Leader,
            Event::Knows(_) if *self.state == State::Undecided => *self.state = State::Decided,
            _ => {}
        }
        self.env.emit(event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.env.choose(bound)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Id;
    use super::super::chang_roberts::{ChangRoberts, Msg, Wake};
    use super::*;
    use crate::Recorder;

    type Node = Repeated<ChangRoberts>;

    /// A node alone on its ring, so that its own messages elect it.
    fn node() -> (Node, Recorder<Node>) {
        let fresh = ChangRoberts::new(Id(5), NodeId(0), Wake::All);
        (Repeated::new(fresh), Recorder::default())
    }

    fn receive(node: &mut Node, election: u32, of: Msg, env: &mut Recorder<Node>) -> Vec<String> {
        node.on_message(NodeId(0), Numbered { election, of }, env);
        env.lines()
    }

    #[test]
    fn a_start_while_undecided_is_the_same_election() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 0 Propose(5)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn a_start_after_the_result_begins_the_next_election() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        env.lines();
        let elected = ["! Elected", "! Knows(5)", "-> 0 Elected(5)"];
        assert_eq!(receive(&mut node, 0, Msg::Propose(Id(5)), &mut env), elected);
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! SteppedDown", "! Started", "-> 0 Propose(5) #1"]);
    }

    #[test]
    fn a_message_of_the_next_election_ends_this_one_and_older_ones_are_ignored() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        env.lines();
        let next = receive(&mut node, 1, Msg::Propose(Id(9)), &mut env);
        assert_eq!(next, ["-> 0 Propose(5) #1", "-> 0 Propose(9) #1"]);
        assert!(receive(&mut node, 0, Msg::Propose(Id(5)), &mut env).is_empty());
    }
}

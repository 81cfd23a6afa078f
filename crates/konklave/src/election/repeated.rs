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

use serde::{Deserialize, Serialize};

use super::{Command, Event};
use crate::protocol::{Env, Hosts, Invariant, Lifts, Protocol};
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
        self.run_in(self.election, env, |current, env| current.on_start(env));
    }

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state != State::Undecided {
            self.join(self.election.saturating_add(1), env);
        }
        self.run_in(self.election, env, |current, env| current.on_command(command, env));
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        let Numbered { election, of } = msg;
        if election > self.election {
            self.join(election, env);
        }
        self.run_in(election, env, |current, env| current.on_message(from, of, env));
    }

    /// Algorithms that survive no crashes set no timers, so this one is of the current election.
    fn on_timer(&mut self, timer: P::Timer, env: &mut impl Env<Self>) {
        self.run_in(self.election, env, |current, env| current.on_timer(timer, env));
    }

    fn waits_for(&self) -> NodeSet {
        self.current.waits_for()
    }

    /// The lemmas of P hold in every election. They are judged in the newest.
    fn invariants(&self) -> Vec<Invariant<Self>> {
        self.fresh.invariants().into_iter().map(Self::lift).collect()
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
        self.on_start(env);
    }
}

/// The slots are the numbers of elections.
impl<P> Hosts<P> for Repeated<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    type Slot = u32;

    /// There is none in an election that is over.
    fn part(&mut self, &election: &u32) -> Option<&mut P> {
        (election == self.election).then_some(&mut self.current)
    }

    fn wrap_msg(&election: &u32, msg: P::Msg) -> Numbered<P::Msg> {
        Numbered { election, of: msg }
    }

    fn wrap_timer(_election: &u32, timer: P::Timer) -> P::Timer {
        timer
    }

    fn wrap_event(_election: &u32, event: &Event) -> Option<Event> {
        Some(*event)
    }

    fn on_part(&mut self, _election: &u32, event: Event, _env: &mut impl Env<Self>) {
        match event {
            Event::Elected => self.state = State::Leader,
            Event::Knows(_) if self.state == State::Undecided => self.state = State::Decided,
            _ => {}
        }
    }
}

impl<P> Lifts<P> for Repeated<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    /// The newest: no node has left it yet.
    fn slots(nodes: &[&Self]) -> Vec<u32> {
        nodes.iter().map(|node| node.election).max().into_iter().collect()
    }

    /// Whoever has not heard of the newest election sleeps in it.
    fn seen(&self, &election: &u32) -> Option<&P> {
        Some(if election == self.election { &self.current } else { &self.fresh })
    }

    fn unwrap_msg(msg: &Numbered<P::Msg>) -> Option<(u32, &P::Msg)> {
        Some((msg.election, &msg.of))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Id;
    use super::super::chang_roberts::{ChangRoberts, Msg, Wake};
    use super::*;
    use crate::Recorder;
    use crate::protocol::{Broken, Never, Snapshot};

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
        let before = node.clone();
        let late = receive(&mut node, 0, Msg::Propose(Id(12)), &mut env);
        assert!(late.is_empty(), "in this election it would go on: {late:?}");
        assert_eq!(node, before);
    }

    /// Gives a chip to whoever starts.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Chip {
        is_here: bool,
    }

    impl Protocol for Chip {
        type Msg = ();
        type Timer = Never;
        type Command = Command;
        type Event = Event;

        fn on_command(&mut self, _command: Command, env: &mut impl Env<Self>) {
            self.is_here = true;
            env.emit(Event::Knows(Id(0)));
        }

        fn on_message(&mut self, _from: NodeId, (): (), _env: &mut impl Env<Self>) {
            self.is_here = true;
        }

        fn invariants(&self) -> Vec<Invariant<Self>> {
            vec![Invariant::new("one chip", |system: &Snapshot<'_, Self>| {
                let held = system.nodes.iter().filter(|node| node.is_here).count();
                match held + system.messages.len() {
                    0 | 1 => Ok(()),
                    chips => Err(format!("there are {chips} chips")),
                }
            })]
        }
    }

    #[test]
    fn lemmas_are_judged_in_the_newest_election_alone() {
        let judge = |nodes: &[&Repeated<Chip>], elections: &[u32]| {
            let number = |&election: &u32| Numbered { election, of: () };
            let messages: Vec<_> = elections.iter().map(number).collect();
            let messages: Vec<_> = messages.iter().map(|it| (NodeId(0), NodeId(1), it)).collect();
            let lemmas = nodes[0].invariants();
            assert_eq!(lemmas[0].name(), "one chip");
            lemmas[0].judge(&Snapshot { nodes, messages: &messages })
        };
        let mut env = Recorder::default();
        let asleep = Repeated::new(Chip { is_here: false });
        let mut first = asleep.clone();
        first.on_command(Command::Start, &mut env);
        assert_eq!(judge(&[&first, &asleep], &[]), Ok(()));
        let broken = Broken::promise("one chip", "there are 2 chips");
        assert_eq!(judge(&[&first, &asleep], &[0]), broken);
        assert_eq!(judge(&[&first, &first], &[]), broken);

        // A chip of its own in the next election.
        let mut second = first.clone();
        second.on_command(Command::Start, &mut env);
        assert_eq!(judge(&[&first, &second], &[0, 0]), Ok(()), "nobody has the other chips there");
        assert_eq!(judge(&[&first, &second], &[1]), broken);
        assert_eq!(judge(&[&second, &second], &[]), broken);
    }
}

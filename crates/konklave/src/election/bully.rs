//! The largest node that answers bullies the smaller ones into accepting it.
//!
//! H. Garcia-Molina: Elections in a distributed computing system. IEEE Transactions on Computers
//! C-31 (1), 1982.
//!
//! # Idea
//!
//! Everyone can talk to everyone and knows all ids. Who suspects the leader asks all larger nodes
//! whether they are up. If one is, the election is its business now, and it asks in turn; if none
//! answers in time, they are all down, and the asker leads and tells the smaller ones. Who promised
//! to take over may crash as well, so there is a limit for the result, too.
//!
//! # Cost
//!
//! Messages: n-1 to n^2-n-1 after the leader has crashed. The best case is that the next one in
//! line notices: a question to the dead leader, and n-2 announcements. The worst is that the
//! smallest notices: everyone asks all larger ones, n(n-1)/2 questions and (n-1)(n-2)/2 answers,
//! then n-2 announcements. Several callers at once can cost far more: a question that arrives after
//! a result calls the next election, and where delays are uneven these multiply, the faster the
//! more nodes there are.
//!
//! # Assumes
//!
//! A complete network in any order of messages, and no delay above a known bound D: an answer that
//! has not come after 2D will not come. Crashes are survived, as often as they happen, if somebody
//! notices, and not before the last words of the dead have arrived: a late announcement of a dead
//! leader would end the election of the next. A larger node that comes back takes over at once;
//! until its word arrives, the old leader is still in office beside it. If it comes back while
//! others elect without it, their late announcement can hide its own: some then follow a node that
//! has resigned, until the next election. A delay above the bound can have such effects, too; a
//! lost message costs another question, or hides a larger node; doubled ones are harmless.
//!
//! # Differs from the paper
//!
//! The paper first halts the smaller nodes and then distributes the new task, so that no two lead
//! at a time; here, as mostly taught, one announcement does both.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Protocol};
use crate::{NodeId, NodeSet};

/// What nodes send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To a larger node: are you up?
    Election,
    /// To a smaller node: yes, and the election is mine now.
    Ok,
    /// To a smaller node: I lead.
    Elected,
}

/// What a node waits for, and not longer than it can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// The answer of a larger node.
    Answer,
    /// The result, after an answer.
    Result,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bully {
    me: Id,
    /// The others, ascending.
    others: Vec<(Id, NodeId)>,
    /// D: no message takes longer.
    bound: Duration,
    leader: Option<Id>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Normal,
    /// We have asked the larger ones.
    Electing,
    /// One of them has answered.
    Waiting,
}

impl Bully {
    /// The node with id `me` among these `others`. No message takes longer than `bound`.
    pub fn new(me: Id, mut others: Vec<(Id, NodeId)>, bound: Duration) -> Self {
        others.sort_unstable();
        Self { me, others, bound, leader: None, state: State::Normal }
    }

    /// A question and its answer.
    fn answer_due(&self) -> Duration {
        self.bound * 2 + MOMENT
    }

    /// Our question reaches every larger node at about the same time; the largest that is up waits
    /// in vain for an answer, and its word travels.
    fn result_due(&self) -> Duration {
        self.answer_due() + self.bound * 2 + MOMENT
    }

    fn larger(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others.iter().filter(|(id, _)| *id > self.me).map(|&(_, node)| node)
    }

    fn smaller(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.others.iter().filter(|(id, _)| *id < self.me).map(|&(_, node)| node)
    }

    fn id_of(&self, node: NodeId) -> Option<Id> {
        self.others.iter().find(|(_, other)| *other == node).map(|&(id, _)| id)
    }
}

impl Protocol for Bully {
    type Msg = Msg;
    type Timer = Timer;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Start => self.elect_if_idle(env),
            Command::Lost(node) => {
                if self.leader.is_some() && self.leader == self.id_of(node) {
                    self.elect_if_idle(env);
                }
            }
            Command::Found(_) => {} // Who comes back calls an election itself, if it is larger.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Some(id) = self.id_of(from) else { return };
        match msg {
            Msg::Election if id < self.me => {
                env.send(from, Msg::Ok);
                self.elect_if_idle(env);
            }
            Msg::Election => {} // Only smaller ones have to ask.
            Msg::Ok => {
                if self.state == State::Electing {
                    env.cancel_timer(Timer::Answer);
                    self.state = State::Waiting;
                    env.set_timer(Timer::Result, self.result_due());
                }
            }
            Msg::Elected if id < self.me => self.elect_if_idle(env), // It has not seen us.
            Msg::Elected => self.accept(id, env),
        }
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        match (timer, self.state) {
            (Timer::Answer, State::Electing) => self.win(env),
            (Timer::Result, State::Waiting) => {
                self.state = State::Normal;
                self.elect_if_idle(env);
            }
            _ => {} // It was too late to cancel.
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.state {
            State::Normal => NodeSet::new(),
            State::Electing | State::Waiting => self.larger().collect(),
        }
    }
}

impl Bully {
    fn elect_if_idle(&mut self, env: &mut impl Env<Self>) {
        if self.state != State::Normal {
            return;
        }
        env.emit(Event::Started);
        if self.larger().next().is_none() {
            return self.win(env);
        }
        self.state = State::Electing;
        self.larger().for_each(|node| env.send(node, Msg::Election));
        env.set_timer(Timer::Answer, self.answer_due());
    }

    /// Nobody larger is up.
    fn win(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Normal;
        if self.leader.replace(self.me) != Some(self.me) {
            env.emit(Event::Elected);
        }
        env.emit(Event::Knows(self.me));
        self.smaller().for_each(|node| env.send(node, Msg::Elected));
    }

    fn accept(&mut self, leader: Id, env: &mut impl Env<Self>) {
        if self.leader == Some(self.me) {
            env.emit(Event::SteppedDown);
        }
        self.leader = Some(leader);
        self.state = State::Normal;
        env.cancel_timer(Timer::Answer);
        env.cancel_timer(Timer::Result);
        env.emit(Event::Knows(leader));
    }
}

/// What comes just in time still counts.
const MOMENT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node 1 with id 5, between 3 and 9.
    fn node() -> (Bully, Recorder<Bully>) {
        let others = vec![(Id(9), NodeId(2)), (Id(3), NodeId(0))];
        (Bully::new(Id(5), others, Duration::from_millis(10)), Recorder::default())
    }

    fn receive(node: &mut Bully, from: u32, msg: Msg, env: &mut Recorder<Bully>) -> Vec<String> {
        node.on_message(NodeId(from), msg, env);
        env.lines()
    }

    const ASK: [&str; 3] = ["! Started", "-> 2 Election", "set Answer 21ms"];

    #[test]
    fn asks_the_larger_and_leads_if_none_answers() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ASK);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "one question is enough");
        node.on_timer(Timer::Answer, &mut env);
        assert_eq!(env.lines(), ["! Elected", "! Knows(5)", "-> 0 Elected"]);
    }

    #[test]
    fn an_answer_hands_the_election_over_but_not_for_ever() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        env.lines();
        assert_eq!(receive(&mut node, 2, Msg::Ok, &mut env), ["cancel Answer", "set Result 42ms"]);
        assert!(receive(&mut node, 2, Msg::Ok, &mut env).is_empty(), "doubled");
        node.on_timer(Timer::Result, &mut env);
        assert_eq!(env.lines(), ASK);
    }

    #[test]
    fn a_question_is_answered_and_taken_over() {
        let (mut node, mut env) = node();
        let lines = receive(&mut node, 0, Msg::Election, &mut env);
        assert_eq!(lines, ["-> 0 Ok", "! Started", "-> 2 Election", "set Answer 21ms"]);
        assert_eq!(receive(&mut node, 0, Msg::Election, &mut env), ["-> 0 Ok"]);
        assert!(receive(&mut node, 2, Msg::Election, &mut env).is_empty(), "a larger one");
        assert!(receive(&mut node, 7, Msg::Election, &mut env).is_empty(), "a stranger");
    }

    #[test]
    fn a_larger_leader_is_accepted_and_a_smaller_one_is_not() {
        let (mut node, mut env) = node();
        let accept = ["cancel Answer", "cancel Result", "! Knows(9)"];
        assert_eq!(receive(&mut node, 2, Msg::Elected, &mut env), accept);
        assert_eq!(receive(&mut node, 0, Msg::Elected, &mut env), ASK);
    }

    #[test]
    fn only_the_loss_of_the_leader_matters() {
        let (mut node, mut env) = node();
        node.on_command(Command::Lost(NodeId(2)), &mut env);
        assert!(env.lines().is_empty(), "it does not lead");
        receive(&mut node, 2, Msg::Elected, &mut env);
        node.on_command(Command::Lost(NodeId(0)), &mut env);
        assert!(env.lines().is_empty());
        node.on_command(Command::Lost(NodeId(2)), &mut env);
        assert_eq!(env.lines(), ASK);
    }

    #[test]
    fn a_leader_makes_way_for_a_larger_one_that_is_back() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        node.on_timer(Timer::Answer, &mut env);
        env.lines();
        let lines = receive(&mut node, 2, Msg::Elected, &mut env);
        assert_eq!(lines, ["! SteppedDown", "cancel Answer", "cancel Result", "! Knows(9)"]);
    }

    #[test]
    fn a_leader_that_is_asked_says_so_again() {
        let others = vec![(Id(3), NodeId(0))];
        let mut node = Bully::new(Id(5), others, Duration::from_millis(10));
        let mut env = Recorder::default();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)", "-> 0 Elected"]);
        let again = ["-> 0 Ok", "! Started", "! Knows(5)", "-> 0 Elected"];
        assert_eq!(receive(&mut node, 0, Msg::Election, &mut env), again);
    }
}

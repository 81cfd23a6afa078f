//! The largest node that is up takes the leadership over from all smaller ones.
//!
//! H. Garcia-Molina: Elections in a distributed computing system. IEEE Transactions on Computers
//! C-31 (1), 1982.
//!
//! # Idea
//!
//! The network is complete, and every node knows all ids. A node that suspects the leader asks all
//! larger nodes whether they are up. A larger node that is up answers, takes the election over, and
//! asks in turn; if no answer arrives in time, all larger nodes are down, and the asker leads and
//! announces itself to the smaller ones. A node that has taken over may crash as well, so the asker
//! also limits the time until the result.
//!
//! # Cost
//!
//! Messages: n-1 to n^2-n-1 after the leader has crashed. In the best case the second largest node
//! notices: one question to the crashed leader, and n-2 announcements. In the worst case the
//! smallest node notices: every node asks all larger ones, n(n-1)/2 questions and (n-1)(n-2)/2
//! answers, then n-2 announcements. Several concurrent initiators can cost far more: a question
//! that arrives after a result starts the next election, and with uneven delays these multiply, the
//! faster the more nodes there are. Messages are empty.
//!
//! - State: the ids and addresses of all nodes.
//!
//! # Assumes
//!
//! A complete network whose channels may reorder messages, with a known bound D on message delays:
//! an answer that has not arrived after 2D will not arrive. A delay above the bound makes a node
//! that is up look crashed, and two nodes can lead.
//!
//! A crash must not be noticed before the last messages of the crashed leader have arrived: its
//! late announcement would end the next election. A larger node that restarts takes over at once;
//! until its announcement arrives, the old leader is in office, too. If it restarts while others
//! elect without it, their late announcement can hide its own, and some nodes then follow a node
//! that has stepped down, until the next election.
//!
//! - Loss: a lost question or answer hides a larger node that is up, so that a smaller one leads;
//!   after a lost announcement, nodes disagree about the leader or never learn it.
//! - Duplication: a duplicate is harmless: a question is answered again, and the second answer is
//!   ignored.
//! - Crash: any number of crashes is tolerated, if some node notices the crash of the leader.
//!
//! # Differs from the paper
//!
//! The paper first halts the smaller nodes and then distributes the new task, so that two nodes
//! never lead at a time; here, as usually taught, one announcement does both.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::protocol::{Env, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// To a larger node: asks whether it is up.
    Election,
    /// To a smaller node: the sender is up and takes the election over.
    Ok,
    /// To a smaller node: announces that the sender leads.
    Elected,
}

/// The limits on the two waits of an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer {
    /// No larger node has answered in time.
    Answer,
    /// A larger node has answered, but announced no result in time.
    Result,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bully {
    me: Id,
    /// The other nodes, in ascending order of ids.
    others: Vec<(Id, NodeId)>,
    /// D, the bound on message delays.
    bound: Duration,
    leader: Option<Id>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Normal,
    /// The larger nodes were asked; none has answered yet.
    Electing,
    /// A larger node has answered and takes over.
    Waiting,
}

impl Bully {
    /// The node with id `me` among these `others`; `bound` is the bound on message delays.
    pub fn new(me: Id, mut others: Vec<(Id, NodeId)>, bound: Duration) -> Self {
        others.sort_unstable();
        Self { me, others, bound, leader: None, state: State::Normal }
    }

    /// The time for a question and its answer.
    fn answer_due(&self) -> Duration {
        self.bound * 2 + MOMENT
    }

    /// The time until the result: our question reaches the largest node that is up within D, it
    /// waits for answers in vain, and its announcement takes another D.
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
            Command::Found(_) => {} // A restarted node starts an election itself.
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Some(id) = self.id_of(from) else { return };
        match msg {
            Msg::Election if id < self.me => {
                env.send(from, Msg::Ok);
                self.elect_if_idle(env);
            }
            Msg::Election => {} // Only smaller nodes ask.
            Msg::Ok => {
                if self.state == State::Electing {
                    env.cancel_timer(Timer::Answer);
                    self.state = State::Waiting;
                    env.set_timer(Timer::Result, self.result_due());
                }
            }
            Msg::Elected if id < self.me => self.elect_if_idle(env), // We are larger.
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
            _ => {} // It fired before it was cancelled.
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

    /// No larger node is up: this node leads.
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

/// Added to timeouts, so that a message with delay D arrives before the timer fires.
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
        assert!(receive(&mut node, 2, Msg::Ok, &mut env).is_empty(), "a duplicate");
        node.on_timer(Timer::Result, &mut env);
        assert_eq!(env.lines(), ASK);
    }

    #[test]
    fn a_question_is_answered_and_taken_over() {
        let (mut node, mut env) = node();
        let lines = receive(&mut node, 0, Msg::Election, &mut env);
        assert_eq!(lines, ["-> 0 Ok", "! Started", "-> 2 Election", "set Answer 21ms"]);
        assert_eq!(receive(&mut node, 0, Msg::Election, &mut env), ["-> 0 Ok"]);
        assert!(receive(&mut node, 2, Msg::Election, &mut env).is_empty(), "from a larger node");
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
    fn a_leader_steps_down_for_a_larger_node_that_restarts() {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        node.on_timer(Timer::Answer, &mut env);
        env.lines();
        let lines = receive(&mut node, 2, Msg::Elected, &mut env);
        assert_eq!(lines, ["! SteppedDown", "cancel Answer", "cancel Result", "! Knows(9)"]);
    }

    #[test]
    fn a_leader_that_is_asked_announces_itself_again() {
        let others = vec![(Id(3), NodeId(0))];
        let mut node = Bully::new(Id(5), others, Duration::from_millis(10));
        let mut env = Recorder::default();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "! Elected", "! Knows(5)", "-> 0 Elected"]);
        let again = ["-> 0 Ok", "! Started", "! Knows(5)", "-> 0 Elected"];
        assert_eq!(receive(&mut node, 0, Msg::Election, &mut env), again);
    }
}

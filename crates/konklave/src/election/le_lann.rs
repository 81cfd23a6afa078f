//! Every initiator sends a token once round the ring; the largest token that has passed it wins.
//!
//! G. Le Lann: Distributed systems: towards a formal approach. IFIP Congress, 1977.
//!
//! # Idea
//!
//! An initiator sends a token with its id, and all nodes pass tokens on. It remembers the largest
//! id that comes by. Channels keep the order, and an initiator sends its own token before it passes
//! on another: so every other token runs ahead of the own one over the last part of the way, and
//! when the own token is home, all the others have been seen. The largest initiator then announces
//! itself, for those who only relayed.
//!
//! # Cost
//!
//! Messages: k n for k initiators, and n to announce. The schedule does not matter. Time: at most
//! 2n-1 to elect, n to announce. State: two ids. Message: one id.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids, and reliable channels that keep the order: a token
//! that overtakes another on its way home makes its owner believe that there is no other. The nodes
//! need not know how many they are. The largest id among the initiators wins.
//!
//! If the token of the largest initiator is lost, those whom it has not reached yet take another
//! for the largest: there may be a wrong leader, and nodes that disagree. Doubled messages are
//! harmless. No crashes: a node that is down stops every token.
//!
//! # Differs from the paper
//!
//! The winner announces itself, and a token that comes home twice is not passed on again.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// What a node sends to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The node with this id is an initiator.
    Token(Id),
    /// The node with this id leads.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 8);

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeLann {
    me: Id,
    next: NodeId,
    state: State,
}

const _: () = assert!(size_of::<LeLann>() <= 16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Our token is on its way.
    Candidate {
        /// The largest id so far, our own one included.
        best: Id,
    },
    /// We woke up too late to be an initiator.
    Relay,
    /// We know who leads. The tokens of others may still be on their way.
    Decided,
}

impl LeLann {
    /// The node with id `me`, before the node `next` on the ring.
    pub fn new(me: Id, next: NodeId) -> Self {
        Self { me, next, state: State::Asleep }
    }
}

impl Protocol for LeLann {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.state = State::Candidate { best: self.me };
            env.send(self.next, Msg::Token(self.me));
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::Token(id) if id == self.me => self.decide_if_candidate(env),
            Msg::Token(id) => {
                self.state = match self.state {
                    State::Asleep => State::Relay,
                    State::Candidate { best } => State::Candidate { best: best.max(id) },
                    other => other,
                };
                env.send(self.next, Msg::Token(id));
            }
            Msg::Elected(id) if id == self.me => {} // The announcement is back.
            Msg::Elected(id) => {
                self.learn(id, env);
                env.send(self.next, Msg::Elected(id));
            }
        }
    }
}

impl LeLann {
    /// Our token is home; if we are no candidate any more, it was doubled.
    fn decide_if_candidate(&mut self, env: &mut impl Env<Self>) {
        let State::Candidate { best } = self.state else { return };
        if best == self.me {
            env.emit(Event::Elected);
            env.send(self.next, Msg::Elected(self.me));
        }
        self.learn(best, env);
    }

    /// Initiators know before they are told.
    fn learn(&mut self, leader: Id, env: &mut impl Env<Self>) {
        if self.state != State::Decided {
            self.state = State::Decided;
            env.emit(Event::Knows(leader));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node() -> (LeLann, Recorder<LeLann>) {
        (LeLann::new(Id(5), NodeId(1)), Recorder::default())
    }

    /// A node that has started.
    fn candidate() -> LeLann {
        let (mut node, mut env) = node();
        node.on_command(Command::Start, &mut env);
        assert_eq!(env.lines(), ["! Started", "-> 1 Token(5)"]);
        node
    }

    fn receive(node: &mut LeLann, msg: Msg) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), msg, &mut env);
        env.lines()
    }

    #[test]
    fn every_token_passes_a_smaller_one_too() {
        let mut node = candidate();
        assert_eq!(receive(&mut node, Msg::Token(Id(3))), ["-> 1 Token(3)"]);
        assert_eq!(receive(&mut node, Msg::Token(Id(9))), ["-> 1 Token(9)"]);
    }

    #[test]
    fn the_largest_initiator_is_elected_and_announces_itself() {
        let mut node = candidate();
        receive(&mut node, Msg::Token(Id(3)));
        let elected = ["! Elected", "-> 1 Elected(5)", "! Knows(5)"];
        assert_eq!(receive(&mut node, Msg::Token(Id(5))), elected);
        assert!(receive(&mut node, Msg::Token(Id(5))).is_empty(), "doubled");
        assert!(receive(&mut node, Msg::Elected(Id(5))).is_empty(), "it is back");
    }

    #[test]
    fn a_smaller_initiator_knows_when_its_token_is_home_and_passes_everything_on() {
        let mut node = candidate();
        receive(&mut node, Msg::Token(Id(9)));
        receive(&mut node, Msg::Token(Id(7)));
        assert_eq!(receive(&mut node, Msg::Token(Id(5))), ["! Knows(9)"]);
        assert_eq!(receive(&mut node, Msg::Token(Id(7))), ["-> 1 Token(7)"]);
        assert_eq!(receive(&mut node, Msg::Elected(Id(9))), ["-> 1 Elected(9)"]);
    }

    #[test]
    fn who_wakes_up_late_relays_and_is_told() {
        let (mut node, mut env) = node();
        assert_eq!(receive(&mut node, Msg::Token(Id(3))), ["-> 1 Token(3)"]);
        node.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
        assert_eq!(receive(&mut node, Msg::Elected(Id(3))), ["! Knows(3)", "-> 1 Elected(3)"]);
    }

    #[test]
    fn a_candidate_whose_token_is_lost_hears_the_announcement() {
        let mut node = candidate();
        let heard = ["! Knows(9)", "-> 1 Elected(9)"];
        assert_eq!(receive(&mut node, Msg::Elected(Id(9))), heard);
    }
}

//! Every initiator sends a token once round the ring; the largest id that passes an initiator wins.
//!
//! G. Le Lann: Distributed systems: towards a formal approach. IFIP Congress, 1977.
//!
//! # Idea
//!
//! An initiator sends a token with its id, and all nodes forward tokens. An initiator remembers the
//! largest id that passes. Channels are FIFO, and an initiator sends its own token before it
//! forwards another one: so on the last part of the way every other token runs ahead of the
//! initiator's own, and when its own token returns, the initiator has seen all others. The largest
//! initiator then announces itself to the nodes that only relayed.
//!
//! # Cost
//!
//! Messages: k n for k initiators, and n to announce. The count does not depend on the schedule. A
//! message carries one id.
//!
//! - Time: at most 2n-1 to elect, n to announce.
//! - State: two ids.
//!
//! # Assumes
//!
//! A directed ring of nodes with unique ids and reliable FIFO channels, and no crashes. The nodes
//! need not know n. The largest id among the initiators wins.
//!
//! - Loss: if the token of the largest initiator is lost, the nodes that it has not reached take
//!   another id for the largest: a wrong node can lead, and nodes can disagree. After the loss of a
//!   smaller token its owner learns the result from the announcement.
//! - Duplication: a duplicate is harmless: a token that returns a second time is not forwarded
//!   again.
//! - Crash: a crashed node stops every token, so no node is elected.
//! - Order: a token that overtakes a larger one on its way back makes its owner believe that there
//!   is no larger initiator, and elects a wrong node.
//!
//! # Differs from the paper
//!
//! The winner announces itself, and a token that returns a second time is not forwarded again.

use serde::{Deserialize, Serialize};

use super::{Command, Event, Id};
use crate::NodeId;
use crate::protocol::{Env, Never, Protocol};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The token of the initiator with this id.
    Token(Id),
    /// Announces the winner: the node with this id leads.
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
    /// An initiator whose token has not returned yet.
    Candidate {
        /// The largest id seen so far, including our own.
        best: Id,
    },
    /// Reached by a token before it could start: not an initiator.
    Relay,
    /// The leader is known here. Tokens of others may still be in transit.
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
    /// Our token has returned; a node that is no longer a candidate ignores the duplicate.
    fn decide_if_candidate(&mut self, env: &mut impl Env<Self>) {
        let State::Candidate { best } = self.state else { return };
        if best == self.me {
            env.emit(Event::Elected);
            env.send(self.next, Msg::Elected(self.me));
        }
        self.learn(best, env);
    }

    /// An initiator knows the leader before the announcement arrives.
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
        assert!(receive(&mut node, Msg::Token(Id(5))).is_empty(), "a duplicate");
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
    fn a_node_that_wakes_up_late_relays_and_is_told() {
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

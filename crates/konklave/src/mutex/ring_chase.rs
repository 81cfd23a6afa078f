//! The token rests on a ring; a hunt runs ahead to find it, and the token arrives from behind.
//!
//! Folklore, after G. Le Lann: Distributed systems: towards a formal approach. IFIP Congress, 1977.
//!
//! # Idea
//!
//! Messages travel in one direction only. A node that wants the token sends a hunt, which runs to
//! the node that has it; the token then continues in the same direction and reaches the hunter from
//! behind. A node that has forwarded a hunt does not forward another that reaches no farther.
//!
//! The variant `hop` numbers the token's hops. As the token moves in one direction only, the number
//! determines its position, and a node that had it at hop h needs it at hop h + n. So a hunt is a
//! number, and a larger number reaches farther. The token carries the largest known number, and
//! stops there.
//!
//! The variant `circle` does without numbers. Every hunt but the first since the token's last visit
//! is suppressed, and the hunted token makes a full circle back to the node where the hunt found
//! it: on the way it serves the nodes whose hunts were suppressed. If the token stopped at the
//! first hunter instead, a node behind it that had forwarded that hunt, and so suppressed its own,
//! would starve.
//!
//! # Cost
//!
//! Messages: n per entry under light load, 2 under heavy load. Under light load a hunt runs d hops
//! and the token the other n-d; on FIFO channels an entry never takes more than n messages. In the
//! variant `circle` the token runs n hops: d + n messages. A message carries at most two numbers.
//!
//! - Time: coordination delay T under heavy load, waiting time nT on an idle system.
//! - State: two numbers.
//! - Fairness: each node overtakes a waiting one at most once: the
//!   token may reach it first.
//!
//! # Assumes
//!
//! A ring with reliable channels, and no crashes. The variant `circle` needs FIFO channels.
//!
//! - Loss: a lost token blocks all nodes; a lost hunt blocks its sender, and the nodes behind it
//!   whose hunts it suppresses, until another hunt brings the token past them. Safety holds.
//! - Duplication: a duplicate hunt costs one circle of the token at most. The variant `hop`
//!   recognises a duplicate token by its hop number; in the variant `circle` it lets two nodes in.
//! - Crash: a crashed node stops hunts, and loses the token when it arrives there, which blocks all
//!   nodes.
//! - Order: with hop numbers, a node remembers a hunt that overtakes the token. Without them, a
//!   hunt that overtakes the token runs round the ring and ends at its origin while the token stops
//!   elsewhere, so its sender starves.
//!
//! # Differs from the paper
//!
//! This variant has no paper of its own. A token whose hop number is not new is ignored.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages from each node to its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A hunt: the token is needed at this hop (`hop`).
    Hunt(u64),
    /// The token, at this hop (`hop`).
    Token {
        /// The number of this hop.
        hop: u64,
        /// The largest hop of any hunt that the token has met.
        goal: u64,
    },
    /// A hunt without a number (`circle`).
    Call,
    /// The token, on a full circle that ends at this node (`circle`).
    Circle(NodeId),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// How a hunt tells the token where to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Hops are numbered, and a hunt is the number of a hop.
    Hop,
    /// A hunted token makes a full circle; needs FIFO channels.
    Circle,
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RingChase {
    me: NodeId,
    previous: NodeId,
    next: NodeId,
    nodes: u32,
    state: State,
    chase: Chase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// Idle, without the token.
    Idle,
    /// The application wants to enter; the token is elsewhere.
    Waiting,
    /// Idle, with the token.
    Resting,
    /// Inside, with the token.
    Inside,
}

/// What a node knows of the token and of hunts, by variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Chase {
    Hop {
        /// The hop of the token's latest visit: the node's place on the ring, modulo n.
        last: u64,
        /// The largest hop of any hunt known here. At most `last` while resting.
        goal: u64,
    },
    /// No hunt has passed since the token's last visit.
    Quiet,
    /// A hunt was forwarded since the token's last visit: later ones are suppressed.
    Hunted,
    /// The token is here, on a full circle that ends at this node.
    Until(NodeId),
}

const _: () = assert!(size_of::<RingChase>() <= 64);

impl RingChase {
    /// Node `me` of a ring of `nodes` nodes, between `previous` and `next`, `position` steps behind
    /// the one with the token.
    pub fn new(
        me: NodeId,
        (previous, next): (NodeId, NodeId),
        position: u32,
        nodes: u32,
        variant: Variant,
    ) -> Self {
        let state = if position == 0 { State::Resting } else { State::Idle };
        let last = if position == 0 { nodes } else { position };
        let chase = match variant {
            Variant::Hop => Chase::Hop { last: last.into(), goal: 0 },
            Variant::Circle => Chase::Quiet,
        };
        Self { me, previous, next, nodes, state, chase }
    }
}

impl Protocol for RingChase {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match (command, self.state) {
            (Command::Acquire, State::Resting) => self.enter(env),
            (Command::Acquire, State::Idle) => {
                self.state = State::Waiting;
                match self.chase {
                    Chase::Hop { last, .. } => {
                        self.hunt_if_farther(last.saturating_add(self.nodes.into()), env);
                    }
                    _ => self.call_if_quiet(env),
                }
            }
            (Command::Release, State::Inside) => {
                self.state = State::Resting;
                self.go_if_wanted(env);
            }
            _ => {} // Out of turn.
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match (msg, self.chase) {
            (Msg::Hunt(wanted), Chase::Hop { .. }) => self.hunt_if_farther(wanted, env),
            (Msg::Token { hop, goal: theirs }, Chase::Hop { last, goal }) => {
                if hop <= last {
                    return; // A duplicate.
                }
                self.chase = Chase::Hop { last: hop, goal: goal.max(theirs) };
                self.on_token(env);
            }
            (Msg::Hunt(_) | Msg::Token { .. }, _) | (_, Chase::Hop { .. }) => {} // Foreign.
            (Msg::Call, _) if self.has_token() => {
                self.chase = Chase::Until(self.me);
                self.go_if_wanted(env);
            }
            (Msg::Call, _) => self.call_if_quiet(env),
            (Msg::Circle(stop), _) => {
                self.chase = if stop == self.me { Chase::Quiet } else { Chase::Until(stop) };
                self.on_token(env);
            }
        }
    }

    fn waits_for(&self) -> NodeSet {
        (self.state == State::Waiting).then_some(self.previous).into_iter().collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        vec![one_token!(Msg::Token { .. } | Msg::Circle(_))]
    }
}

impl RingChase {
    /// Whether the token is here.
    pub fn has_token(&self) -> bool {
        matches!(self.state, State::Resting | State::Inside)
    }

    fn enter(&mut self, env: &mut impl Env<Self>) {
        self.state = State::Inside;
        env.emit(Event::Granted);
    }

    fn on_token(&mut self, env: &mut impl Env<Self>) {
        match self.state {
            State::Waiting => self.enter(env),
            State::Idle => self.state = State::Resting,
            State::Resting | State::Inside => {} // A duplicate: the tokens merge.
        }
        self.go_if_wanted(env);
    }

    fn hunt_if_farther(&mut self, wanted: u64, env: &mut impl Env<Self>) {
        let has_token = self.has_token();
        let Chase::Hop { last, goal } = &mut self.chase else { return };
        if wanted <= *goal {
            return; // Suppressed: a hunt that reaches as far went before.
        }
        *goal = wanted;
        if has_token {
            self.go_if_wanted(env);
        } else if wanted > *last {
            env.send(self.next, Msg::Hunt(wanted));
        }
    }

    fn call_if_quiet(&mut self, env: &mut impl Env<Self>) {
        if self.chase == Chase::Quiet {
            self.chase = Chase::Hunted;
            env.send(self.next, Msg::Call);
        }
    }

    fn go_if_wanted(&mut self, env: &mut impl Env<Self>) {
        if self.state != State::Resting {
            return;
        }
        let token = match self.chase {
            Chase::Hop { last, goal } if goal > last => Msg::Token { hop: last + 1, goal },
            Chase::Until(stop) => {
                self.chase = Chase::Quiet;
                Msg::Circle(stop)
            }
            _ => return,
        };
        self.state = State::Idle;
        env.send(self.next, token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    /// Node `me` of a ring of three; node 0 has the token.
    fn node(me: u32, variant: Variant) -> (RingChase, Recorder<RingChase>) {
        let beside = (NodeId((me + 2) % 3), NodeId((me + 1) % 3));
        (RingChase::new(NodeId(me), beside, me, 3, variant), Recorder::default())
    }

    #[test]
    fn a_hunt_moves_the_token_just_far_enough() {
        let (mut node, mut env) = node(0, Variant::Hop);
        node.on_message(NodeId(2), Msg::Hunt(5), &mut env);
        assert_eq!(env.lines(), ["-> 1 Token { hop: 4, goal: 5 }"]);
        node.on_message(NodeId(2), Msg::Hunt(5), &mut env);
        assert!(env.lines().is_empty(), "this hunt is known");
    }

    #[test]
    fn only_the_farther_hunt_goes_on() {
        let (mut node, mut env) = node(2, Variant::Hop);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 0 Hunt(5)"]);
        node.on_message(NodeId(1), Msg::Hunt(4), &mut env);
        assert!(env.lines().is_empty(), "node 1 is on the token's way here");
    }

    #[test]
    fn a_hunt_that_overtakes_the_token_is_remembered() {
        let (mut node, mut env) = node(1, Variant::Hop);
        node.on_message(NodeId(0), Msg::Hunt(6), &mut env);
        node.on_message(NodeId(0), Msg::Token { hop: 4, goal: 4 }, &mut env);
        assert_eq!(env.lines(), ["-> 2 Hunt(6)", "-> 2 Token { hop: 5, goal: 6 }"]);
    }

    #[test]
    fn a_duplicate_token_is_recognised() {
        let (mut node, mut env) = node(1, Variant::Hop);
        node.on_message(NodeId(0), Msg::Token { hop: 4, goal: 5 }, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token { hop: 5, goal: 5 }", "-> 2 Hunt(7)"]);
        node.on_message(NodeId(0), Msg::Token { hop: 4, goal: 5 }, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn a_circling_token_serves_suppressed_hunters() {
        let (mut node, mut env) = node(1, Variant::Circle);
        node.on_message(NodeId(0), Msg::Call, &mut env);
        node.on_command(Command::Acquire, &mut env);
        node.on_message(NodeId(0), Msg::Call, &mut env);
        assert_eq!(env.lines(), ["-> 2 Call"], "one for all");
        node.on_message(NodeId(0), Msg::Circle(NodeId(0)), &mut env);
        assert_eq!(env.lines(), ["! Granted"]);
        node.on_command(Command::Release, &mut env);
        assert_eq!(env.lines(), ["-> 2 Circle(0)"]);
    }

    #[test]
    fn a_circle_ends_where_the_token_was_found() {
        let (mut node, mut env) = node(0, Variant::Circle);
        node.on_message(NodeId(2), Msg::Call, &mut env);
        assert_eq!(env.lines(), ["-> 1 Circle(0)"]);
        node.on_message(NodeId(2), Msg::Circle(NodeId(0)), &mut env);
        assert!(env.lines().is_empty());
        assert!(node.has_token());
    }

    #[test]
    fn commands_out_of_turn_and_foreign_messages_do_nothing() {
        for variant in [Variant::Hop, Variant::Circle] {
            let (mut node, mut env) = node(1, variant);
            node.on_command(Command::Release, &mut env);
            node.on_command(Command::Acquire, &mut env);
            env.lines();
            node.on_command(Command::Acquire, &mut env);
            let foreign = match variant {
                Variant::Hop => [Msg::Call, Msg::Circle(NodeId(0))],
                Variant::Circle => [Msg::Hunt(9), Msg::Token { hop: 4, goal: 4 }],
            };
            for msg in foreign {
                node.on_message(NodeId(0), msg, &mut env);
            }
            assert!(env.lines().is_empty());
        }
    }
}

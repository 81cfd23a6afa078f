//! The token rests on a ring; a hunt runs ahead to find it, and the token comes round from behind.
//!
//! Folklore, after G. Le Lann: Distributed systems: towards a formal approach. IFIP Congress, 1977.
//!
//! # Idea
//!
//! Messages go round in one direction only. A node that wants the token sends a hunt, which runs to
//! the node that has it; the token then runs on in the same direction and reaches the hunter from
//! behind. A node that has already passed on a hunt that reaches as far need not pass on another.
//!
//! The variant `hop` numbers the token's hops. As the token only moves one way, the number says
//! where it is, and a node that had it at hop h wants it at hop h + n. So a hunt is a number, and
//! to reach farther is to be larger. The largest one known travels with the token, which stops
//! there.
//!
//! The variant `circle` does without numbers. Every hunt but the first since the token's last visit
//! stops where it is, and the hunted token makes a full circle back to where the hunt found it: the
//! hunts that were stopped are behind it. If the token stopped at the first hunter instead, one who
//! lies behind, and kept silent after passing that hunt on, would wait for ever.
//!
//! # Cost
//!
//! Messages: n per entry under light load, 2 under heavy load. Under light load a hunt runs d hops
//! and the token the other n-d; if channels keep the order, there are never more than n messages
//! per entry. In the variant `circle` the token runs n hops: d + n messages. Coordination delay T
//! under heavy load, waiting time nT on an idle system. State: two numbers. Message: at most two
//! numbers.
//!
//! # Assumes
//!
//! A ring with reliable channels, in any order with hop numbers: a hunt that overtakes the token is
//! remembered where the token will arrive. Without them first in, first out: a hunt that overtakes
//! the token runs round the ring and dies at its origin, while the token stops elsewhere. A crashed
//! node, or a lost token, stops everything; a lost hunt leaves its sender, and those behind whose
//! hunts it stops, waiting until the token comes by for somebody else. A doubled hunt costs a
//! circle at most. A doubled token is recognised by its hop number; in the variant `circle` it lets
//! two nodes in together.
//!
//! # Differs from the paper
//!
//! There is none. A token whose hop number is not new is ignored.

use serde::{Deserialize, Serialize};

use super::token::one_token;
use super::{Command, Event};
use crate::protocol::{Env, Invariant, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What a node sends to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The token is wanted at this hop.
    Hunt(u64),
    /// Here it is, at this hop, and wanted up to that one.
    Token {
        /// The number of this hop.
        hop: u64,
        /// The largest hop that anybody wants, as far as known.
        goal: u64,
    },
    /// The token is wanted (`circle`).
    Call,
    /// Here it is, on its way round to this node (`circle`).
    Circle(NodeId),
}

const _: () = assert!(size_of::<Msg>() <= 24);

/// Forms of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// With numbered hops.
    Hop,
    /// Without numbers, over channels that keep the order.
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
    /// The token is elsewhere, and not wanted here.
    Idle,
    /// The token is elsewhere, and wanted.
    Waiting,
    /// The token is here and not in use.
    Resting,
    /// The token is here and in use.
    Inside,
}

/// What is known about token and hunts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Chase {
    Hop {
        /// The hop of the token's latest visit: the node's place on the ring, modulo n.
        last: u64,
        /// The largest hop that anybody wants, as far as known. Not above `last` while resting.
        goal: u64,
    },
    /// The token has not been hunted here since its last visit.
    Quiet,
    /// A hunt went on from here since then: another would find nothing new.
    Hunted,
    /// The token is here, and has to go round to this node.
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
                    return; // Doubled.
                }
                self.chase = Chase::Hop { last: hop, goal: goal.max(theirs) };
                self.on_token(env);
            }
            (Msg::Hunt(_) | Msg::Token { .. }, _) | (_, Chase::Hop { .. }) => {} // Not our form.
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
            State::Resting | State::Inside => {} // Doubled: the two become one.
        }
        self.go_if_wanted(env);
    }

    fn hunt_if_farther(&mut self, wanted: u64, env: &mut impl Env<Self>) {
        let has_token = self.has_token();
        let Chase::Hop { last, goal } = &mut self.chase else { return };
        if wanted <= *goal {
            return; // One that reaches as far went before.
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
        assert!(env.lines().is_empty(), "it has been heard of");
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
    fn a_doubled_token_is_recognised() {
        let (mut node, mut env) = node(1, Variant::Hop);
        node.on_message(NodeId(0), Msg::Token { hop: 4, goal: 5 }, &mut env);
        node.on_command(Command::Acquire, &mut env);
        assert_eq!(env.lines(), ["-> 2 Token { hop: 5, goal: 5 }", "-> 2 Hunt(7)"]);
        node.on_message(NodeId(0), Msg::Token { hop: 4, goal: 5 }, &mut env);
        assert!(env.lines().is_empty());
    }

    #[test]
    fn a_circling_token_serves_those_who_kept_silent() {
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

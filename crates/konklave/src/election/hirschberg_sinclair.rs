//! Candidates compete in neighbourhoods of doubling size; only the largest id wins every phase.
//!
//! D. S. Hirschberg, J. B. Sinclair: Decentralized extrema-finding in circular configurations of
//! processors. Communications of the ACM 23 (11), 1980.
//!
//! # Idea
//!
//! In phase k a candidate sends a probe in both directions, which may travel 2^k hops. A candidate
//! with a larger id discards it; the last node on its way replies. A candidate that gets both
//! replies has the largest id within 2^k hops on either side and enters the next phase. Such
//! candidates are far from each other, so there are few. A probe that returns to its owner has been
//! round the whole ring: its owner is elected.
//!
//! A node that is asleep when the first probe reaches it competes, or only relays ([`Wake`]).
//!
//! # Cost
//!
//! Messages: at most 8n (1 + ceil(log2 n)), and n to announce. At most n / (2^(k-1) + 1) nodes
//! enter phase k > 0, each for at most 4 2^k messages. About 3.15 n log2 n on average over all
//! orders of the ids, with every node a candidate and equal delays. A probe carries one id and two
//! numbers.
//!
//! - Time: 2(2^K - 1) + n to elect, K = ceil(log2 n), n to announce.
//! - State: one id and one number.
//!
//! # Assumes
//!
//! A bidirectional ring of nodes with unique ids and reliable channels, which may reorder messages,
//! and no crashes. The nodes need not know n.
//!
//! - Loss: a lost probe or reply of the largest id leaves the ring without a leader.
//! - Duplication: a duplicate is harmless: a reply is recognised by its phase and direction, and
//!   a probe is answered twice.
//! - Crash: a crashed node stops the probes of the largest id and leaves the ring without a leader.
//!
//! # Differs from the paper
//!
//! The winner announces itself; a reply carries its phase, so duplicates are ignored. A defeated
//! candidate is not told: its probe is discarded without a reply. Nodes may wake up late.

use serde::{Deserialize, Serialize};

use super::heading::{Heading, Neighbours};
use super::{Command, Event, Id, Winner};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// The messages between neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Proposes the node with this id as leader.
    Probe {
        /// The candidate.
        id: Id,
        /// Its phase: the probe may go 2^phase hops.
        phase: u32,
        /// The number of this hop, from one.
        hops: u32,
        /// The direction in which it travels.
        heading: Heading,
    },
    /// The probe of this candidate and phase has met no larger candidate.
    Reply {
        /// The candidate.
        id: Id,
        /// Its phase.
        phase: u32,
        /// The direction in which the reply travels.
        heading: Heading,
    },
    /// Announces the winner: the node with this id leads. Travels to the right.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 16);

/// What a node that is asleep does when the first probe reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wake {
    /// It becomes a candidate: the largest id of all wins.
    #[default]
    All,
    /// It forwards every probe: the largest id among the initiators wins.
    Relay,
}

impl Wake {
    /// The node that wins under this rule.
    pub fn winner(self) -> Winner {
        match self {
            Self::All => Winner::Largest,
            Self::Relay => Winner::LargestInitiator,
        }
    }
}

/// One node of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HirschbergSinclair {
    me: Id,
    ring: Neighbours,
    wake: Wake,
    state: State,
}

const _: () = assert!(size_of::<HirschbergSinclair>() <= 24);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// Our probes are in transit, or were discarded; a defeated candidate is not told.
    Candidate {
        phase: u32,
        /// The side from which the first reply of this phase came.
        answered: Option<Heading>,
    },
    /// Woken late: forwards all probes, smaller ones too.
    Relay,
    /// The leader is known here.
    Decided,
}

impl HirschbergSinclair {
    /// The node with id `me`, between these neighbours on the ring.
    pub fn new(me: Id, ring: Neighbours, wake: Wake) -> Self {
        Self { me, ring, wake, state: State::Asleep }
    }
}

impl Protocol for HirschbergSinclair {
    type Msg = Msg;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        if command == Command::Start && self.state == State::Asleep {
            env.emit(Event::Started);
            self.begin(0, env);
        }
    }

    fn on_message(&mut self, _from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            _ if self.state == State::Decided => {} // The announcement is back, or late.
            Msg::Probe { id, phase, hops, heading } => {
                if self.state == State::Asleep {
                    self.wake_up(env);
                }
                let is_candidate = self.state != State::Relay;
                if id == self.me && is_candidate {
                    env.emit(Event::Elected);
                    self.announce(id, env);
                } else if id > self.me || !is_candidate {
                    self.pass_or_answer(id, phase, hops, heading, env);
                } // Else it is discarded.
            }
            Msg::Reply { id, phase, heading } if id == self.me => {
                self.advance_if_answered(phase, heading.opposite(), env);
            }
            Msg::Reply { heading, .. } => env.send(self.ring.towards(heading), msg),
            Msg::Elected(leader) => self.announce(leader, env),
        }
    }

    fn waits_for(&self) -> NodeSet {
        let State::Candidate { answered, .. } = self.state else { return NodeSet::new() };
        let sides = [Heading::Left, Heading::Right].into_iter();
        let silent = sides.filter(|&side| answered != Some(side));
        silent.map(|side| self.ring.towards(side)).collect()
    }
}

impl HirschbergSinclair {
    fn wake_up(&mut self, env: &mut impl Env<Self>) {
        match self.wake {
            Wake::All => self.begin(0, env),
            Wake::Relay => self.state = State::Relay,
        }
    }

    fn begin(&mut self, phase: u32, env: &mut impl Env<Self>) {
        self.state = State::Candidate { phase, answered: None };
        for heading in [Heading::Left, Heading::Right] {
            let probe = Msg::Probe { id: self.me, phase, hops: 1, heading };
            env.send(self.ring.towards(heading), probe);
        }
    }

    /// The probe of a larger candidate goes on, or is answered at its last hop.
    fn pass_or_answer(
        &mut self,
        id: Id,
        phase: u32,
        hops: u32,
        heading: Heading,
        env: &mut impl Env<Self>,
    ) {
        if hops < 2_u32.saturating_pow(phase) {
            let probe = Msg::Probe { id, phase, hops: hops + 1, heading };
            env.send(self.ring.towards(heading), probe);
        } else {
            let heading = heading.opposite();
            env.send(self.ring.towards(heading), Msg::Reply { id, phase, heading });
        }
    }

    /// A reply of the phase `replied` has arrived from this side.
    fn advance_if_answered(&mut self, replied: u32, side: Heading, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Candidate { phase, answered } if *phase == replied => match answered {
                None => *answered = Some(side),
                Some(other) if *other == side => {} // A duplicate.
                Some(_) => self.begin(replied + 1, env),
            },
            _ => {} // A duplicate of an earlier phase.
        }
    }

    fn announce(&mut self, leader: Id, env: &mut impl Env<Self>) {
        self.state = State::Decided;
        env.emit(Event::Knows(leader));
        env.send(self.ring.right, Msg::Elected(leader));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;

    fn node(wake: Wake) -> HirschbergSinclair {
        let ring = Neighbours { left: NodeId(0), right: NodeId(2) };
        HirschbergSinclair::new(Id(5), ring, wake)
    }

    /// What a candidate sends at the beginning of a phase.
    fn phase(phase: u32) -> [String; 2] {
        ["-> 0", "-> 2"].map(|to| {
            let heading = if to == "-> 0" { "Left" } else { "Right" };
            format!("{to} Probe {{ id: 5, phase: {phase}, hops: 1, heading: {heading} }}")
        })
    }

    /// A node that has started.
    fn candidate() -> HirschbergSinclair {
        let (mut node, mut env) = (node(Wake::All), Recorder::default());
        node.on_command(Command::Start, &mut env);
        let lines = env.lines();
        assert_eq!(lines[0], "! Started");
        assert_eq!(lines[1..], phase(0));
        node
    }

    fn receive(node: &mut HirschbergSinclair, msg: Msg) -> Vec<String> {
        let mut env = Recorder::default();
        node.on_message(NodeId(0), msg, &mut env);
        env.lines()
    }

    fn probe(node: &mut HirschbergSinclair, id: u32, phase: u32, hops: u32) -> Vec<String> {
        receive(node, Msg::Probe { id: Id(id), phase, hops, heading: Heading::Right })
    }

    fn reply(node: &mut HirschbergSinclair, phase: u32, heading: Heading) -> Vec<String> {
        receive(node, Msg::Reply { id: Id(5), phase, heading })
    }

    fn waits_for(node: &HirschbergSinclair) -> Vec<u32> {
        node.waits_for().iter().map(|node| node.0).collect()
    }

    #[test]
    fn both_replies_lead_to_the_next_phase() {
        let mut node = candidate();
        assert_eq!(waits_for(&node), [0, 2]);
        assert!(reply(&mut node, 0, Heading::Right).is_empty());
        assert_eq!(waits_for(&node), [2]);
        assert!(reply(&mut node, 0, Heading::Right).is_empty(), "a duplicate");
        assert_eq!(reply(&mut node, 0, Heading::Left), phase(1));
        assert!(reply(&mut node, 0, Heading::Left).is_empty(), "a duplicate of the phase before");
        assert_eq!(waits_for(&node), [0, 2]);
    }

    #[test]
    fn a_larger_probe_goes_on_until_its_last_hop_and_is_answered_there() {
        let mut node = candidate();
        let on = ["-> 2 Probe { id: 9, phase: 2, hops: 4, heading: Right }"];
        assert_eq!(probe(&mut node, 9, 2, 3), on);
        let back = ["-> 0 Reply { id: 9, phase: 2, heading: Left }"];
        assert_eq!(probe(&mut node, 9, 2, 4), back);
        let other = Msg::Reply { id: Id(9), phase: 2, heading: Heading::Right };
        assert_eq!(receive(&mut node, other), ["-> 2 Reply { id: 9, phase: 2, heading: Right }"]);
    }

    #[test]
    fn a_candidate_discards_smaller_probes_even_when_it_has_seen_a_larger_one() {
        let mut node = candidate();
        assert!(probe(&mut node, 3, 0, 1).is_empty());
        probe(&mut node, 9, 0, 1);
        assert!(probe(&mut node, 3, 0, 1).is_empty());
    }

    #[test]
    fn the_own_probe_elects_once() {
        let mut node = candidate();
        let elected = ["! Elected", "! Knows(5)", "-> 2 Elected(5)"];
        assert_eq!(probe(&mut node, 5, 0, 1), elected);
        assert!(probe(&mut node, 5, 0, 1).is_empty(), "the one that went the other way");
        assert!(receive(&mut node, Msg::Elected(Id(5))).is_empty(), "it is back");
    }

    #[test]
    fn waking_up_as_a_candidate_or_as_a_relay() {
        let mut rival = node(Wake::All);
        assert_eq!(probe(&mut rival, 3, 0, 1), phase(0), "and 3 is discarded");
        let mut relay = node(Wake::Relay);
        let back = ["-> 0 Reply { id: 3, phase: 0, heading: Left }"];
        assert_eq!(probe(&mut relay, 3, 0, 1), back);
        let mut env = Recorder::default();
        relay.on_command(Command::Start, &mut env);
        assert!(env.lines().is_empty(), "too late");
        assert_eq!(receive(&mut relay, Msg::Elected(Id(3))), ["! Knows(3)", "-> 2 Elected(3)"]);
    }

    #[test]
    fn no_phase_is_too_large() {
        let mut node = candidate();
        assert_eq!(probe(&mut node, 9, u32::MAX, u32::MAX).len(), 1);
    }
}

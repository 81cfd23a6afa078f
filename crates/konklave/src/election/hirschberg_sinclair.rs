//! Candidates conquer neighbourhoods of doubling size; nobody is near enough to stop the largest.
//!
//! D. S. Hirschberg, J. B. Sinclair: Decentralized extrema-finding in circular configurations of
//! processors. Communications of the ACM 23 (11), 1980.
//!
//! # Idea
//!
//! In phase k a candidate sends a probe both ways that may go 2^k hops. A candidate with a larger
//! id swallows it; the last node on its way replies. Who gets both replies is the largest within
//! 2^k on either side and enters the next phase. Those who do are far from each other, so there are
//! few. A probe that comes back to its owner has been all round: the owner is elected.
//!
//! A node that sleeps until the first probe reaches it joins in, or merely relays ([`Wake`]).
//!
//! # Cost
//!
//! Messages: at most 8n (1 + ceil(log2 n)), and n to announce. At most n / (2^(k-1) + 1) nodes
//! enter phase k > 0, each for at most 4 2^k messages. About 3.15 n log2 n on average over all
//! orders of the ids, everyone a candidate, equal delays. Time: 2(2^K - 1) + n to elect, K =
//! ceil(log2 n), n to announce. State: one id and one number. Message: one id and two numbers.
//!
//! # Assumes
//!
//! A ring of nodes with unique ids whose links lead both ways, and reliable channels in any order.
//! The nodes need not know how many they are. A lost probe or reply of the largest id leaves the
//! ring without a leader, and so does a node that is down; doubled messages are harmless.
//!
//! # Differs from the paper
//!
//! The winner announces itself; replies say to which phase they belong, so doubled ones are
//! ignored. A defeated candidate is not told so: its probe is swallowed without a reply. Nodes may
//! wake up late.

use serde::{Deserialize, Serialize};

use super::heading::{Heading, Neighbours};
use super::{Command, Event, Id, Winner};
use crate::protocol::{Env, Never, Protocol};
use crate::{NodeId, NodeSet};

/// What a node sends to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The node with this id would lead.
    Probe {
        /// The candidate.
        id: Id,
        /// Its phase: the probe may go 2^phase hops.
        phase: u32,
        /// This is its hop number so many.
        hops: u32,
        /// Which way it travels.
        heading: Heading,
    },
    /// The probe of that candidate and phase met nobody larger.
    Reply {
        /// The candidate.
        id: Id,
        /// Its phase.
        phase: u32,
        /// Which way the reply travels.
        heading: Heading,
    },
    /// The node with this id leads. Travels to the right.
    Elected(Id),
}

const _: () = assert!(size_of::<Msg>() <= 16);

/// What a sleeping node does when the first probe reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wake {
    /// It becomes a candidate: the largest id of all wins.
    #[default]
    All,
    /// It passes everything on: the largest id of those who started wins.
    Relay,
}

impl Wake {
    /// Who wins.
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
    /// Our probes are on their way, or were swallowed: nobody tells us.
    Candidate {
        phase: u32,
        /// The side on which the probe of this phase has been answered, while it is only one.
        answered: Option<Heading>,
    },
    /// We woke up late and let all probes pass.
    Relay,
    /// We know who leads.
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
            _ if self.state == State::Decided => {} // The announcement is back, or it is over.
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
                } // Else it is swallowed.
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

    /// The probe of somebody larger goes on, or back as a reply.
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

    /// A reply has come in from this side.
    fn advance_if_answered(&mut self, replied: u32, side: Heading, env: &mut impl Env<Self>) {
        match &mut self.state {
            State::Candidate { phase, answered } if *phase == replied => match answered {
                None => *answered = Some(side),
                Some(other) if *other == side => {} // Doubled.
                Some(_) => self.begin(replied + 1, env),
            },
            _ => {} // Doubled, of an earlier phase.
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
        assert!(reply(&mut node, 0, Heading::Right).is_empty(), "doubled");
        assert_eq!(reply(&mut node, 0, Heading::Left), phase(1));
        assert!(reply(&mut node, 0, Heading::Left).is_empty(), "doubled, of the phase before");
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
    fn a_candidate_swallows_smaller_probes_even_when_it_has_seen_a_larger_one() {
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
        assert_eq!(probe(&mut rival, 3, 0, 1), phase(0), "and 3 is swallowed");
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

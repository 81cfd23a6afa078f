//! A node may ask more nodes than it informs: one algorithm for all permission-based schemes.
//!
//! B. A. Sanders: The information structure of distributed mutual exclusion algorithms. ACM
//! Transactions on Computer Systems 5 (3), 1987.
//!
//! # Idea
//!
//! Node i asks its request set R before it enters, and informs its inform set I when it leaves. An
//! arbiter knows which nodes will inform it, and is locked for their requests only; the other nodes
//! get its permission without a lock, which blocks no other request. The rest is Maekawa's
//! algorithm, and all permission-based algorithms are instances: Maekawa's with I = R = quorum,
//! Ricart and Agrawala's with I = {i} and R = all nodes, a coordinator c with I = R = {c, i}.
//!
//! Three conditions make a structure safe: (S1) i is in its I; (S2) I is a subset of R; (S3) for
//! any two nodes, the inform sets intersect, or each is in the other's request set. In the first
//! case, an arbiter in the intersection is locked for one of the two at a time. In the second, a
//! competing node holds its own lock, so it permits the other only if the other's request is older.
//! Once it has permitted it, every later request of its own is younger, because it has updated its
//! clock: safety depends on that.
//!
//! # Cost
//!
//! Messages: i + 2r per entry alone, up to 4r more. Here i is the number of other nodes informed,
//! and r the number of other nodes asked. An arbiter that no other node informs adds only one
//! message, since it can only send failures. A message carries one timestamp.
//!
//! - Time: coordination delay T if the leaver is itself the arbiter, as among nodes that ask each
//!   other, 2T if an arbiter is between them.
//! - State: a queue of requests, and sets of nodes.
//! - Fairness: no starvation, but no bound on overtaking: the clock of a node
//!   that was seldom asked lags behind, and its requests look old.
//!
//! # Assumes
//!
//! A complete network, of which only the sets are used, with reliable channels, which may reorder
//! messages, and no crashes.
//!
//! - Loss: a lost message blocks its requester and all nodes that wait for it, unless it is an
//!   inquiry or a failure that has no effect. Safety holds.
//! - Duplication: a duplicate request that arrives after its release locks its arbiter for ever; a
//!   duplicate lock that arrives after it was yielded can let two nodes in.
//! - Crash: the crash of a node blocks all nodes that ask it, and those whose arbiters are locked
//!   for it; the crash of an idle node that no other node asks is harmless.
//!
//! # Differs from the paper
//!
//! As [`maekawa`](super::maekawa), whose nodes these are, with other [`Roles`]. The structure
//! `mixed` extends the paper's example of four nodes: the first sqrt(n) nodes ask each other as in
//! Ricart and Agrawala's algorithm, and together are the arbiters of all other nodes.

use std::error::Error;
use std::fmt::{self, Display};

use super::maekawa::{Maekawa, Roles};
use super::quorum::{self, QuorumError, Quorums};
use crate::{NodeId, NodeSet};

pub use super::maekawa::Msg;

/// One node of the algorithm.
pub type Sanders = Maekawa<Sets>;

/// The part of the information structure that one node needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sets {
    /// The request set R: the nodes it asks.
    request: NodeSet,
    /// The inform set I: the nodes it informs.
    inform: NodeSet,
    /// The status set: the nodes that inform it.
    status: NodeSet,
}

impl Roles for Sets {
    fn asked(&self) -> &NodeSet {
        &self.request
    }

    fn informed(&self) -> &NodeSet {
        &self.inform
    }

    fn is_informed_by(&self, requester: NodeId) -> bool {
        self.status.contains(requester)
    }
}

/// An information structure that satisfies S1, S2 and S3.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    sets: Vec<Sets>,
}

impl Structure {
    /// Every node asks all nodes and informs only itself.
    pub fn ricart_agrawala(nodes: u32) -> Self {
        let everyone: NodeSet = NodeId::all(nodes).collect();
        Self::build(NodeId::all(nodes).map(|me| (only(me), everyone.clone())))
    }

    /// Every node asks and informs its quorum.
    pub fn maekawa(quorums: &Quorums) -> Self {
        Self::build(quorums.sets().iter().map(|quorum| (quorum.clone(), quorum.clone())))
    }

    /// The first sqrt(n) nodes, rounded up, ask each other and inform only themselves; every other
    /// node asks and informs these, and itself.
    pub fn mixed(nodes: u32) -> Self {
        let root = nodes.isqrt();
        let inner: NodeSet = NodeId::all(root + u32::from(root * root < nodes)).collect();
        Self::build(NodeId::all(nodes).map(|me| {
            let asked: NodeSet = inner.iter().chain([me]).collect();
            let informed = if inner.contains(me) { only(me) } else { asked.clone() };
            (informed, asked)
        }))
    }

    /// Reads one line per node: `2: inform 2 / request 0 1 2` for node 2. `#` begins a comment.
    ///
    /// # Errors
    ///
    /// If a line cannot be understood, a node has no line, or S1, S2 or S3 does not hold.
    pub fn parse(text: &str, nodes: u32) -> Result<Self, StructureError> {
        let pairs = quorum::read_lines(text, nodes, |line| {
            let parts = line.split_once('/').and_then(|(inform, request)| {
                let inform = inform.trim().strip_prefix("inform")?;
                Some((inform, request.trim().strip_prefix("request")?))
            });
            let Some((inform, request)) = parts else {
                return Err("write 'inform NODES / request NODES' behind the colon".to_owned());
            };
            Ok((quorum::read_nodes(inform, nodes)?, quorum::read_nodes(request, nodes)?))
        });
        let structure = Self::build(pairs.map_err(StructureError::Text)?.into_iter());
        structure.check()?;
        Ok(structure)
    }

    /// Derives the status sets from the inform set and the request set of every node.
    fn build(pairs: impl Iterator<Item = (NodeSet, NodeSet)>) -> Self {
        let with_status = |(inform, request)| Sets { request, inform, status: NodeSet::new() };
        let mut sets: Vec<Sets> = pairs.map(with_status).collect();
        for me in NodeId::all(sets.len() as u32) {
            for informed in sets[me.index()].inform.clone().iter() {
                sets[informed.index()].status.insert(me);
            }
        }
        Self { sets }
    }

    fn check(&self) -> Result<(), StructureError> {
        let nodes = || NodeId::all(self.sets.len() as u32).zip(&self.sets);
        for (me, mine) in nodes() {
            if !mine.inform.contains(me) {
                return Err(StructureError::Uninformed(me));
            }
            if let Some(other) = mine.inform.iter().find(|&other| !mine.request.contains(other)) {
                return Err(StructureError::Unasked(me, other));
            }
            for (other, theirs) in nodes().take(me.index()) {
                let ask_each_other = mine.request.contains(other) && theirs.request.contains(me);
                if !ask_each_other && !quorum::meet(&mine.inform, &theirs.inform) {
                    return Err(StructureError::Unsafe(other, me));
                }
            }
        }
        Ok(())
    }

    /// The sets of `node`.
    pub fn at(&self, node: NodeId) -> &Sets {
        &self.sets[node.index()]
    }
}

fn only(node: NodeId) -> NodeSet {
    [node].into_iter().collect()
}

/// Why a text does not describe a safe information structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructureError {
    /// A line cannot be read.
    Text(QuorumError),
    /// S1 is broken: this node does not inform itself.
    Uninformed(NodeId),
    /// S2 is broken: the first node informs the second, and does not ask it.
    Unasked(NodeId, NodeId),
    /// S3 is broken: these two nodes could be inside together.
    Unsafe(NodeId, NodeId),
}

impl Display for StructureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => write!(f, "{error}"),
            Self::Uninformed(node) => write!(f, "node {node} does not inform itself"),
            Self::Unasked(node, other) => {
                write!(f, "node {node} informs node {other}, which it does not ask")
            }
            Self::Unsafe(one, other) => write!(
                f,
                "the inform sets of nodes {one} and {other} are disjoint, and the nodes do not ask \
                 each other: both could be inside"
            ),
        }
    }
}

impl Error for StructureError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;
    use crate::mutex::{Command, Event};
    use crate::protocol::{Effect, Protocol};

    /// The system of four nodes, in rounds: messages sent in one arrive in the next.
    struct Rounds {
        nodes: Vec<Sanders>,
        flight: Vec<(NodeId, NodeId, Msg)>,
        inside: Option<NodeId>,
        messages: usize,
    }

    impl Rounds {
        fn new() -> Self {
            let structure = Structure::mixed(4);
            let nodes =
                NodeId::all(4).map(|me| Sanders::new(me, structure.at(me).clone())).collect();
            Self { nodes, flight: Vec::new(), inside: None, messages: 0 }
        }

        fn command(&mut self, node: NodeId, command: Command) {
            if command == Command::Release {
                assert_eq!(self.inside.take(), Some(node));
            }
            self.step(node, |node, env| node.on_command(command, env));
        }

        fn step(&mut self, me: NodeId, step: impl FnOnce(&mut Sanders, &mut Recorder<Sanders>)) {
            let mut env = Recorder::default();
            step(&mut self.nodes[me.index()], &mut env);
            for effect in env.take() {
                match effect {
                    Effect::Send { to, msg } => {
                        self.messages += 1;
                        self.flight.push((me, to, msg));
                    }
                    Effect::Emit(Event::Granted) => assert_eq!(self.inside.replace(me), None),
                    effect => unreachable!("{effect}"),
                }
            }
        }

        /// Runs until no message is in transit; returns the round in which a node entered.
        fn settle(&mut self) -> u32 {
            let (mut round, mut entered) = (0, 0);
            while !self.flight.is_empty() {
                round += 1;
                for (from, to, msg) in std::mem::take(&mut self.flight) {
                    self.step(to, |node, env| node.on_message(from, msg, env));
                }
                if self.inside.is_some() && entered == 0 {
                    entered = round;
                }
            }
            entered
        }
    }

    #[test]
    fn coordination_delays_of_the_four_nodes() {
        let delay = |leaver, next| {
            let mut system = Rounds::new();
            system.command(NodeId(leaver), Command::Acquire);
            system.settle();
            system.command(NodeId(next), Command::Acquire);
            system.settle();
            system.command(NodeId(leaver), Command::Release);
            let delay = system.settle();
            assert_eq!(system.inside, Some(NodeId(next)));
            delay
        };
        let expected = [[0, 1, 1, 1], [1, 0, 1, 1], [2, 2, 0, 2], [2, 2, 2, 0]];
        for (leaver, row) in (0..).zip(expected) {
            for (next, expected) in (0..).zip(row).filter(|&(next, _)| next != leaver) {
                assert_eq!(delay(leaver, next), expected, "{next} after {leaver}");
            }
        }
    }

    #[test]
    fn a_lone_request_costs_its_lower_bound() {
        for (node, messages) in [(0, 2), (1, 2), (2, 6), (3, 6)] {
            let mut system = Rounds::new();
            system.command(NodeId(node), Command::Acquire);
            system.settle();
            system.command(NodeId(node), Command::Release);
            system.settle();
            assert_eq!(system.messages, messages, "node {node}");
        }
    }

    const FOUR: &str = "0: inform 0 / request 0 1\n1: inform 1 / request 0 1
        2: inform 0 1 2 / request 0 1 2\n3: inform 0 1 3 / request 0 1 3";

    #[test]
    fn the_example_of_the_paper_is_mixed() {
        assert_eq!(Structure::parse(FOUR, 4).unwrap(), Structure::mixed(4));
        let status: NodeSet = [0, 2, 3].map(NodeId).into_iter().collect();
        assert_eq!(Structure::mixed(4).at(NodeId(0)).status, status);
    }

    #[test]
    fn the_structures_are_safe() {
        for nodes in 1..=40 {
            Structure::ricart_agrawala(nodes).check().unwrap();
            Structure::maekawa(&Quorums::new(nodes)).check().unwrap();
            Structure::mixed(nodes).check().unwrap();
        }
    }

    #[test]
    fn what_is_not_safe_is_refused() {
        let error =
            |from, to| Structure::parse(&FOUR.replace(from, to), 4).unwrap_err().to_string();
        assert_eq!(error("0: inform 0 /", "0: inform 1 /"), "node 0 does not inform itself");
        assert_eq!(
            error("request 0 1 3", "request 1 3"),
            "node 3 informs node 0, which it does not ask"
        );
        assert_eq!(
            error("1: inform 1 / request 0 1", "1: inform 1 / request 1"),
            "the inform sets of nodes 0 and 1 are disjoint, and the nodes do not ask each other: \
             both could be inside"
        );
        assert_eq!(
            error("0: inform 0 /", "0: ask 0 /"),
            "line 1: write 'inform NODES / request NODES' behind the colon"
        );
    }
}

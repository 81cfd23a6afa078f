//! Which nodes know each other: the directed graph of addresses that nodes hold and messages carry.
//!
//! In an overlay, a node can only talk to nodes whose addresses it holds. If the graph falls apart,
//! nothing can join it again, so no rule may drop an address before it has handed it to a node that
//! stays known.

use super::{Broken, Input, Invariant, NodeId, Protocol, Snapshot};

/// The name of what [`connected`] says.
pub const CONNECTED: &str = "connected";

/// That all nodes that take part are connected, whatever the direction in which they know each
/// other. A system never loses this, and cannot gain it.
pub fn connected<P: Protocol>() -> Invariant<P> {
    Invariant::new(CONNECTED, |system| {
        let (parts, nodes) = parts_of(system);
        match &parts[..] {
            [] | [_] => Ok(()),
            [first, second, ..] => Err(format!(
                "nodes {first} and {second} have no connection: {} parts of {nodes} nodes",
                parts.len()
            )),
        }
    })
}

/// The promise of a node that holds addresses: it sends to no other nodes.
pub const SENDS_TO_KNOWN: &str = "sends to nodes it knows";

/// The nodes that a node may send to in one step: itself, those whose addresses it holds before,
/// and those that it hears of in this step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquaintances(Option<Vec<NodeId>>);

impl Acquaintances {
    /// Every node: the network decides.
    pub const ALL: Self = Self(None);

    /// Those of a node before it gets this input.
    pub fn of<P: Protocol>(node: &P, input: &Input<P>) -> Self {
        Self(node.knows().map(|mut known| {
            match input {
                Input::Message { from: other, msg } | Input::Returned { to: other, msg } => {
                    known.push(*other);
                    known.extend(node.tells(msg));
                }
                Input::Start | Input::Command(_) | Input::Timer(_) | Input::Tick => {}
            }
            known
        }))
    }

    /// Judges a message to one of them, or to another node.
    ///
    /// # Errors
    ///
    /// If the receiver is unknown.
    pub fn judge(&self, from: NodeId, to: NodeId) -> Result<(), Broken> {
        match &self.0 {
            Some(known) if from != to && !known.contains(&to) => Broken::by(
                from,
                SENDS_TO_KNOWN,
                format!("node {from} sends a message to node {to}, whose address it does not hold"),
            ),
            _ => Ok(()),
        }
    }
}

/// One node of each connected part, and how many nodes take part.
fn parts_of<P: Protocol>(system: &Snapshot<'_, P>) -> (Vec<NodeId>, usize) {
    let known: Vec<_> = system.nodes.iter().map(|node| node.knows()).collect();
    let mut forest = Forest::new(known.len());
    for &(_, to, msg) in system.messages {
        // The receiver will know these, also if it has not joined yet.
        let told = system.nodes.first().map(|node| node.tells(msg)).unwrap_or_default();
        forest.join_all(to.index(), &told);
    }
    parts(&known, forest)
}

/// The same from the addresses that nodes hold; those in messages are in the forest already.
fn parts(known: &[Option<Vec<NodeId>>], mut forest: Forest) -> (Vec<NodeId>, usize) {
    for (node, known) in (0..).zip(known) {
        forest.join_all(node, known.as_deref().unwrap_or_default());
    }
    let members: Vec<usize> = (0..known.len()).filter(|&node| known[node].is_some()).collect();
    let mut is_counted = vec![false; known.len()];
    let is_first = |&&node: &&usize| !std::mem::replace(&mut is_counted[forest.root(node)], true);
    let parts = members.iter().filter(is_first).map(|&node| NodeId(node as u32)).collect();
    (parts, members.len())
}

/// Disjoint sets of nodes, by union and find.
struct Forest(Vec<usize>);

impl Forest {
    fn new(nodes: usize) -> Self {
        Self((0..nodes).collect())
    }

    fn join_all(&mut self, one: usize, others: &[NodeId]) {
        others.iter().for_each(|other| self.join(one, other.index()));
    }

    /// What does not exist is not joined: addresses may be wrong.
    fn join(&mut self, one: usize, other: usize) {
        if one < self.0.len() && other < self.0.len() {
            let (one, other) = (self.root(one), self.root(other));
            self.0[one.max(other)] = one.min(other);
        }
    }

    /// The node that stands for the set; the way there is made shorter.
    fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }
}

//! The degree of fairness: how often a request can be overtaken by later requests.
//!
//! Messages take any time, so a request that no other node has heard of yet can be overtaken any
//! number of times. But a request that is issued while no message is in transit is later than all
//! pending ones in every sense: all that they have sent has arrived. A node *overtakes* another if
//! such a later request of it is granted first. First come, first served means that this never
//! happens; in general each node overtakes each other one at most a fixed number of times before
//! that one enters.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use crate::NodeId;
use crate::protocol::Broken;

/// The name of the promise.
pub const BOUNDED_OVERTAKING: &str = "bounded overtaking";

/// The pending requests in the order in which they were issued, and the overtakings so far.
#[derive(Clone, Debug)]
pub struct Overtaking {
    /// How often a node may overtake another one during one wait of that one.
    bound: u32,
    /// A list of the waiting nodes, linked in both directions: a place per node.
    places: Vec<Place>,
    oldest: Option<NodeId>,
    newest: Option<NodeId>,
    /// By waiting node and overtaking node.
    overtakings: BTreeMap<(NodeId, NodeId), u32>,
}

/// The place of a waiting node in the list.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    before: Option<NodeId>,
    after: Option<NodeId>,
    /// Whether its request is later than all before it in the list.
    is_later: bool,
}

impl Overtaking {
    /// No node waits. A node may overtake another one this many times while that one waits.
    pub fn new(nodes: u32, bound: u32) -> Self {
        Self {
            bound,
            places: vec![Place::default(); nodes as usize],
            oldest: None,
            newest: None,
            overtakings: BTreeMap::new(),
        }
    }

    /// An idle node issues a request, while messages are in transit or not.
    pub(super) fn on_request(&mut self, node: NodeId, in_silence: bool) {
        let before = self.newest.replace(node);
        self.places[node.index()] =
            Place { before, after: None, is_later: in_silence && before.is_some() };
        match before {
            Some(before) => self.places[before.index()].after = Some(node),
            None => self.oldest = Some(node),
        }
    }

    /// The request of a waiting node is granted.
    pub(super) fn on_grant(&mut self, node: NodeId) -> Result<(), Broken> {
        let Place { before, is_later, .. } = self.places[node.index()];
        self.remove(node);
        let mut waiting = before.filter(|_| is_later);
        while let Some(other) = waiting {
            let count = self.overtakings.entry((other, node)).or_default();
            *count += 1;
            if *count > self.bound {
                return Broken::by(node, BOUNDED_OVERTAKING, detail(node, other, self.bound));
            }
            waiting = self.places[other.index()].before;
        }
        Ok(())
    }

    fn remove(&mut self, node: NodeId) {
        let Place { before, after, .. } = self.places[node.index()];
        match before {
            Some(before) => self.places[before.index()].after = after,
            None => self.oldest = after,
        }
        match after {
            Some(after) => {
                let place = &mut self.places[after.index()];
                place.before = before;
                place.is_later &= before.is_some();
            }
            None => self.newest = before,
        }
        if !self.overtakings.is_empty() {
            self.overtakings.retain(|(waiting, _), _| *waiting != node);
        }
    }

    /// The waiting nodes in order. Nodes between two later requests have no order among themselves.
    fn order(&self) -> Vec<(bool, NodeId)> {
        let after = |node: &NodeId| self.places[node.index()].after;
        let mut order: Vec<_> = std::iter::successors(self.oldest, after)
            .map(|node| (self.places[node.index()].is_later, node))
            .collect();
        order.chunk_by_mut(|one, other| !one.0 && !other.0).for_each(<[_]>::sort);
        order
    }
}

fn detail(node: NodeId, other: NodeId, bound: u32) -> String {
    match bound {
        0 => format!("node {node} enters before node {other}, which asked before it"),
        _ => format!(
            "node {node} overtakes node {other} for the {} time, and {bound} {} allowed",
            ordinal(bound + 1),
            if bound == 1 { "is" } else { "are" },
        ),
    }
}

fn ordinal(number: u32) -> String {
    match number {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{number}th"),
    }
}

/// Equal if the same can happen from now on.
impl PartialEq for Overtaking {
    fn eq(&self, other: &Self) -> bool {
        self.overtakings == other.overtakings && self.order() == other.order()
    }
}

impl Eq for Overtaking {}

impl Hash for Overtaking {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.overtakings.hash(state);
        self.order().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);

    /// These nodes have asked, one after the other: those with `true` in silence.
    fn asked(bound: u32, requests: &[(NodeId, bool)]) -> Overtaking {
        let mut overtaking = Overtaking::new(3, bound);
        for &(node, in_silence) in requests {
            overtaking.on_request(node, in_silence);
        }
        overtaking
    }

    #[test]
    fn first_come_first_served_is_fine() {
        let mut overtaking = asked(0, &[(A, true), (B, true), (C, true)]);
        for node in [A, B, C] {
            overtaking.on_grant(node).unwrap();
        }
        assert_eq!(overtaking, Overtaking::new(3, 0));
    }

    #[test]
    fn a_request_in_silence_is_later_than_all_pending_ones() {
        let broken = asked(0, &[(A, true), (B, true)]).on_grant(B).unwrap_err();
        let expected = "bounded overtaking: node 1 enters before node 0, which asked before it";
        assert_eq!((broken.to_string().as_str(), broken.node), (expected, Some(B)));
        asked(0, &[(A, true), (B, false)]).on_grant(B).unwrap();
        // C is later than both, B is not later than A.
        let mut overtaking = asked(0, &[(A, false), (B, false), (C, true)]);
        overtaking.on_grant(B).unwrap();
        overtaking.on_grant(C).unwrap_err();
    }

    #[test]
    fn each_overtaking_of_the_same_wait_counts() {
        let mut overtaking = asked(1, &[(A, true), (B, true), (C, true)]);
        for node in [B, C] {
            overtaking.on_grant(node).unwrap();
        }
        overtaking.on_request(C, false);
        overtaking.on_grant(C).unwrap(); // It asked while messages were in transit.
        overtaking.on_request(B, true);
        let broken = overtaking.clone().on_grant(B).unwrap_err();
        let expected = "node 1 overtakes node 0 for the second time, and 1 is allowed";
        assert_eq!(broken.detail, expected);
        overtaking.on_grant(A).unwrap();
        overtaking.on_grant(B).unwrap();
        assert_eq!(overtaking, Overtaking::new(3, 1), "the wait of A is over");
    }

    #[test]
    fn those_that_asked_between_two_silences_have_no_order() {
        let one = asked(0, &[(A, false), (B, false), (C, true)]);
        assert_eq!(one, asked(0, &[(B, false), (A, false), (C, true)]));
        assert_ne!(one, asked(0, &[(A, false), (C, true), (B, false)]));
        assert_ne!(one, asked(0, &[(A, false), (B, false), (C, false)]));
        assert_eq!(asked(0, &[(A, true)]), asked(0, &[(A, false)]), "no request was pending");
    }
}

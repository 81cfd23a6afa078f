//! The nodes of a class agree on the one of them that is responsible.
//!
//! The class of a node at level i are the nodes that share more than i bits with it. If no node has
//! the opposite bit i, a key that shares exactly i bits with them matches all of them equally well.
//! Each of them then takes one for responsible, its *opinion*, and tells it to its neighbours in
//! the class in every turn. What it is told it treats by the [minimum
//! rule](crate::consensus::minimum_rule), in the order of positions.
//!
//! Only nodes that *stand* are ever taken for responsible: those that hold a record for the level,
//! and those whose neighbours have no opinion either. A newcomer takes over the opinion of its
//! neighbours, whatever its position. The first opinion other than itself becomes the bridge of the
//! node, which is sticky as all bridges are: nodes that stand point at smaller ones that stand, and
//! the others at these, so no way is a cycle, and all ways in a class end at the smallest that
//! stands.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Msg, PrefixDht, crossings};
use crate::NodeId;
use crate::circle::Mixer;
use crate::overlay::place::bits;
use crate::overlay::{Overlay, Place};
use crate::protocol::Env;

/// Which of several nodes that match a key equally well is responsible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Responsible {
    /// The one with the smallest position.
    Smallest,
    /// The one that they agree on: for each level the node that this one takes for responsible.
    Agreed(BTreeMap<u32, NodeId>),
}

impl Responsible {
    pub(super) fn opinion(&self, level: u32) -> Option<NodeId> {
        match self {
            Self::Smallest => None,
            Self::Agreed(opinions) => opinions.get(&level).copied(),
        }
    }

    pub(super) fn opinions(&self) -> impl Iterator<Item = NodeId> + '_ {
        let opinions = match self {
            Self::Smallest => None,
            Self::Agreed(opinions) => Some(opinions.values().copied()),
        };
        opinions.into_iter().flatten()
    }
}

impl PrefixDht {
    /// Whether requests of a level go to a node with the opposite bit, so that no node of this
    /// class is responsible for them.
    fn is_crossed(&self, level: u32) -> bool {
        let place = self.place();
        let bridge = self.bridges.get(&level);
        bridge.is_some_and(|bridge| place.common_prefix(place.me, *bridge) == level)
    }

    /// Has an opinion, and points at the first node other than itself that it has it of.
    fn hold(&mut self, level: u32, node: NodeId) {
        if let Responsible::Agreed(opinions) = &mut self.responsible {
            opinions.insert(level, node);
            if node != self.place().me {
                self.bridges.entry(level).or_insert(node);
            }
        }
    }

    /// Stands if it has no opinion and holds a record of this level: so far it was responsible.
    fn stand_if_holding(&mut self, level: u32) {
        let is_open = self.responsible.opinion(level).is_none();
        if is_open && self.copies.keys().any(|key| self.level(*key) == level) {
            self.hold(level, self.place().me);
        }
    }

    /// Tells its opinions, or that it has none, to its neighbours in each class.
    pub(super) fn gossip(&mut self, env: &mut impl Env<Self>) {
        if self.responsible == Responsible::Smallest {
            return;
        }
        let (place, known) = (self.place(), self.member.overlay().kept());
        for level in open_levels(place, &known) {
            if self.is_crossed(level) {
                continue;
            }
            self.stand_if_holding(level);
            let held = self.responsible.opinion(level);
            for node in classmates(place, &known, level) {
                env.send(node, Msg::Opinion { level, held });
            }
        }
    }

    /// A neighbour tells its opinion; one that has none is told this node's.
    pub(super) fn hear(
        &mut self,
        from: NodeId,
        level: u32,
        told: Option<NodeId>,
        env: &mut impl Env<Self>,
    ) {
        let place = self.place();
        if self.responsible == Responsible::Smallest || self.is_crossed(level) {
            return;
        }
        self.stand_if_holding(level);
        let opinion = match (self.responsible.opinion(level), told) {
            (Some(own), Some(told)) if place.at(told) < place.at(own) => told,
            (Some(own), _) => own,
            (None, Some(told)) => told,
            (None, None) => place.me,
        };
        self.hold(level, opinion);
        if told.is_none() {
            env.send(from, Msg::Opinion { level, held: Some(opinion) });
        }
    }
}

/// The levels at which these nodes are in a class with the node at this place.
pub(super) fn open_levels(place: Place, known: &[NodeId]) -> std::ops::Range<u32> {
    0..known.iter().map(|node| place.common_prefix(place.me, *node)).max().unwrap_or(0)
}

/// Those of these nodes that are in a class with the node at this place.
pub(super) fn classmates(
    place: Place,
    known: &[NodeId],
    level: u32,
) -> impl Iterator<Item = NodeId> + '_ {
    let is_mate = move |node: &NodeId| place.common_prefix(place.me, *node) > level;
    known.iter().copied().filter(is_mate)
}

/// The nodes of a legal network in which all have agreed.
#[derive(Clone, Debug)]
pub struct Classes {
    mixer: Mixer,
    /// In the order of their strings: so a class is a part of it.
    sorted: Vec<(u64, NodeId)>,
}

impl Classes {
    /// The classes of these nodes.
    pub fn new(mixer: Mixer, members: impl IntoIterator<Item = NodeId>) -> Self {
        let mut sorted: Vec<_> =
            members.into_iter().map(|node| (bits(mixer, node), node)).collect();
        sorted.sort_unstable();
        Self { mixer, sorted }
    }

    /// The bridges and the opinions of a node with these neighbours, if all nodes stand.
    pub fn agreed(
        &self,
        me: NodeId,
        known: &[NodeId],
    ) -> (BTreeMap<u32, NodeId>, BTreeMap<u32, NodeId>) {
        let place = Place::new(me, self.mixer);
        let mut bridges = crossings(place, known);
        let mut opinions = BTreeMap::new();
        for level in open_levels(place, known) {
            if let Entry::Vacant(bridge) = bridges.entry(level) {
                let smallest = self.smallest(me, level);
                opinions.insert(level, smallest);
                if smallest != me {
                    bridge.insert(smallest);
                }
            }
        }
        (bridges, opinions)
    }

    /// The node with the smallest position in a class.
    fn smallest(&self, me: NodeId, level: u32) -> NodeId {
        let rest = u64::MAX.checked_shr(level + 1).unwrap_or(0);
        let (first, last) = (bits(self.mixer, me) & !rest, bits(self.mixer, me) | rest);
        let from = self.sorted.partition_point(|(bits, _)| *bits < first);
        let class = self.sorted[from..].iter().take_while(|(bits, _)| *bits <= last);
        let nodes = class.map(|(_, node)| *node);
        nodes.min_by_key(|node| self.mixer.node(*node)).unwrap_or(me)
    }
}

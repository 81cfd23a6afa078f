//! Levels that keep the tree acyclic at every instant while nodes change their parents.

use std::cmp::Reverse;
use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::election::Id;

/// The sequence number of a label: every root has a term, and counts ticks within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq {
    /// The term of the root.
    pub term: u32,
    /// The tick of the root within its term.
    pub tick: u32,
}

impl Seq {
    /// The next tick of the same term.
    pub(super) fn next(self) -> Self {
        Self { tick: self.tick.saturating_add(1), ..self }
    }
}

impl Debug for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.term, self.tick)
    }
}

/// How recent a node's place in the tree is, and how near to the root. Larger is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Label {
    /// The sequence number: newer is better.
    pub seq: Seq,
    /// The distance to the root: smaller is better.
    pub dist: Reverse<u32>,
}

impl Label {
    /// The label of a node that has entered this term, but is not in its tree.
    fn outside(term: u32) -> Self {
        Self { seq: Seq { term, tick: 0 }, dist: Reverse(u32::MAX) }
    }

    fn root(seq: Seq) -> Self {
        Self { seq, dist: Reverse(0) }
    }

    fn below(self) -> Self {
        Self { dist: Reverse(self.dist.0.saturating_add(1)), ..self }
    }
}

impl Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dist {
            Reverse(u32::MAX) => write!(f, "{:?}", self.seq),
            Reverse(dist) => write!(f, "{:?} level {dist}", self.seq),
        }
    }
}

/// The place of a node in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hold {
    /// The parent; the root is its own parent.
    pub parent: NodeId,
    /// The id of the root.
    pub root: Id,
}

/// What a node advertises to its neighbours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Adv {
    /// Its label: the best that it has had.
    pub label: Label,
    /// Its place in the tree; none while it is detached.
    pub hold: Option<Hold>,
}

impl Debug for Adv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hold {
            Some(Hold { parent, root }) => write!(f, "{:?} of {root} by {parent}", self.label),
            None => write!(f, "{:?} detached", self.label),
        }
    }
}

/// The state of a link to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Link {
    Down,
    /// Up, and nothing was received since.
    Silent,
    Heard(Adv),
}

/// One node's place in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Levels {
    me: NodeId,
    /// It never gets worse, and is kept while detached. The label advertised by the parent is
    /// strictly better; as labels only grow, so is its present one. Hence there are no cycles.
    label: Label,
    hold: Option<Hold>,
    /// The links, in ascending order of neighbours.
    links: Box<[(NodeId, Link)]>,
}

impl Levels {
    /// A node in no tree, with links to these neighbours, which are all up.
    pub(super) fn new(me: NodeId, neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        let mut links: Box<[_]> = neighbours.into_iter().map(|node| (node, Link::Silent)).collect();
        links.sort_unstable_by_key(|&(node, _)| node);
        Self { me, label: Label::outside(0), hold: None, links }
    }

    pub(super) fn adv(&self) -> Adv {
        Adv { label: self.label, hold: self.hold }
    }

    pub(super) fn label(&self) -> Label {
        self.label
    }

    pub(super) fn hold(&self) -> Option<Hold> {
        self.hold
    }

    pub(super) fn is_root(&self) -> bool {
        self.hold.is_some_and(|hold| hold.parent == self.me)
    }

    /// The neighbours whose links are up, ascending.
    pub(super) fn up(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.links.iter().filter(|(_, link)| *link != Link::Down).map(|&(node, _)| node)
    }

    pub(super) fn is_up(&self, neighbour: NodeId) -> bool {
        self.place(neighbour).is_some_and(|place| self.links[place].1 != Link::Down)
    }

    pub(super) fn is_neighbour(&self, node: NodeId) -> bool {
        self.place(node).is_some()
    }

    /// The neighbours that have advertised this node as their parent.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.heard().filter(|(_, adv)| self.is_child(adv)).map(|(node, _)| node)
    }

    /// The neighbours that can ask the root for a fresh sequence number: those that have advertised
    /// a place in the tree, but not as our children.
    pub(super) fn helpers(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.heard().filter(|(_, adv)| self.is_helper(adv)).map(|(node, _)| node)
    }

    /// Whether a neighbour with this advertisement is such a helper.
    pub(super) fn is_helper(&self, adv: &Adv) -> bool {
        let is_of_term = adv.label.seq.term == self.label.seq.term;
        is_of_term && adv.hold.is_some() && !self.is_child(adv)
    }

    /// The latest term known here.
    pub(super) fn newest_term(&self) -> u32 {
        let theirs = self.heard().map(|(_, adv)| adv.label.seq.term).max();
        self.label.seq.term.max(theirs.unwrap_or(0))
    }

    /// A neighbour has advertised its place.
    pub(super) fn hear(&mut self, from: NodeId, adv: Adv) {
        self.set(from, Link::Heard(adv));
    }

    /// The link is down.
    pub(super) fn lose(&mut self, neighbour: NodeId) {
        self.set(neighbour, Link::Down);
    }

    /// The link is up again.
    pub(super) fn find(&mut self, neighbour: NodeId) {
        self.set(neighbour, Link::Silent);
    }

    /// A new term begins: advertisements of older trees do not count any more.
    pub(super) fn enter(&mut self, term: u32) {
        (self.label, self.hold) = (self.label.max(Label::outside(term)), None);
    }

    /// This node is the root of its term.
    pub(super) fn lead(&mut self, me: Id) {
        self.label = Label::root(self.label.seq);
        self.hold = Some(Hold { parent: self.me, root: me });
    }

    /// At the root: a fresh sequence number, to which every node can attach.
    pub(super) fn tick(&mut self) {
        assert!(self.is_root(), "only the root counts");
        self.label = Label::root(self.label.seq.next());
    }

    fn place(&self, neighbour: NodeId) -> Option<usize> {
        self.links.binary_search_by_key(&neighbour, |&(node, _)| node).ok()
    }

    fn set(&mut self, neighbour: NodeId, link: Link) {
        if let Some(place) = self.place(neighbour) {
            self.links[place].1 = link;
            self.reconsider();
        }
    }

    fn heard(&self) -> impl Iterator<Item = (NodeId, Adv)> + '_ {
        self.links.iter().filter_map(|&(node, link)| match link {
            Link::Heard(adv) => Some((node, adv)),
            Link::Down | Link::Silent => None,
        })
    }

    fn is_child(&self, adv: &Adv) -> bool {
        adv.hold.is_some_and(|hold| hold.parent == self.me)
    }

    /// A neighbour is feasible if it is in the tree and has a strictly better label. A parent that
    /// is no longer feasible has lost its own parent, or its memory. The best feasible neighbour
    /// becomes the parent if there is none, or if it is nearer to the root: the label never gets
    /// worse.
    fn reconsider(&mut self) {
        if self.is_root() {
            return;
        }
        let feasible = |(node, adv): (NodeId, Adv)| {
            let Hold { root, .. } = adv.hold?;
            (adv.label > self.label).then_some((adv.label, Reverse(node), root))
        };
        let is_parent = |node| self.hold.is_some_and(|hold| hold.parent == node);
        let still_held =
            self.heard().filter(|&(node, _)| is_parent(node)).find_map(feasible).is_some();
        let best = self.heard().filter_map(feasible).max();
        match best {
            Some((label, Reverse(parent), root)) if !still_held || label.below() > self.label => {
                (self.label, self.hold) = (label.below(), Some(Hold { parent, root }));
            }
            Some(_) => {}
            None => self.hold = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node 5 between nodes 1, 2 and 3.
    fn levels() -> Levels {
        Levels::new(NodeId(5), [3, 1, 2].map(NodeId))
    }

    fn adv(tick: u32, dist: u32, parent: u32) -> Adv {
        let label = Label { seq: Seq { term: 0, tick }, dist: Reverse(dist) };
        Adv { label, hold: Some(Hold { parent: NodeId(parent), root: Id(9) }) }
    }

    fn detached(tick: u32, dist: u32) -> Adv {
        Adv { hold: None, ..adv(tick, dist, 0) }
    }

    fn place(levels: &Levels) -> String {
        format!("{:?}", levels.adv())
    }

    #[test]
    fn the_nearest_to_the_root_becomes_the_parent() {
        let mut levels = levels();
        levels.hear(NodeId(2), adv(0, 4, 7));
        assert_eq!(place(&levels), "0.0 level 5 of 9 by 2");
        levels.hear(NodeId(3), adv(0, 3, 7));
        assert_eq!(place(&levels), "0.0 level 4 of 9 by 3");
    }

    #[test]
    fn another_parent_at_the_same_level_is_no_gain() {
        let mut levels = levels();
        levels.hear(NodeId(2), adv(0, 3, 7));
        levels.hear(NodeId(1), adv(0, 3, 7));
        assert_eq!(place(&levels), "0.0 level 4 of 9 by 2");
    }

    #[test]
    fn neighbours_without_a_level_are_no_parents() {
        let mut levels = levels();
        levels.hear(NodeId(2), detached(7, 0));
        assert_eq!(place(&levels), "0.0 detached");
    }

    #[test]
    fn a_lost_parent_is_replaced_by_one_that_is_nearer_to_the_root_than_we_were() {
        for is_lost in [true, false] {
            let mut levels = levels();
            levels.hear(NodeId(1), adv(0, 3, 7));
            levels.hear(NodeId(2), adv(0, 4, 7));
            levels.hear(NodeId(3), adv(0, 3, 7));
            match is_lost {
                true => levels.lose(NodeId(1)),
                false => levels.hear(NodeId(1), detached(0, 3)),
            }
            assert_eq!(place(&levels), "0.0 level 4 of 9 by 3");
        }
    }

    #[test]
    fn a_neighbour_as_far_away_as_we_were_may_be_in_our_subtree() {
        let mut levels = levels();
        levels.hear(NodeId(1), adv(0, 3, 7));
        levels.hear(NodeId(2), adv(0, 4, 7));
        levels.hear(NodeId(3), adv(0, 5, 5));
        levels.lose(NodeId(1));
        assert_eq!(place(&levels), "0.0 level 4 detached", "the label is kept");
        assert!(levels.helpers().eq([NodeId(2)]), "our child cannot help us");
        levels.hear(NodeId(2), adv(1, 6, 7));
        assert_eq!(place(&levels), "0.1 level 7 of 9 by 2", "a fresh number is always better");
    }

    #[test]
    fn a_parent_that_is_not_better_any_more_has_lost_its_memory() {
        let mut levels = levels();
        levels.hear(NodeId(1), adv(0, 3, 7));
        levels.hear(NodeId(1), adv(0, 5, 5));
        assert_eq!(place(&levels), "0.0 level 4 detached");
        assert!(levels.children().eq([NodeId(1)]));
    }

    #[test]
    fn a_new_term_devalues_older_trees() {
        let mut levels = levels();
        levels.hear(NodeId(1), adv(7, 0, 1));
        levels.enter(1);
        assert_eq!(place(&levels), "1.0 detached");
        levels.hear(NodeId(2), adv(8, 0, 2));
        assert_eq!(place(&levels), "1.0 detached");
        assert_eq!(levels.helpers().count(), 0);
        levels.lead(Id(4));
        levels.tick();
        assert_eq!(place(&levels), "1.1 level 0 of 4 by 5");
        levels.hear(NodeId(2), adv(8, 0, 2));
        assert!(levels.is_root());
    }

    #[test]
    fn strangers_and_lost_neighbours_have_no_link() {
        let mut levels = levels();
        levels.lose(NodeId(2));
        levels.hear(NodeId(7), adv(0, 0, 7));
        assert_eq!(place(&levels), "0.0 detached");
        assert!(levels.up().eq([1, 3].map(NodeId)));
        assert!(!levels.is_up(NodeId(2)) && !levels.is_up(NodeId(7)));
        levels.find(NodeId(2));
        assert!(levels.is_up(NodeId(2)));
    }
}

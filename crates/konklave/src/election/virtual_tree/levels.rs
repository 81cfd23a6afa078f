//! Levels that keep a tree free of cycles while its nodes change their parents.

use std::cmp::Reverse;
use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::election::Id;

/// The sequence number of a label: the root counts its ticks, and every root has its term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq {
    /// Which root.
    pub term: u32,
    /// Which of its ticks.
    pub tick: u32,
}

impl Seq {
    /// The next of the same root.
    pub(super) fn next(self) -> Self {
        Self { tick: self.tick.saturating_add(1), ..self }
    }
}

impl Debug for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.term, self.tick)
    }
}

/// How fresh a node's place in the tree is, and how near to the root. The larger, the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Label {
    /// The newer, the better.
    pub seq: Seq,
    /// The distance to the root: the smaller, the better.
    pub dist: Reverse<u32>,
}

impl Label {
    /// Of a node that is in no tree of this term, but in none of an older one either.
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

/// Where a node hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hold {
    /// The next on the way to the root; the root itself there.
    pub parent: NodeId,
    /// Who the root is.
    pub root: Id,
}

/// What a node tells its neighbours about itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Adv {
    /// The best label that it has had.
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

/// What is known about a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Link {
    Down,
    /// Nothing was heard since it is up.
    Silent,
    Heard(Adv),
}

/// One node's place in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Levels {
    me: NodeId,
    /// It never gets worse, and is kept while we are detached. The label that our parent told us
    /// is better; as labels only grow, so is the one that it has now.
    label: Label,
    hold: Option<Hold>,
    /// By neighbour, ascending.
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

    /// Who hangs on us, as far as we have heard.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.heard().filter(|(_, adv)| self.is_child(adv)).map(|(node, _)| node)
    }

    /// Those who could ask our root for a fresh sequence number, as far as we have heard: they are
    /// in the tree, but not below us.
    pub(super) fn helpers(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.heard().filter(|(_, adv)| self.is_helper(adv)).map(|(node, _)| node)
    }

    /// Whether a neighbour that says so is one of those.
    pub(super) fn is_helper(&self, adv: &Adv) -> bool {
        let is_of_term = adv.label.seq.term == self.label.seq.term;
        is_of_term && adv.hold.is_some() && !self.is_child(adv)
    }

    /// The newest term that we have heard of.
    pub(super) fn newest_term(&self) -> u32 {
        let theirs = self.heard().map(|(_, adv)| adv.label.seq.term).max();
        self.label.seq.term.max(theirs.unwrap_or(0))
    }

    /// A neighbour tells us its place.
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

    /// A new term begins: what is said about older trees does not count any more.
    pub(super) fn enter(&mut self, term: u32) {
        (self.label, self.hold) = (self.label.max(Label::outside(term)), None);
    }

    /// We are the root of our term.
    pub(super) fn lead(&mut self, me: Id) {
        self.label = Label::root(self.label.seq);
        self.hold = Some(Hold { parent: self.me, root: me });
    }

    /// At the root: a fresh sequence number, which everybody can attach to.
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

    /// The feasible neighbours are in the tree and have a better label. A parent is one, or else it
    /// has lost its own parent, or its memory. The best is taken if we need one or it brings us
    /// nearer to the root; our label does not get worse by that.
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
    fn who_is_as_far_away_as_we_were_may_be_below_us() {
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
    fn strangers_and_lost_ones_are_no_links() {
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

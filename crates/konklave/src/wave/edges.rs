//! The classification of a node's edges while a wave builds a spanning tree.

use std::fmt::{self, Debug};

use crate::NodeId;

/// The role of an edge in the spanning tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Edge {
    /// Not known yet.
    Open,
    /// A tree edge towards the root.
    Parent,
    /// A tree edge to a subtree that is complete.
    Child,
    /// Not a tree edge: both of its ends are in the tree by other edges.
    Frond,
}

/// The edges of a node, by the neighbour at their other end.
///
/// Its size is the degree of the node, independent of the number of nodes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Edges {
    /// In ascending order of neighbours.
    all: Box<[(NodeId, Edge)]>,
    /// The number of open edges, which a node checks at every message.
    open: u32,
}

impl Edges {
    /// The edges to these neighbours, all open.
    pub(crate) fn new(neighbours: impl IntoIterator<Item = NodeId>) -> Self {
        let mut all: Box<[_]> = neighbours.into_iter().map(|other| (other, Edge::Open)).collect();
        all.sort_unstable_by_key(|&(other, _)| other);
        let open = all.len() as u32;
        Self { all, open }
    }

    /// Makes all edges open again.
    pub(crate) fn reset(&mut self) {
        for (_, edge) in &mut self.all {
            *edge = Edge::Open;
        }
        self.open = self.all.len() as u32;
    }

    /// The number of open edges.
    pub(crate) fn open(&self) -> u32 {
        self.open
    }

    /// The position of this node among the neighbours; none if it is not a neighbour.
    pub(crate) fn place(&self, neighbour: NodeId) -> Option<usize> {
        self.all.binary_search_by_key(&neighbour, |&(other, _)| other).ok()
    }

    /// The role of the edge to this node; none if it is not a neighbour.
    pub(crate) fn get(&self, neighbour: NodeId) -> Option<Edge> {
        self.place(neighbour).map(|place| self.all[place].1)
    }

    /// Sets the role of the edge to this node, if it is a neighbour.
    pub(crate) fn set(&mut self, neighbour: NodeId, edge: Edge) {
        if let Some(place) = self.place(neighbour) {
            let before = std::mem::replace(&mut self.all[place].1, edge);
            self.open -= u32::from(before == Edge::Open);
            self.open += u32::from(edge == Edge::Open);
        }
    }

    /// The neighbours, ascending.
    pub(crate) fn neighbours(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.all.iter().map(|&(other, _)| other)
    }

    /// The neighbours whose edges have this role, ascending.
    pub(crate) fn that_are(&self, edge: Edge) -> impl Iterator<Item = NodeId> + '_ {
        self.all.iter().filter(move |(_, other)| *other == edge).map(|&(other, _)| other)
    }

    /// The first neighbour with an open edge after this one, or of all.
    pub(crate) fn next_open(&self, after: Option<NodeId>) -> Option<NodeId> {
        let start = after.and_then(|after| self.place(after)).map_or(0, |place| place + 1);
        self.all[start..].iter().find(|(_, edge)| *edge == Edge::Open).map(|&(other, _)| other)
    }
}

impl Debug for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.all.iter().copied()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges() -> Edges {
        Edges::new([7, 2, 5].map(NodeId))
    }

    #[test]
    fn the_open_ones_are_counted() {
        let mut edges = edges();
        assert_eq!(edges.open(), 3);
        edges.set(NodeId(5), Edge::Child);
        edges.set(NodeId(5), Edge::Frond);
        edges.set(NodeId(6), Edge::Child); // Not a neighbour.
        assert_eq!(edges.open(), 2);
        edges.set(NodeId(5), Edge::Open);
        assert_eq!(edges.open(), 3);
        edges.set(NodeId(2), Edge::Parent);
        edges.reset();
        assert_eq!(edges, self::edges());
    }

    #[test]
    fn neighbours_are_ascending_and_found() {
        let mut edges = edges();
        edges.set(NodeId(5), Edge::Child);
        assert_eq!(format!("{edges:?}"), "{2: Open, 5: Child, 7: Open}");
        assert!(edges.neighbours().eq([2, 5, 7].map(NodeId)));
        assert!(edges.that_are(Edge::Open).eq([2, 7].map(NodeId)));
        assert_eq!(edges.get(NodeId(5)), Some(Edge::Child));
        assert_eq!(edges.get(NodeId(6)), None);
    }

    #[test]
    fn the_next_open_one_lies_behind() {
        let mut edges = edges();
        edges.set(NodeId(5), Edge::Frond);
        assert_eq!(edges.next_open(None), Some(NodeId(2)));
        assert_eq!(edges.next_open(Some(NodeId(2))), Some(NodeId(7)));
        assert_eq!(edges.next_open(Some(NodeId(7))), None);
    }
}

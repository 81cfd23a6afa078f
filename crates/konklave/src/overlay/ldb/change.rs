//! Who joins and who leaves, all at once, and what becomes of the network.
//!
//! A process that leaves tells its neighbours. So everybody who knows the change knows what becomes
//! of its own neighbourhood, and who is responsible for what it stores, without another message:
//! going along those that leave, it comes to the next one that stays, and those that join are at
//! their places between.

use serde::{Deserialize, Serialize};

use super::{Kind, Ldb, Virtual};
use crate::NodeId;
use crate::circle::Point;
use crate::overlay::Side;

/// Who joins and who leaves. At least one process stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Change {
    /// Those that join, with the labels of their middle nodes.
    pub joining: Vec<(NodeId, Point)>,
    /// Those that leave, at their places in the network.
    pub leaving: Vec<Ldb>,
}

/// The place of a virtual node in a network that it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Spot {
    /// The node.
    pub at: Virtual,
    /// Its neighbours on the cycle.
    pub between: (Virtual, Virtual),
}

impl Change {
    /// Takes in what others want.
    pub fn add(&mut self, other: Self) {
        self.joining.extend(other.joining);
        self.leaving.extend(other.leaving);
    }

    /// Whether a process leaves.
    pub fn is_leaving(&self, node: NodeId) -> bool {
        self.place(node).is_some()
    }

    fn place(&self, node: NodeId) -> Option<&Ldb> {
        self.leaving.iter().find(|ldb| ldb.me == node)
    }

    /// This node if it stays, or the next one on this side that does.
    fn staying(&self, mut at: Virtual, side: Side) -> Virtual {
        while let Some(ldb) = self.place(at.node) {
            at = ldb.neighbour(at.kind, side);
        }
        at
    }

    fn joiners(&self) -> impl Iterator<Item = Virtual> + '_ {
        let all = |&(node, middle): &(NodeId, Point)| {
            Kind::ALL.map(|kind| Virtual::new(node, middle, kind))
        };
        self.joining.iter().flat_map(all)
    }

    /// The nearest neighbour: the next one that stays, or one that joins.
    fn nearest(&self, here: Virtual, staying: Virtual, side: Side) -> Virtual {
        let all = self.joiners().filter(|it| *it != here).chain([staying]);
        let nearest = match side {
            Side::Left => all.max_by_key(|it| (*it < here, *it)),
            Side::Right => all.min_by_key(|it| (*it <= here, *it)),
        };
        nearest.unwrap_or(staying)
    }
}

impl Ldb {
    /// The place of this process, which stays, after a change.
    #[must_use]
    pub fn after(&self, change: &Change) -> Self {
        let near = |kind, side| {
            let staying = change.staying(self.neighbour(kind, side), side);
            change.nearest(self.own(kind), staying, side)
        };
        let processes = self.processes as usize + change.joining.len() - change.leaving.len();
        Self {
            processes: processes as u32,
            before: Kind::ALL.map(|kind| near(kind, Side::Left)),
            behind: Kind::ALL.map(|kind| near(kind, Side::Right)),
            ..*self
        }
    }

    /// The place of a process that joins, once it knows those of its virtual nodes.
    pub fn joined(processes: u32, spots: [Spot; 3]) -> Self {
        let Virtual { node: me, label: middle, .. } = spots[Kind::Middle as usize].at;
        let (before, behind) = (spots.map(|it| it.between.0), spots.map(|it| it.between.1));
        Self { me, processes, middle, before, behind }
    }

    /// The nodes that join between one of this process, which stays, and the next that stays.
    pub fn gaps(&self, change: &Change) -> Vec<Spot> {
        let mut spots = Vec::new();
        for kind in Kind::ALL {
            let here = self.own(kind);
            let end = change.staying(self.behind[kind as usize], Side::Right);
            let order = |it: Virtual| (it <= here, it);
            for at in change.joiners().filter(|it| order(*it) < order(end)) {
                let before = change.nearest(at, here, Side::Left);
                let behind = change.nearest(at, end, Side::Right);
                spots.push(Spot { at, between: (before, behind) });
            }
        }
        spots
    }

    /// The process that is responsible, after a change, for a point for which this one was; this
    /// one, if it was not.
    pub fn heir(&self, point: Point, change: &Change) -> NodeId {
        let kind = Kind::ALL.into_iter().find(|kind| self.owns(*kind, point));
        let Some(kind) = kind else { return self.me };
        let old = change.staying(self.own(kind), Side::Left);
        let all = change.joiners().chain([old]);
        all.max_by_key(|it| (it.label <= point, *it)).unwrap_or(old).node
    }

    /// The process that plays the anchor after a change, told by the one that did before.
    pub fn next_anchor(&self, change: &Change) -> NodeId {
        let old = change.staying(self.own(Kind::Left), Side::Right);
        change.joiners().chain([old]).min().unwrap_or(old).node
    }
}

use std::fmt::{self, Display};

/// What a network looks like, whatever its number of nodes: the [`Topology`](super::Topology) that
/// it was built from, with the sides that a grid was given. Displayed in words: `2x5 grid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A cycle whose links carry both ways.
    Ring,
    /// A cycle whose links carry from each node to the next only.
    DirectedRing,
    /// Each node is joined to the next.
    Line,
    /// Node 0 is joined to all others.
    Star,
    /// Every inner node, but perhaps the last, has as many children.
    Tree {
        /// How many.
        arity: u32,
    },
    /// A tree that was drawn at random.
    RandomTree,
    /// Every node is joined to every other.
    Complete,
    /// Rows of nodes, joined to those beside, above and below them.
    Grid {
        /// How many nodes a row has.
        width: u32,
        /// How many rows there are.
        height: u32,
    },
    /// A grid with opposite borders joined.
    Torus {
        /// How many nodes a row has.
        width: u32,
        /// How many rows there are.
        height: u32,
    },
    /// Nodes are joined that differ in one bit of their numbers.
    Hypercube,
    /// Nodes are joined if one number is the other shifted by a bit.
    DeBruijn,
    /// Any two nodes are joined with the same probability.
    Random,
    /// Every node has as many neighbours, otherwise at random.
    Regular {
        /// How many.
        degree: u32,
    },
    /// A ring in which every node is joined to the nearest ones, and some edges lead elsewhere.
    SmallWorld {
        /// The number of the nearest ones.
        degree: u32,
    },
    /// Each node is joined to earlier ones, more likely to those with many neighbours.
    ScaleFree {
        /// The number of the earlier ones.
        links: u32,
    },
    /// No form is known: the links were listed in a file.
    Any,
}

impl Form {
    /// Whether the form and the number of nodes tell how many links there are.
    pub(super) fn tells_edges(self) -> bool {
        !matches!(self, Self::Random | Self::ScaleFree { .. } | Self::Any)
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ring => write!(f, "ring"),
            Self::DirectedRing => write!(f, "directed ring"),
            Self::Line => write!(f, "line"),
            Self::Star => write!(f, "star"),
            Self::Tree { arity } => write!(f, "{arity}-ary tree"),
            Self::RandomTree => write!(f, "random tree"),
            Self::Complete => write!(f, "complete graph"),
            Self::Grid { width, height } => write!(f, "{width}x{height} grid"),
            Self::Torus { width, height } => write!(f, "{width}x{height} torus"),
            Self::Hypercube => write!(f, "hypercube"),
            Self::DeBruijn => write!(f, "de Bruijn graph"),
            Self::Random => write!(f, "random graph"),
            Self::Regular { degree } => write!(f, "random {degree}-regular graph"),
            Self::SmallWorld { degree } => write!(f, "small world of degree {degree}"),
            Self::ScaleFree { .. } => write!(f, "scale-free graph"),
            Self::Any => write!(f, "graph"),
        }
    }
}

use std::fmt::{self, Display};
use std::num::{IntErrorKind, NonZeroU32};
use std::str::FromStr;

use super::GraphError;

/// The names of all topologies, in the order of [`FORMS`].
pub const NAMES: [&str; 16] = [
    "ring",
    "directed-ring",
    "line",
    "star",
    "tree",
    "random-tree",
    "complete",
    "grid",
    "torus",
    "hypercube",
    "debruijn",
    "gnp",
    "regular",
    "watts-strogatz",
    "barabasi-albert",
    "file",
];

/// The syntax of each topology. The argument of `grid`, `torus` and `tree` is optional.
pub const FORMS: [&str; 16] = [
    "ring",
    "directed-ring",
    "line",
    "star",
    "tree:K",
    "random-tree",
    "complete",
    "grid:WxH",
    "torus:WxH",
    "hypercube",
    "debruijn",
    "gnp:P",
    "regular:D",
    "watts-strogatz:K,P",
    "barabasi-albert:M",
    "file:PATH",
];

/// A family of networks, without the number of nodes.
///
/// Parsed with [`str::parse`]; [`Display`] writes a form that parses to the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// `ring`: a bidirectional cycle.
    Ring,
    /// `directed-ring`: a cycle with links from each node to the next only.
    DirectedRing,
    /// `line`: a path; each node is adjacent to the next.
    Line,
    /// `star`: node 0 is adjacent to all others.
    Star,
    /// `tree:K`, or `tree` for K = 2: every inner node, but perhaps the last, has K children.
    Tree {
        /// K.
        arity: NonZeroU32,
    },
    /// `random-tree`: a labelled tree, uniformly distributed.
    RandomTree,
    /// `complete`: any two nodes are adjacent.
    Complete,
    /// `grid:WxH`, or `grid` for as square as the number of nodes allows.
    Grid {
        /// W and H.
        sides: Option<(NonZeroU32, NonZeroU32)>,
    },
    /// `torus:WxH`, or `torus`: a grid with opposite borders connected.
    Torus {
        /// W and H.
        sides: Option<(NonZeroU32, NonZeroU32)>,
    },
    /// `hypercube`: two nodes are adjacent if their numbers differ in one bit.
    Hypercube,
    /// `debruijn`: two nodes are adjacent if one number is the other shifted by a bit.
    DeBruijn,
    /// `gnp:P`: any two nodes are adjacent with probability P, independently.
    Gnp {
        /// P.
        probability: Probability,
    },
    /// `regular:D`: a random graph in which every node has degree D.
    Regular {
        /// D.
        degree: NonZeroU32,
    },
    /// `watts-strogatz:K,P`: a small world. A ring in which every node is adjacent to the K nearest
    /// ones; the far end of each edge then moves to a random node with probability P.
    WattsStrogatz {
        /// K.
        degree: NonZeroU32,
        /// P.
        rewired: Probability,
    },
    /// `barabasi-albert:M`: scale-free. Each further node is joined to M earlier ones, each chosen
    /// with a probability in proportion to its degree.
    BarabasiAlbert {
        /// M.
        links: NonZeroU32,
    },
    /// `file:PATH`: the graph that [`Graph::parse`](super::Graph::parse) reads from the file.
    File {
        /// PATH.
        path: String,
    },
}

impl Topology {
    /// Whether its graphs are drawn at random.
    pub fn is_random(&self) -> bool {
        matches!(
            self,
            Self::RandomTree
                | Self::Gnp { .. }
                | Self::Regular { .. }
                | Self::WattsStrogatz { .. }
                | Self::BarabasiAlbert { .. }
        )
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(f64);

impl Probability {
    /// None if `value` is out of bounds or not a number.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Equality is reflexive, because a probability is never NaN.
impl Eq for Probability {}

impl FromStr for Topology {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let argument = Argument { text, value };
        match name {
            "ring" => argument.none(Self::Ring),
            "directed-ring" => argument.none(Self::DirectedRing),
            "line" => argument.none(Self::Line),
            "star" => argument.none(Self::Star),
            "tree" if value.is_none() => {
                Ok(Self::Tree { arity: NonZeroU32::MIN.saturating_add(1) })
            }
            "tree" => Ok(Self::Tree { arity: argument.count("number of children", "tree:3")? }),
            "random-tree" => argument.none(Self::RandomTree),
            "complete" => argument.none(Self::Complete),
            "grid" => Ok(Self::Grid { sides: argument.sides("grid:4x3")? }),
            "torus" => Ok(Self::Torus { sides: argument.sides("torus:4x3")? }),
            "hypercube" => argument.none(Self::Hypercube),
            "debruijn" => argument.none(Self::DeBruijn),
            "gnp" => Ok(Self::Gnp { probability: argument.probability("gnp:0.1")? }),
            "regular" => Ok(Self::Regular { degree: argument.count("degree", "regular:4")? }),
            "watts-strogatz" => {
                let (degree, rewired) = argument.small_world("watts-strogatz:4,0.1")?;
                Ok(Self::WattsStrogatz { degree, rewired })
            }
            "barabasi-albert" => {
                let links = argument.count("number of links", "barabasi-albert:2")?;
                Ok(Self::BarabasiAlbert { links })
            }
            "file" => {
                Ok(Self::File { path: argument.required("path", "file:net.dot")?.to_owned() })
            }
            _ => Err(GraphError::UnknownTopology(name.to_owned())),
        }
    }
}

impl Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ring => write!(f, "ring"),
            Self::DirectedRing => write!(f, "directed-ring"),
            Self::Line => write!(f, "line"),
            Self::Star => write!(f, "star"),
            Self::Tree { arity } => write!(f, "tree:{arity}"),
            Self::RandomTree => write!(f, "random-tree"),
            Self::Complete => write!(f, "complete"),
            Self::Grid { sides: None } => write!(f, "grid"),
            Self::Grid { sides: Some((width, height)) } => write!(f, "grid:{width}x{height}"),
            Self::Torus { sides: None } => write!(f, "torus"),
            Self::Torus { sides: Some((width, height)) } => write!(f, "torus:{width}x{height}"),
            Self::Hypercube => write!(f, "hypercube"),
            Self::DeBruijn => write!(f, "debruijn"),
            Self::Gnp { probability } => write!(f, "gnp:{}", probability.get()),
            Self::Regular { degree } => write!(f, "regular:{degree}"),
            Self::WattsStrogatz { degree, rewired } => {
                write!(f, "watts-strogatz:{degree},{}", rewired.get())
            }
            Self::BarabasiAlbert { links } => write!(f, "barabasi-albert:{links}"),
            Self::File { path } => write!(f, "file:{path}"),
        }
    }
}

/// The argument after the colon, and the whole text for error messages.
struct Argument<'a> {
    text: &'a str,
    value: Option<&'a str>,
}

impl<'a> Argument<'a> {
    fn none(&self, topology: Topology) -> Result<Topology, GraphError> {
        match self.value {
            None => Ok(topology),
            Some(_) => Err(self.error(format!("write just {topology}"))),
        }
    }

    fn required(&self, what: &str, example: &str) -> Result<&'a str, GraphError> {
        let value = self.value.filter(|value| !value.is_empty());
        value.ok_or_else(|| self.error(format!("the {what} is missing, as in {example}")))
    }

    fn count(&self, what: &str, example: &str) -> Result<NonZeroU32, GraphError> {
        let value = self.required(what, example)?;
        self.number(value, what, example)
    }

    fn sides(&self, example: &str) -> Result<Option<(NonZeroU32, NonZeroU32)>, GraphError> {
        if self.value.is_none() {
            return Ok(None);
        }
        let value = self.required("size", example)?;
        let Some((width, height)) = value.split_once('x') else {
            return Err(self.error(format!("`{value}` is not a size, as in {example}")));
        };
        let width = self.number(width, "width", example)?;
        let height = self.number(height, "height", example)?;
        Ok(Some((width, height)))
    }

    fn probability(&self, example: &str) -> Result<Probability, GraphError> {
        let value = self.required("probability", example)?;
        self.chance(value, example)
    }

    fn small_world(&self, example: &str) -> Result<(NonZeroU32, Probability), GraphError> {
        let value = self.required("degree", example)?;
        let Some((degree, rewired)) = value.split_once(',') else {
            return Err(self.error(format!("the probability is missing, as in {example}")));
        };
        Ok((self.number(degree, "degree", example)?, self.chance(rewired, example)?))
    }

    fn chance(&self, value: &str, example: &str) -> Result<Probability, GraphError> {
        let number: f64 = value
            .parse()
            .map_err(|_| self.error(format!("`{value}` is not a probability, as in {example}")))?;
        Probability::new(number).ok_or_else(|| {
            self.error(format!("a probability lies between 0 and 1, as in {example}"))
        })
    }

    fn number(&self, value: &str, what: &str, example: &str) -> Result<NonZeroU32, GraphError> {
        value.parse().map_err(|error: std::num::ParseIntError| {
            self.error(match error.kind() {
                IntErrorKind::Zero => format!("the {what} must be at least 1, as in {example}"),
                IntErrorKind::PosOverflow => format!("the {what} must be below 2^32"),
                _ => format!("`{value}` is not a {what}, as in {example}"),
            })
        })
    }

    fn error(&self, problem: String) -> GraphError {
        GraphError::BadTopology { text: self.text.to_owned(), problem }
    }
}

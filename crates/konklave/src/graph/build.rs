use std::num::NonZeroU32;

use super::adjacency::Adjacency;
use super::shape::{Origin, Shape};
use super::{Graph, GraphError, Topology, random};

/// The number of times a random graph is drawn until it is connected.
const ATTEMPTS: u32 = 100;

/// Below the capacity of an [`Adjacency`], because a random number of edges may exceed its mean.
const EDGES_MAX: u64 = 2_000_000_000;

impl Topology {
    /// The graph of this form with `nodes` nodes. Only the random forms call `random`, which must
    /// return uniformly distributed words of 64 bits.
    ///
    /// # Errors
    ///
    /// If the form does not exist with this number of nodes, if a random graph is almost never
    /// connected, or if the graph has to be read from a file.
    pub fn build(&self, nodes: u32, random: &mut dyn FnMut() -> u64) -> Result<Graph, GraphError> {
        if nodes == 0 {
            return Err(self.error("at least one node is needed".to_owned()));
        }
        let shape = match self {
            Self::Ring => Shape::Ring,
            Self::DirectedRing => Shape::DirectedRing,
            Self::Line => Shape::Line,
            Self::Star => Shape::Star,
            Self::Tree { arity } => Shape::Tree { arity: arity.get() },
            Self::RandomTree => {
                self.check_edges(u64::from(nodes) - 1)?;
                let links = Adjacency::new(nodes, &random::tree(nodes, random));
                Shape::Listed { origin: Origin::RandomTree, links }
            }
            Self::Complete => Shape::Complete,
            Self::Grid { sides } => {
                let (width, height) = self.sides(*sides, nodes)?;
                Shape::Grid { width, height }
            }
            Self::Torus { sides } => {
                let (width, height) = self.sides(*sides, nodes)?;
                Shape::Torus { width, height }
            }
            Self::Hypercube => {
                self.check_power_of_two(nodes)?;
                Shape::Hypercube
            }
            Self::DeBruijn => {
                self.check_power_of_two(nodes)?;
                Shape::DeBruijn
            }
            Self::Gnp { probability } => return self.gnp(nodes, probability.get(), random),
            Self::Regular { degree } => return self.regular(nodes, degree.get(), random),
            Self::WattsStrogatz { degree, rewired } => {
                return self.small_world(nodes, degree.get(), rewired.get(), random);
            }
            Self::BarabasiAlbert { links } => {
                let links = links.get();
                if links >= nodes {
                    let least = u64::from(links) + 1;
                    let problem = format!("at least {least} nodes are needed, not {nodes}");
                    return Err(self.error(problem));
                }
                self.check_edges(u64::from(links) * u64::from(nodes - links))?;
                let origin = Origin::ScaleFree { links };
                let links = Adjacency::new(nodes, &random::scale_free(nodes, links, random));
                Shape::Listed { origin, links }
            }
            Self::File { .. } => {
                return Err(self.error("this graph is read from the file, not built".to_owned()));
            }
        };
        Ok(Graph { nodes, shape, labels: None })
    }

    fn sides(
        &self,
        sides: Option<(NonZeroU32, NonZeroU32)>,
        nodes: u32,
    ) -> Result<(u32, u32), GraphError> {
        let Some((width, height)) = sides else {
            let width =
                (1..=nodes.isqrt()).rev().find(|side| nodes.is_multiple_of(*side)).unwrap_or(1);
            return Ok((width, nodes / width));
        };
        let (width, height) = (width.get(), height.get());
        let size = u64::from(width) * u64::from(height);
        if size != u64::from(nodes) {
            return Err(self.error(format!("this has {size} nodes, not {nodes}")));
        }
        Ok((width, height))
    }

    fn check_power_of_two(&self, nodes: u32) -> Result<(), GraphError> {
        if nodes.is_power_of_two() {
            return Ok(());
        }
        let mut nearest = (1_u32 << nodes.ilog2()).to_string();
        if let Some(above) = nodes.checked_next_power_of_two() {
            nearest += &format!(" or {above}");
        }
        Err(self.error(format!("the nodes must be a power of two, {nearest}, not {nodes}")))
    }

    fn check_edges(&self, edges: u64) -> Result<(), GraphError> {
        if edges <= EDGES_MAX {
            return Ok(());
        }
        Err(self.error(format!("some {edges} edges are too many, {EDGES_MAX} can be stored")))
    }

    fn gnp(
        &self,
        nodes: u32,
        p: f64,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Graph, GraphError> {
        let n = f64::from(nodes);
        self.check_edges((p * n * (n - 1.0) / 2.0) as u64)?;

        // With more than 50 isolated nodes expected, a connected graph is practically impossible.
        let ln_isolated = libm::log(n) + (n - 1.0) * libm::log1p(-p);
        let attempts = if ln_isolated > libm::log(50.0) { 0 } else { ATTEMPTS };
        let draw = || Some(random::gnp(nodes, p, random));
        connected(nodes, Origin::Gnp, attempts, draw).ok_or_else(|| {
            let likely = two_digits(libm::log(n) / n);
            self.error(format!(
                "hardly ever connected with {nodes} nodes, but likely if P is well above \
                 ln n / n = {likely}"
            ))
        })
    }

    fn regular(
        &self,
        nodes: u32,
        degree: u32,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Graph, GraphError> {
        let stubs = u64::from(nodes) * u64::from(degree);
        if degree >= nodes {
            let least = u64::from(degree) + 1;
            return Err(self.error(format!("at least {least} nodes are needed, not {nodes}")));
        }
        if stubs % 2 == 1 {
            return Err(self
                .error(format!("nodes times degree must be even, and {nodes} * {degree} is odd")));
        }
        if degree == 1 && nodes > 2 {
            return Err(self.error(format!("connected only with 2 nodes, not {nodes}")));
        }
        self.check_edges(stubs / 2)?;
        let draw = || match degree {
            // The pairing model rarely yields a single cycle.
            2 => Some(random::cycle(nodes, random)),
            _ => random::regular(nodes, degree, random),
        };
        connected(nodes, Origin::Regular { degree }, ATTEMPTS, draw)
            .ok_or_else(|| self.error(format!("no such graph was found in {ATTEMPTS} attempts")))
    }

    fn small_world(
        &self,
        nodes: u32,
        degree: u32,
        rewired: f64,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Graph, GraphError> {
        if degree % 2 == 1 {
            let even = u64::from(degree) + 1;
            return Err(self.error(format!(
                "the degree must be even, such as {even}: half of the nearest nodes on each side"
            )));
        }
        if degree >= nodes {
            let least = u64::from(degree) + 1;
            return Err(self.error(format!("at least {least} nodes are needed, not {nodes}")));
        }
        self.check_edges(u64::from(nodes) * u64::from(degree / 2))?;
        let draw = || Some(random::small_world(nodes, degree / 2, rewired, random));
        connected(nodes, Origin::SmallWorld { degree }, ATTEMPTS, draw).ok_or_else(|| {
            self.error(format!(
                "not connected in {ATTEMPTS} attempts with {nodes} nodes: choose a larger K or a \
                 smaller P"
            ))
        })
    }

    fn error(&self, problem: String) -> GraphError {
        GraphError::CannotBuild { topology: self.clone(), problem }
    }
}

/// The first connected graph among the draws, if any.
fn connected(
    nodes: u32,
    origin: Origin,
    attempts: u32,
    mut draw: impl FnMut() -> Option<Vec<(u32, u32)>>,
) -> Option<Graph> {
    (0..attempts).find_map(|_| {
        let links = Adjacency::new(nodes, &draw()?);
        let shape = Shape::Listed { origin: origin.clone(), links };
        let graph = Graph { nodes, shape, labels: None };
        graph.unreachable().is_none().then_some(graph)
    })
}

/// A number below one, rounded to two significant digits.
fn two_digits(number: f64) -> String {
    let mut decimals = 2;
    let mut scaled = number;
    while scaled < 0.1 && decimals < 12 {
        scaled *= 10.0;
        decimals += 1;
    }
    format!("{number:.decimals$}")
}

//! Graphs as text: edge lists, DOT and GraphML.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::adjacency::Adjacency;
use super::shape::{Origin, Shape};
use super::{Graph, GraphError};

mod cursor;
mod dot;
mod edge_list;
mod graphml;

/// How a graph is written down. Directions are not kept: a link carries both ways, and two arcs
/// in opposite directions are one link.
///
/// If the nodes are called 0 to n - 1, these are their numbers. Otherwise they are numbered in the
/// order of appearance, and their names are kept as labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One edge per line: two words, separated by white space or a comma. A word that starts with
    /// `#` or `%` starts a comment. The first line may be `nodes N`.
    EdgeList,
    /// The language of Graphviz, without subgraphs. Attributes and ports are skipped.
    Dot,
    /// The XML format of graph editors and libraries, without nested graphs and hyperedges.
    GraphMl,
}

impl Format {
    /// The format that the file's name ends in or, if that says nothing, that its text looks like.
    pub fn guess(path: &str, text: &str) -> Self {
        let text = without_mark(text);
        let extension = Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("dot" | "gv") => Self::Dot,
            Some("graphml" | "xml") => Self::GraphMl,
            Some("edges" | "edgelist" | "el" | "csv" | "tsv") => Self::EdgeList,
            _ if text.trim_start().starts_with('<') => Self::GraphMl,
            _ if dot::looks_like(text) => Self::Dot,
            _ => Self::EdgeList,
        }
    }
}

impl Graph {
    /// The graph that `text` describes.
    ///
    /// # Errors
    ///
    /// If the text does not keep to the format, joins a node to itself or two nodes twice, has no
    /// node, or is not connected. The message names the line.
    pub fn parse(text: &str, format: Format) -> Result<Self, GraphError> {
        let text = without_mark(text);
        match format {
            Format::EdgeList => edge_list::read(text),
            Format::Dot => dot::read(text),
            Format::GraphMl => graphml::read(text),
        }
    }
}

/// Without the byte order mark that some editors begin a file with.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The error at `line`.
fn bad(line: u32, problem: impl Into<String>) -> GraphError {
    GraphError::BadText { line, problem: problem.into() }
}

/// What becomes of an edge that is there already.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Doubles {
    /// It is a mistake.
    #[default]
    Refused,
    /// It is the same one, as the file says.
    Merged,
}

/// What has been read so far.
#[derive(Default)]
struct Draft<'a> {
    doubles: Doubles,
    /// The name of each node, and the line where it first appears.
    nodes: Vec<(Cow<'a, str>, u32)>,
    numbers: BTreeMap<Cow<'a, str>, u32>,
    /// By its smaller and its larger end, the lines that join smaller to larger and larger to
    /// smaller. An undirected edge does both.
    edges: BTreeMap<(u32, u32), [Option<u32>; 2]>,
}

impl<'a> Draft<'a> {
    /// The number of the node with this name, which may be new.
    fn node(&mut self, name: Cow<'a, str>, line: u32) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.numbers.insert(name.clone(), number);
        self.nodes.push((name, line));
        number
    }

    fn edge(&mut self, from: u32, to: u32, line: u32, directed: bool) -> Result<(), GraphError> {
        if from == to {
            return Err(bad(line, format!("{} is joined to itself", self.name(from))));
        }
        let ways = match (directed, from < to) {
            (false, _) => 0..2,
            (true, true) => 0..1,
            (true, false) => 1..2,
        };
        let lines = self.edges.entry((from.min(to), from.max(to))).or_default();
        if let Some(first) = lines[ways.clone()].iter().flatten().copied().min() {
            if self.doubles == Doubles::Merged {
                return Ok(());
            }
            let problem = format!(
                "{} and {} are joined again, first on line {first}",
                self.name(from),
                self.name(to)
            );
            return Err(bad(line, problem));
        }
        lines[ways].fill(Some(line));
        Ok(())
    }

    /// The name for messages.
    fn name(&self, number: u32) -> String {
        format!("node `{}`", self.nodes[number as usize].0)
    }

    /// The graph of all nodes that have appeared.
    fn finish(self) -> Result<Graph, GraphError> {
        let nodes = self.nodes.len() as u32;
        if nodes == 0 {
            return Err(bad(1, "the graph has no nodes"));
        }
        // As they are different, names below the number of nodes are all the numbers there are.
        let named: Option<Vec<u32>> = self.nodes.iter().map(|(name, _)| numeral(name)).collect();
        let named = named.filter(|numbers| numbers.iter().all(|&number| number < nodes));

        let number_of = |node: u32| named.as_ref().map_or(node, |numbers| numbers[node as usize]);
        let edges: Vec<_> = self.edges.keys().map(|&(a, b)| (number_of(a), number_of(b))).collect();
        let shape = Shape::Listed { origin: Origin::File, links: Adjacency::new(nodes, &edges) };
        let labels = match &named {
            Some(_) => None,
            None => Some(self.nodes.iter().map(|(name, _)| name.to_string()).collect()),
        };
        let graph = Graph { nodes, shape, labels };

        if let Some(node) = graph.unreachable() {
            let first_seen = (0..nodes).find(|&other| number_of(other) == node.0);
            let first_seen = first_seen.expect("every number is some node's");
            let start = (0..nodes).find(|&other| number_of(other) == 0).unwrap_or(0);
            let problem = format!(
                "the graph is not connected: {} cannot reach {}",
                self.name(start),
                self.name(first_seen)
            );
            return Err(bad(self.nodes[first_seen as usize].1, problem));
        }
        Ok(graph)
    }
}

/// The number that `name` is the usual way to write.
fn numeral(name: &str) -> Option<u32> {
    let number: u32 = name.parse().ok()?;
    // Neither `+1` nor `01`: these may stand beside `1` as different names.
    let usual = name == "0" || name.starts_with(|first: char| ('1'..='9').contains(&first));
    usual.then_some(number)
}

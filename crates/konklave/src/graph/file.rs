//! Parsing of graphs: edge lists, DOT and GraphML.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::adjacency::Adjacency;
use super::shape::{Origin, Shape};
use super::{Graph, GraphError};
use crate::NodeId;

mod cursor;
mod dot;
mod edge_list;
mod graphml;

/// A file format for graphs. A directed link carries messages in its direction only; two of them in
/// opposite directions are one link in both.
///
/// Nodes named 0 to n - 1 have these numbers. Otherwise nodes are numbered in order of appearance,
/// and their names are kept as labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One edge per line: two names, separated by white space or a comma. A word that starts with
    /// `#` or `%` starts a comment. The first line may be `nodes N`.
    EdgeList,
    /// The language of Graphviz, without subgraphs. Attributes and ports are skipped.
    Dot,
    /// The XML format of graph editors and libraries, without nested graphs and hyperedges.
    GraphMl,
}

impl Format {
    /// The format according to the file's extension or, if that is unknown, its text.
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
    /// If the text violates the format, or the graph has a loop or parallel edges, has no node, or
    /// is not connected. The message names the line.
    pub fn parse(text: &str, format: Format) -> Result<Self, GraphError> {
        let text = without_mark(text);
        match format {
            Format::EdgeList => edge_list::read(text),
            Format::Dot => dot::read(text),
            Format::GraphMl => graphml::read(text),
        }
    }
}

/// The text without the byte order mark that some editors write.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The error for a mistake at `line`.
fn bad(line: u32, problem: impl Into<String>) -> GraphError {
    GraphError::BadText { line, problem: problem.into() }
}

/// How parallel edges are handled.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Duplicates {
    /// They are an error.
    #[default]
    Refused,
    /// They are merged, as in a `strict` graph.
    Merged,
}

/// The graph read so far.
#[derive(Default)]
struct Draft<'a> {
    duplicates: Duplicates,
    /// The name of each node, and the line where it first appears.
    nodes: Vec<(Cow<'a, str>, u32)>,
    numbers: BTreeMap<Cow<'a, str>, u32>,
    /// For each pair of a smaller and a larger node, the line of the arc from smaller to larger and
    /// of the arc from larger to smaller. An undirected edge is both.
    edges: BTreeMap<(u32, u32), [Option<u32>; 2]>,
}

impl<'a> Draft<'a> {
    /// The number of the node with this name, which is added if it is new.
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
            if self.duplicates == Duplicates::Merged {
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

    /// The name of a node, for error messages.
    fn name(&self, number: u32) -> String {
        format!("node `{}`", self.nodes[number as usize].0)
    }

    /// The graph of all nodes and edges read.
    fn finish(self) -> Result<Graph, GraphError> {
        let nodes = self.nodes.len() as u32;
        if nodes == 0 {
            return Err(bad(1, "the graph has no nodes"));
        }
        // Names are distinct, so if all are below the number of nodes they are exactly 0 to n - 1.
        let named: Option<Vec<u32>> = self.nodes.iter().map(|(name, _)| numeral(name)).collect();
        let named = named.filter(|numbers| numbers.iter().all(|&number| number < nodes));

        let number_of = |node: u32| named.as_ref().map_or(node, |numbers| numbers[node as usize]);
        let shape = Shape::Listed { origin: Origin::File, links: self.links(number_of) };
        let labels = match &named {
            Some(_) => None,
            None => Some(self.nodes.iter().map(|(name, _)| name.to_string()).collect()),
        };
        let graph = Graph { nodes, shape, labels };

        let seen = |number: u32| (0..nodes).find(|&node| number_of(node) == number);
        let seen = |number: u32| seen(number).expect("every number is some node's");
        let apart = |from: u32, to: u32, other: u32| {
            let hint = match graph.is_directed() {
                true => ": a directed link carries messages in one direction only",
                false => "",
            };
            let problem = format!(
                "the graph is not connected: {} cannot reach {}{hint}",
                self.name(seen(from)),
                self.name(seen(to))
            );
            bad(self.nodes[seen(other) as usize].1, problem)
        };
        if let Some(NodeId(node)) = graph.unreachable() {
            return Err(apart(0, node, node));
        }
        if graph.is_directed()
            && let Some(NodeId(node)) = graph.reversed().unreachable()
        {
            return Err(apart(node, 0, node));
        }
        Ok(graph)
    }

    /// The adjacency lists of what was read, by the numbers that nodes get.
    fn links(&self, number_of: impl Fn(u32) -> u32) -> Adjacency {
        let nodes = self.nodes.len() as u32;
        let number = |&(a, b): &(u32, u32)| (number_of(a), number_of(b));
        if self.edges.values().all(|ways| ways.iter().all(Option::is_some)) {
            return Adjacency::new(nodes, &self.edges.keys().map(number).collect::<Vec<_>>());
        }
        let arcs = self.edges.iter().flat_map(|(pair, [up, down])| {
            let (a, b) = number(pair);
            [up.map(|_| (a, b)), down.map(|_| (b, a))].into_iter().flatten()
        });
        Adjacency::directed(nodes, &arcs.collect::<Vec<_>>())
    }
}

/// The number that `name` denotes in canonical decimal form.
fn numeral(name: &str) -> Option<u32> {
    let number: u32 = name.parse().ok()?;
    // Neither `+1` nor `01`: these may be other names beside `1`.
    let usual = name == "0" || name.starts_with(|first: char| ('1'..='9').contains(&first));
    usual.then_some(number)
}

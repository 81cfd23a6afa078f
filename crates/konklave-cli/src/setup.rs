//! What a system is built from: enough to build the same nodes again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use konklave::graph::{FORMS, Format, Graph, GraphError, NAMES, Topology};
use serde::{Deserialize, Serialize};

use crate::args::{VariantArgs, number_of_nodes};
use crate::entry::Entry;
use crate::failure::Failure;
use crate::{out, output};

/// A system, as a trace remembers it. Files are read once and kept here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The algorithm's name.
    pub algorithm: String,
    /// How many nodes there are.
    pub nodes: u32,
    /// The network, as the user wrote it.
    pub topology: String,
    /// The network as DOT, if it was read from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The ids of nodes.
    #[serde(default)]
    pub ids: Ids,
    /// How many elections follow each other.
    #[serde(default = "one")]
    pub elections: u32,
    /// Options of the algorithm's own.
    #[serde(default)]
    pub variant: BTreeMap<String, String>,
    /// What was in the files that those options name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The rest of the command line, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
}

/// How ids lie along the node numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ids {
    /// A random permutation.
    #[default]
    Random,
    /// Growing.
    Ascending,
    /// Falling.
    Descending,
    /// Exactly these.
    List(Vec<u32>),
}

/// What the user says about a system, whatever is to be done with it.
pub struct Wish<'a> {
    /// How many nodes there are.
    pub nodes: Option<u32>,
    /// The network.
    pub topology: Option<&'a str>,
    /// The seed.
    pub seed: u64,
    /// The ids of nodes.
    pub ids: Option<&'a str>,
    /// How many elections follow each other.
    pub elections: Option<u32>,
    /// Options of the algorithm's own.
    pub variant: &'a VariantArgs,
}

fn one() -> u32 {
    1
}

/// How many nodes there are if nobody says.
const NODES: u32 = 10;

impl Setup {
    /// What the user asks for.
    pub fn new(wish: &Wish<'_>, entry: &Entry) -> Result<Self, Failure> {
        let topology = match wish.topology {
            Some(text) => read_topology(text)?,
            None => entry.needs.network.default_topology(),
        };
        let (graph, nodes) = network(&topology, wish.nodes)?;
        let ids = match wish.ids {
            Some(text) => read_ids(text)?,
            None => Ids::default(),
        };
        let mut variant = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (name, value) in wish.variant.given() {
            if let Some(path) = value.strip_prefix("file:") {
                files.insert(name.to_owned(), read_file(&format!("read the {name}"), path)?);
            }
            variant.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self {
            algorithm: entry.name.clone(),
            nodes,
            topology: topology.to_string(),
            graph,
            seed: wish.seed,
            ids,
            elections: wish.elections.unwrap_or(1),
            variant,
            files,
            command: out::arguments(),
        })
    }

    /// What the settings of a golden script say.
    pub fn from_script(algorithm: &str, settings: &[(String, String)]) -> Result<Self, Failure> {
        let mut setup = Self {
            algorithm: algorithm.to_owned(),
            nodes: 0,
            topology: String::new(),
            graph: None,
            seed: 1,
            ids: Ids::Ascending,
            elections: 1,
            variant: BTreeMap::new(),
            files: BTreeMap::new(),
            command: String::new(),
        };
        let bad = |name: &str, value: &str| Failure::bad(format!("'{value}' is no {name}"));
        for (name, value) in settings {
            match name.as_str() {
                "nodes" => setup.nodes = value.parse().map_err(|_| bad(name, value))?,
                "elections" => setup.elections = value.parse().map_err(|_| bad(name, value))?,
                "topology" => setup.topology.clone_from(value),
                "edges" => setup.graph = Some(dot(value).ok_or_else(|| bad(name, value))?),
                "ids" => {
                    let ids: Result<Vec<u32>, _> =
                        value.split_whitespace().map(str::parse).collect();
                    setup.ids = Ids::List(ids.map_err(|_| bad(name, value))?);
                }
                _ => {
                    setup.variant.insert(name.clone(), value.clone());
                }
            }
        }
        Ok(setup)
    }
}

/// The network as DOT, if it is in a file, and its number of nodes.
pub(crate) fn network(
    topology: &Topology,
    nodes: Option<u32>,
) -> Result<(Option<String>, u32), Failure> {
    match topology {
        Topology::File { path } => {
            let graph = read_graph(path)?;
            let counted = graph.nodes();
            if let Some(nodes) = nodes.filter(|&nodes| nodes != counted) {
                return Err(Failure::bad(format!(
                    "{path} has {}, not {nodes}: leave --nodes out",
                    output::counted(counted.into(), "node", "nodes")
                )));
            }
            Ok((Some(graph.to_dot()), counted))
        }
        Topology::Grid { sides: Some((width, height)) }
        | Topology::Torus { sides: Some((width, height)) }
            if nodes.is_none() =>
        {
            let nodes = u64::from(width.get()) * u64::from(height.get());
            let too_many = |problem| Failure::bad(format!("'{topology}': {problem}"));
            Ok((None, number_of_nodes(&nodes.to_string()).map_err(too_many)?))
        }
        Topology::Hypercube | Topology::DeBruijn => Ok((None, nodes.unwrap_or(16))),
        _ => Ok((None, nodes.unwrap_or(NODES))),
    }
}

/// Whether a topology says by itself how many nodes there are.
pub(crate) fn has_size(topology: &Topology) -> bool {
    matches!(
        topology,
        Topology::File { .. }
            | Topology::Grid { sides: Some(_) }
            | Topology::Torus { sides: Some(_) }
    )
}

/// The graph with edges such as `0-1 1-2`, as DOT; its nodes come in the order of their numbers.
fn dot(edges: &str) -> Option<String> {
    let mut pairs = Vec::new();
    for edge in edges.split_whitespace() {
        let (from, to) = edge.split_once('-')?;
        pairs.push((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?));
    }
    let last = pairs.iter().map(|&(from, to)| from.max(to)).max()?;
    let nodes = (0..=last).map(|node| format!("{node};"));
    let edges = pairs.iter().map(|(from, to)| format!("{from} -- {to};"));
    Some(format!("graph {{ {} }}", nodes.chain(edges).collect::<Vec<_>>().join(" ")))
}

/// Reads the name of a topology, and helps if there is none such.
pub fn read_topology(text: &str) -> Result<Topology, Failure> {
    text.parse().map_err(|error| match error {
        GraphError::UnknownTopology(name) => {
            match Failure::unknown("topology", &name, NAMES.into_iter()) {
                Failure::Bad(message) if message.contains("did you mean") => Failure::Bad(message),
                _ => Failure::bad(format!(
                    "there is no topology '{name}': write {}",
                    FORMS.join(", ")
                )),
            }
        }
        error => Failure::bad(error.to_string()),
    })
}

fn read_file(doing: &str, path: &str) -> Result<String, Failure> {
    let path = Path::new(path);
    fs::read_to_string(path).map_err(|error| Failure::file(doing, path, &error))
}

fn read_graph(path: &str) -> Result<Graph, Failure> {
    let text = read_file("read the graph", path)?;
    let graph = Graph::parse(&text, Format::guess(path, &text));
    graph.map_err(|error| Failure::bad(format!("{path}: {error}")))
}

fn read_ids(text: &str) -> Result<Ids, Failure> {
    match (text, text.strip_prefix("file:")) {
        ("random", _) => Ok(Ids::Random),
        ("ascending", _) => Ok(Ids::Ascending),
        ("descending", _) => Ok(Ids::Descending),
        (_, Some(path)) => {
            let mut ids = Vec::new();
            for (line, number) in read_file("read the ids", path)?.lines().zip(1..) {
                for word in line.split('#').next().unwrap_or_default().split_whitespace() {
                    let id = word.parse().map_err(|_| {
                        let range = format!("a whole number up to {}", u32::MAX);
                        Failure::bad(format!("{path}: line {number}: '{word}' is not {range}"))
                    })?;
                    ids.push(id);
                }
            }
            Ok(Ids::List(ids))
        }
        _ => Err(Failure::bad(format!(
            "'{text}' is no order of ids: write random, ascending, descending or file:PATH"
        ))),
    }
}

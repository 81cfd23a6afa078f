//! Builds the setup of a system from the options, and reads the files that they name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use konklave::graph::{Format, Graph, Topology};
use konklave_catalog::entry::Entry;
use konklave_catalog::setup::{Setup, read_topology};
use konklave_sim::Delay;

use crate::args::number_of_nodes;
use crate::failure::Failure;
use crate::given::Given;
use crate::{out, output};

/// The options that describe a system, common to all subcommands.
pub(crate) struct Wish<'a> {
    /// The number of nodes.
    pub(crate) nodes: Option<u32>,
    /// The network.
    pub(crate) topology: Option<&'a str>,
    /// The seed.
    pub(crate) seed: u64,
    /// Options of the problem and of the algorithm.
    pub(crate) options: &'a Given,
    /// How often reliable links look for what is not acknowledged, in ticks; none if links are not
    /// reliable.
    pub(crate) reliable: Option<u64>,
}

/// The default number of nodes.
const NODES: u32 = 10;

impl Wish<'_> {
    /// The setup that the options describe, with all files read.
    pub(crate) fn setup(&self, entry: &Entry) -> Result<Setup, Failure> {
        let topology = match self.topology {
            Some(text) => read_topology(text)?,
            None => entry.needs.network.default_topology(),
        };
        let (graph, nodes) = network(&topology, self.nodes)?;
        let mut setup = Setup {
            algorithm: entry.name.clone(),
            nodes,
            topology: topology.to_string(),
            graph,
            seed: self.seed,
            options: self.options.clone(),
            reliable: self.reliable,
            command: out::arguments(),
            ..Setup::default()
        };
        for (name, value) in self.options {
            if let Some(path) = value.strip_prefix("file:") {
                let content = read_file(&format!("read the {name}"), path)?;
                setup.files.insert(name.clone(), content);
            }
        }
        Ok(setup.with_others(entry))
    }
}

/// How often reliable links look for what is not acknowledged, in ticks: most acknowledgements are
/// back before that.
pub(crate) fn resend_period(delay: Delay) -> u64 {
    (RESEND_AFTER * delay.mean()).ceil() as u64
}

/// In mean delays. A message is sent again after one to two of these periods, and the way to its
/// receiver and back takes two delays.
const RESEND_AFTER: f64 = 4.0;

/// Refuses an option by which nodes restart without memory, while links are reliable.
pub(crate) fn no_restarts(option: &str) -> Failure {
    Failure::bad(format!(
        "a node that restarts has forgotten the numbers of its messages, so its links cannot be \
         reliable: leave --reliable or {option} out"
    ))
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

/// Reads a file that an option names. `doing` is such as `read the graph`.
pub(crate) fn read_file(doing: &str, path: impl AsRef<Path>) -> Result<String, Failure> {
    let path = path.as_ref();
    let read = || {
        let file = File::open(path)?;
        // A pipe or a device may never end.
        let is_endless = !file.metadata()?.is_file();
        let most = if is_endless { ENDLESS } else { u64::MAX };
        let mut text = String::new();
        file.take(most).read_to_string(&mut text)?;
        match is_endless && text.len() as u64 == most {
            true => Err(io::Error::other(format!("it has more than {} MiB", ENDLESS >> 20))),
            false => Ok(text),
        }
    };
    read().map_err(|error: io::Error| Failure::file(doing, path, &error))
}

/// What is read at most from something that is not a file, in bytes.
const ENDLESS: u64 = 64 << 20;

fn read_graph(path: &str) -> Result<Graph, Failure> {
    let text = read_file("read the graph", path)?;
    let graph = Graph::parse(&text, Format::guess(path, &text));
    graph.map_err(|error| Failure::bad(format!("{path}: {error}")))
}

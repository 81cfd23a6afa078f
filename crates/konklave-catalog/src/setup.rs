//! The setup of a system: all that is needed to rebuild the same nodes.

use std::collections::BTreeMap;

use konklave::graph::{FORMS, GraphError, NAMES, Topology};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entry::Entry;
use crate::option::{IDS, Verb};
use crate::refusal::{Refusal, nearest};

/// The setup of a system, as recorded in a trace. The content of files is included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The algorithm's name.
    pub algorithm: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The network, as the user wrote it; empty for what the algorithm needs.
    pub topology: String,
    /// The network as DOT, if it was read from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The options of the problem and the algorithm, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The content of the files that those options name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The subcommand whose defaults the options have.
    #[serde(default, skip_serializing_if = "Verb::is_run")]
    pub verb: Verb,
    /// If links are reliable: how often nodes look for what is not acknowledged, in ticks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliable: Option<u64>,
    /// The rest of the command line, for information only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
}

impl Setup {
    /// Adds an option.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.options.insert(name.to_owned(), value.to_string());
        self
    }

    /// Adds the nodes beside those that a user asks for.
    #[must_use]
    pub fn with_others(self, entry: &Entry) -> Self {
        Self { nodes: self.nodes.saturating_add((entry.others)(&self)), ..self }
    }

    /// Reads the header of a trace. Older headers have options beside the other fields, each in its
    /// own form: `is_option` tells which fields are options.
    ///
    /// # Errors
    ///
    /// If a field is missing.
    pub fn read(header: &Value, is_option: impl Fn(&str) -> bool) -> Result<Self, String> {
        let mut setup = Self::deserialize(header).map_err(|error| error.to_string())?;
        for (name, value) in header.as_object().into_iter().flatten() {
            match value {
                // The options of algorithms had a map of their own.
                Value::Object(options) if name == "variant" => {
                    let options = options.iter().filter_map(|(name, it)| Some((name, text(it)?)));
                    setup.options.extend(options.map(|(name, value)| (name.clone(), value)));
                }
                value if is_option(name) => {
                    setup.options.extend(text(value).map(|value| (name.clone(), value)));
                }
                _ => {}
            }
        }
        Ok(setup)
    }

    /// Reads the settings of a golden script, in which ids are ascending by default.
    ///
    /// # Errors
    ///
    /// If the value of a setting is invalid.
    pub fn from_script(entry: &Entry, settings: &[(String, String)]) -> Result<Self, Refusal> {
        let mut setup = Self { algorithm: entry.name.clone(), seed: 1, ..Self::default() };
        if entry.problem.option(IDS.name).is_some() {
            setup = setup.with(IDS.name, "ascending");
        }
        let bad = |name: &str, value: &str| Refusal::new(format!("'{value}' is not a {name}"));
        for (name, value) in settings {
            match name.as_str() {
                "nodes" => setup.nodes = value.parse().map_err(|_| bad(name, value))?,
                "seed" => setup.seed = value.parse().map_err(|_| bad(name, value))?,
                "reliable" => setup.reliable = Some(value.parse().map_err(|_| bad(name, value))?),
                "topology" => setup.topology.clone_from(value),
                "edges" => setup.graph = Some(dot(value).ok_or_else(|| bad(name, value))?),
                "ids" => {
                    let ids: Vec<_> = value.split_whitespace().collect();
                    setup = setup.with(name, format!("list:{}", ids.join(",")));
                }
                _ => setup = setup.with(name, value),
            }
        }
        Ok(setup)
    }
}

/// An option as text: `{"list": [1, 2]}` is `list:1,2`.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            let (name, list) = fields.iter().next()?;
            let items: Vec<_> = list.as_array()?.iter().map(Value::to_string).collect();
            Some(format!("{name}:{}", items.join(",")))
        }
        _ => None,
    }
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

/// The topology with this name.
///
/// # Errors
///
/// If the name is unknown; the error suggests a similar one.
pub fn read_topology(text: &str) -> Result<Topology, Refusal> {
    text.parse().map_err(|error| match error {
        GraphError::UnknownTopology(name) => {
            let hint = nearest(&name, NAMES.into_iter());
            let hint = hint.unwrap_or_else(|| format!("write {}", FORMS.join(", ")));
            Refusal::new(format!("there is no topology '{name}': {hint}"))
        }
        error => Refusal::new(error.to_string()),
    })
}

/// Whether a topology fixes the number of nodes.
pub fn has_size(topology: &Topology) -> bool {
    matches!(
        topology,
        Topology::File { .. }
            | Topology::Grid { sides: Some(_) }
            | Topology::Torus { sides: Some(_) }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_older_traces_are_understood() {
        let header = r#"{"algorithm":"peterson","nodes":3,"topology":"ring","seed":1,
            "ids":{"list":[3,1,2]},"elections":2,"variant":{"variant":"basic"}}"#;
        let header = serde_json::from_str(header).unwrap();
        let setup = Setup::read(&header, |name| ["ids", "elections"].contains(&name)).unwrap();
        let expected = [("elections", "2"), ("ids", "list:3,1,2"), ("variant", "basic")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(setup.options, expected.into());
        let options = Setup::read(&header, |_| false).unwrap().options;
        assert_eq!(options.keys().collect::<Vec<_>>(), ["variant"], "a lock has no ids");
    }

    #[test]
    fn what_is_written_is_read() {
        let setup = Setup { algorithm: "raymond".into(), nodes: 7, seed: 3, ..Setup::default() };
        let setup = setup.with("variant", "greedy");
        let header = serde_json::to_value(&setup).unwrap();
        assert_eq!(Setup::read(&header, |name| name == "ids").unwrap(), setup);
    }

    #[test]
    fn edges_are_a_graph() {
        assert_eq!(dot("0-1 1-2").unwrap(), "graph { 0; 1; 2; 0 -- 1; 1 -- 2; }");
        assert_eq!(dot("0-x"), None);
        assert_eq!(dot(""), None);
    }
}

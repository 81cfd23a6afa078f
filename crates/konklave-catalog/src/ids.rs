//! The ids of nodes, for problems whose nodes have ids.

use std::str::FromStr;

use konklave::election::Id;
use konklave_sim::random::{Random, Stream};

use crate::refusal::Refusal;
use crate::words::counted;

/// The assignment of ids to node numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ids {
    /// A random permutation.
    Random,
    /// Ascending with the node numbers.
    Ascending,
    /// Descending with the node numbers.
    Descending,
    /// These, in the order of node numbers.
    List(Vec<u32>),
}

impl FromStr for Ids {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let right = "random, ascending, descending, list:4,1,7 or file:PATH";
            format!("'{text}' is not an order of ids: write {right}")
        };
        match (text, text.strip_prefix("list:")) {
            ("random", _) => Ok(Self::Random),
            ("ascending", _) => Ok(Self::Ascending),
            ("descending", _) => Ok(Self::Descending),
            (_, Some(list)) => {
                let ids = list.split(',').map(|id| id.trim().parse());
                ids.collect::<Result<_, _>>().map(Self::List).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }
}

/// Validates the option; the content of a file is validated when it is read.
pub(crate) fn check(text: &str) -> Result<(), String> {
    match text.strip_prefix("file:") {
        Some(_) => Ok(()),
        None => text.parse::<Ids>().map(drop),
    }
}

impl Ids {
    /// Parses a file: ids separated by spaces or lines, comments after `#`.
    ///
    /// # Errors
    ///
    /// If a word is not an id.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut ids = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            for word in line.split('#').next().unwrap_or_default().split_whitespace() {
                let id = word.parse().map_err(|_| {
                    let range = format!("a whole number up to {}", u32::MAX);
                    format!("line {number}: '{word}' is not {range}")
                })?;
                ids.push(id);
            }
        }
        Ok(Self::List(ids))
    }

    /// The id of each node.
    ///
    /// # Errors
    ///
    /// If a list does not have one id per node, or has duplicates.
    pub fn assign(&self, nodes: u32, seed: u64) -> Result<Vec<Id>, Refusal> {
        let mut ids: Vec<u32> = match self {
            Self::List(list) => list.clone(),
            _ => (0..nodes).collect(),
        };
        match self {
            Self::Random => Random::new(seed, Stream::Ids).shuffle(&mut ids),
            Self::Descending => ids.reverse(),
            Self::Ascending => {}
            Self::List(_) => refuse_bad_list(&ids, nodes)?,
        }
        Ok(ids.into_iter().map(Id).collect())
    }
}

fn refuse_bad_list(ids: &[u32], nodes: u32) -> Result<(), Refusal> {
    if ids.len() != nodes as usize {
        return Err(Refusal::new(format!(
            "there are {} for {}: write one id per node",
            counted(ids.len() as u64, "id", "ids"),
            counted(nodes.into(), "node", "nodes")
        )));
    }
    let mut owners: Vec<(u32, usize)> = ids.iter().copied().zip(0..).collect();
    owners.sort_unstable();
    match owners.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Refusal::new(format!(
            "ids must be unique, but nodes {} and {} both have id {}",
            pair[0].1, pair[1].1, pair[0].0
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_assigned_in_every_order() {
        let assign = |text: &str| {
            let ids = text.parse::<Ids>().unwrap().assign(3, 1).unwrap();
            ids.into_iter().map(|id| id.0).collect::<Vec<_>>()
        };
        assert_eq!(assign("ascending"), [0, 1, 2]);
        assert_eq!(assign("descending"), [2, 1, 0]);
        assert_eq!(assign("list:7,3,5"), [7, 3, 5]);
        let mut random = assign("random");
        random.sort_unstable();
        assert_eq!(random, [0, 1, 2]);
    }

    #[test]
    fn bad_lists_are_refused() {
        let refusal = |ids: &[u32]| Ids::List(ids.to_vec()).assign(2, 1).unwrap_err().to_string();
        assert_eq!(refusal(&[1]), "there are 1 id for 2 nodes: write one id per node");
        assert_eq!(refusal(&[4, 4]), "ids must be unique, but nodes 0 and 1 both have id 4");
        assert!(Ids::read("1 2\n# three\n3x").unwrap_err().starts_with("line 3: '3x'"));
        assert!("sorted".parse::<Ids>().unwrap_err().contains("ascending"));
    }
}

//! What goes wrong: each fault a plain value, off unless asked for.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;

/// Everything that goes wrong in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// The probability that a message is lost.
    pub loss: f64,
    /// The probability that a message arrives twice.
    pub duplicate: f64,
    /// The probability that a message is held up, for up to ten times the usual delay.
    pub reorder: f64,
    /// Nodes that stop, for ever or for a while, and forget everything.
    pub crashes: Vec<Outage>,
    /// Nodes that do nothing for a while, and then catch up.
    pub pauses: Vec<Outage>,
    /// Times in which groups of nodes cannot reach each other.
    pub partitions: Vec<Partition>,
    /// States and channels that are filled with garbage.
    pub corruptions: Vec<Corruption>,
}

impl Faults {
    /// Whether messages meet anything but their delay.
    pub fn touch_messages(&self) -> bool {
        self.loss > 0.0 || self.duplicate > 0.0 || self.reorder > 0.0 || !self.partitions.is_empty()
    }

    /// Whether nothing goes wrong at all.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The largest node number that is mentioned.
    pub fn largest_node(&self) -> Option<NodeId> {
        let outages = self.crashes.iter().chain(&self.pauses).map(|outage| outage.node);
        let groups = self.partitions.iter().flat_map(|partition| &partition.groups);
        let corrupted = self.corruptions.iter().filter_map(|corruption| match corruption.target {
            Target::State(node) => Some(node),
            Target::Channel(from, to) => Some(from.max(to)),
            Target::Named { .. } => None,
        });
        outages.chain(groups.flatten().map(|range| range.1)).chain(corrupted).max()
    }
}

/// A node is out of order: `NODE@FROM` for ever, `NODE@FROM..TO` for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Who.
    pub node: NodeId,
    /// The first tick of it.
    pub from: u64,
    /// The first tick after it, if it ends.
    pub to: Option<u64>,
}

/// Groups of nodes are cut off from each other: `0-4/5-9@FROM..TO`, or with `hold:` before it.
/// Nodes in no group are a group together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Each a union of ranges of nodes, ends included.
    pub groups: Vec<Vec<(NodeId, NodeId)>>,
    /// What becomes of a message between two groups.
    pub crossing: Crossing,
    /// The first tick of it.
    pub from: u64,
    /// The first tick after it, if it heals.
    pub to: Option<u64>,
}

/// What becomes of messages sent across a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// They are lost.
    Lost,
    /// They wait until it heals.
    Held,
}

impl Partition {
    /// Whether it keeps these two apart at this time.
    pub fn separates(&self, a: NodeId, b: NodeId, now: u64) -> bool {
        let group = |node| {
            self.groups
                .iter()
                .position(|group| group.iter().any(|&(low, high)| low <= node && node <= high))
        };
        self.from <= now && self.to.is_none_or(|to| now < to) && group(a) != group(b)
    }
}

/// Garbage, from nowhere: `state:NODE@TIME` or `channel:FROM-TO@TIME`; or a damage that the
/// algorithm has a name for: `PROBLEM:DAMAGE@TIME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corruption {
    /// What is hit.
    pub target: Target,
    /// When.
    pub at: u64,
}

/// What a corruption hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A node's state: it acts as if it had received forged messages.
    State(NodeId),
    /// A channel: a forged message appears in it.
    Channel(NodeId, NodeId),
    /// All nodes, in a [way](konklave::protocol::Protocol::damages) that their algorithm has a name
    /// for.
    Named {
        /// The problem that it solves.
        problem: String,
        /// The name.
        damage: String,
    },
}

/// Reads a probability.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        Ok(_) => Err(format!("'{text}' is not a probability: it must lie between 0 and 1")),
        Err(_) => Err(format!("'{text}' is not a probability: write a number such as 0.05")),
    }
}

fn node(text: &str) -> Result<NodeId, String> {
    text.parse().map(NodeId).map_err(|_| format!("'{text}' is not the number of a node"))
}

fn tick(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a time in ticks"))
}

/// `FROM` or `FROM..TO`.
fn span(text: &str) -> Result<(u64, Option<u64>), String> {
    let Some((from, to)) = text.split_once("..") else { return Ok((tick(text)?, None)) };
    let (from, to) = (tick(from)?, tick(to)?);
    if from >= to {
        return Err(format!("'{text}' is empty: write the earlier time first"));
    }
    Ok((from, Some(to)))
}

fn at_time<'a>(text: &'a str, form: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once('@').ok_or_else(|| format!("'{text}' has no time: write {form}"))
}

impl FromStr for Outage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (who, when) = at_time(text, "NODE@FROM or NODE@FROM..TO, such as 3@10..20")?;
        let (from, to) = span(when)?;
        Ok(Self { node: node(who)?, from, to })
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (crossing, rest) = match text.strip_prefix("hold:") {
            Some(rest) => (Crossing::Held, rest),
            None => (Crossing::Lost, text),
        };
        let (who, when) = at_time(rest, "GROUP/GROUP@FROM..TO, such as 0-4/5-9@10..20")?;
        let range = |text: &str| match text.split_once('-') {
            Some((low, high)) => match (node(low)?, node(high)?) {
                (low, high) if low <= high => Ok((low, high)),
                _ => Err(format!("the range '{text}' is empty: write the smaller node first")),
            },
            None => Ok((node(text)?, node(text)?)),
        };
        let group = |text: &str| text.split(',').map(range).collect::<Result<Vec<_>, String>>();
        let groups = who.split('/').map(group).collect::<Result<Vec<_>, String>>()?;
        if groups.len() < 2 {
            return Err(format!(
                "'{text}' has one group, which is cut off from nothing: write the others, too, \
                 such as 0-4/5-9@10..20"
            ));
        }
        if let Some(node) = node_in_two(&groups) {
            return Err(format!("'{who}' has node {node} in two groups"));
        }
        let (from, to) = span(when)?;
        if crossing == Crossing::Held && to.is_none() {
            return Err(format!(
                "'{text}' never heals, and messages would be held for ever: write @FROM..TO"
            ));
        }
        Ok(Self { groups, crossing, from, to })
    }
}

/// A node that is in two groups, if there is one.
fn node_in_two(groups: &[Vec<(NodeId, NodeId)>]) -> Option<NodeId> {
    let mut before: Vec<(NodeId, NodeId)> = Vec::new();
    for group in groups {
        for &(low, high) in group {
            let shared = before.iter().find(|range| range.0 <= high && low <= range.1);
            if let Some(range) = shared {
                return Some(low.max(range.0));
            }
        }
        before.extend(group);
    }
    None
}

impl FromStr for Corruption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "state:NODE@TIME, channel:FROM-TO@TIME or PROBLEM:DAMAGE@TIME";
        let (what, when) = at_time(text, form)?;
        let target = match what.split_once(':') {
            Some(("state", who)) => Target::State(node(who)?),
            Some(("channel", ends)) => match ends.split_once('-') {
                Some((from, to)) if from == to => {
                    return Err(format!(
                        "'{ends}' is not a channel: a node does not send to itself"
                    ));
                }
                Some((from, to)) => Target::Channel(node(from)?, node(to)?),
                None => return Err(format!("'{ends}' is not a channel: write FROM-TO")),
            },
            Some((problem, damage)) if !problem.is_empty() && !damage.is_empty() => {
                Target::Named { problem: problem.to_owned(), damage: damage.to_owned() }
            }
            _ => return Err(format!("'{text}' does not name what to corrupt: write {form}")),
        };
        Ok(Self { target, at: tick(when)? })
    }
}

/// `@FROM` or `@FROM..TO`.
fn write_span(f: &mut fmt::Formatter<'_>, from: u64, to: Option<u64>) -> fmt::Result {
    match to {
        Some(to) => write!(f, "@{from}..{to}"),
        None => write!(f, "@{from}"),
    }
}

impl Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.node)?;
        write_span(f, self.from, self.to)
    }
}

impl Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.crossing == Crossing::Held {
            f.write_str("hold:")?;
        }
        let range = |&(low, high): &(NodeId, NodeId)| match low == high {
            true => low.to_string(),
            false => format!("{low}-{high}"),
        };
        let group = |group: &Vec<_>| group.iter().map(range).collect::<Vec<_>>().join(",");
        f.write_str(&self.groups.iter().map(group).collect::<Vec<_>>().join("/"))?;
        write_span(f, self.from, self.to)
    }
}

impl Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Target::State(node) => write!(f, "state:{node}@{}", self.at),
            Target::Channel(from, to) => write!(f, "channel:{from}-{to}@{}", self.at),
            Target::Named { problem, damage } => write!(f, "{problem}:{damage}@{}", self.at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        for text in ["3@10", "3@10..20"] {
            assert_eq!(text.parse::<Outage>().unwrap().to_string(), text);
        }
        for text in ["0-4/5-9@1..7", "hold:0,2/1@5..6", "0-3/4,5@9"] {
            assert_eq!(text.parse::<Partition>().unwrap().to_string(), text);
        }
        for text in ["state:3@10", "channel:1-2@0", "queue:anchors@100"] {
            assert_eq!(text.parse::<Corruption>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_faults_are_explained() {
        let outage = |text: &str| text.parse::<Outage>().unwrap_err();
        assert!(outage("3").contains("write NODE@FROM"));
        assert_eq!(outage("x@3"), "'x' is not the number of a node");
        assert_eq!(outage("1@9..3"), "'9..3' is empty: write the earlier time first");
        assert_eq!(outage("1@soon"), "'soon' is not a time in ticks");
        let partition = |text: &str| text.parse::<Partition>().unwrap_err();
        assert!(partition("hold:0/1@3").contains("never heals"));
        assert_eq!(
            partition("5-2/1@5..9"),
            "the range '5-2' is empty: write the smaller node first"
        );
        assert_eq!(partition("0,1-3/4,2@5..9"), "'0,1-3/4,2' has node 2 in two groups");
        assert!("0-2,1/3@4".parse::<Partition>().is_ok(), "named twice in one group is fine");
        assert!("channel:1-1@4".parse::<Corruption>().unwrap_err().contains("to itself"));
        assert!("dream@4".parse::<Corruption>().unwrap_err().contains("state:NODE@TIME"));
        assert!("queue:@4".parse::<Corruption>().unwrap_err().contains("PROBLEM:DAMAGE@TIME"));
        assert_eq!(
            probability("1.5").unwrap_err(),
            "'1.5' is not a probability: it must lie between 0 and 1"
        );
        assert!(probability("NaN").is_err() && probability("often").is_err());
    }

    #[test]
    fn a_partition_separates_its_groups_and_the_rest_while_it_lasts() {
        let partition: Partition = "0-1/2@10..20".parse().unwrap();
        let apart = |a, b, now| partition.separates(NodeId(a), NodeId(b), now);
        assert!(apart(0, 2, 10) && apart(2, 1, 19) && apart(0, 7, 15) && apart(7, 2, 15));
        assert!(!apart(0, 1, 15) && !apart(7, 8, 15));
        assert!(!apart(0, 2, 9) && !apart(0, 2, 20));
    }
}

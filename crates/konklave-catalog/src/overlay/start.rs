//! The states that an overlay can start from.
//!
//! A family of networks says which nodes are connected. For each such pair, one of the two knows
//! the other: mostly as a neighbour, sometimes as the node at the other end, or from a message that
//! is still in transit.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::place::sorted;
use konklave::overlay::{Overlay, Start};
use konklave_sim::random::{Random, Stream};

use crate::option::Verb;
use crate::refusal::Refusal;
use crate::site::Site;

/// A family of starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// The legal network.
    Legal,
    /// A random tree: every node knows, or is known by, one of those before it.
    Tree,
    /// A path through all nodes in random order.
    Path,
    /// One node that is connected with all others.
    Star,
    /// A path through all nodes in the order of their positions.
    Sorted,
    /// A random tree with four more edges for each node.
    Dense,
    /// Two sorted lists, every other node in each, with one edge between them.
    Lists,
    /// In a search, every state; in a run, a random tree with one more edge for each node.
    Any,
    /// Edges from a file.
    File,
}

/// All families with a name.
const NAMED: [(&str, Family); 8] = [
    ("legal", Family::Legal),
    ("tree", Family::Tree),
    ("path", Family::Path),
    ("star", Family::Star),
    ("sorted", Family::Sorted),
    ("dense", Family::Dense),
    ("lists", Family::Lists),
    ("any", Family::Any),
];

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.strip_prefix("file:").is_some_and(|path| !path.is_empty()) {
            return Ok(Self::File);
        }
        let named = NAMED.iter().find(|(name, _)| *name == text);
        named.map(|(_, family)| *family).ok_or_else(|| {
            let names: Vec<_> = NAMED.iter().map(|(name, _)| *name).collect();
            format!("'{text}' is no start: write {}, or file:PATH", names.join(", "))
        })
    }
}

impl Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMED.iter().find(|(_, family)| family == self);
        f.write_str(named.map_or("file", |(name, _)| name))
    }
}

/// What each node knows at the start. The nodes behind the members join later.
///
/// # Errors
///
/// If the edges of a file do not connect the members.
pub(crate) fn starts<O: Overlay>(
    site: &Site,
    family: Family,
    members: u32,
    mixer: Mixer,
) -> Result<Vec<Start>, Refusal> {
    let mut starts = match family {
        Family::Any if site.verb() == Verb::Check => (0..members)
            .map(|node| Start::Any { nodes: members, posts: node == 0 && members <= POSTED })
            .collect(),
        Family::Legal => legal::<O>(members, mixer),
        family => {
            let random = &mut Random::new(!site.setup().seed, Stream::Graph);
            let edges = match family {
                Family::File => read(site, members)?,
                family => edges(family, members, mixer, random),
            };
            scattered(members, edges, random)
        }
    };
    starts.resize(site.nodes() as usize, Start::Outside);
    Ok(starts)
}

/// The largest system for which a search adds a message to every start: what follows from a message
/// in a larger one takes long to look at.
const POSTED: u32 = 2;

fn legal<O: Overlay>(members: u32, mixer: Mixer) -> Vec<Start> {
    let all = sorted(mixer, NodeId::all(members));
    let ends = all.first().copied().zip(all.last().copied()).filter(|_| O::CLOSES && members > 1);
    let mut starts = vec![Start::Outside; members as usize];
    for (&node, held) in all.iter().zip(O::ideal(mixer, &all)) {
        let end = ends.and_then(|(first, last)| match node {
            it if it == first => Some(last),
            it if it == last => Some(first),
            _ => None,
        });
        starts[node.index()] = Start::Knowing { held, end, mail: Vec::new() };
    }
    starts
}

/// Of each edge, one node knows the other: seven in ten times it holds its address, twice the
/// address is in transit to it, once it takes the other for the node at the other end.
fn scattered(members: u32, edges: Vec<(NodeId, NodeId)>, random: &mut Random) -> Vec<Start> {
    let mut known = vec![(Vec::new(), None, Vec::new()); members as usize];
    for (one, other) in edges {
        let (node, other) = if random.below(2) == 0 { (one, other) } else { (other, one) };
        let (held, end, mail) = &mut known[node.index()];
        match random.below(10) {
            0..7 => held.push(other),
            7..9 => mail.push(other),
            _ if end.is_none() => *end = Some(other),
            _ => held.push(other),
        }
    }
    known.into_iter().map(|(held, end, mail)| Start::Knowing { held, end, mail }).collect()
}

fn edges(family: Family, members: u32, mixer: Mixer, random: &mut Random) -> Vec<(NodeId, NodeId)> {
    let pairs = |order: &[NodeId], step: usize| -> Vec<_> {
        order.windows(step + 1).map(|window| (window[0], window[step])).collect()
    };
    let some = |random: &mut Random, below: u32| NodeId(random.below(below.into()) as u32);
    match family {
        Family::Sorted => pairs(&sorted(mixer, NodeId::all(members)), 1),
        Family::Lists => {
            let order = sorted(mixer, NodeId::all(members));
            let mut edges = pairs(&order, 2);
            edges.extend(order.first().copied().zip(order.get(1).copied()));
            edges
        }
        Family::Path => pairs(&shuffled(members, random), 1),
        Family::Star => {
            let hub = some(random, members);
            NodeId::all(members).filter(|node| *node != hub).map(|node| (hub, node)).collect()
        }
        Family::Tree | Family::Dense | Family::Any | Family::Legal | Family::File => {
            let order = shuffled(members, random);
            let mut edges: Vec<_> = (1..order.len())
                .map(|place| (order[random.below(place as u64) as usize], order[place]))
                .collect();
            let more = match family {
                Family::Dense => 4 * members,
                Family::Any => members,
                _ => 0,
            };
            for _ in 0..more {
                let pair = (some(random, members), some(random, members));
                edges.extend((pair.0 != pair.1).then_some(pair));
            }
            edges
        }
    }
}

fn shuffled(members: u32, random: &mut Random) -> Vec<NodeId> {
    let mut order: Vec<_> = NodeId::all(members).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

/// Reads two nodes from each line, and checks that all are connected.
fn read(site: &Site, members: u32) -> Result<Vec<(NodeId, NodeId)>, Refusal> {
    let text = site.file(super::START.name).unwrap_or_default();
    let mut edges = Vec::new();
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    for (line, number) in lines.filter(|(line, _)| !line.starts_with('#')) {
        let nodes: Option<Vec<u32>> = line.split_whitespace().map(|it| it.parse().ok()).collect();
        match nodes.as_deref() {
            Some(&[one, other]) if one.max(other) < members => {
                edges.push((NodeId(one), NodeId(other)));
            }
            _ => {
                return Err(Refusal::new(format!(
                    "--start: line {number} is '{line}'; write two nodes, numbered 0 to {}",
                    members - 1
                )));
            }
        }
    }
    let mut part: Vec<u32> = (0..members).collect();
    for _ in 0..members {
        for (one, other) in &edges {
            let least = part[one.index()].min(part[other.index()]);
            (part[one.index()], part[other.index()]) = (least, least);
        }
    }
    match part.iter().position(|&part| part != 0) {
        None => Ok(edges),
        Some(node) => Err(Refusal::new(format!(
            "--start: nodes 0 and {node} are not connected, and nothing can repair that: add edges \
             between the parts"
        ))),
    }
}

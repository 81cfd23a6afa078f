//! The network that the nodes of an overlay form, beside the one that they should form.

use std::collections::{BTreeMap, BTreeSet};

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::overlay::place::{bits, sorted};
use konklave::overlay::{Member, Overlay};
use konklave::protocol::Protocol;

use crate::quantity::{Chain, Formation, Tie};

/// Pictures of larger networks are illegible.
const LARGEST: usize = 200;

/// What the members among these nodes form; nothing if they are too many to be shown.
pub(super) fn formation<O: Overlay>(nodes: &[&Member<O>], mixer: Mixer) -> Option<Formation> {
    let inside = nodes.iter().filter(|node| node.is_inside());
    let known: BTreeMap<NodeId, Vec<NodeId>> =
        inside.map(|node| (node.overlay().place().me, node.knows().unwrap_or_default())).collect();
    if !(2..=LARGEST).contains(&known.len()) {
        return None;
    }
    let members = sorted(mixer, known.keys().copied());
    let held = known.iter().flat_map(|(&node, known)| known.iter().map(move |&it| (node, it)));
    let held: BTreeSet<_> =
        held.filter(|(node, it)| node != it && known.contains_key(it)).collect();
    let ideal = ideal::<O>(mixer, &members);
    let pairs = held.union(&ideal).map(|&(a, b)| (a.min(b), a.max(b)));
    let pairs: BTreeSet<_> = pairs.collect();
    let tie = |&(a, b): &(NodeId, NodeId)| {
        let ways = [(a, b), (b, a)];
        match () {
            () if ways.iter().any(|way| ideal.contains(way) && !held.contains(way)) => Tie::Missing,
            () if ways.iter().any(|way| ideal.contains(way)) => Tie::Legal,
            () => Tie::Surplus,
        }
    };
    let ties = pairs.iter().map(|pair| (pair.0, pair.1, tie(pair))).collect();
    let chains = if O::HAS_LEVELS { levels(mixer, &members, &held) } else { Vec::new() };
    let place = |&node: &NodeId| (node, mixer.node(node).0 as f64 / 2_f64.powi(64));
    Some(Formation { places: members.iter().map(place).collect(), ties, levels: chains })
}

/// Who is to know whom.
fn ideal<O: Overlay>(mixer: Mixer, members: &[NodeId]) -> BTreeSet<(NodeId, NodeId)> {
    let along = members.iter().zip(O::ideal(mixer, members));
    let mut ideal: BTreeSet<_> =
        along.flat_map(|(&node, known)| known.into_iter().map(move |it| (node, it))).collect();
    if let (true, [first, .., last]) = (O::CLOSES, members) {
        ideal.extend([(*first, *last), (*last, *first)]);
    }
    ideal
}

/// The nodes with the same first bits, for each number of bits that several nodes share.
fn levels(mixer: Mixer, members: &[NodeId], held: &BTreeSet<(NodeId, NodeId)>) -> Vec<Vec<Chain>> {
    let level = |level: u32| {
        let mut lists: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
        for &node in members {
            let prefix = format!("{:064b}", bits(mixer, node))[..level as usize].to_owned();
            lists.entry(prefix).or_default().push(node);
        }
        let chain = |(prefix, nodes): (String, Vec<NodeId>)| {
            let is_held = |a, b| held.contains(&(a, b)) && held.contains(&(b, a));
            let tie = |pair: &[NodeId]| match is_held(pair[0], pair[1]) {
                true => Tie::Legal,
                false => Tie::Missing,
            };
            let ties = nodes.windows(2).map(tie).collect();
            Chain { name: format!("prefix {prefix}").trim().to_owned(), nodes, ties }
        };
        lists.into_iter().map(chain).collect::<Vec<_>>()
    };
    let is_shared = |lists: &Vec<Chain>| lists.iter().any(|list| list.nodes.len() > 1);
    (0..64).map(level).take_while(is_shared).collect()
}

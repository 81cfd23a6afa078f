//! A network and what has become of its nodes, as a picture.

mod token;

use konklave::graph::{Form, Graph};
use konklave_draw::network::{self, Layout, Network, RoleLook};

use crate::account::{Account, Fate, SpanKind};
pub use token::Token;

/// More nodes than this are not pulled apart by forces: that takes too long.
const FORCES: u32 = 400;

/// Among more nodes than this, only the quorum of the one that was granted last is told.
const QUORUMS: usize = 13;

/// What nodes and edges are, beyond the network itself. What is empty is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// What the problem calls having what was asked for, and
    pub held: &'static str,
    /// the nodes that have it.
    pub holders: Vec<usize>,
    /// The node that had it last, if no node has it and only one can.
    pub granted_last: Option<usize>,
    /// The token, if there is one.
    pub token: Option<Token>,
    /// The nodes that wait.
    pub waiting: Vec<usize>,
    /// The nodes that are down.
    pub crashed: Vec<usize>,
    /// Nodes that have learned a result, each with the one that told it: edges of a tree, towards
    /// its root.
    pub tree: Vec<(usize, usize)>,
    /// Groups of nodes with their names, such as quorums.
    pub groups: Vec<(String, Vec<usize>)>,
    /// The names of nodes; their labels in the network if it is empty.
    pub labels: Vec<String>,
}

impl Roles {
    /// What the end of a trace says about its nodes.
    pub fn at_the_end(account: &Account) -> Self {
        let now = |kind: SpanKind| -> Vec<usize> {
            let open = account.spans.iter().filter(|span| span.to.is_none());
            let mut nodes: Vec<_> =
                open.filter(|span| span.kind == kind).map(|span| span.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let roles = Self {
            held: account.vocabulary.held,
            holders: now(SpanKind::Held),
            waiting: now(SpanKind::Waiting),
            crashed: now(SpanKind::Crashed),
            tree: informants(account),
            ..Self::default()
        };
        match account.vocabulary.is_exclusive {
            true => roles.of_one_at_a_time(account),
            false => roles,
        }
    }

    /// The same, with what can be said if at most one node at a time has what all ask for.
    fn of_one_at_a_time(self, account: &Account) -> Self {
        let grants = account.spans.iter().filter(|span| span.kind == SpanKind::Held);
        let last = grants.max_by_key(|span| span.from).map(|span| span.node);
        let is_free = self.holders.is_empty();
        Self {
            granted_last: last.filter(|node| is_free && !self.crashed.contains(node)),
            token: Token::find(account),
            groups: match account.nodes <= QUORUMS {
                // The first stands out if they are many.
                true => {
                    let others = (0..account.nodes).filter(|node| Some(*node) != last);
                    asked(account, last.into_iter().chain(others))
                }
                false => asked(account, last),
            },
            ..self
        }
    }
}

/// The node from which each node has learned the result. A node that is told by one that did not
/// know it itself has found it out; so there are no circles.
fn informants(account: &Account) -> Vec<(usize, usize)> {
    let informant = |(node, event): (usize, &Option<usize>)| {
        let arrived = Fate::Arrived((*event)?);
        let message = account.messages.iter().find(|message| message.fate == arrived)?;
        let knows = account.informed[message.from].is_some_and(|event| Some(event) <= message.sent);
        knows.then_some((node, message.from))
    };
    account.informed.iter().enumerate().filter_map(informant).collect()
}

/// The nodes that each of these nodes has asked when it began to wait last, and itself: quorums.
/// Nothing is said if nodes ask all others or none, or only one, as a pointer leads them to.
fn asked(account: &Account, nodes: impl IntoIterator<Item = usize>) -> Vec<(String, Vec<usize>)> {
    let group = |node: usize| {
        let waits = account.spans.iter().rev();
        let wait =
            waits.into_iter().find(|span| span.node == node && span.kind == SpanKind::Waiting)?;
        let asked = account.messages.iter().filter(|message| message.sent == Some(wait.from));
        let mut members: Vec<_> = asked.map(|message| message.to).chain([node]).collect();
        members.sort_unstable();
        members.dedup();
        Some((format!("asked by {node}"), members))
    };
    let groups: Vec<_> = nodes.into_iter().filter_map(group).collect();
    let is_quorum = |members: &[usize]| (3..account.nodes).contains(&members.len());
    match groups.iter().any(|(_, members)| is_quorum(members)) {
        true => groups,
        false => Vec::new(),
    }
}

/// A picture of a network as SVG. Its form decides the layout; if it has none, its links do.
pub fn picture(title: &str, graph: &Graph, roles: &Roles) -> String {
    let nodes = graph.nodes() as usize;
    let edges = graph.iter_edges().map(|(from, to)| (from.index(), to.index()));
    let mut network = Network::new(title, nodes, layout(graph));
    network = match roles.labels.is_empty() {
        true => {
            let ids = konklave::NodeId::all(graph.nodes());
            network.labels(ids.map(|node| graph.label(node).into_owned()))
        }
        false => network.labels(roles.labels.iter().cloned()),
    };
    network = match graph.is_directed() {
        true => network.arcs("link", edges),
        false => network.edges("link", edges),
    };
    if !roles.tree.is_empty() {
        network = network.arcs("learned the result from", roles.tree.iter().copied());
    }
    let mut keeper = Vec::new();
    let mut keeps = String::new();
    if let Some(token) = &roles.token {
        network = network.arcs(format!("passed {} to, last", token.name), token.ways.clone());
        keeps = format!("has {}", token.name);
        keeper.extend(token.at);
        if token.at.is_none() {
            network = network.note(format!("{} is in transit, or lost.", token.name));
        }
    }
    // A node that has the token need not be said to be the one that was granted last.
    let last = roles.granted_last.into_iter().filter(|_| roles.token.is_none()).collect();
    let named = [
        ("waiting", RoleLook::Waits, &roles.waiting),
        ("granted last", RoleLook::Had, &last),
        (&keeps, RoleLook::Keeps, &keeper),
        (roles.held, RoleLook::Holds, &roles.holders),
        ("crashed", RoleLook::Crashed, &roles.crashed),
    ];
    for (name, look, nodes) in named {
        if !nodes.is_empty() {
            network = network.role(name, look, nodes.iter().copied());
        }
    }
    for (name, members) in &roles.groups {
        network = network.group(name, members.iter().copied());
    }
    network.svg()
}

/// Where the nodes of a network lie, in the layout that shows its form: from (0, 0) on, in pixels.
pub fn places(graph: &Graph) -> Vec<(f64, f64)> {
    let edges = graph.iter_edges().map(|(from, to)| (from.index(), to.index())).collect();
    network::places(layout(graph), graph.nodes() as usize, &[edges])
}

/// The layout that shows the network's form.
fn layout(graph: &Graph) -> Layout {
    match graph.form() {
        Form::Ring | Form::DirectedRing | Form::Complete => Layout::Circle,
        Form::Line => Layout::Line,
        Form::Star => Layout::Star { centre: 0 },
        Form::Grid { width, .. } | Form::Torus { width, .. } => {
            Layout::Grid { width: width as usize }
        }
        _ if graph.is_tree() => Layout::Tree { root: 0 },
        _ if graph.ring().is_some() || graph.is_complete() => Layout::Circle,
        _ if graph.nodes() > FORCES => Layout::Circle,
        _ => Layout::Force,
    }
}

#[cfg(test)]
mod tests {
    use konklave::graph::{Format, Topology};

    use super::*;

    fn graph(topology: &str, nodes: u32) -> Graph {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed.rotate_left(17)
        };
        topology.parse::<Topology>().unwrap().build(nodes, &mut random).unwrap()
    }

    #[test]
    fn layouts_show_the_form_of_networks() {
        let cases = [
            ("ring", 5, Layout::Circle),
            ("directed-ring", 5, Layout::Circle),
            ("complete", 5, Layout::Circle),
            ("line", 5, Layout::Line),
            ("star", 5, Layout::Star { centre: 0 }),
            ("tree:3", 9, Layout::Tree { root: 0 }),
            ("random-tree", 9, Layout::Tree { root: 0 }),
            ("grid:4x3", 12, Layout::Grid { width: 4 }),
            ("torus", 12, Layout::Grid { width: 3 }),
            ("hypercube", 8, Layout::Force),
            ("regular:3", 600, Layout::Circle),
        ];
        for (topology, nodes, expected) in cases {
            assert_eq!(layout(&graph(topology, nodes)), expected, "{topology}");
        }
        for (links, expected) in [
            ("0 1\n1 2\n2 0", Layout::Circle),
            ("0 1\n1 2\n1 3", Layout::Tree { root: 0 }),
            ("0 1\n1 2\n2 0\n2 3", Layout::Force),
        ] {
            let listed = Graph::parse(links, Format::EdgeList).unwrap();
            assert_eq!(layout(&listed), expected, "its links tell: {links}");
        }
    }

    #[test]
    fn roles_are_named_in_the_picture_and_others_are_not() {
        let roles = Roles {
            held: "chair",
            holders: vec![2],
            crashed: vec![1],
            tree: vec![(1, 0), (2, 0)],
            groups: vec![("quorum 0".to_owned(), vec![0, 2])],
            ..Roles::default()
        };
        let svg = picture("Tree", &graph("tree", 3), &roles);
        for text in ["chair", "crashed", "learned the result from", "quorum 0", "link"] {
            assert!(svg.contains(text), "{text}");
        }
        for text in ["waiting", "token", "granted last"] {
            assert!(!svg.contains(text), "{text}");
        }
    }
}

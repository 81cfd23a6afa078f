use konklave_draw::network::{Layout, Network, RoleLook};

const SAMPLE: &str = "Sample data, invented for this gallery.";

/// All networks with their file names.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    vec![
        ("net-ring.svg", ring(12).svg()),
        ("net-complete.svg", complete().svg()),
        ("net-line.svg", line(8).svg()),
        ("net-star.svg", star().svg()),
        ("net-grid.svg", grid(5, 4).svg()),
        ("net-quorums.svg", quorums().svg()),
        ("net-tree.svg", raymond().svg()),
        ("net-tree-large.svg", tree(200).svg()),
        ("net-force.svg", random(40).svg()),
        ("net-force-large.svg", random(200).svg()),
        ("net-mesh.svg", mesh().svg()),
        ("net-dfs.svg", spanning().svg()),
        ("net-too-many.svg", Network::new("Too many", 5000, Layout::Circle).svg()),
    ]
}

fn ring(nodes: usize) -> Network {
    Network::new("A ring and its leader", nodes, Layout::Circle)
        .arcs("link", (0..nodes).map(|node| (node, (node + 1) % nodes)))
        .role("leader", RoleLook::Holds, [7])
        .role("candidate", RoleLook::Waits, [2, 3])
        .role("crashed", RoleLook::Crashed, [10])
        .note(SAMPLE)
}

fn complete() -> Network {
    let pairs = (0..9).flat_map(|a| (0..a).map(move |b| (b, a)));
    Network::new("Everyone knows everyone", 9, Layout::Circle)
        .edges("link", pairs)
        .labels((0..9).map(|node| format!("server-{node}")))
        .role("waiting", RoleLook::Waits, [1, 4])
        .note(SAMPLE)
}

fn line(nodes: usize) -> Network {
    Network::new("A line with a short cut", nodes, Layout::Line)
        .edges("link", (1..nodes).map(|node| (node - 1, node)))
        .edges("short cut", [(0, 4), (2, 7)])
        .note(SAMPLE)
}

fn star() -> Network {
    Network::new("A coordinator", 10, Layout::Star { centre: 0 })
        .edges("link", (1..10).map(|node| (0, node)))
        .role("coordinator", RoleLook::Keeps, [0])
        .role("inside", RoleLook::Holds, [6])
        .note(SAMPLE)
}

fn grid(width: usize, height: usize) -> Network {
    let at = move |x: usize, y: usize| (y % height) * width + x % width;
    let cells = move || (0..width * height).map(move |node| (node % width, node / width));
    let links =
        cells().flat_map(move |(x, y)| [(at(x, y), at(x + 1, y)), (at(x, y), at(x, y + 1))]);
    Network::new("A torus", width * height, Layout::Grid { width })
        .edges("link", links)
        .role("holder", RoleLook::Holds, [8])
        .note(SAMPLE)
}

fn quorums() -> Network {
    Network::new("Quorums of a 3x3 grid", 9, Layout::Grid { width: 3 })
        .group("quorum of 0", [0, 1, 2, 3, 6])
        .group("quorum of 4", [1, 3, 4, 5, 7])
        .group("quorum of 8", [2, 5, 6, 7, 8])
        .role("asks", RoleLook::Waits, [4])
        .note(SAMPLE)
}

fn raymond() -> Network {
    let edges: Vec<_> = (1..15).map(|node| ((node - 1) / 2, node)).collect();
    let holder = 9;
    let pointers = [(0, 1), (1, 4), (4, holder)];
    let others = edges.iter().filter(|(a, b)| !pointers.contains(&(*a, *b)));
    let up: Vec<_> = others.map(|&(parent, child)| (child, parent)).collect();
    Network::new("Raymond's tree: every pointer leads to the token", 15, Layout::Tree { root: 0 })
        .edges("link", edges)
        .arcs("points to", pointers.into_iter().chain(up))
        .role("waiting", RoleLook::Waits, [12, 5])
        .role("holder", RoleLook::Holds, [holder])
        .note(SAMPLE)
}

fn tree(nodes: usize) -> Network {
    Network::new("A larger tree", nodes, Layout::Tree { root: 0 })
        .edges("link", (1..nodes).map(|node| ((node * 7 / 11).min(node - 1), node)))
        .note(SAMPLE)
}

fn random_edges(nodes: usize) -> Vec<(usize, usize)> {
    let mut state = 17_usize;
    let mut next = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut edges: Vec<_> = (1..nodes).map(|node| (next(node), node)).collect();
    edges.extend((0..nodes / 2).map(|_| (next(nodes), next(nodes))));
    edges
}

fn random(nodes: usize) -> Network {
    Network::new(format!("A random network of {nodes} nodes"), nodes, Layout::Force)
        .edges("link", random_edges(nodes))
        .role("leader", RoleLook::Holds, [3])
        .role("crashed", RoleLook::Crashed, [5, 8])
        .note(SAMPLE)
}

/// A grid that is not said to be one.
fn mesh() -> Network {
    let right = (0..36).filter(|node| node % 6 < 5).map(|node| (node, node + 1));
    let down = (0..30).map(|node| (node, node + 6));
    Network::new("A mesh, by forces alone", 36, Layout::Force)
        .edges("link", right.chain(down))
        .note(SAMPLE)
}

fn spanning() -> Network {
    let edges = random_edges(16);
    let tree: Vec<_> = edges[..15].to_vec();
    Network::new("A spanning tree in a network", 16, Layout::Force)
        .edges("frond", edges[15..].to_vec())
        .edges("tree edge", tree)
        .arcs("pointer", [(3, 0), (1, 0)])
        .role("root", RoleLook::Keeps, [0])
        .note(SAMPLE)
}

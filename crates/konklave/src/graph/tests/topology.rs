use super::*;

#[test]
fn what_is_written_is_read_as_the_same() {
    for text in [
        "ring",
        "directed-ring",
        "line",
        "star",
        "tree:3",
        "random-tree",
        "complete",
        "grid",
        "grid:4x3",
        "torus",
        "torus:4x3",
        "hypercube",
        "debruijn",
        "gnp:0.0001",
        "gnp:0",
        "gnp:1",
        "regular:4",
        "watts-strogatz:4,0.1",
        "barabasi-albert:2",
        "file:C:/graphs/net.dot",
    ] {
        let topology: Topology = text.parse().unwrap();
        assert_eq!(topology.to_string(), text);
    }
    let same = |a: &str, b: &str| assert_eq!(a.parse::<Topology>(), b.parse::<Topology>());
    same("tree", "tree:2");
    same("gnp:1e-4", "gnp:0.0001");
    let tiny: Topology = "gnp:1e-300".parse().unwrap();
    assert_eq!(tiny.to_string().parse(), Ok(tiny));
}

#[test]
fn every_form_begins_with_its_name() {
    for (name, form) in NAMES.iter().zip(FORMS) {
        assert_eq!(form.split(':').next(), Some(*name));
        let unknown = GraphError::UnknownTopology((*name).to_owned());
        assert_ne!(name.parse::<Topology>(), Err(unknown), "{name} is known");
    }
}

#[test]
fn a_topology_that_is_not_understood_says_why() {
    for (text, message) in [
        (
            "rign:5",
            "there is no topology `rign`: write ring, directed-ring, line, star, tree:K, \
             random-tree, complete, grid:WxH, torus:WxH, hypercube, debruijn, gnp:P, regular:D, \
             watts-strogatz:K,P, barabasi-albert:M or file:PATH",
        ),
        ("ring:5", "ring:5: write just ring"),
        ("hypercube:", "hypercube:: write just hypercube"),
        ("tree:0", "tree:0: the number of children must be at least 1, as in tree:3"),
        ("tree:", "tree:: the number of children is missing, as in tree:3"),
        ("tree:two", "tree:two: `two` is not a number of children, as in tree:3"),
        ("tree:-1", "tree:-1: `-1` is not a number of children, as in tree:3"),
        ("tree:4294967296", "tree:4294967296: the number of children must be below 2^32"),
        ("grid:3", "grid:3: `3` is not a size, as in grid:4x3"),
        ("grid:", "grid:: the size is missing, as in grid:4x3"),
        ("grid:0x3", "grid:0x3: the width must be at least 1, as in grid:4x3"),
        ("torus:3x0", "torus:3x0: the height must be at least 1, as in torus:4x3"),
        ("torus:3xx", "torus:3xx: `x` is not a height, as in torus:4x3"),
        ("gnp", "gnp: the probability is missing, as in gnp:0.1"),
        ("gnp:1.5", "gnp:1.5: a probability lies between 0 and 1, as in gnp:0.1"),
        ("gnp:-0.1", "gnp:-0.1: a probability lies between 0 and 1, as in gnp:0.1"),
        ("gnp:nan", "gnp:nan: a probability lies between 0 and 1, as in gnp:0.1"),
        ("gnp:often", "gnp:often: `often` is not a probability, as in gnp:0.1"),
        ("regular", "regular: the degree is missing, as in regular:4"),
        ("regular:0", "regular:0: the degree must be at least 1, as in regular:4"),
        ("watts-strogatz", "watts-strogatz: the degree is missing, as in watts-strogatz:4,0.1"),
        (
            "watts-strogatz:4",
            "watts-strogatz:4: the probability is missing, as in watts-strogatz:4,0.1",
        ),
        (
            "watts-strogatz:0,1",
            "watts-strogatz:0,1: the degree must be at least 1, as in watts-strogatz:4,0.1",
        ),
        (
            "watts-strogatz:4,2",
            "watts-strogatz:4,2: a probability lies between 0 and 1, as in watts-strogatz:4,0.1",
        ),
        (
            "barabasi-albert:",
            "barabasi-albert:: the number of links is missing, as in barabasi-albert:2",
        ),
        (
            "barabasi-albert:x",
            "barabasi-albert:x: `x` is not a number of links, as in barabasi-albert:2",
        ),
        ("file:", "file:: the path is missing, as in file:net.dot"),
    ] {
        assert_eq!(text.parse::<Topology>().unwrap_err().to_string(), message);
    }
}

#[test]
fn a_size_that_does_not_fit_says_what_would() {
    for (topology, nodes, message) in [
        ("ring", 0, "ring: at least one node is needed"),
        ("grid:3x4", 10, "grid:3x4: this has 12 nodes, not 10"),
        ("torus:65536x65537", 65_536, "torus:65536x65537: this has 4295032832 nodes, not 65536"),
        ("hypercube", 10, "hypercube: the nodes must be a power of two, 8 or 16, not 10"),
        ("debruijn", 3, "debruijn: the nodes must be a power of two, 2 or 4, not 3"),
        (
            "debruijn",
            u32::MAX,
            "debruijn: the nodes must be a power of two, 2147483648, not 4294967295",
        ),
        ("regular:3", 7, "regular:3: nodes times degree must be even, and 7 * 3 is odd"),
        ("regular:5", 4, "regular:5: at least 6 nodes are needed, not 4"),
        ("regular:1", 4, "regular:1: connected only with 2 nodes, not 4"),
        (
            "regular:8",
            1 << 30,
            "regular:8: some 4294967296 edges are too many, 2000000000 can be stored",
        ),
        (
            "random-tree",
            u32::MAX,
            "random-tree: some 4294967294 edges are too many, 2000000000 can be stored",
        ),
        ("gnp:1", 100_000, "gnp:1: some 4999950000 edges are too many, 2000000000 can be stored"),
        (
            "gnp:0.01",
            100,
            "gnp:0.01: hardly ever connected with 100 nodes, but likely if P is well above \
             ln n / n = 0.046",
        ),
        (
            "gnp:0.000001",
            1_000_000,
            "gnp:0.000001: hardly ever connected with 1000000 nodes, but likely if P is well \
             above ln n / n = 0.000014",
        ),
        (
            "watts-strogatz:3,0.1",
            10,
            "watts-strogatz:3,0.1: the degree must be even, such as 4: half of the nearest nodes \
             on each side",
        ),
        ("watts-strogatz:4,0.1", 4, "watts-strogatz:4,0.1: at least 5 nodes are needed, not 4"),
        ("barabasi-albert:3", 3, "barabasi-albert:3: at least 4 nodes are needed, not 3"),
        (
            "barabasi-albert:100000",
            1 << 20,
            "barabasi-albert:100000: some 94857600000 edges are too many, 2000000000 can be stored",
        ),
        ("file:net.dot", 5, "file:net.dot: this graph is read from the file, not built"),
    ] {
        assert_eq!(try_build(topology, nodes).unwrap_err().to_string(), message);
    }
}

#[test]
fn sides_that_are_not_given_are_as_equal_as_possible() {
    for nodes in 1..=500 {
        let Form::Grid { width, height } = build("grid", nodes).form() else { panic!("a grid") };
        assert_eq!(width * height, nodes);
        let differences = (1..=nodes).filter(|w| nodes % w == 0).map(|w| w.abs_diff(nodes / w));
        assert_eq!(Some(height - width), differences.min());
    }
}

//! Malformed texts, and their error messages.

use crate::graph::{Format, Graph};

fn assert_broken(format: Format, cases: &[(&str, &str)]) {
    for (text, message) in cases {
        match Graph::parse(text, format) {
            Ok(graph) => panic!("{text:?} is read as {graph:?}"),
            Err(error) => assert_eq!(error.to_string(), *message, "{text:?}"),
        }
    }
}

#[test]
fn edge_lists() {
    assert_broken(
        Format::EdgeList,
        &[
            ("", "line 1: the graph has no nodes"),
            ("# nothing\n\n", "line 1: the graph has no nodes"),
            ("0 1\n1", "line 2: two nodes are needed, found only `1`"),
            ("0 1 2.5", "line 1: two nodes are needed, found 3 words"),
            ("0 1\n\n1 1", "line 3: node `1` is joined to itself"),
            (
                "a b\nb c\n# c\nb a",
                "line 4: node `b` and node `a` are joined again, first on line 1",
            ),
            ("nodes many", "line 1: `many` is not a number of nodes"),
            ("nodes 0", "line 1: `0` is not a number of nodes"),
            ("#\nnodes 3\n0 2", "line 2: node `1` has no edge"),
            ("nodes 4000000000\n0 1", "line 1: node `2` has no edge"),
            ("nodes 3\na b", "line 1: 3 nodes are announced, but only 2 have edges"),
            ("nodes 2\na b\nb c\nc d", "line 3: node `c` is one more than the 2 of line 1"),
            ("nodes 1\na b", "line 2: node `b` is one more than the 1 of line 1"),
            (
                "0 1\n5 4\n1 2\n4 3",
                "line 4: the graph is not connected: node `0` cannot reach node `3`",
            ),
            ("a b\nb c\nd e", "line 3: the graph is not connected: node `a` cannot reach node `d`"),
        ],
    );
}

#[test]
fn dot() {
    assert_broken(
        Format::Dot,
        &[
            ("", "line 1: the graph has no nodes"),
            ("// nothing\n", "line 1: the graph has no nodes"),
            ("graph {}", "line 1: the graph has no nodes"),
            ("\n0 1", "line 2: expected `graph` or `digraph`, found `0`"),
            ("strict\n{", "line 2: expected `graph` or `digraph`, found `{`"),
            ("graph a b {", "line 1: expected `{`, found `b`"),
            (
                "graph {\n  a -- b\n",
                "line 3: expected a node, an edge or `}`, found the end of the file",
            ),
            ("graph {\n  a -> b\n}", "line 2: expected `--` in a graph, found `->`"),
            ("digraph {\n  a -- b\n}", "line 2: expected `->` in a digraph, found `--`"),
            ("graph { a - b }", "line 1: unexpected character `-`"),
            ("graph { a @ b }", "line 1: unexpected character `@`"),
            ("graph { a -- ; }", "line 1: expected a node, found `;`"),
            ("graph { a -- node }", "line 1: expected a node, found `node`"),
            ("graph { <b> -- a }", "line 1: expected a node, an edge or `}`, found `<`"),
            ("graph { node -- a }", "line 1: expected `[`, found `--`"),
            ("graph { a = ; }", "line 1: expected a value, found `;`"),
            ("graph { a: -- b }", "line 1: expected a port, found `--`"),
            ("graph {\n\"a\" + \"b\" }", "line 2: expected a node, an edge or `}`, found `+`"),
            (
                "graph {\na;\nsubgraph x { a } }",
                "line 3: subgraphs are not read: write out each edge",
            ),
            ("graph {\na -- { b c }}", "line 2: subgraphs are not read: write out each edge"),
            ("graph {\n\"a\n", "line 2: `\"` is not closed"),
            ("graph {\na [label=x\n}", "line 2: `[` is not closed"),
            ("graph {\na [label=<b\n>", "line 2: `[` is not closed"),
            ("graph {\na [label=<<b\n>", "line 2: `<` is not closed"),
            ("graph { a\n/* b }", "line 2: `/*` is not closed"),
            ("graph { a } graph { b }", "line 1: expected nothing after the graph, found `graph`"),
            ("graph { a } \"b\"", "line 1: expected nothing after the graph, found `\"b\"`"),
            ("graph {\na -- a }", "line 2: node `a` is joined to itself"),
            (
                "graph {\na -- b\nb --\na }",
                "line 4: node `b` and node `a` are joined again, first on line 2",
            ),
            (
                "digraph {\na -> b\nb -> c }",
                "line 2: the graph is not connected: node `b` cannot reach node `a`: a directed \
                 link carries messages in one direction only",
            ),
            (
                "digraph {\na -> b\nb -> a\nc -> a }",
                "line 4: the graph is not connected: node `a` cannot reach node `c`: a directed \
                 link carries messages in one direction only",
            ),
            (
                "digraph {\na -> b\nb -> a\nb -> a }",
                "line 4: node `b` and node `a` are joined again, first on line 3",
            ),
            (
                "graph { a -- b\n\n c }",
                "line 3: the graph is not connected: node `a` cannot reach node `c`",
            ),
        ],
    );
}

#[test]
fn graphml() {
    assert_broken(
        Format::GraphMl,
        &[
            (" \n", "line 1: the graph has no nodes"),
            ("<graph/>", "line 1: the graph has no nodes"),
            ("<graph></graph>", "line 1: the graph has no nodes"),
            ("<graphml>\n</graphml>\n", "line 3: there is no `<graph>`"),
            ("<graph>\n<node id='a'/>\n", "line 3: the file ends before `</graph>`"),
            (
                "<graph>\n<node id='a'>\n</graph>",
                "line 3: `</graph>` where `<node>` of line 2 is open",
            ),
            (
                "<graph><node id='a'/>\n</edge>",
                "line 2: `</edge>` where `<graph>` of line 1 is open",
            ),
            ("<graph><node id='a'/></graph>\n</x>", "line 2: `</x>` closes nothing"),
            ("<graphml>\n<graph><node id='a'/></graph>", "line 1: `<graphml>` is never closed"),
            ("<graph edgedefault='up'>", "line 1: `up` is neither `directed` nor `undirected`"),
            ("<graph>\n<node/></graph>", "line 2: `<node>` has no `id`"),
            ("<graph>\n<edge target='a'/></graph>", "line 2: `<edge>` has no `source`"),
            ("<graph>\n<edge source='a'/></graph>", "line 2: `<edge>` has no `target`"),
            ("<graph><node\nid=a/></graph>", "line 2: `id` has no value in quotes"),
            ("<graph><node id/></graph>", "line 1: `id` has no value in quotes"),
            ("<graph><node id='a/></graph>", "line 1: the value of `id` is not closed"),
            ("<graph><node id='a'", "line 1: `<node` is not closed"),
            ("<graph>\n<node id='a' <edge/>", "line 2: `<node` is not closed"),
            ("<graph>\n<!-- ", "line 2: `<!--` is not closed"),
            ("<graph>\n<?x ", "line 2: `<?` is not closed"),
            ("<graph><node id='&uuml;'/>", "line 1: `&uuml` is not an entity such as `&amp;`"),
            ("<graph><node id='a&b'/>", "line 1: `&b` is not an entity such as `&amp;`"),
            ("<graph><node id='&amp'/>", "line 1: `&amp` is not an entity such as `&amp;`"),
            ("<graph><node id='&#xd800;'/>", "line 1: `&#xd800` is not an entity such as `&amp;`"),
            (
                "<graph>\n<node id='a'><graph/></node>",
                "line 2: only one graph is read, and no graph within a graph",
            ),
            (
                "<graph><node id='a'/></graph>\n<graph/>",
                "line 2: only one graph is read, and no graph within a graph",
            ),
            ("<graph>\n<hyperedge/>", "line 2: hyperedges are not read"),
            (
                "<graph>\n<node id='a'/>\n<node id='a'/>",
                "line 3: node `a` is there again, first on line 2",
            ),
            (
                "<graph>\n<edge source='a' target='b'/><node id='a'/></graph>",
                "line 2: there is no node `b`",
            ),
            (
                "<graph><node id='a'/>\n<edge source='a' target='a'/></graph>",
                "line 2: node `a` is joined to itself",
            ),
            (
                "<graph><node id='a'/><node id='b'/>\n<edge source='a' target='b'/>\n\
                 <edge source='b' target='a'/></graph>",
                "line 3: node `b` and node `a` are joined again, first on line 2",
            ),
            (
                "<graph><node id='a'/>\n<node id='b'/></graph>",
                "line 2: the graph is not connected: node `a` cannot reach node `b`",
            ),
        ],
    );
}

use super::*;

mod broken;

fn edges(graph: &Graph) -> Vec<(u32, u32)> {
    graph.iter_edges().map(|(a, b)| (a.0, b.0)).collect()
}

fn labels(graph: &Graph) -> Vec<String> {
    NodeId::all(graph.nodes()).map(|node| graph.label(node).into_owned()).collect()
}

#[test]
fn edge_lists() {
    let graph = edge_list("# a path\nnodes 4\n\n3 1 # tail\n1,2\n  2 ,\t0\n% end\n");
    assert_eq!(edges(&graph), [(0, 2), (1, 2), (1, 3)]);
    assert_eq!(labels(&graph), ["0", "1", "2", "3"]);

    let graph = edge_list("b a\r\na c#1\r\n");
    assert_eq!(edges(&graph), [(0, 1), (1, 2)]);
    assert_eq!(labels(&graph), ["b", "a", "c#1"]);

    assert_eq!(edge_list("nodes 1").nodes(), 1);
    assert_eq!(labels(&edge_list("nodes 2\nx y")), ["x", "y"]);
    // Only the first line announces.
    assert_eq!(labels(&edge_list("1 nodes\nnodes 3")), ["1", "nodes", "3"]);
}

#[test]
fn names_are_numbers_only_if_they_are_all_of_0_to_n() {
    assert_eq!(edges(&edge_list("2 1\n1 0")), [(0, 1), (1, 2)]);
    for text in ["1 2\n2 3", "0 01", "0 +1", "-1 0", "0 x"] {
        let graph = edge_list(text);
        let first = text.split_whitespace().next().unwrap();
        assert_eq!(graph.label(NodeId(0)), first, "{text}");
        assert_eq!(edges(&graph)[0], (0, 1), "{text}");
    }
}

#[test]
fn dot() {
    let text = r#"
        // What tools write.
        strict Graph "a name" {
            graph [rankdir=LR, label="]"]; node [shape=circle]
            edge [color="red"][style=bold]
            bgcolor = "white";
            a [label=<<b>x</b>>, pos="1,2"];
            # Chains and ports.
            a -- "b \"quoted\"" -- c.1:port:ne [weight=2]
            c.1 -- -3.5; ; "a"--"node" /* a
            long comment */ ä--a
        }
    "#;
    let graph = Graph::parse(text, Format::Dot).unwrap();
    assert_eq!(labels(&graph), ["a", "b \"quoted\"", "c.1", "-3.5", "node", "ä"]);
    assert_eq!(edges(&graph), [(0, 1), (0, 4), (0, 5), (1, 2), (2, 3)]);

    let graph = Graph::parse("digraph{2->1->0->1->2}", Format::Dot).unwrap();
    assert_eq!(edges(&graph), [(0, 1), (1, 2)]);
    assert!(!graph.is_directed(), "every link has its reverse");
    let graph = Graph::parse("strict graph { a -- b; b -- a; a -- b }", Format::Dot).unwrap();
    assert_eq!(edges(&graph), [(0, 1)], "a strict graph has every edge once");
    assert_eq!(Graph::parse("graph { lonely }", Format::Dot).unwrap().nodes(), 1);
}

#[test]
fn graphml() {
    let text = r#"<?xml version='1.0'?>
        <!DOCTYPE graphml>
        <!-- <graph> <node id="no"/> -->
        <g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">
          <key id="d0" for="node" attr.name="colour"/>
          <g:graph id='G' edgedefault = "undirected">
            <edge source="b" target="a &amp; &lt;b&gt; &quot;&apos;&#228;&#xe4;"/>
            <node id='a &amp; &lt;b&gt; "&apos;ää'><data key="d0"><![CDATA[<node id="no"/>]]></data>
            </node>
            <node id="b"
                  /><node id="c"></node>
            <edge id="e1" target="c" source="b" directed="true"><data key="d1">1</data></edge>
            <edge target="b" source="c" directed="true"/>
          </g:graph>
        </g:graphml>"#;
    let graph = Graph::parse(text, Format::GraphMl).unwrap();
    assert_eq!(labels(&graph), ["a & <b> \"'ää", "b", "c"]);
    assert_eq!(edges(&graph), [(0, 1), (1, 2)]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_name() {
    assert_eq!(labels(&edge_list("\u{feff}a b")), ["a", "b"]);
}

#[test]
fn what_is_exported_is_read_as_the_same() {
    let names =
        ["two words", "\"", "\\", "a\\", "\\\"", "<&>'", "", "node", "Graph", "7", "ß", "--"];
    let names = [&names[..], &["line\nbreak", "tab\t"]].concat();
    let links = names[1..].iter().map(|name| {
        let name = name.replace('\\', r"\\").replace('"', r#"\""#);
        format!("\"two words\" -- \"{name}\";")
    });
    let text = format!("graph {{ {} }}", links.collect::<String>());
    let labelled = Graph::parse(&text, Format::Dot).unwrap();
    assert_eq!(labels(&labelled), names);

    let mut graphs = samples();
    graphs.extend([labelled, edge_list("3 2\n2 1"), edge_list("b c\nc a")]);
    for graph in graphs {
        let read_dot = Graph::parse(&graph.to_dot(), Format::Dot).unwrap();
        let read_graphml = Graph::parse(&graph.to_graphml(), Format::GraphMl).unwrap();
        for read in [read_dot, read_graphml] {
            assert_eq!(read, graph, "{}", graph.describe());
            assert_eq!(read.is_directed(), graph.is_directed(), "{}", graph.describe());
        }
    }
}

#[test]
fn a_directed_link_carries_messages_one_way() {
    let dot = Graph::parse("digraph { c -> a -> b -> c; b -> a }", Format::Dot).unwrap();
    assert!(dot.is_directed());
    assert_eq!(labels(&dot), ["c", "a", "b"]);
    assert_eq!(edges(&dot), [(0, 1), (1, 2), (2, 0), (2, 1)]);
    assert_eq!(dot.edges(), 4);
    assert_eq!(dot.tree_towards(NodeId(0)), [0, 2, 0].map(NodeId));
    assert!(dot.ring().is_none());
    let text = dot.to_graphml().replace(r#"edgedefault="directed""#, r#"edgedefault="undirected""#);
    let mixed = text.replace(r#"target="c""#, r#"target="c" directed="true""#);
    let mixed = mixed.replace("    <edge source=\"b\" target=\"a\"/>\n", "");
    let mixed = Graph::parse(&mixed, Format::GraphMl).unwrap();
    assert_eq!(edges(&mixed), [(0, 1), (1, 0), (1, 2), (2, 0), (2, 1)]);
}

#[test]
fn a_directed_ring_of_a_file_is_one_in_the_order_of_its_links() {
    let ring = Graph::parse("digraph { 0 -> 2 -> 1 -> 3 -> 0 }", Format::Dot).unwrap();
    assert_eq!(ring.describe(), "directed graph of 4 nodes and 4 edges");
    let order = ring.ring().expect("it is a cycle");
    assert_eq!([0, 1, 2, 3].map(|node| order.successor(NodeId(node)).0), [2, 3, 1, 0]);
    assert_eq!([2, 3, 1, 0].map(|node| order.predecessor(NodeId(node)).0), [0, 1, 2, 3]);
}

#[test]
fn exported_texts() {
    let graph = Graph::parse("graph { \"a b\" -- c }", Format::Dot).unwrap();
    assert_eq!(graph.to_dot(), "graph {\n  \"a b\";\n  c;\n  \"a b\" -- c;\n}\n");
    let ring = build("directed-ring", 3);
    assert_eq!(ring.to_dot(), "digraph {\n  0;\n  1;\n  2;\n  0 -> 1;\n  1 -> 2;\n  2 -> 0;\n}\n");
    assert_eq!(
        build("line", 2).to_graphml(),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <graph edgedefault="undirected">
    <node id="0"/>
    <node id="1"/>
    <edge source="0" target="1"/>
  </graph>
</graphml>
"#
    );
    assert!(ring.to_graphml().contains(r#"edgedefault="directed""#));
}

#[test]
fn the_format_is_guessed_from_the_name_and_else_from_the_text() {
    let dot = "# note\n/* more */ strict graph { a -- b }";
    for (path, text, format) in [
        ("net.dot", "", Format::Dot),
        ("net.GV", "", Format::Dot),
        ("net.graphml", "", Format::GraphMl),
        ("dir.dot/net.XML", "", Format::GraphMl),
        ("net.csv", dot, Format::EdgeList),
        ("net.txt", dot, Format::Dot),
        ("net", "digraph{}", Format::Dot),
        ("net", "graph theory", Format::EdgeList),
        ("net", "\u{feff} \n<graphml>", Format::GraphMl),
        ("net", "\u{feff}graph {}", Format::Dot),
        ("net.txt", "a b", Format::EdgeList),
        ("", "", Format::EdgeList),
    ] {
        assert_eq!(Format::guess(path, text), format, "{path}: {text}");
    }
}

use std::borrow::Cow;
use std::fmt;

use super::cursor::Cursor;
use super::{Draft, bad};
use crate::NodeId;
use crate::graph::{Graph, GraphError};

mod tag;

use tag::Tag;

impl Graph {
    /// The graph as GraphML. [`parse`](Self::parse) reads it back.
    pub fn to_graphml(&self) -> String {
        let mut text = String::new();
        self.write_graphml(&mut text).expect("a string takes everything");
        text
    }

    /// Writes the text of [`to_graphml`](Self::to_graphml) to `out`.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_graphml(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let default = if self.is_directed() { "directed" } else { "undirected" };
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
        writeln!(out, r#"  <graph edgedefault="{default}">"#)?;
        for node in NodeId::all(self.nodes()) {
            writeln!(out, r#"    <node id="{}"/>"#, escaped(&self.label(node)))?;
        }
        for (from, to) in self.iter_edges() {
            let (from, to) = (self.label(from), self.label(to));
            let (source, target) = (escaped(&from), escaped(&to));
            writeln!(out, r#"    <edge source="{source}" target="{target}"/>"#)?;
        }
        writeln!(out, "  </graph>")?;
        writeln!(out, "</graphml>")
    }
}

/// The name with XML escapes, for a quoted value.
fn escaped(name: &str) -> Cow<'_, str> {
    let special = |c: char| "&<>\"".contains(c) || c.is_control();
    if !name.contains(special) {
        return Cow::Borrowed(name);
    }
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '>' => text += "&gt;",
            '"' => text += "&quot;",
            // XML readers normalise line breaks in values to blanks, unless they are escaped.
            _ if c.is_control() => text += &format!("&#{};", u32::from(c)),
            _ => text.push(c),
        }
    }
    Cow::Owned(text)
}

pub(super) fn read(text: &str) -> Result<Graph, GraphError> {
    if text.trim().is_empty() {
        return Err(bad(1, "the graph has no nodes"));
    }
    let mut tags = Tags { cursor: Cursor::new(text), open: Vec::new() };
    let directed = graph_tag(&mut tags)?;
    let mut draft = Draft::default();
    // An edge may precede its nodes in the file.
    let mut edges = Vec::new();
    loop {
        let Some(tag) = tags.next()? else {
            return Err(bad(tags.cursor.line(), "the file ends before `</graph>`"));
        };
        match tag.name {
            "graph" if !tag.opens => break,
            _ if !tag.opens => {}
            "graph" => return Err(only_one(&tag)),
            "hyperedge" => return Err(bad(tag.line, "hyperedges are not read")),
            "node" => {
                let id = tag.required("id")?;
                if let Some(&number) = draft.numbers.get(id) {
                    let first = draft.nodes[number as usize].1;
                    let problem = format!("node `{id}` is there again, first on line {first}");
                    return Err(bad(tag.line, problem));
                }
                draft.node(id.clone(), tag.line);
            }
            "edge" => {
                let directed = tag.optional("directed").map_or(directed, |value| value == "true");
                let (source, target) = (tag.required("source")?, tag.required("target")?);
                edges.push((source.clone(), target.clone(), tag.line, directed));
            }
            _ => {}
        }
    }
    while let Some(tag) = tags.next()? {
        if tag.name == "graph" {
            return Err(only_one(&tag));
        }
    }
    if let Some((name, line)) = tags.open.pop() {
        return Err(bad(line, format!("`<{name}>` is never closed")));
    }
    for (source, target, line, directed) in edges {
        let [source, target] = [source, target].map(|id| {
            let number = draft.numbers.get(&id).copied();
            number.ok_or_else(|| bad(line, format!("there is no node `{id}`")))
        });
        draft.edge(source?, target?, line, directed)?;
    }
    draft.finish()
}

/// The tags of a file, checked for proper nesting.
struct Tags<'a> {
    cursor: Cursor<'a>,
    /// The open tags, each with its line.
    open: Vec<(&'a str, u32)>,
}

impl<'a> Tags<'a> {
    fn next(&mut self) -> Result<Option<Tag<'a>>, GraphError> {
        let Some(tag) = Tag::next(&mut self.cursor)? else { return Ok(None) };
        match (tag.opens, tag.closes) {
            (true, false) => self.open.push((tag.name, tag.line)),
            (false, _) => match self.open.pop() {
                Some((name, _)) if name == tag.name => {}
                Some((name, line)) => {
                    let problem =
                        format!("`</{}>` where `<{name}>` of line {line} is open", tag.name);
                    return Err(bad(tag.line, problem));
                }
                None => {
                    return Err(bad(tag.line, format!("`</{}>` closes nothing", tag.name)));
                }
            },
            (true, true) => {}
        }
        Ok(Some(tag))
    }
}

/// Consumes the first `<graph>`; returns whether its edges are directed by default.
fn graph_tag(tags: &mut Tags<'_>) -> Result<bool, GraphError> {
    while let Some(tag) = tags.next()? {
        if tag.name == "graph" {
            if tag.closes {
                return Err(bad(tag.line, "the graph has no nodes"));
            }
            return match tag.optional("edgedefault").map(|value| &**value) {
                Some("directed") => Ok(true),
                Some("undirected") | None => Ok(false),
                Some(other) => {
                    let problem = format!("`{other}` is neither `directed` nor `undirected`");
                    Err(bad(tag.line, problem))
                }
            };
        }
    }
    Err(bad(tags.cursor.line(), "there is no `<graph>`"))
}

fn only_one(tag: &Tag<'_>) -> GraphError {
    bad(tag.line, "only one graph is read, and no graph within a graph")
}

use std::borrow::Cow;
use std::fmt;

use super::{Draft, Duplicates, bad, numeral};
use crate::NodeId;
use crate::graph::{Graph, GraphError};

mod lexer;

use lexer::{Lexer, Token};

/// Reserved words, in any case: names only if they are quoted.
const KEYWORDS: [&str; 6] = ["strict", "graph", "digraph", "node", "edge", "subgraph"];

impl Graph {
    /// The graph in the DOT language. [`parse`](Self::parse) reads it back.
    pub fn to_dot(&self) -> String {
        let mut text = String::new();
        self.write_dot(&mut text).expect("a string takes everything");
        text
    }

    /// Writes the text of [`to_dot`](Self::to_dot) to `out`.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_dot(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let (kind, link) = if self.is_directed() { ("digraph", "->") } else { ("graph", "--") };
        writeln!(out, "{kind} {{")?;
        // Nodes are listed first, because the reader numbers them in order of appearance.
        for node in NodeId::all(self.nodes()) {
            writeln!(out, "  {};", quoted(&self.label(node)))?;
        }
        for (from, to) in self.iter_edges() {
            let (from, to) = (self.label(from), self.label(to));
            writeln!(out, "  {} {link} {};", quoted(&from), quoted(&to))?;
        }
        writeln!(out, "}}")
    }
}

/// The name in DOT syntax, quoted if necessary.
fn quoted(name: &str) -> Cow<'_, str> {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.iter().any(|keyword| name.eq_ignore_ascii_case(keyword));
    if is_word || numeral(name).is_some() {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Whether the text, after comments, begins like a DOT file.
pub(super) fn looks_like(text: &str) -> bool {
    let starts = ["strict", "graph", "digraph"];
    let first = Lexer::new(text).next();
    let is_start = first.is_ok_and(|(token, _)| starts.iter().any(|start| token.is(start)));
    is_start && text.contains('{')
}

pub(super) fn read(text: &str) -> Result<Graph, GraphError> {
    let mut reader = Reader::new(text)?;
    if reader.token == Token::End {
        return Err(bad(1, "the graph has no nodes"));
    }
    reader.head()?;
    while reader.token != Token::Symbol('}') {
        reader.statement()?;
    }
    reader.advance()?;
    match reader.token {
        Token::End => reader.draft.finish(),
        _ => Err(reader.expected("nothing after the graph")),
    }
}

/// A parser with one token of lookahead.
struct Reader<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    line: u32,
    directed: bool,
    draft: Draft<'a>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Self, GraphError> {
        let mut lexer = Lexer::new(text);
        let (token, line) = lexer.next()?;
        Ok(Self { lexer, token, line, directed: false, draft: Draft::default() })
    }

    /// The header, up to and including the first brace.
    fn head(&mut self) -> Result<(), GraphError> {
        if self.token.is("strict") {
            self.draft.duplicates = Duplicates::Merged;
            self.advance()?;
        }
        self.directed = self.token.is("digraph");
        if !self.directed && !self.token.is("graph") {
            return Err(self.expected("`graph` or `digraph`"));
        }
        self.advance()?;
        if matches!(self.token, Token::Word(_) | Token::Quoted(_)) {
            self.advance()?;
        }
        match self.advance()? {
            (Token::Symbol('{'), _) => Ok(()),
            (token, line) => Err(expected("`{`", &token, line)),
        }
    }

    /// A statement: a node, a chain of edges, an attribute, or an empty one.
    fn statement(&mut self) -> Result<(), GraphError> {
        if self.token == Token::Symbol(';') {
            return self.advance().map(|_| ());
        }
        if ["graph", "node", "edge"].iter().any(|keyword| self.token.is(keyword)) {
            self.advance()?;
            return match self.token {
                Token::Symbol('[') => self.attributes(),
                _ => Err(self.expected("`[`")),
            };
        }
        let line = self.line;
        let name = self.name("a node, an edge or `}`")?;
        if self.token == Token::Symbol('=') {
            // An attribute of the whole graph.
            self.advance()?;
            return match self.token {
                Token::Word(_) | Token::Quoted(_) | Token::Html => self.advance().map(|_| ()),
                _ => Err(self.expected("a value")),
            };
        }
        let mut last = self.draft.node(name, line);
        self.port()?;
        while let Token::Link { directed } = self.token {
            if directed != self.directed {
                let what = if self.directed { "`->` in a digraph" } else { "`--` in a graph" };
                return Err(self.expected(what));
            }
            self.advance()?;
            let line = self.line;
            let name = self.name("a node")?;
            let next = self.draft.node(name, line);
            self.port()?;
            self.draft.edge(last, next, line, self.directed)?;
            last = next;
        }
        self.attributes()
    }

    fn name(&mut self, what: &str) -> Result<Cow<'a, str>, GraphError> {
        if self.token.is("subgraph") || self.token == Token::Symbol('{') {
            return Err(bad(self.line, "subgraphs are not read: write out each edge"));
        }
        if KEYWORDS.iter().any(|keyword| self.token.is(keyword)) {
            return Err(self.expected(what));
        }
        match self.advance()? {
            (Token::Word(name), _) => Ok(Cow::Borrowed(name)),
            (Token::Quoted(name), _) => Ok(name),
            (token, line) => Err(expected(what, &token, line)),
        }
    }

    /// Skips the port of a node, as in `a:port:ne`.
    fn port(&mut self) -> Result<(), GraphError> {
        while self.token == Token::Symbol(':') {
            self.advance()?;
            self.name("a port")?;
        }
        Ok(())
    }

    /// Skips attribute lists in square brackets.
    fn attributes(&mut self) -> Result<(), GraphError> {
        while self.token == Token::Symbol('[') {
            let start = self.line;
            while self.token != Token::Symbol(']') {
                if self.advance()?.0 == Token::End {
                    return Err(bad(start, "`[` is not closed"));
                }
            }
            self.advance()?;
        }
        Ok(())
    }

    /// Consumes the current token and returns it.
    fn advance(&mut self) -> Result<(Token<'a>, u32), GraphError> {
        let (token, line) = self.lexer.next()?;
        let passed = (std::mem::replace(&mut self.token, token), self.line);
        self.line = line;
        Ok(passed)
    }

    fn expected(&self, what: &str) -> GraphError {
        expected(what, &self.token, self.line)
    }
}

fn expected(what: &str, found: &Token<'_>, line: u32) -> GraphError {
    bad(line, format!("expected {what}, found {found}"))
}

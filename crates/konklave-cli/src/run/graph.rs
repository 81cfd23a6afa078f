//! The network of a run as a file.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use konklave::graph::Format;
use konklave_catalog::site::Site;

use crate::failure::Failure;
use crate::out;

/// Writes the network in the format that the file's name implies.
pub(super) fn save_graph(path: &Path, site: &Site) -> Result<(), Failure> {
    let format = Format::guess(&path.to_string_lossy(), "graph {}");
    if format == Format::EdgeList {
        return Err(Failure::bad(format!(
            "{} would be read as a list of edges: graphs are saved as .dot or .graphml",
            path.display()
        )));
    }
    let unwritable = |error: io::Error| Failure::file("write the graph", path, &error);
    let file = out::create(path).map_err(unwritable)?;
    let mut out = Pieces { out: BufWriter::new(file), error: None };
    let written = match format {
        Format::GraphMl => site.graph().write_graphml(&mut out),
        Format::Dot | Format::EdgeList => site.graph().write_dot(&mut out),
    };
    let outcome = out.error.map_or_else(|| out.out.flush(), Err);
    outcome.map_err(unwritable)?;
    written.map_err(|error| unwritable(io::Error::other(error)))
}

/// Streams text to a file, because the text of a graph can be larger than memory.
struct Pieces<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> fmt::Write for Pieces<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

//! Traces for other programs: [`shiviz`], [`perfetto`], and spreadsheets ([`csv`]).
//!
//! Networks are written as DOT and GraphML by [`konklave::graph::Graph`] itself.

mod csv;
mod perfetto;
mod shiviz;

pub use csv::csv;
pub use perfetto::perfetto;
pub use shiviz::{SHIVIZ, shiviz};

//! Plain data as pictures. Nothing here reads, writes or measures anything, and no algorithm is
//! known: what comes in are numbers, names and events, what goes out is a `String`.
//!
//! A picture is an SVG that needs nothing else: no font, no script, no style sheet. It follows the
//! reader's choice of light or dark, has a title and a description for those who cannot see it, and
//! carries no ids, so that any number of them can stand in one HTML page. The same data give the
//! same bytes on every machine. Colours can be told apart by the colour-blind, and whatever has a
//! colour of its own also has a dash, a marker, a hatch or a shape of its own.
//!
//! - [`chart`]: measured against formula, stacked bars, distributions, load per node, comparisons;
//!   a [`chart::Plot`] also comes as text for a terminal.
//! - [`spacetime`]: who told whom what, and what it came to.
//! - [`network`]: nodes with their roles, edges with their classes, in a layout that fits.
//! - [`formation`]: who knows whom on a circle, as it is and as it should be, and level by level.

pub mod chart;
pub mod formation;
pub mod network;
pub mod spacetime;

mod legend;
mod page;
mod places;
mod scale;
mod style;
mod svg;
mod text;

pub use scale::{Axis, log_helps};

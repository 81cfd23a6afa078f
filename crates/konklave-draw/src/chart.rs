//! Charts: numbers as lines, bars and steps.
//!
//! Every chart is a builder: `new` with a title, then the data, then `svg`. What cannot be drawn
//! (what is not finite, or not positive on a logarithmic axis) is left out, and the chart says so.
//!
//! ```
//! use konklave_draw::Axis;
//! use konklave_draw::chart::{Plot, Point, samples};
//!
//! let svg = Plot::new("Messages of an election")
//!     .x("nodes", Axis::Auto)
//!     .y("messages", Axis::Auto)
//!     .measured("chang-roberts", [Point::new(10.0, 29.0), Point::new(1000.0, 7485.0)])
//!     .formula("n ln n", samples(10.0, 1000.0, |n| n * n.ln()))
//!     .svg();
//! assert!(svg.starts_with("<svg"));
//! ```

mod comparison;
mod distribution;
mod frame;
mod histogram;
mod load;
mod plot;
mod plot_svg;
mod plot_text;
mod stacked;

pub use comparison::Comparison;
pub use distribution::Distribution;
pub use histogram::Histogram;
pub use load::Load;
pub use plot::{Plot, Point, samples};
pub use plot_text::{Marks, TextForm};
pub use stacked::Stacked;

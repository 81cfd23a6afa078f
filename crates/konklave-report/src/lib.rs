//! What Konklave measured and recorded, as pictures, as files that other programs read, and as one
//! report. Nothing here knows an algorithm: a trace is lines of erased values, results are numbers.
//!
//! - [`account`]: a trace, put together; [`spacetime`] draws it, and [`export`] writes it for
//!   ShiViz, Perfetto and spreadsheets.
//! - [`network`]: a network and what has become of its nodes.
//! - [`table`]: results in rows and columns.
//! - [`statistics`]: means and how far they can be trusted; [`growth`]: how they grow.
//! - [`bound`]: bounds that a user writes, and whether results keep them.
//! - [`html`]: one report as one file; [`folder`]: where it is written to.
//!
//! ```
//! use konklave_report::bound::{Assignment, Bound};
//! use konklave_report::growth::{Growth, Sample};
//!
//! let measured = [(10.0, 28.0), (100.0, 298.0), (1000.0, 2998.0)];
//! let samples = measured.map(|(n, mean)| Sample { n, mean, error: 0.0 });
//! assert_eq!(Growth::new(&samples).words("messages"), "messages grow as 3 n - 2, exactly");
//!
//! let bound = Bound::parse("messages <= n*log2(n)", &["messages"])?;
//! let named = |name: &str, value| (name.to_owned(), value);
//! let row = |(n, messages)| Assignment::from([named("n", n), named("messages", messages)]);
//! assert_eq!(bound.first_violation(&measured.map(row)), Ok(None));
//! # Ok::<(), konklave_report::bound::BoundError>(())
//! ```

pub mod account;
pub mod bound;
pub mod convergence;
pub mod export;
pub mod folder;
pub mod growth;
pub mod html;
pub mod junit;
pub mod network;
pub mod over_time;
pub mod show;
pub mod spacetime;
pub mod statistics;
pub mod stored;
pub mod table;

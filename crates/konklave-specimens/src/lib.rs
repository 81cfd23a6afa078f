//! Broken algorithms.

mod flawed;
pub mod flaws;
mod specimen;
mod table;
mod visit;

pub use flawed::{Flaw, Flawed, Flawless, probe};
pub use specimen::{Finding, Ground, Setting, Specimen, Tool};
pub use table::{all, find};
pub use visit::{Visit, visit};

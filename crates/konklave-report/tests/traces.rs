//! What is made of traces of real runs.

#[path = "traces/exports.rs"]
mod exports;
#[path = "traces/pictures.rs"]
mod pictures;
#[path = "traces/runs.rs"]
mod runs;
#[path = "traces/senses.rs"]
mod senses;

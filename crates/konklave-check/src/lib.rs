//! Checks the algorithms of [`konklave`]: every interleaving of a small system, and the consistency
//! of histories.
//!
//! A protocol is pure, so a search never has to take the same step of a node twice. Every node
//! state, message and monitor has a number, a global state is a short row of numbers, and a step is
//! looked up.

pub mod application;
mod chronicle;
mod code;
mod coverage;
mod dictionary;
mod explore;
mod fingerprint;
pub mod history;
mod lookup;
mod meaning;
mod numbers;
mod pile;
mod report;
mod rows;
mod script;
mod seen;
mod shape;
pub mod shrink;
mod successors;
mod system;

pub use coverage::{Coverage, Noted};
pub use explore::{Costs, Limits, Options, Progress, Until, explore};
pub use report::{
    Bound, Counterexample, Extremes, Liveness, Property, Reached, Schedule, SearchReport, Verdict,
};
pub use seen::Identity;
pub use system::{
    CHANCE, CLOSURE, COMES_TO_REST, CONVERGENCE, CUT_NODES_MAX, Faults, NODES_MAX, Order, Pace,
    System, World,
};

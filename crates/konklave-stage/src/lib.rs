//! Nodes of any algorithm behind one type ([`erased`]), and what their applications may ask for
//! ([`application`]).

pub mod application;
pub mod erased;

pub use application::{Application, Standing};

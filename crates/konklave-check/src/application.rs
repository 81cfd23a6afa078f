//! What applications may ask for: a finite supply of commands per node, part of the state that is
//! explored.

pub use konklave_stage::application::{Application, Standing};

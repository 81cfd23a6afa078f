//! Applications of a search: a finite supply of commands per node, part of the explored state.

pub use konklave_stage::application::{Application, Standing};

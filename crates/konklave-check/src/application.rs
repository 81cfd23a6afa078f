//! What applications may ask for: a finite supply of commands per node, part of the state that is
//! explored.

mod booking;
mod election;
mod mutex;

pub use booking::Guest;
pub use election::Voter;
use konklave_stage::application::of_node;
pub use konklave_stage::application::{Application, Standing};
pub use mutex::Visitor;

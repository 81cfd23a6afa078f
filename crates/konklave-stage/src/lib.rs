//! A distributed system that is stepped action by action: the [`Stage`], on which golden scripts,
//! replays, counterexamples and their shrinking happen.
//!
//! A stage holds nodes of one type. Nodes of any algorithm have one type once they are
//! [`erased`], so what is built on a stage is compiled once per problem.
//!
//! ```
//! use konklave::NodeId;
//! use konklave::mutex::{Command, Monitor, ricart_agrawala::RicartAgrawala};
//! use konklave_stage::{Action, Stage};
//!
//! let nodes: Vec<_> = NodeId::all(2).map(|me| RicartAgrawala::new(me, 2)).collect();
//! let mut stage = Stage::unrestricted(nodes, Monitor::new(2));
//! for node in NodeId::all(2) {
//!     stage.apply(&Action::Start(node), &[])?;
//! }
//! let before = stage.clone();
//! stage.apply(&Action::Command { node: NodeId(0), command: Command::Acquire }, &[])?;
//! assert_eq!(stage.enabled(), [Action::Deliver(0)]);
//! stage = before; // It was never asked.
//! assert!(stage.is_at_rest() && stage.enabled().is_empty());
//! # Ok::<(), konklave_stage::Impossible>(())
//! ```

mod action;
pub mod application;
pub mod erased;
pub mod kind;
pub mod local;
#[cfg(test)]
mod puppet;
pub mod replay;
pub mod script;
pub mod size;
mod stage;

pub use action::Action;
pub use application::{Application, Standing, Unrestricted};
pub use local::{Local, Status};
pub use stage::{Applied, Breach, Impossible, Letter, Order, Pace, Stage};

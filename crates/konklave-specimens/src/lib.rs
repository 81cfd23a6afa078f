//! Broken algorithms: each is a right one with one flaw, or a right one where it must not be used.
//!
//! A checker that finds nothing proves nothing, unless it finds something where there is something
//! to find. And a flaw teaches why a line of an algorithm is there: leave it out, and see what
//! happens. Every specimen says what is wrong, which promise of the problem breaks, in which
//! smallest system known, and after how many steps.
//!
//! A specimen states only its difference from the right algorithm ([`Flaw`]): what reaches the
//! right node, and what leaves it ([`Flawed`]). Where the setting is the flaw, the node is the
//! right one.
//!
//! # The specimens
//!
//! The configuration is the network with its number of nodes, how often each node enters or starts
//! an election, and whether channels keep the order of messages. Quorums are those of
//! [`Quorums::new`](konklave::mutex::quorum::Quorums::new): the triangle of three nodes, the grid
//! of four, the plane of seven. The last column is the number of steps, without the start of every
//! node, on the shortest way to where the promise breaks; of runs without an end, up to where they
//! repeat, and once round, which need not be the shortest way round.
//!
#![doc = include_str!("specimens.md")]
//!
//! # Use
//!
//! ```
//! use konklave::NodeId;
//! use konklave::mutex::ricart_agrawala::RicartAgrawala;
//! use konklave_specimens::flaws::ricart_agrawala::NoTieBreak;
//! use konklave_specimens::{Flawed, find};
//!
//! let specimen = find("ricart-agrawala-without-tie-break").unwrap();
//! assert_eq!(specimen.promise, "mutual exclusion");
//! let nodes = specimen.setting.nodes();
//! let make = |me| Flawed::new(RicartAgrawala::new(me, nodes), NoTieBreak::everyone_yields());
//! let broken: Vec<_> = NodeId::all(nodes).map(make).collect();
//! # assert_eq!(broken.len(), 2);
//! ```
//!
//! [`visit`] hands the nodes of any specimen to code that works with all of them.

mod flawed;
pub mod flaws;
mod specimen;
mod table;
mod visit;

pub use flawed::{Flaw, Flawed, Flawless, probe};
pub use specimen::{Finding, Ground, Setting, Specimen, Tool};
pub use table::{all, find};
pub use visit::{Visit, visit};

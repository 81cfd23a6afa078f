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
//! repeat, and once round, which need not be the shortest way round. Where a system is too large
//! for every schedule, a random one was found, with the first seed that breaks the promise, and
//! shortened until nothing more could go.
//!
#![doc = include_str!("specimens.md")]
//!
//! Objects with histories that are not sequentially consistent are in [`objects`].
//!
//! # Left out
//!
//! Flaws that are known from elsewhere, and why they are not here:
//!
//! - Cao and Singhal's algorithm with failures filtered by epochs of earlier requests: its failures
//!   name their request and no epoch, so there is nothing to filter by.
//! - Singhal's token that does not hear of who holds it: in this form of the algorithm that does no
//!   harm.
//! - The token on a graph whose holder ignores inversions, without acknowledgements and numbers:
//!   that is `token-graph-without-acknowledgement`, since the right holder ignores them, too.
//! - Raymond's algorithm with the claim that others pass nobody more than n-2 times: the claim is
//!   wrong, not the algorithm, and no node sees how often it was passed.
//! - The virtual tree whose nodes take any neighbour with a level for their parent: that is another
//!   algorithm, and what a broken link does to it is a circle in the tree, of which no promise of
//!   an election speaks; `crates/konklave/tests/virtual_tree` has both.
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
//! [`Specimen::entry`] makes a specimen a line of the table like any other.

mod flawed;
pub mod flaws;
pub mod objects;
mod table;

pub use flawed::{Flaw, Flawed, Flawless, probe};
pub use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
pub use table::{all, find};

//! Distributed algorithms, each written once as a deterministic state machine.
//!
//! A node of an algorithm implements [`Protocol`](protocol::Protocol): it reacts to commands of its
//! application, to messages of its peers and to its timers, and all its effects go through an
//! [`Env`](protocol::Env). Nothing in this crate performs I/O, reads a clock, starts a thread or
//! draws a random number, so the same file can be simulated, model-checked, replayed and deployed.
//!
//! | module | problem |
//! |---|---|
//! | [`mutex`] | mutual exclusion: at most one node at a time is inside |
//! | [`booking`] | booking: of intervals that overlap, at most one is held at a time |
//! | [`election`] | leader election: exactly one node is elected, and all nodes learn which |
//! | [`dictionary`] | a distributed dictionary: keys with values, spread over a changing group |
//! | [`queue`] | a distributed queue: processes append elements and take the oldest out |
//! | [`stack`] | a distributed stack: processes lay elements on top and take the top one off |
//! | [`heap`] | a distributed heap: processes insert elements and take a smallest one out |
//! | [`selection`] | selection: the k-th smallest of elements that are spread over all processes |
//! | [`search`] | a distributed search structure: keys, and which of them are near a given one |
//! | [`consensus`] | stable consensus: all nodes come to hold the same value |
//! | [`batched`] | shared objects in waves: what a queue, a stack and a heap have in common |
//! | [`object`] | shared objects: what each answers if one operation follows the other |
//! | [`reliable`] | reliable links around any protocol, over a network that loses and duplicates |
//! | [`circle`] | positions on a circle, as building blocks: hash functions and arcs |
//! | [`rounds`] | rounds of questions to all processes, as building blocks |
//! | [`wave`] | waves, as building blocks: every node takes part before any node decides |
//!
//! ```
//! use konklave::mutex::{Command, ricart_agrawala::RicartAgrawala};
//! use konklave::protocol::Protocol;
//! use konklave::{NodeId, Recorder};
//!
//! let mut node = RicartAgrawala::new(NodeId(0), 2);
//! let mut env = Recorder::default();
//! node.on_command(Command::Acquire, &mut env);
//! assert_eq!(env.lines(), ["-> 1 Request(1@0)"]);
//! ```

pub mod batched;
pub mod booking;
pub mod circle;
pub mod consensus;
mod derived;
pub mod dictionary;
pub mod election;
pub mod graph;
pub mod heap;
pub mod mutex;
mod node_set;
pub mod object;
pub mod overlay;
pub mod protocol;
pub mod queue;
mod recorder;
pub mod reliable;
pub mod rounds;
pub mod search;
pub mod selection;
pub mod sense;
pub mod stack;
pub mod trace;
pub mod wave;

pub use node_set::NodeSet;
pub use protocol::NodeId;
pub use recorder::Recorder;

//! Waves: computations in which every node takes part before anyone decides.
//!
//! A wave starts at one node or at several, and sooner or later somebody decides; by then every
//! node has done something that the decision depends on. So whoever decides can know the largest
//! value of all nodes, or that all of them have been told. A wave leaves a tree behind, along which
//! the result can be announced.
//!
//! Here are the waves that others use as parts; elections that are waves are files of their own.

pub mod echo;
mod edges;

pub(crate) use edges::{Edge, Edges};

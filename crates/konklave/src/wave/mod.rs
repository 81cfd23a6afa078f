//! Waves: computations in which every node takes part before any node decides.
//!
//! A wave starts at one or more initiators and eventually reaches a decision; every decision is
//! causally preceded by an event at every node. So the deciding node can know the largest value of
//! all nodes, or that all nodes were informed. A wave builds a spanning tree, along which the
//! result can be announced.
//!
//! This module contains the waves that other algorithms use as building blocks; elections that are
//! waves have their own files.

pub mod echo;
mod edges;

pub(crate) use edges::{Edge, Edges};

//! Checks the algorithms of [`konklave`].

pub mod history;

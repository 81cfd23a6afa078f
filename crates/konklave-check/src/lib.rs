//! Checks the algorithms of [`konklave`].

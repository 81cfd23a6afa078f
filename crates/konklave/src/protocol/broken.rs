//! Promises, kept and broken.

use std::fmt::{self, Display};
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::NodeId;

/// What a problem promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its name, such as `mutual exclusion`.
    pub name: &'static str,
    /// Whether it says that something happens eventually. All other promises say that something
    /// never happens: safety.
    pub is_liveness: bool,
}

impl Promise {
    /// Something never happens.
    pub const fn safety(name: &'static str) -> Self {
        Self { name, is_liveness: false }
    }

    /// Something happens eventually.
    pub const fn liveness(name: &'static str) -> Self {
        Self { name, is_liveness: true }
    }
}

/// A broken promise. Two are equal if they say the same in words: a trace that was recorded before
/// there was a [`node`](Self::node) replays like any other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// The name of the promise, such as `mutual exclusion`.
    pub promise: String,
    /// How it was broken, for people.
    pub detail: String,
    /// The node whose event broke it, or which was never given what was promised; none if there is
    /// no single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
}

impl Broken {
    /// The verdict that `promise` was broken, and not by one node.
    pub fn promise(promise: &str, detail: impl Into<String>) -> Result<(), Self> {
        Err(Self { promise: promise.to_owned(), detail: detail.into(), node: None })
    }

    /// The verdict that `promise` was broken by this node, or to it.
    pub fn by(node: NodeId, promise: &str, detail: impl Into<String>) -> Result<(), Self> {
        Err(Self { promise: promise.to_owned(), detail: detail.into(), node: Some(node) })
    }

    fn words(&self) -> (&str, &str) {
        (&self.promise, &self.detail)
    }
}

impl PartialEq for Broken {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for Broken {}

impl Hash for Broken {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.promise, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_one_more_field_and_old_records_are_the_same_without_it() {
        let old = r#"{"promise":"p","detail":"d"}"#;
        let read = |text: &str| serde_json::from_str::<Broken>(text).unwrap();
        let write = |broken: &Broken| serde_json::to_string(broken).unwrap();
        let new = Broken::by(NodeId(3), "p", "d").unwrap_err();
        assert_eq!(write(&new), r#"{"promise":"p","detail":"d","node":3}"#);
        assert_eq!(read(&write(&new)).node, Some(NodeId(3)));
        assert_eq!((read(old).node, write(&read(old))), (None, old.to_owned()));
        assert_eq!(read(old), new, "they say the same");
        assert_ne!(read(old), Broken::promise("p", "e").unwrap_err());
    }
}

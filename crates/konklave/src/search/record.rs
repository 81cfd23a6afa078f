//! What the dictionary stores under the label of a node.

use super::Label;

/// The entry of one node. Labels of other nodes are their keys in the dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    /// A node of the Patricia trie: it has two children, but for the root if there is no key.
    Inner(Inner),
    /// A node on an edge of the Patricia trie, so that searches find the edge.
    Support {
        /// The next node below.
        child: Label,
        /// The next node above.
        parent: Label,
    },
    /// A key.
    Leaf(Leaf),
}

/// A node of the Patricia trie that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inner {
    /// The next node in the direction of each bit.
    pub children: [Option<Label>; 2],
    /// The next node above, but for the root.
    pub parent: Option<Label>,
    /// The key that this node holds: its label is a prefix of it.
    pub key: Option<Label>,
    /// The first and the last key below it, if neighbours are linked.
    pub ends: Option<[Label; 2]>,
}

/// A key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// The inner node that holds it; infinity is not held.
    pub holder: Option<Label>,
    /// The next node above.
    pub parent: Label,
    /// The keys before and behind it, if neighbours are linked.
    pub beside: [Option<Label>; 2],
}

impl Record {
    /// What is under a label as long as nothing was written there: the empty trie is the root and
    /// infinity.
    pub(super) fn initial(label: &Label, is_linked: bool) -> Option<Self> {
        let infinity = Label::infinity();
        if label.is_empty() {
            return Some(Self::Inner(Inner {
                children: [None, Some(infinity.clone())],
                parent: None,
                key: None,
                ends: is_linked.then(|| [infinity.clone(), infinity]),
            }));
        }
        let leaf = Leaf { holder: None, parent: Label::root(), beside: [None, None] };
        (*label == infinity).then_some(Self::Leaf(leaf))
    }
}

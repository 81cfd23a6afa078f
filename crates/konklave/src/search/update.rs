//! How inserts and deletes change a trie.

use super::Label;
use super::record::{Inner, Leaf, Record};
use super::view::{Stop, View};

impl View<'_> {
    fn put(&mut self, label: &Label, record: Record) {
        self.written.insert(label.clone(), Some(record));
    }

    fn remove(&mut self, label: &Label) {
        self.written.insert(label.clone(), None);
    }

    fn edit_inner(&mut self, label: &Label, edit: impl FnOnce(&mut Inner)) -> Result<(), Stop> {
        let mut inner = self.inner(label)?.clone();
        edit(&mut inner);
        self.put(label, Record::Inner(inner));
        Ok(())
    }

    fn edit_leaf(&mut self, key: &Label, edit: impl FnOnce(&mut Leaf)) -> Result<(), Stop> {
        let mut leaf = self.leaf(key)?.ok_or(Stop::Torn)?.clone();
        edit(&mut leaf);
        self.put(key, Record::Leaf(leaf));
        Ok(())
    }

    /// Makes two nodes of the Patricia trie consecutive, with the support nodes between them.
    fn link(&mut self, upper: &Label, lower: &Label) -> Result<(), Stop> {
        let lengths = self.form.support.between(upper.len(), lower.len());
        let supports = lengths.map(|len| lower.prefix(len));
        let mut parent = upper.clone();
        for below in supports.chain([lower.clone()]) {
            match self.record(&parent)?.clone() {
                Record::Support { parent: above, .. } => {
                    self.put(&parent, Record::Support { child: below.clone(), parent: above });
                }
                _ => self.edit_inner(&parent, |it| {
                    it.children[below.bit(upper.len())] = Some(below.clone());
                })?,
            }
            if below == *lower {
                break;
            }
            // Its child is not known before the next turn.
            let support = Record::Support { child: lower.clone(), parent };
            self.put(&below, support);
            parent = below;
        }
        match self.record(lower)? {
            Record::Leaf(_) => self.edit_leaf(lower, |leaf| leaf.parent = parent),
            _ => self.edit_inner(lower, |inner| inner.parent = Some(parent)),
        }
    }

    /// Removes the support nodes between two consecutive nodes of the Patricia trie.
    fn unlink(&mut self, upper: &Label, lower: &Label) {
        let lengths = self.form.support.between(upper.len(), lower.len());
        lengths.for_each(|len| self.remove(&lower.prefix(len)));
    }

    /// Adds a key: a new inner node where it leaves the trie, which holds it.
    pub(super) fn insert(&mut self, x: &Label) -> Result<(), Stop> {
        if self.leaf(x)?.is_some() {
            return Ok(());
        }
        let near = self.nearest(x)?;
        let leaf = |holder: &Label| Leaf {
            holder: Some(holder.clone()),
            parent: holder.clone(),
            beside: [None, None],
        };
        let Some(lower) = near else {
            let root = Label::root();
            self.put(x, Record::Leaf(leaf(&root)));
            self.edit_inner(&root, |it| it.key = Some(x.clone()))?;
            self.link(&root, x)?;
            return self.enter(x, &Label::infinity(), &root);
        };
        let place = x.common(&lower);
        let upper = self.parent(&lower)?;
        if place <= upper.len() || place >= x.len().min(lower.len()) {
            return Err(Stop::Torn);
        }
        let node = x.prefix(place);
        let ends = self.ends(&lower)?.map(|[first, last]| {
            [first.min(x.clone()), last.max(x.clone())] // Until now without the key.
        });
        self.unlink(&upper, &lower);
        let inner = Inner { children: [None, None], parent: None, key: Some(x.clone()), ends };
        self.put(&node, Record::Inner(inner));
        self.put(x, Record::Leaf(leaf(&node)));
        self.link(&upper, &node)?;
        self.link(&node, &lower)?;
        self.link(&node, x)?;
        self.enter(x, &lower, &upper)
    }

    /// Takes a key out, and the inner node above it. The key that this node holds, if it is another
    /// one, gets the home of the key that is gone: that is an ancestor.
    pub(super) fn delete(&mut self, x: &Label) -> Result<(), Stop> {
        let Some(leaf) = self.leaf(x)?.cloned() else { return Ok(()) };
        let node = self.parent(x)?;
        self.unlink(&node, x);
        self.remove(x);
        if node.is_empty() {
            self.edit_inner(&node, |root| {
                root.children[0] = None;
                root.key = None;
            })?;
            return self.withdraw(x, &leaf, &node);
        }
        let inner = self.inner(&node)?.clone();
        let other = inner.children[1 - x.bit(node.len())].clone().ok_or(Stop::Torn)?;
        let lower = self.below_support(other)?;
        let upper = self.parent(&node)?;
        let (held, home) = (inner.key.ok_or(Stop::Torn)?, leaf.holder.clone().ok_or(Stop::Torn)?);
        if home != node {
            self.edit_leaf(&held, |it| it.holder = Some(home.clone()))?;
            self.edit_inner(&home, |it| it.key = Some(held))?;
        }
        self.unlink(&upper, &node);
        self.unlink(&node, &lower);
        self.remove(&node);
        self.link(&upper, &lower)?;
        self.withdraw(x, &leaf, &upper)
    }

    /// The first and the last key below a node, if neighbours are linked.
    fn ends(&self, label: &Label) -> Result<Option<[Label; 2]>, Stop> {
        match self.form.is_linked {
            true => Ok(Some([self.end(label, 0)?, self.end(label, 1)?])),
            false => Ok(None),
        }
    }

    /// Puts a new key into the list of leaves, beside the keys below `near`, and widens the ends of
    /// `upper` and of the nodes above it, up to the first one that has the key inside.
    fn enter(&mut self, x: &Label, near: &Label, upper: &Label) -> Result<(), Stop> {
        let Some([first, last]) = self.ends(near)? else { return Ok(()) };
        let (before, behind) = match x < near {
            true => (self.leaf(&first)?.ok_or(Stop::Torn)?.beside[0].clone(), Some(first)),
            false => (Some(last.clone()), self.leaf(&last)?.ok_or(Stop::Torn)?.beside[1].clone()),
        };
        self.join(before.as_ref(), Some(x))?;
        self.join(Some(x), behind.as_ref())?;
        let mut at = upper.clone();
        loop {
            let [first, last] = self.inner(&at)?.ends.clone().ok_or(Stop::Torn)?;
            if (&first..=&last).contains(&x) {
                return Ok(());
            }
            let ends = [first.min(x.clone()), last.max(x.clone())];
            self.edit_inner(&at, |it| it.ends = Some(ends))?;
            if at.is_empty() {
                return Ok(());
            }
            at = self.parent(&at)?;
        }
    }

    /// Takes a key out of the list of leaves, and narrows the ends of `upper` and of the nodes
    /// above it, up to the first one that does not end with the key.
    fn withdraw(&mut self, x: &Label, leaf: &Leaf, upper: &Label) -> Result<(), Stop> {
        if !self.form.is_linked {
            return Ok(());
        }
        let [before, behind] = &leaf.beside;
        self.join(before.as_ref(), behind.as_ref())?;
        let mut at = upper.clone();
        loop {
            let [first, last] = self.inner(&at)?.ends.clone().ok_or(Stop::Torn)?;
            let instead = |end: Label, beside: &Option<Label>| match end == *x {
                true => beside.clone().ok_or(Stop::Torn),
                false => Ok(end),
            };
            if first != *x && last != *x {
                return Ok(());
            }
            let ends = [instead(first, behind)?, instead(last, before)?];
            self.edit_inner(&at, |it| it.ends = Some(ends))?;
            if at.is_empty() {
                return Ok(());
            }
            at = self.parent(&at)?;
        }
    }

    /// Makes two leaves neighbours.
    fn join(&mut self, before: Option<&Label>, behind: Option<&Label>) -> Result<(), Stop> {
        if let Some(before) = before {
            self.edit_leaf(before, |it| it.beside[1] = behind.cloned())?;
        }
        behind.map_or(Ok(()), |behind| self.edit_leaf(behind, |it| it.beside[0] = before.cloned()))
    }
}

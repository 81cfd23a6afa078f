//! A trie as an operation sees it: what it has read from the dictionary, and what it will write.

use std::collections::BTreeMap;

use super::record::{Inner, Leaf, Record};
use super::{Form, Label, Support};

/// Entries of the dictionary, also those that are known to be empty.
pub(super) type Records = BTreeMap<Label, Option<Record>>;

/// Why an operation cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stop {
    /// It has to read this entry first.
    Missing(Label),
    /// What it has read does not fit together: it was changed meanwhile.
    Torn,
}

/// What an operation has read, below what it has changed.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) form: Form,
    read: &'a Records,
    pub(super) written: Records,
}

impl<'a> View<'a> {
    pub(super) fn new(form: Form, read: &'a Records) -> Self {
        Self { form, read, written: Records::new() }
    }

    /// The entry under a label.
    pub(super) fn get(&self, label: &Label) -> Result<Option<&Record>, Stop> {
        let found = self.written.get(label).or_else(|| self.read.get(label));
        found.map(Option::as_ref).ok_or_else(|| Stop::Missing(label.clone()))
    }

    /// The entry of a node that others know of.
    pub(super) fn record(&self, label: &Label) -> Result<&Record, Stop> {
        self.get(label)?.ok_or(Stop::Torn)
    }

    pub(super) fn inner(&self, label: &Label) -> Result<&Inner, Stop> {
        match self.record(label)? {
            Record::Inner(inner) => Ok(inner),
            _ => Err(Stop::Torn),
        }
    }

    /// A key, if it is there.
    pub(super) fn leaf(&self, key: &Label) -> Result<Option<&Leaf>, Stop> {
        match self.get(key)? {
            Some(Record::Leaf(leaf)) => Ok(Some(leaf)),
            _ => Ok(None),
        }
    }

    /// The deepest node whose label is a prefix of `x`.
    fn deepest(&self, x: &Label) -> Result<Label, Stop> {
        match self.form.support {
            Support::Msd => self.bisect(x),
            Support::Every | Support::None => self.walk(x),
        }
    }

    /// Follows `x` from the root on.
    fn walk(&self, x: &Label) -> Result<Label, Stop> {
        let mut v = Label::root();
        while let Some(child) = self.child(&v, x)? {
            if !x.starts_with(&child) {
                break;
            }
            v = child;
        }
        Ok(v)
    }

    /// Phase 1: a binary search for the length of the label.
    ///
    /// Before step s, the length q is that of the label that it looks for with all bits up to s
    /// cleared, unless that label is v already. A node whose length has this bit is at length t, or
    /// the edge below v covers that length: the support node of an edge is where the search would
    /// look first between its ends.
    fn bisect(&self, x: &Label) -> Result<Label, Stop> {
        let mut v = Label::root();
        let mut child = self.child(&v, x)?;
        let mut q = 0;
        for s in (0..=x.len().ilog2()).rev() {
            let t = q + (1 << s);
            if t > x.len() {
                continue;
            }
            // Strictly inside the edge: a node at this length would be the better one.
            let is_covered = child.as_ref().is_some_and(|it| it.len() > t && it.common(x) >= t);
            if is_covered {
                q = t;
            } else if self.get(&x.prefix(t))?.is_some() {
                q = t;
                v = x.prefix(t);
                child = self.child(&v, x)?;
            }
        }
        Ok(v)
    }

    /// The next node below `v` on the way to `x`, which may have left `x` already.
    fn child(&self, v: &Label, x: &Label) -> Result<Option<Label>, Stop> {
        let child = match self.record(v)? {
            Record::Inner(inner) if v.len() < x.len() => inner.children[x.bit(v.len())].clone(),
            Record::Support { child, .. } => Some(child.clone()),
            _ => None,
        };
        match child {
            Some(child) if !child.starts_with(v) || child.len() <= v.len() => Err(Stop::Torn),
            child => Ok(child),
        }
    }

    /// Phase 2: a node of the Patricia trie below which all keys share the longest prefix with
    /// `x`; none if there is no key. The node that `x` reaches may hold a key that only shares the
    /// label of that node, so the answer is one node deeper.
    pub(super) fn nearest(&self, x: &Label) -> Result<Option<Label>, Stop> {
        let v = self.deepest(x)?;
        match self.record(&v)? {
            Record::Inner(_) if v.len() == x.len() => Ok(Some(v)),
            Record::Leaf(_) => Ok(Some(v)),
            _ => self.child(&v, x)?.map(|it| self.below_support(it)).transpose(),
        }
    }

    /// The node of the Patricia trie at the lower end of an edge.
    pub(super) fn below_support(&self, mut label: Label) -> Result<Label, Stop> {
        while let Record::Support { child, .. } = self.record(&label)? {
            if child.len() <= label.len() {
                return Err(Stop::Torn);
            }
            label = child.clone();
        }
        Ok(label)
    }

    /// The next node of the Patricia trie above another one.
    pub(super) fn parent(&self, label: &Label) -> Result<Label, Stop> {
        let mut at = label;
        loop {
            let parent = match self.record(at)? {
                Record::Inner(inner) if at == label => inner.parent.as_ref().ok_or(Stop::Torn)?,
                Record::Leaf(leaf) if at == label => &leaf.parent,
                Record::Support { parent, .. } => parent,
                _ => return Ok(at.clone()),
            };
            if parent.len() >= at.len() {
                return Err(Stop::Torn);
            }
            at = parent;
        }
    }

    /// A key that shares the longest prefix with `x`.
    pub(super) fn search(&self, x: &Label) -> Result<Option<Label>, Stop> {
        if self.form.support == Support::Msd && self.leaf(x)?.is_some() {
            return Ok(Some(x.clone()));
        }
        let Some(near) = self.nearest(x)? else { return Ok(None) };
        match self.record(&near)? {
            Record::Inner(inner) => Ok(Some(inner.key.clone().ok_or(Stop::Torn)?)),
            _ => Ok(Some(near)),
        }
    }

    /// The first key on this side of `x`, 1 for those that are not smaller and 0 for those that are
    /// not larger.
    pub(super) fn neighbour(&self, side: usize, x: &Label) -> Result<Option<Label>, Stop> {
        if self.leaf(x)?.is_some() {
            return Ok(Some(x.clone()));
        }
        let Some(near) = self.nearest(x)? else { return Ok(None) };
        let place = x.common(&near);
        if place >= x.len().min(near.len()) {
            return Err(Stop::Torn);
        }
        match x.bit(place) == side {
            false => self.end(&near, 1 - side).map(Some), // All below are on this side.
            true if self.form.is_linked => self.beside(&self.end(&near, side)?, side),
            true => self.climb(&near, side),
        }
    }

    /// The first key that begins with `prefix`.
    pub(super) fn first(&self, prefix: &Label) -> Result<Option<Label>, Stop> {
        let Some(near) = self.nearest(prefix)? else { return Ok(None) };
        match near.starts_with(prefix) {
            true => self.end(&near, 0).map(Some),
            false => Ok(None),
        }
    }

    /// The key next to another one on this side.
    pub(super) fn beside(&self, key: &Label, side: usize) -> Result<Option<Label>, Stop> {
        if !self.form.is_linked {
            return self.climb(key, side);
        }
        let beside = self.leaf(key)?.ok_or(Stop::Torn)?.beside[side].clone();
        Ok(beside.filter(|it| !it.is_infinity()))
    }

    /// The first key below a node, or the last.
    pub(super) fn end(&self, label: &Label, side: usize) -> Result<Label, Stop> {
        let mut at = label.clone();
        loop {
            let next = match self.record(&at)? {
                Record::Leaf(_) => return Ok(at),
                Record::Inner(Inner { ends: Some(ends), .. }) => return Ok(ends[side].clone()),
                Record::Inner(inner) => inner.children[side].clone().ok_or(Stop::Torn)?,
                Record::Support { child, .. } => child.clone(),
            };
            if next.len() <= at.len() {
                return Err(Stop::Torn);
            }
            at = next;
        }
    }

    /// The key next to all below a node on this side, by way of the nodes above it.
    fn climb(&self, label: &Label, side: usize) -> Result<Option<Label>, Stop> {
        let mut at = label.clone();
        while !at.is_empty() {
            let parent = self.parent(&at)?;
            if at.bit(parent.len()) != side {
                let sibling = self.inner(&parent)?.children[side].clone().ok_or(Stop::Torn)?;
                let found = self.end(&sibling, 1 - side)?;
                return Ok(Some(found).filter(|it| !it.is_infinity()));
            }
            at = parent;
        }
        Ok(None)
    }
}

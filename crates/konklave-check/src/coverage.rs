//! Counts the different states that a monitor passes through, over many runs.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use konklave::NodeId;
use konklave::protocol::{Broken, Monitor, Promise};

use crate::fingerprint::MixHasher;

/// The fingerprints of all states that were seen.
#[derive(Clone, Debug, Default)]
pub struct Coverage(Arc<Mutex<Prints>>);

type Prints = HashSet<u64, BuildHasherDefault<MixHasher>>;

/// No more fingerprints than this are remembered.
const MOST: usize = 1 << 22;

impl Coverage {
    /// The number of distinct states that any of these has seen, and whether there may be more.
    pub fn count<'a>(all: impl Iterator<Item = &'a Self>) -> (usize, bool) {
        let mut whole = Prints::default();
        let mut is_full = false;
        for Self(prints) in all {
            let prints = prints.lock().expect("nobody panics with it");
            is_full |= prints.len() >= MOST;
            whole.extend(prints.iter());
        }
        (whole.len(), is_full)
    }

    fn note(&self, state: &impl Hash) {
        let mut prints = self.0.lock().expect("nobody panics with it");
        if prints.len() < MOST {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            prints.insert(hasher.finish());
        }
    }
}

/// A monitor whose states are counted, if requested.
#[derive(Clone, Debug)]
pub struct Noted<M> {
    monitor: M,
    coverage: Option<Coverage>,
}

impl<M: Monitor> Noted<M> {
    /// The same monitor.
    pub fn new(monitor: M, coverage: Option<Coverage>) -> Self {
        Self { monitor, coverage }
    }

    fn after(&self, verdict: Result<(), Broken>) -> Result<(), Broken> {
        if let Some(coverage) = &self.coverage {
            coverage.note(&self.monitor);
        }
        verdict
    }
}

impl<M: PartialEq> PartialEq for Noted<M> {
    fn eq(&self, other: &Self) -> bool {
        self.monitor == other.monitor
    }
}

impl<M: Eq> Eq for Noted<M> {}

impl<M: Hash> Hash for Noted<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.monitor.hash(state);
    }
}

impl<M: Monitor> Monitor for Noted<M> {
    type Command = M::Command;
    type Event = M::Event;

    fn on_command(&mut self, node: NodeId, command: &M::Command) -> Result<(), Broken> {
        let verdict = self.monitor.on_command(node, command);
        self.after(verdict)
    }

    fn on_command_in_silence(&mut self, node: NodeId, command: &M::Command) -> Result<(), Broken> {
        let verdict = self.monitor.on_command_in_silence(node, command);
        self.after(verdict)
    }

    fn on_event(&mut self, node: NodeId, event: &M::Event) -> Result<(), Broken> {
        let verdict = self.monitor.on_event(node, event);
        self.after(verdict)
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        let verdict = self.monitor.on_crash(node);
        self.after(verdict)
    }

    fn on_restart(&mut self, node: NodeId) -> Result<(), Broken> {
        let verdict = self.monitor.on_restart(node);
        self.after(verdict)
    }

    fn on_fault(&mut self) {
        self.monitor.on_fault();
    }

    fn on_damage(&mut self) {
        self.monitor.on_damage();
    }

    fn on_legal(&mut self) {
        self.monitor.on_legal();
    }

    fn promises() -> &'static [Promise] {
        M::promises()
    }

    fn watches(&self, promise: &str) -> bool {
        self.monitor.watches(promise)
    }

    fn at_rest(&self) -> Result<(), Broken> {
        self.monitor.at_rest()
    }
}

#[cfg(test)]
mod tests {
    use konklave::mutex::{self, Command, Event};

    use super::*;

    #[test]
    fn states_are_counted_once() {
        let coverages = [Coverage::default(), Coverage::default()];
        let (one, other) = (NodeId(0), NodeId(1));
        for (coverage, node) in [(0, one), (1, one), (0, other), (0, one)] {
            let coverage = Some(coverages[coverage].clone());
            let mut monitor = Noted::new(mutex::Monitor::new(2), coverage);
            monitor.on_command(node, &Command::Acquire).unwrap();
            monitor.on_event(node, &Event::Granted).unwrap();
        }
        assert_eq!(Coverage::count(coverages.iter()), (4, false));
        assert_eq!(Coverage::count(coverages[1..].iter()), (2, false));
    }
}

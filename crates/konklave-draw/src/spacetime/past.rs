//! Which events can have led to which others.

use std::collections::BTreeSet;

use super::history::{EventId, Fate, History};

impl History {
    /// The event and all that happened before it: earlier events of the same node, the sending of
    /// messages that arrived, and what happened before those. An event of no single node has no
    /// past but itself.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn past(&self, event: EventId) -> BTreeSet<EventId> {
        assert!(event.0 < self.events.len(), "there is no event {}", event.0);
        let mut senders = vec![Vec::new(); self.events.len()];
        for message in &self.messages {
            if let (Some(from), Fate::Arrived(to)) = (message.from, message.fate) {
                senders[to.0].push(from);
            }
        }
        let mut past = BTreeSet::from([event]);
        // Causes come earlier in the list, so one walk back through it is enough.
        let mut is_reached = vec![false; self.nodes.len()];
        let mut told = BTreeSet::from([event]);
        for index in (0..=event.0).rev() {
            let Some(node) = self.events[index].node else { continue };
            let id = EventId(index);
            if is_reached[node] || told.contains(&id) {
                is_reached[node] = true;
                past.insert(id);
                told.extend(senders[index].iter().copied());
            }
        }
        past
    }
}

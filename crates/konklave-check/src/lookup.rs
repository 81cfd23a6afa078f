//! What one thread remembers of the dictionary, so that it rarely has to ask.

use konklave::NodeId;

use crate::code::Packet;
use crate::meaning::{NO_NEWS, NumberMap, Shared, Traits, Transition, ask, bytes_of, pair};

/// The number of a monitor that has found a broken promise.
pub(crate) const BROKEN: u32 = u32::MAX;

/// What one thread remembers.
#[derive(Default)]
pub(crate) struct Lookup {
    traits: Vec<Option<Traits>>,
    steps: NumberMap<(u32, u32)>,
    outcomes: Vec<Brief>,
    sends: Vec<Packet>,
    judgements: NumberMap<u32>,
}

/// An outcome of a step.
#[derive(Clone, Copy)]
pub(crate) struct Brief {
    pub(crate) local: u32,
    pub(crate) news: u32,
    first_send: u32,
    sends: u32,
}

impl Lookup {
    /// How many bytes all of it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.traits.capacity() * size_of::<Option<Traits>>()
            + bytes_of(&self.steps)
            + self.outcomes.capacity() * size_of::<Brief>()
            + self.sends.capacity() * size_of::<Packet>()
            + bytes_of(&self.judgements)
    }

    /// About the local with this number.
    pub(crate) fn traits(&mut self, shared: &Shared, local: u32) -> Traits {
        let place = local as usize;
        if let Some(Some(traits)) = self.traits.get(place) {
            return *traits;
        }
        let traits = ask(shared).traits(local);
        if self.traits.len() <= place {
            self.traits.resize(place + 1, None);
        }
        self.traits[place] = Some(traits);
        traits
    }

    /// The places of the outcomes of a step.
    pub(crate) fn step(
        &mut self,
        shared: &Shared,
        node: NodeId,
        local: u32,
        code: u32,
    ) -> std::ops::Range<u32> {
        let key = pair(local, code);
        if let Some(&(first, end)) = self.steps.get(&key) {
            return first..end;
        }
        let first = self.outcomes.len() as u32;
        for Transition { local, sends, news } in ask(shared).step(node, local, code) {
            let first_send = self.sends.len() as u32;
            self.sends.extend(sends);
            let sends = sends.len() as u32;
            self.outcomes.push(Brief { local: *local, news: *news, first_send, sends });
        }
        let end = self.outcomes.len() as u32;
        self.steps.insert(key, (first, end));
        first..end
    }

    pub(crate) fn outcome(&self, place: u32) -> Brief {
        self.outcomes[place as usize]
    }

    /// The messages that are sent in an outcome.
    pub(crate) fn sends(&self, outcome: Brief) -> &[Packet] {
        let first = outcome.first_send as usize;
        &self.sends[first..first + outcome.sends as usize]
    }

    /// The monitor after these news; [`BROKEN`] if a promise is broken.
    pub(crate) fn judge(&mut self, shared: &Shared, monitor: u32, news: u32) -> u32 {
        if news == NO_NEWS {
            return monitor;
        }
        let key = pair(monitor, news);
        *self
            .judgements
            .entry(key)
            .or_insert_with(|| ask(shared).judge(monitor, news).unwrap_or(BROKEN))
    }
}

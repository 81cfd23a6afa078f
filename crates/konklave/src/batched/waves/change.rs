//! Waves stop while the tree changes, and begin anew on the next one.

use super::state::{Pace, Phase, Upwards};
use super::{Op, Service, Waves};
use crate::NodeId;
use crate::protocol::Env;

impl<S: Service> Waves<S> {
    /// Whether it has operations without a place.
    pub fn is_idle(&self) -> bool {
        self.ops.is_empty()
    }

    /// The anchor keeps the next wave.
    pub fn hold(&mut self) {
        self.pace = Pace::Held;
    }

    /// Whether the anchor keeps a wave that all have taken part in, so that nothing is on its way
    /// in the tree but wake-ups.
    pub fn is_held(&self) -> bool {
        self.pace == Pace::Held && matches!(self.phase, Phase::Asleep | Phase::Awake)
    }

    /// What the anchor knows, which another one is to know.
    pub fn resign(&mut self) -> Option<S> {
        match &mut self.upwards {
            Upwards::Anchor(service) => Some(std::mem::take(service)),
            Upwards::Parent(_) => None,
        }
    }

    /// The number of its wave.
    pub fn wave(&self) -> u32 {
        self.wave
    }

    /// The tree has changed, while a wave was held: this one begins, to which all have sent an
    /// empty batch. `service` is what the anchor knows.
    pub fn rebuild(
        &mut self,
        wave: u32,
        parent: Option<NodeId>,
        children: impl Iterator<Item = NodeId>,
        service: Option<S>,
    ) {
        let (ops, placed) = (std::mem::take(&mut self.ops), self.placed);
        let mut fresh = Self::new(parent, children);
        if let Upwards::Anchor(known) = &mut fresh.upwards {
            *known = service.unwrap_or_default();
        }
        *self = Self { wave, ops, placed, longest: self.longest, ..fresh };
    }

    /// Keeps an operation until the waves [resume](Self::resume).
    pub fn keep(&mut self, op: Op<S>) {
        self.ops.push_back(op);
    }

    /// All have rebuilt their waves.
    pub fn resume(&mut self, env: &mut impl Env<Self>) {
        if !self.ops.is_empty() && !matches!(self.phase, Phase::Collecting { .. }) {
            self.wake(env);
        }
    }
}

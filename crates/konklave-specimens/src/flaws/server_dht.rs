//! Flaws of the dictionary with a server: messages of different senders overtake each other.

use std::collections::{BTreeMap, BTreeSet};

use konklave::circle::{Arc, Mixer};
use konklave::dictionary::Record;
use konklave::dictionary::server_dht::{Move, Msg, SERVER, ServerDht};
use konklave::protocol::{Effect, Input};

use crate::{Flaw, probe};

/// A part of the circle that has come before it was announced is expected once more: operations on
/// it wait for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExpectsWhatHasCome {
    mixer: Mixer,
    come: BTreeSet<u32>,
    expected: Vec<Arc>,
}

impl ExpectsWhatHasCome {
    /// The flaw in a system that is placed by these functions.
    pub fn new(mixer: Mixer) -> Self {
        Self { mixer, come: BTreeSet::new(), expected: Vec::new() }
    }
}

impl Flaw<ServerDht> for ExpectsWhatHasCome {
    fn inputs(&mut self, _: &ServerDht, input: Input<ServerDht>) -> Vec<Input<ServerDht>> {
        let Input::Message { msg, .. } = &input else { return vec![input] };
        match msg {
            Msg::Items { number, .. } => _ = self.come.insert(*number),
            Msg::Expect { number, arc } if self.come.contains(number) => self.expected.push(*arc),
            Msg::Do(task) => {
                let point = self.mixer.key(task.op.key());
                if self.expected.iter().any(|arc| arc.contains(point)) {
                    return vec![];
                }
            }
            _ => {}
        }
        vec![input]
    }
}

/// Hands over at once what it is told to, also if it does not own it yet: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct HandsOverTooEarly {
    early: Option<Move>,
}

impl Flaw<ServerDht> for HandsOverTooEarly {
    fn inputs(&mut self, node: &ServerDht, input: Input<ServerDht>) -> Vec<Input<ServerDht>> {
        if let Input::Message { from, msg: Msg::HandOver(order) } = input
            && probe(node, input.clone()).1.is_empty()
        {
            self.early = Some(order);
            // A message that says nothing new, so that something happens.
            let msg = Msg::Copied { batch: u32::MAX };
            return vec![Input::Message { from, msg }];
        }
        vec![input]
    }

    fn effects(
        &mut self,
        _: &ServerDht,
        _: &Input<ServerDht>,
        mut effects: Vec<Effect<ServerDht>>,
    ) -> Vec<Effect<ServerDht>> {
        if let Some(Move { number, arc, to }) = self.early.take() {
            let msg = Msg::Items { number, arc, records: Box::default() };
            effects.push(Effect::Send { to, msg });
        }
        effects
    }
}

/// Answers for keys that it does not own, as if it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AnswersForOthers {
    records: BTreeMap<u64, Record>,
}

impl Flaw<ServerDht> for AnswersForOthers {
    fn effects(
        &mut self,
        _: &ServerDht,
        _: &Input<ServerDht>,
        effects: Vec<Effect<ServerDht>>,
    ) -> Vec<Effect<ServerDht>> {
        let changed = effects.into_iter().map(|effect| match effect {
            Effect::Send { to: SERVER, msg: Msg::Misplaced(task) } => {
                let record = self.records.entry(task.op.key()).or_default();
                let (answer, witness) = record.carry_out(task.op);
                let msg = Msg::Done { ticket: task.ticket, answer, witness };
                Effect::Send { to: task.client, msg }
            }
            effect => effect,
        });
        changed.collect()
    }
}

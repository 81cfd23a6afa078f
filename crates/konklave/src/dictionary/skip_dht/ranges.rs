//! What a node owns: parts of the circle and their records, and how they change hands.

use std::collections::BTreeMap;

use super::{Msg, Phase, SkipDht};
use crate::NodeId;
use crate::circle::Arc;
use crate::dictionary::{Census, Event, Record, Storage, Tally};
use crate::overlay::{Hop, Overlay};
use crate::protocol::{Env, Snapshot};

impl SkipDht {
    /// Hands over what it should not own, as far as it knows, and looks at what waits.
    pub(super) fn settle(&mut self, env: &mut impl Env<Self>) {
        *self.is_settled = true;
        if let (Phase::Inside, Some(next)) = (self.phase, self.member.successor()) {
            let place = self.place();
            let beyond = Arc::up_to(place.at(next), place.here());
            let parts: Vec<Arc> = self.own.iter().flat_map(|arc| arc.common(beyond)).collect();
            for part in parts {
                if let Hop::To(to) = self.member.overlay().next_once(part.first(), &mut false) {
                    self.hand_over(to, part, env);
                }
            }
        }
        for task in std::mem::take(&mut self.waiting) {
            self.handle(task, 0, false, env);
        }
    }

    fn hand_over(&mut self, to: NodeId, arc: Arc, env: &mut impl Env<Self>) {
        let mixer = self.place().mixer;
        let (records, rest): (BTreeMap<_, _>, _) =
            self.records.iter().partition(|(key, _)| arc.contains(mixer.key(**key)));
        self.records = rest;
        self.own.remove(arc);
        let with_value = records.values().filter(|record| record.value.is_some());
        self.tally.handed_over += with_value.count() as u64;
        self.unconfirmed += 1;
        env.send(to, Msg::HandOver { arc, records: records.into_iter().collect() });
    }

    /// It owns this part from now on. Parts can arrive in any order, so they are a set.
    pub(super) fn take_over(
        &mut self,
        arc: Arc,
        records: &[(u64, Record)],
        env: &mut impl Env<Self>,
    ) {
        if self.own.iter().any(|own| own.meets(arc)) {
            return; // A duplicate.
        }
        self.own.add(arc);
        *self.is_settled = false;
        self.records.extend(records.iter().copied());
        if self.phase == Phase::Joining {
            self.phase = Phase::Inside;
            env.emit(Event::Joined);
        }
        for task in std::mem::take(&mut self.waiting) {
            self.handle(task, 0, false, env);
        }
    }

    /// Everything goes to the node before it, and what waits for a range, too.
    pub(super) fn hand_everything_over(&mut self, env: &mut impl Env<Self>) {
        let Some(heir) = self.member.heir() else { return };
        let parts: Vec<Arc> = self.own.iter().collect();
        parts.into_iter().for_each(|part| self.hand_over(heir, part, env));
        for task in std::mem::take(&mut self.waiting) {
            self.pass_on(heir, task, 0, false, env);
        }
    }

    /// The receiver of this message has left: what it was to own, this node owns again, until it
    /// knows better.
    pub(super) fn take_back(&mut self, msg: Msg, env: &mut impl Env<Self>) {
        match msg {
            Msg::HandOver { arc, records } => {
                self.unconfirmed = self.unconfirmed.saturating_sub(1);
                self.take_over(arc, &records, env);
            }
            Msg::Request { task, hops, is_registered, .. } => {
                self.unconfirmed = self.unconfirmed.saturating_sub(u32::from(is_registered));
                self.handle(task, hops, false, env);
            }
            Msg::Overlay(_) | Msg::Done { .. } | Msg::Taken | Msg::Seek => {}
        }
    }
}

/// What nodes own and what is handed over are parts of the circle that do not overlap and leave
/// nothing out, and a record is where its position is owned.
pub(super) fn one_owner(system: &Snapshot<'_, SkipDht>) -> Result<(), String> {
    let owned = system.nodes.iter().flat_map(|node| node.own.iter());
    let moving = system.messages.iter().filter_map(|(_, _, msg)| match msg {
        Msg::HandOver { arc, .. } => Some(*arc),
        _ => None,
    });
    let mut arcs: Vec<Arc> = owned.chain(moving).collect();
    arcs.sort_unstable();
    let pairs = arcs.iter().zip(arcs.iter().cycle().skip(1));
    for (arc, next) in pairs.take(arcs.len()) {
        if arcs.len() > 1 && arc.meets(*next) {
            return Err(format!("{arc:?} and {next:?} are both owned"));
        }
    }
    let length: u128 = arcs.iter().map(|arc| arc.length()).sum();
    if length != Arc::WHOLE.length() {
        return Err(format!("only {arcs:?} has an owner"));
    }
    for node in system.nodes {
        let mixer = node.place().mixer;
        if let Some(key) = node.records.keys().find(|key| !node.own.contains(mixer.key(**key))) {
            return Err(format!("node {} knows key {key}, but does not own it", node.place().me));
        }
    }
    Ok(())
}

impl Storage for SkipDht {
    fn census(nodes: &[&Self]) -> Census {
        let inside = || nodes.iter().filter(|node| node.phase == Phase::Inside);
        let with_value = |node: &&&Self| {
            node.records.values().filter(|record| record.value.is_some()).count() as u64
        };
        let tally = Tally::sum(nodes.iter().map(|node| node.tally));
        let is_calm = nodes.iter().all(|node| node.unconfirmed == 0);
        let records = nodes.iter().flat_map(|node| node.records.values());
        Census {
            loads: inside().map(|node| with_value(&node)).collect(),
            arcs: inside().flat_map(|node| node.own.iter()).collect(),
            moved: tally.handed_over,
            tally: Some(tally),
            known: is_calm.then(|| records.map(|record| record.done).sum()),
            ..Census::default()
        }
    }
}

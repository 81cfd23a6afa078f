//! Where data belong, when all is in its place, and what is counted there.

use std::collections::BTreeMap;

use super::agreed::{classmates, open_levels};
use super::{Msg, PrefixDht, Responsible, crossings, level};
use crate::NodeId;
use crate::dictionary::{Census, Event, Storage, Tally};
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Member, Overlay};
use crate::protocol::{Env, Hosts, Invariant, Lifts, Never, Snapshot};

/// The node that a key belongs to, among these: of those that share the most bits with it, the one
/// with the smallest position, or the one that they agree on.
fn target(members: &[&PrefixDht], key: u64) -> Option<NodeId> {
    let rank = |node: &&&PrefixDht| {
        let place = node.place();
        (std::cmp::Reverse(level(place, key)), place.here())
    };
    let first = members.iter().min_by_key(rank)?;
    Some(first.responsible.opinion(first.level(key)).unwrap_or(first.place().me))
}

/// All nodes of a class that are to agree have the same opinion: if each has that of its
/// neighbours, as neighbours connect them.
fn disagreement(inside: &[&PrefixDht]) -> Result<(), String> {
    let opinions: BTreeMap<NodeId, &Responsible> =
        inside.iter().map(|node| (node.place().me, &node.responsible)).collect();
    for node in inside.iter().filter(|node| node.responsible != Responsible::Smallest) {
        let (place, known) = (node.place(), Overlay::kept(node.member.overlay()));
        let crossed = crossings(place, &known);
        for level in open_levels(place, &known).filter(|level| !crossed.contains_key(level)) {
            let held = node.responsible.opinion(level);
            let agrees = |mate: NodeId| opinions.get(&mate).map(|it| it.opinion(level));
            let mut mates = classmates(place, &known, level);
            let other = mates.find(|mate| held.is_none() || agrees(*mate) != Some(held));
            if let Some(mate) = other {
                let me = place.me;
                return Err(format!("nodes {me} and {mate} do not agree about level {level}"));
            }
        }
    }
    Ok(())
}

/// The legality of the overlay, as one of the dictionary.
pub(super) fn lifted(legality: Invariant<Member<SkipPlus>>) -> Invariant<PrefixDht> {
    PrefixDht::lift(legality)
}

/// Every bridge that can be is set, and every record is where it belongs, or on its last hop.
pub(super) fn fault(system: &Snapshot<'_, PrefixDht>) -> Result<(), String> {
    let inside: Vec<&PrefixDht> =
        system.nodes.iter().copied().filter(|node| node.is_inside).collect();
    for node in &inside {
        // A node that is legal in the overlay knows a node for every level that has one.
        let levels = node.fit(&Overlay::kept(node.member.overlay()));
        if let Some(level) = levels.keys().find(|level| !node.bridges.contains_key(level)) {
            return Err(format!("node {} has no bridge of level {level}", node.place().me));
        }
    }
    disagreement(&inside)?;
    let held = inside.iter().flat_map(|node| node.copies.keys().map(|key| (*key, node.place().me)));
    let moving = system.messages.iter().filter_map(|(_, to, msg)| match msg {
        Msg::Move { key, .. } => Some((*key, *to)),
        _ => None,
    });
    match held.chain(moving).find(|&(key, node)| target(&inside, key) != Some(node)) {
        None => Ok(()),
        Some((key, node)) => Err(format!("key {key} is at node {node}")),
    }
}

impl Hosts<Member<SkipPlus>> for PrefixDht {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Member<SkipPlus>> {
        Some(&mut self.member)
    }

    fn wrap_msg((): &(), msg: overlay::Msg) -> Msg {
        Msg::Overlay(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn wrap_event((): &(), event: &overlay::Event) -> Option<Event> {
        (*event == overlay::Event::Joined).then_some(Event::Joined)
    }

    fn on_part(&mut self, (): &(), _event: overlay::Event, _env: &mut impl Env<Self>) {}
}

impl Lifts<Member<SkipPlus>> for PrefixDht {
    fn slots(_nodes: &[&Self]) -> Vec<()> {
        vec![()]
    }

    fn seen(&self, (): &()) -> Option<&Member<SkipPlus>> {
        Some(&self.member)
    }

    fn unwrap_msg(msg: &Msg) -> Option<((), &overlay::Msg)> {
        match msg {
            Msg::Overlay(msg) => Some(((), msg)),
            _ => None,
        }
    }
}

impl Storage for PrefixDht {
    fn census(nodes: &[&Self]) -> Census {
        let load = |node: &Self| {
            let with_value = node.copies.values().filter(|copy| copy.record.value.is_some());
            with_value.count() as u64
        };
        let tally = Tally::sum(nodes.iter().map(|node| node.tally));
        let inside = nodes.iter().filter(|node| node.is_inside);
        Census {
            loads: inside.map(|node| load(node)).collect(),
            moved: tally.handed_over,
            tally: Some(tally),
            ..Census::default()
        }
    }
}

//! Where data belong, when all is in its place, and what is counted there.

use super::{Msg, PrefixDht, bridges, level};
use crate::NodeId;
use crate::circle::Mixer;
use crate::dictionary::{Census, Event, Storage, Tally};
use crate::overlay::skip_plus::SkipPlus;
use crate::overlay::{self, Member, Place};
use crate::protocol::{Env, Hosts, Invariant, Lifts, Never, Snapshot};

/// The node that a key belongs to, among these: of those that share the most bits with it, the one
/// with the smallest position.
pub(super) fn target(mixer: Mixer, members: &[NodeId], key: u64) -> Option<NodeId> {
    let rank = |node: &NodeId| {
        let place = Place::new(*node, mixer);
        (std::cmp::Reverse(level(place, key)), place.here())
    };
    members.iter().copied().min_by_key(rank)
}

/// The legality of the overlay, as one of the dictionary.
pub(super) fn lifted(legality: Invariant<Member<SkipPlus>>) -> Invariant<PrefixDht> {
    PrefixDht::lift(legality)
}

/// Every bridge that can be is set, and every record is where it belongs, or on its last hop.
pub(super) fn fault(system: &Snapshot<'_, PrefixDht>) -> Result<(), String> {
    let inside: Vec<&PrefixDht> =
        system.nodes.iter().copied().filter(|node| node.is_inside).collect();
    let Some(first) = inside.first() else { return Ok(()) };
    let members: Vec<NodeId> = inside.iter().map(|node| node.place().me).collect();
    for node in &inside {
        // A node that is legal in the overlay knows a node for every level that has one.
        let levels = bridges(node.place(), &overlay::Overlay::kept(node.member.overlay()));
        if let Some(level) = levels.keys().find(|level| !node.bridges.contains_key(level)) {
            return Err(format!("node {} has no bridge of level {level}", node.place().me));
        }
    }
    let held = inside.iter().flat_map(|node| node.copies.keys().map(|key| (*key, node.place().me)));
    let moving = system.messages.iter().filter_map(|(_, to, msg)| match msg {
        Msg::Move { key, .. } => Some((*key, *to)),
        _ => None,
    });
    let mixer = first.place().mixer;
    match held.chain(moving).find(|&(key, node)| target(mixer, &members, key) != Some(node)) {
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

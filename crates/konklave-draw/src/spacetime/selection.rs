//! Which part of a history is drawn.

use std::collections::BTreeSet;

use super::history::{EventId, History, Message};

/// Of more nodes than this, those without events are left out: their lines would only make the
/// picture higher.
const FEW: usize = 16;

/// What to leave out.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) from: Option<u64>,
    pub(super) to: Option<u64>,
    pub(super) nodes: Option<BTreeSet<usize>>,
    pub(super) causal: Option<EventId>,
    pub(super) first: Option<usize>,
    pub(super) last: Option<usize>,
}

/// The events and nodes that are drawn, in order.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) events: Vec<EventId>,
    pub(super) nodes: Vec<usize>,
}

impl Filter {
    pub(super) fn apply(&self, history: &History) -> Selection {
        let past = self.causal.map(|event| history.past(event));
        let is_of_past = |id: EventId| past.as_ref().is_none_or(|past| past.contains(&id));
        let has_node = |node: usize| self.nodes.as_ref().is_none_or(|nodes| nodes.contains(&node));
        let mut events: Vec<_> = (0..history.events.len())
            .map(EventId)
            .filter(|&id| {
                let event = &history.events[id.0];
                self.from.is_none_or(|from| event.time >= from)
                    && self.to.is_none_or(|to| event.time <= to)
                    && event.node.is_none_or(has_node)
                    && is_of_past(id)
            })
            .collect();
        if let Some(first) = self.first {
            events.truncate(first);
        }
        if let Some(last) = self.last {
            events.drain(..events.len().saturating_sub(last));
        }
        let busy: BTreeSet<_> = events.iter().filter_map(|id| history.events[id.0].node).collect();
        let is_crowded = self.nodes.is_none() && history.nodes.len() > FEW;
        let is_drawn = |node: &usize| match self.causal.is_some() || is_crowded {
            true => busy.contains(node),
            false => has_node(*node),
        };
        let nodes = (0..history.nodes.len()).filter(is_drawn).collect();
        Selection { events, nodes }
    }
}

impl Selection {
    /// How many messages can be drawn between these nodes: those of which an end is drawn, or, if
    /// none of them may be cut, both.
    pub(super) fn count_messages(&self, history: &History, keeps_cut: bool) -> usize {
        let mut is_drawn = vec![false; history.events.len()];
        self.events.iter().for_each(|id| is_drawn[id.0] = true);
        let is_drawn = |id: EventId| is_drawn[id.0];
        let has_line = |node: usize| self.nodes.binary_search(&node).is_ok();
        let counts = |message: &&Message| {
            let (from, to) = (message.from.map(is_drawn), message.fate.place().map(is_drawn));
            let ends = [from, to].into_iter().flatten();
            let is_there = if keeps_cut {
                ends.into_iter().any(|it| it)
            } else {
                ends.into_iter().all(|it| it)
            };
            is_there && has_line(message.from_node) && has_line(message.to_node)
        };
        history.messages.iter().filter(counts).count()
    }

    /// Says what is left out, if anything is.
    pub(super) fn note(&self, history: &History) -> Option<String> {
        let (events, all) = (self.events.len(), history.events.len());
        let (nodes, all_nodes) = (self.nodes.len(), history.nodes.len());
        let missing = all_nodes - nodes;
        let without_events = format!("{missing} of {all_nodes} nodes, which have no events here");
        match (all - events, missing) {
            (0, 0) => None,
            (0, _) => Some(format!("Left out are {without_events}.")),
            (left_out, 0) => {
                Some(format!("Shown are {events} of {all} events; {left_out} are left out."))
            }
            (left_out, _) => Some(format!(
                "Shown are {events} of {all} events; {left_out} are left out, with {missing} of \
                 {all_nodes} nodes."
            )),
        }
    }
}

//! Applications that start an election, and what it costs.

use konklave::NodeId;
use konklave::election::{Command, Event, Id};
use konklave::protocol::Protocol;
use serde::Serialize;

use super::{Agenda, Workload};
use crate::metrics::Messages;

/// One election, started by some nodes.
#[derive(Debug)]
pub struct Ballot {
    ids: Vec<Id>,
    initiators: Vec<NodeId>,
    /// Every initiator starts at a random time up to this one.
    within: u64,
    /// How many of them came in time.
    started: u32,
    elected: Option<(NodeId, u64)>,
    known_by: u32,
}

/// The message that announces the winner has this name in every algorithm.
const ANNOUNCEMENT: &str = "Elected";

impl Ballot {
    /// An election among nodes with these ids; the initiators start within so many ticks.
    pub fn new(ids: Vec<Id>, initiators: Vec<NodeId>, within: u64) -> Self {
        Self { ids, initiators, within, started: 0, elected: None, known_by: 0 }
    }
}

impl<P> Workload<P> for Ballot
where
    P: Protocol<Command = Command, Event = Event>,
{
    type Report = ElectionReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, P>) {
        for &node in &self.initiators {
            let pause = match self.within {
                0 => 0,
                within => agenda.random().between(0, within),
            };
            agenda.after(pause, node, Command::Start);
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, P>) {
        match event {
            Event::Started => self.started += 1,
            Event::Elected => self.elected = Some((node, agenda.now())),
            Event::Knows(_) => self.known_by += 1,
        }
    }

    fn report(&self, messages: &Messages, _time: u64, unit: f64) -> ElectionReport {
        let messages_to_announce = messages.called(ANNOUNCEMENT);
        ElectionReport {
            leader: self.elected.map(|(node, _)| self.ids[node.index()]),
            leader_node: self.elected.map(|(node, _)| node),
            initiators: self.started,
            known_by: self.known_by,
            messages_to_elect: messages.total - messages_to_announce,
            messages_to_announce,
            time_to_elect: self.elected.map(|(_, time)| time as f64 / unit),
        }
    }
}

/// What is measured about an election. Times are in units of T, the mean delay of a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElectionReport {
    /// The winner's id.
    pub leader: Option<Id>,
    /// Where the winner is.
    pub leader_node: Option<NodeId>,
    /// How many nodes started it.
    pub initiators: u32,
    /// How many nodes were told who won.
    pub known_by: u32,
    /// Messages that are not announcements.
    pub messages_to_elect: u64,
    /// Messages that announce the winner.
    pub messages_to_announce: u64,
    /// When the winner knew that it had won.
    pub time_to_elect: Option<f64>,
}

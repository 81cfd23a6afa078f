//! Applications that start elections, and the cost of these.

use konklave::election::{Command, Event, Id};
use konklave::{NodeId, NodeSet};
use serde::Serialize;

use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};

/// The plan of the applications.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The initiators.
    pub initiators: Vec<NodeId>,
    /// Every initiator starts at a random time up to this one.
    pub within: u64,
    /// The number of elections; each begins when the previous one has come to rest.
    pub elections: u32,
    /// The delay until the other nodes detect a crash or a restart; `None` if they never do.
    pub notice: Option<u64>,
}

impl Plan {
    /// One election, whose initiators start within this many ticks, without crash detection.
    pub fn once(initiators: Vec<NodeId>, within: u64) -> Self {
        Self { initiators, within, elections: 1, notice: None }
    }
}

/// Elections, started by some nodes.
#[derive(Debug)]
pub struct Ballot {
    ids: Vec<Id>,
    plan: Plan,
    /// The number of elections begun.
    begun: u32,
    /// The nodes that have started an election.
    started: NodeSet,
    /// The number of elections decided.
    elected: u32,
    /// The start of the latest election.
    start: Start,
    /// The last leader, and when the first node knew it.
    leader: Option<NodeId>,
    decided: Option<u64>,
    /// The id that was announced, or the largest presumed leader, and the nodes that believe it.
    known: Option<Id>,
    presumed: Option<Id>,
    known_by: NodeSet,
    down: NodeSet,
}

/// The start of an election, which is measured from the first node that starts it.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// An election was asked for, or a node failed or came back: the next start counts. The one
    /// before was at this time.
    Awaited(Option<u64>),
    /// An election has started at this time.
    At(u64),
}

impl Start {
    /// The time of the latest start.
    fn latest(self) -> Option<u64> {
        match self {
            Self::Awaited(latest) => latest,
            Self::At(time) => Some(time),
        }
    }

    /// The next start counts.
    fn awaited(self) -> Self {
        Self::Awaited(self.latest())
    }
}

/// The message that announces the winner has this name in every algorithm.
const ANNOUNCEMENT: &str = "Elected";

impl Ballot {
    /// Elections among nodes with these ids.
    pub fn new(ids: Vec<Id>, plan: Plan) -> Self {
        Self {
            ids,
            plan,
            begun: 0,
            started: NodeSet::new(),
            elected: 0,
            start: Start::Awaited(None),
            leader: None,
            decided: None,
            known: None,
            presumed: None,
            known_by: NodeSet::new(),
            down: NodeSet::new(),
        }
    }

    fn begin(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.begun += 1;
        self.start = self.start.awaited();
        for &node in &self.plan.initiators {
            let pause = match self.plan.within {
                0 => 0,
                within => agenda.random().between(0, within),
            };
            if !self.down.contains(node) {
                agenda.after(pause, node, Command::Start);
            }
        }
    }

    /// The time is that of the last node that presumes the largest id.
    fn presume(&mut self, node: NodeId, id: Id, now: u64) {
        if self.presumed < Some(id) {
            let place = self.ids.iter().position(|other| *other == id);
            self.leader = place.map(|place| NodeId(place as u32));
            self.presumed = Some(id);
            self.known_by = NodeSet::new();
        }
        if self.presumed == Some(id) {
            self.decided = Some(now);
            self.known_by.insert(node);
        }
    }

    /// An election starts, unless one has.
    fn note_start(&mut self, now: u64) {
        if let Start::Awaited(_) = self.start {
            self.start = Start::At(now);
        }
    }

    fn learn(&mut self, node: NodeId, id: Id, now: u64) {
        if self.known != Some(id) {
            (self.known, self.decided) = (Some(id), Some(now));
            self.known_by = NodeSet::new();
        }
        self.known_by.insert(node);
    }

    /// Tells every other node that is up.
    fn spread(&self, about: NodeId, command: Command, agenda: &mut Agenda<'_, Command>) {
        let Some(notice) = self.plan.notice else { return };
        for node in NodeId::all(self.ids.len() as u32) {
            if node != about && !self.down.contains(node) {
                agenda.after(notice, node, command);
            }
        }
    }
}

impl Workload for Ballot {
    type Command = Command;
    type Event = Event;
    type Report = ElectionReport;

    fn on_start(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.begin(agenda);
    }

    /// A node that asks a registry before it takes part has started when its application asked.
    fn on_command(&mut self, _node: NodeId, command: &Command, agenda: &mut Agenda<'_, Command>) {
        if *command == Command::Start {
            self.note_start(agenda.now());
        }
    }

    fn on_rest(&mut self, agenda: &mut Agenda<'_, Command>) {
        if self.begun < self.plan.elections {
            self.begin(agenda);
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Event, agenda: &mut Agenda<'_, Command>) {
        match event {
            Event::Started => {
                self.started.insert(node);
                self.known = None;
                self.note_start(agenda.now());
            }
            Event::Elected => {
                self.elected += 1;
                self.leader = Some(node);
                if self.known.is_none() {
                    self.decided = Some(agenda.now());
                }
            }
            Event::Knows(id) => self.learn(node, *id, agenda.now()),
            Event::Presumes(id) => self.presume(node, *id, agenda.now()),
            // An old leader may learn late that another one is in office.
            Event::SteppedDown => _ = self.leader.take_if(|leader| *leader == node),
        }
    }

    fn on_crash(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        self.down.insert(node);
        self.known_by.remove(node);
        self.start = self.start.awaited();
        self.spread(node, Command::Lost(node), agenda);
    }

    /// Notifies the other nodes; the restarted node learns which are down, and starts an election.
    fn on_restart(&mut self, node: NodeId, agenda: &mut Agenda<'_, Command>) {
        self.down.remove(node);
        self.start = self.start.awaited();
        self.spread(node, Command::Found(node), agenda);
        if let Some(notice) = self.plan.notice {
            for other in self.down.iter() {
                agenda.after(notice, node, Command::Lost(other));
            }
            agenda.after(notice, node, Command::Start);
        }
    }

    fn report(&self, messages: &Messages, _time: u64, unit: f64) -> ElectionReport {
        let messages_to_announce = messages.called(ANNOUNCEMENT);
        let took = self.decided.zip(self.start.latest());
        let took = took.and_then(|(decided, start)| decided.checked_sub(start));
        let leader = self.leader.filter(|&leader| !self.down.contains(leader));
        ElectionReport {
            leader: leader.map(|node| self.ids[node.index()]),
            leader_node: leader,
            elections: self.elected.max(self.begun.min(1)),
            initiators: self.started.len(),
            known_by: self.known_by.len(),
            messages_to_elect: messages.total - messages_to_announce,
            messages_to_announce,
            time_to_elect: took.map(|time| time as f64 / unit),
        }
    }
}

/// The measurements of elections. Times are in units of T, the mean delay of a message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ElectionReport {
    /// The winner's id.
    pub leader: Option<Id>,
    /// The winner's node.
    pub leader_node: Option<NodeId>,
    /// The number of elections held, whose messages are counted together.
    pub elections: u32,
    /// The number of initiators.
    pub initiators: u32,
    /// The number of nodes that learned the winner.
    pub known_by: u32,
    /// Messages that are not announcements.
    pub messages_to_elect: u64,
    /// Messages that announce the winner.
    pub messages_to_announce: u64,
    /// The time from the start of the last election until the first node knew its winner; if nodes
    /// only presume it, until the last node did.
    pub time_to_elect: Option<f64>,
}

//! What the applications of an overlay do: they wait until the network is legal, let nodes join and
//! leave, wait again, and search.

use konklave::NodeId;
use konklave::circle::{Mixer, Point};
use konklave::overlay::place::sorted;
use konklave::overlay::{Command, Event, responsible};
use konklave_sim::metrics::Messages;
use konklave_sim::random::Random;
use konklave_sim::workload::{Agenda, Legal, Spread, Workload};
use serde::Serialize;

/// What is to happen.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The functions that place nodes.
    pub mixer: Mixer,
    /// Whether the ends know each other.
    pub closes: bool,
    /// The nodes at the beginning.
    pub members: Vec<NodeId>,
    /// The nodes that join.
    pub joiners: Vec<NodeId>,
    /// How many of the first members leave.
    pub leaves: u32,
    /// How many searches there are.
    pub searches: u32,
    /// The time from one turn of a node to its next.
    pub period: u64,
}

/// The applications of a run.
#[derive(Clone, Debug)]
pub struct Visitors {
    plan: Plan,
    phase: Phase,
    /// The members, as far as their applications know.
    members: Vec<NodeId>,
    /// What was asked for and has not happened yet.
    open: u32,
    rounds: Option<u64>,
    maintenance: Option<f64>,
    changed_in: u64,
    recovery: Option<u64>,
    joined: u32,
    left: u32,
    hops: Vec<u32>,
    misplaced: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The network repairs itself.
    Building,
    /// Nodes join and leave.
    Changing,
    /// Nodes search.
    Searching,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct OverlayReport {
    /// Rounds until the network was legal, and stayed so.
    pub rounds: Option<u64>,
    /// Messages of a legal network in a round, per node.
    pub maintenance: Option<f64>,
    /// Rounds from the first join or leave until the network is legal again.
    pub recovery_rounds: Option<u64>,
    /// The number of nodes that have joined.
    pub joined: u32,
    /// The number of nodes that have left.
    pub left: u32,
    /// The number of searches that have ended.
    pub searches: u32,
    /// The number of messages of a search on its way.
    pub hops: Option<Spread>,
    /// The number of searches that ended at another node than the responsible one.
    pub misplaced: u32,
    /// The number of nodes in the end.
    pub members: u32,
}

impl Visitors {
    /// The applications that carry out this plan.
    pub fn new(plan: Plan) -> Self {
        Self {
            members: plan.members.clone(),
            plan,
            phase: Phase::Building,
            open: 0,
            rounds: None,
            maintenance: None,
            changed_in: 0,
            recovery: None,
            joined: 0,
            left: 0,
            hops: Vec::new(),
            misplaced: 0,
        }
    }

    /// One node joins or leaves in a round, on average, all of them in random order.
    fn change(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.changed_in = agenda.rounds();
        let Plan { joiners, leaves, period, .. } = &self.plan;
        let leavers = sample(&self.members, *leaves, agenda.random());
        let stays = |node: &&NodeId| !leavers.contains(node);
        let contacts: Vec<NodeId> = self.members.iter().filter(stays).copied().collect();
        let span = (joiners.len() as u64 + u64::from(*leaves)) * period;
        for &node in joiners {
            let contact = contacts[agenda.random().below(contacts.len() as u64) as usize];
            let time = agenda.random().below(span);
            agenda.after(time, node, Command::Join { contact });
        }
        for &node in &leavers {
            let time = agenda.random().below(span);
            agenda.after(time, node, Command::Leave);
        }
        self.open += joiners.len() as u32 + leaves;
    }

    fn search(&mut self, agenda: &mut Agenda<'_, Command>) {
        self.members = sorted(self.plan.mixer, std::mem::take(&mut self.members));
        for _ in 0..self.plan.searches {
            let node = self.members[agenda.random().below(self.members.len() as u64) as usize];
            let point = Point(agenda.random().word());
            let time = agenda.random().below(self.plan.period);
            agenda.after(time, node, Command::Search(point));
        }
        self.open += self.plan.searches;
    }
}

/// So many of these nodes, drawn at random.
fn sample(nodes: &[NodeId], count: u32, random: &mut Random) -> Vec<NodeId> {
    let drawn = random.sample(count, nodes.len() as u32);
    drawn.into_iter().map(|place| nodes[place as usize]).collect()
}

impl Workload for Visitors {
    type Command = Command;
    type Event = Event;
    type Report = OverlayReport;

    fn on_start(&mut self, _agenda: &mut Agenda<'_, Command>) {}

    fn on_event(&mut self, node: NodeId, event: &Event, _agenda: &mut Agenda<'_, Command>) {
        self.open = self.open.saturating_sub(1);
        match *event {
            Event::Joined => {
                self.joined += 1;
                self.members.push(node);
            }
            Event::Left => {
                self.left += 1;
                self.members.retain(|member| *member != node);
            }
            Event::Found { point, node: found, hops } => {
                let Plan { mixer, closes, .. } = self.plan;
                let right = responsible(mixer, &self.members, point, closes);
                self.misplaced += u32::from(found != right);
                self.hops.push(hops);
            }
        }
    }

    fn on_stable(&mut self, legal: Legal, agenda: &mut Agenda<'_, Command>) {
        let nodes = self.members.len() as f64;
        self.rounds.get_or_insert(legal.since);
        self.maintenance.get_or_insert(legal.messages_in_last as f64 / nodes);
        let changes = self.plan.joiners.len() as u32 + self.plan.leaves;
        if self.phase == Phase::Building && changes > 0 {
            self.phase = Phase::Changing;
            return self.change(agenda);
        }
        if self.phase == Phase::Changing {
            self.recovery = Some(legal.since.saturating_sub(self.changed_in));
        }
        if self.phase != Phase::Searching {
            self.phase = Phase::Searching;
            self.search(agenda);
        }
    }

    fn is_idle(&self) -> bool {
        self.open == 0
    }

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) -> OverlayReport {
        let hops = self.hops.iter().copied();
        let sum: u64 = hops.clone().map(u64::from).sum();
        OverlayReport {
            rounds: self.rounds,
            maintenance: self.maintenance,
            recovery_rounds: self.recovery,
            joined: self.joined,
            left: self.left,
            searches: self.hops.len() as u32,
            hops: hops
                .max()
                .map(|max| Spread { mean: sum as f64 / self.hops.len() as f64, max: max.into() }),
            misplaced: self.misplaced,
            members: self.members.len() as u32,
        }
    }
}

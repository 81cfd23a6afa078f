//! Whether a self-stabilising system is legal yet, looked at after every round.

use konklave::protocol::{Invariant, Monitor, Protocol, Snapshot, references};

use super::{Node, Simulation};
use crate::occurrence::Occurrence;
use crate::report::{Round, Stabilisation};
use crate::workload::{Legal, Workload};
use crate::world::World;

/// What was seen of the way to a legal state.
pub(crate) struct Stability<P: Protocol> {
    legality: Invariant<P>,
    connected: Invariant<P>,
    /// Since when the system is legal, if it is: the round, and how many messages were sent before.
    since: Option<(u64, u64)>,
    was_connected: bool,
    was_left: bool,
    /// The round of the last damage.
    damaged: Option<u64>,
    /// How many messages were sent until the end of the last round, and in it.
    sent: u64,
    sent_in_round: u64,
    course: Vec<Round>,
    /// What there was to tell when the system had been legal for long enough. Later, applications
    /// may join and leave.
    settled: Option<Stabilisation>,
}

impl<P: Protocol> Stability<P> {
    /// Nothing was seen yet; none if the protocol is not self-stabilising.
    pub(crate) fn of(node: &P) -> Option<Self> {
        Some(Self {
            legality: node.legality()?,
            connected: references::connected(),
            since: None,
            was_connected: true,
            was_left: false,
            damaged: None,
            sent: 0,
            sent_in_round: 0,
            course: Vec::new(),
            settled: None,
        })
    }

    /// The rounds so far.
    pub(crate) fn course(&self) -> &[Round] {
        &self.course
    }

    pub(crate) fn report<W, M, const METERED: bool>(
        &self,
        world: &World<'_, P, W, M, METERED>,
        nodes: usize,
    ) -> Stabilisation {
        if let Some(settled) = self.settled {
            return settled;
        }
        let (round, before) = self.since.unwrap_or((world.rounds.number(), world.sent));
        let rounds_since = world.rounds.number() - round;
        let per_node = |messages: u64| messages as f64 / nodes as f64;
        Stabilisation {
            rounds: self.since.map(|(round, _)| round),
            recovered_after_rounds: self
                .damaged
                .and_then(|damaged| Some(self.since?.0.saturating_sub(damaged))),
            messages_per_node: per_node(before),
            maintenance_per_node_and_round: match rounds_since {
                0 => 0.0,
                rounds => per_node(world.sent - before) / rounds as f64,
            },
            connected: self.was_connected,
            closure: !self.was_left,
        }
    }
}

impl<P, W, M, const METERED: bool> Simulation<'_, P, W, M, METERED>
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// The nodes are damaged: what follows is another way to a legal state.
    pub(crate) fn begin_recovery(&mut self) {
        if let Some(stability) = &mut self.stability {
            stability.since = None;
            stability.damaged = Some(self.world.rounds.number());
        }
    }

    /// A round is over.
    pub(crate) fn judge_round(&mut self) {
        let Some(stability) = &mut self.stability else { return };
        let world = &self.world;
        let nodes: Vec<&P> = self.nodes.iter().map(|node: &Node<P>| &node.state).collect();
        let messages: Vec<_> = world.wheel.pending().filter_map(Occurrence::in_transit).collect();
        let system = Snapshot { nodes: &nodes, messages: &messages };
        let is_legal = stability.legality.judge(&system).is_ok();
        stability.was_connected &= stability.connected.judge(&system).is_ok();
        stability.sent_in_round = world.sent - stability.sent;
        stability.sent = world.sent;
        stability.course.push(Round {
            known: known(&nodes),
            messages: stability.sent_in_round as f64 / nodes.len() as f64,
            legal: is_legal,
        });
        stability.since = match (is_legal, stability.since) {
            (true, since) => since.or(Some((world.rounds.number(), world.sent))),
            (false, since) => {
                stability.was_left |= since.is_some();
                None
            }
        };
    }

    /// Whether the system has been legal for as long as was asked for, and its applications want
    /// nothing more.
    pub(crate) fn is_settled(&mut self) -> bool {
        let Some(legal) = self.legal_stretch() else { return false };
        let enough = self.options.stable_rounds.is_some_and(|enough| legal.rounds >= enough);
        if !enough || !self.world.workload.is_idle() || self.faults_left > 0 {
            return false;
        }
        if let Some(stability) = &mut self.stability {
            let report = stability.report(&self.world, self.nodes.len());
            stability.settled.get_or_insert(report);
        }
        self.world.monitor.on_legal();
        let plans = self.world.plans;
        self.world.plan(|workload, agenda| workload.on_stable(legal, agenda));
        self.world.plans == plans
    }

    fn legal_stretch(&self) -> Option<Legal> {
        let stability = self.stability.as_ref()?;
        let (since, _) = stability.since?;
        let rounds = self.world.rounds.number() - since;
        let messages_in_last = stability.sent_in_round;
        Some(Legal { since, rounds, messages_in_last })
    }
}

/// How many other nodes a member knows, on average.
fn known<P: Protocol>(nodes: &[&P]) -> f64 {
    let known: Vec<usize> =
        nodes.iter().filter_map(|node| node.knows()).map(|known| known.len()).collect();
    known.iter().sum::<usize>() as f64 / known.len().max(1) as f64
}

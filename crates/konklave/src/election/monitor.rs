//! Watches elections by any algorithm.

use super::{Command, Event, Id, Winner};
use crate::protocol::{self, Broken, Verdict};
use crate::{NodeId, NodeSet};

/// Watches one election after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    ids: Vec<Id>,
    winner: Winner,
    /// Who has started this election.
    initiators: NodeSet,
    /// Who is in office.
    leader: Option<NodeId>,
    handover: Handover,
    /// Leaders of earlier elections that have not heard of the next, where that is allowed.
    outgoing: NodeSet,
    /// Whom this election has chosen, as far as anyone has said.
    chosen: Option<Id>,
    /// Whom the election before has chosen: word of it may still come in.
    previous: Option<Id>,
    /// Who has been told.
    informed: NodeSet,
    /// What nodes presume, by their numbers; empty unless some do.
    presumed: Vec<Option<Id>>,
    /// Who has crashed and said nothing since.
    down: NodeSet,
    crashes: Crashes,
}

/// How leaders of consecutive elections follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Handover {
    /// The old one resigns before the new one is elected.
    Strict,
    /// The old one resigns when it hears of the new one.
    Overlapping,
}

/// What crashes mean for the promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Crashes {
    /// There were none.
    None,
    /// There were some: who is the largest is clear only at rest.
    Some,
    /// The leader has crashed, and nobody has started an election since.
    Vacancy,
}

impl Monitor {
    /// A monitor for nodes with these ids; `winner` is what the algorithm promises.
    pub fn new(ids: Vec<Id>, winner: Winner) -> Self {
        Self {
            ids,
            winner,
            initiators: NodeSet::new(),
            leader: None,
            handover: Handover::Strict,
            outgoing: NodeSet::new(),
            chosen: None,
            previous: None,
            informed: NodeSet::new(),
            presumed: Vec::new(),
            down: NodeSet::new(),
            crashes: Crashes::None,
        }
    }

    /// The same, but two leaders of different elections may be in office while word travels.
    pub fn overlapping(self) -> Self {
        Self { handover: Handover::Overlapping, ..self }
    }

    /// The leader, while there is one.
    pub fn leader(&self) -> Option<NodeId> {
        self.leader
    }

    /// A start after a result begins the next election: a decision depends on every node, so
    /// nobody can start the same one any more.
    fn on_started(&mut self, node: NodeId) {
        if self.chosen.is_some() || !self.presumed.is_empty() {
            self.previous = self.chosen.take();
            self.initiators = NodeSet::new();
            self.informed = NodeSet::new();
            self.presumed = Vec::new();
            if self.handover == Handover::Overlapping {
                self.outgoing.extend(self.leader.take());
            }
        }
        self.initiators.insert(node);
        if self.crashes == Crashes::Vacancy {
            self.crashes = Crashes::Some;
        }
    }

    fn on_elected(&mut self, node: NodeId) -> Verdict {
        let id = self.ids[node.index()];
        if self.crashes != Crashes::None {
            // Who comes back may call the next election before the last is decided.
            self.previous = self.chosen.take();
            if self.handover == Handover::Overlapping {
                self.outgoing.extend(self.leader.take());
            }
        }
        if let Some(other) = self.leader {
            let detail = format!("node {node} is elected, and so is node {other}");
            return Broken::promise("one leader", detail);
        }
        self.leader = Some(node);
        match self.chosen {
            Some(chosen) if chosen != id => {
                let detail = format!("node {node} is elected with id {id}, not {chosen}");
                Broken::promise("agreement", detail)
            }
            Some(_) => Ok(()),
            None => self.choose(id),
        }
    }

    fn on_knows(&mut self, node: NodeId, id: Id) -> Verdict {
        let is_old_news = self.previous == Some(id);
        match self.chosen {
            Some(chosen) if chosen == id => {}
            Some(_) if is_old_news || self.crashes != Crashes::None => {
                self.informed.remove(node); // It has to hear of the last winner at last.
                return Ok(());
            }
            Some(chosen) => {
                let detail = format!("node {node} hears of {id}, not of {chosen}");
                return Broken::promise("agreement", detail);
            }
            None if is_old_news => {} // Or the same node wins again: the next result will show.
            None => self.choose(id)?,
        }
        self.informed.insert(node);
        if id == self.ids[node.index()] && self.outgoing.remove(node) {
            (self.leader, self.chosen) = (Some(node), Some(id)); // It stays in office.
        }
        Ok(())
    }

    /// The election is decided. While nodes crash and come back, whether this winner is the right
    /// one can be said only at rest.
    fn choose(&mut self, id: Id) -> Verdict {
        if self.previous != Some(id) {
            self.informed = NodeSet::new(); // What came in was word of the last one.
        }
        self.chosen = Some(id);
        match self.right_winner() {
            Some(right) if self.crashes == Crashes::None && right != id => {
                Broken::promise("the right leader", format!("{id} wins, not {right}"))
            }
            _ => Ok(()),
        }
    }

    fn right_winner(&self) -> Option<Id> {
        let id = |node: NodeId| self.ids[node.index()];
        match self.winner {
            Winner::Largest => self.up().map(id).max(),
            Winner::LargestInitiator => self.initiators.iter().map(id).max(),
        }
    }

    fn up(&self) -> impl Iterator<Item = NodeId> + '_ {
        NodeId::all(self.ids.len() as u32).filter(|&node| !self.down.contains(node))
    }

    fn presumptions_at_rest(&self) -> Verdict {
        let right = self.right_winner();
        match self.up().find(|node| self.presumed[node.index()] != right) {
            None => Ok(()),
            Some(node) => {
                let detail = match (self.presumed[node.index()], right) {
                    (Some(id), Some(right)) => format!("node {node} presumes {id}, not {right}"),
                    _ => format!("node {node} presumes nobody"),
                };
                Broken::promise("agreement", detail)
            }
        }
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, _node: NodeId, _command: &Command) -> Verdict {
        Ok(())
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Verdict {
        if self.crashes != Crashes::None {
            self.down.remove(node);
        }
        match event {
            Event::Started => self.on_started(node),
            Event::Elected => self.on_elected(node)?,
            Event::Knows(id) => self.on_knows(node, *id)?,
            Event::Presumes(id) => {
                self.presumed.resize(self.ids.len(), None);
                self.presumed[node.index()] = Some(*id);
            }
            Event::SteppedDown if self.leader == Some(node) => self.leader = None,
            Event::SteppedDown if self.outgoing.remove(node) => {}
            Event::SteppedDown => {
                let detail = format!("node {node} steps down, but is not the leader");
                return Broken::promise("one leader", detail);
            }
        }
        Ok(())
    }

    /// A crashed node is no leader, and needs to know nothing.
    fn on_crash(&mut self, node: NodeId) -> Verdict {
        self.down.insert(node);
        self.informed.remove(node);
        self.crashes = match self.crashes {
            Crashes::None if self.leader != Some(node) => Crashes::Some,
            unnoticed if self.leader != Some(node) => unnoticed,
            _ => Crashes::Vacancy,
        };
        if self.leader == Some(node) {
            self.leader = None;
        }
        self.outgoing.remove(node);
        Ok(())
    }

    fn at_rest(&self) -> Verdict {
        if !self.presumed.is_empty() {
            return self.presumptions_at_rest();
        }
        let Some(leader) = self.leader else {
            let is_anyone_left = self.initiators.iter().any(|node| !self.down.contains(node));
            return match self.crashes {
                Crashes::Vacancy => Ok(()), // The election was over.
                Crashes::Some if !is_anyone_left => Ok(()),
                _ => Broken::promise("termination", "the election ended without a leader"),
            };
        };
        if let Some(node) = self.up().find(|&node| !self.informed.contains(node)) {
            let detail = format!("node {node} never learns who is the leader");
            return Broken::promise("termination", detail);
        }
        if let Some(node) = self.outgoing.iter().next() {
            let detail = format!("node {node} never steps down for node {leader}");
            return Broken::promise("one leader", detail);
        }
        let id = self.ids[leader.index()];
        match self.right_winner() {
            Some(right) if right != id => {
                Broken::promise("the right leader", format!("{id} leads at last, not {right}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Monitor as _;

    fn monitor(winner: Winner) -> Monitor {
        Monitor::new([Id(5), Id(9), Id(7)].to_vec(), winner)
    }

    fn tell(monitor: &mut Monitor, node: u32, event: Event) -> Verdict {
        monitor.on_event(NodeId(node), &event)
    }

    /// An election that node 1 has won, and everyone knows it.
    fn decided() -> Monitor {
        let mut monitor = monitor(Winner::Largest);
        tell(&mut monitor, 0, Event::Started).unwrap();
        tell(&mut monitor, 1, Event::Elected).unwrap();
        for node in 0..3 {
            assert_eq!(monitor.at_rest().unwrap_err().promise, "termination");
            tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
        }
        monitor.at_rest().unwrap();
        monitor
    }

    #[test]
    fn the_largest_wins_and_all_learn_it() {
        assert_eq!(decided().leader(), Some(NodeId(1)));
    }

    #[test]
    fn a_second_leader_is_noticed() {
        let mut monitor = monitor(Winner::Largest);
        tell(&mut monitor, 1, Event::Elected).unwrap();
        let broken = tell(&mut monitor, 2, Event::Elected).unwrap_err();
        assert_eq!(broken.to_string(), "one leader: node 2 is elected, and so is node 1");
    }

    #[test]
    fn the_wrong_winner_is_noticed() {
        let broken = tell(&mut monitor(Winner::Largest), 2, Event::Elected).unwrap_err();
        assert_eq!(broken.to_string(), "the right leader: 7 wins, not 9");
        let broken = tell(&mut monitor(Winner::Largest), 2, Event::Knows(Id(7))).unwrap_err();
        assert_eq!(broken.to_string(), "the right leader: 7 wins, not 9");
    }

    #[test]
    fn among_initiators_only_they_count() {
        let mut monitor = monitor(Winner::LargestInitiator);
        tell(&mut monitor, 0, Event::Started).unwrap();
        tell(&mut monitor, 2, Event::Started).unwrap();
        assert!(tell(&mut monitor.clone(), 1, Event::Elected).is_err());
        tell(&mut monitor, 2, Event::Elected).unwrap();
    }

    #[test]
    fn disagreement_is_noticed() {
        let mut monitor = monitor(Winner::Largest);
        tell(&mut monitor, 0, Event::Knows(Id(9))).unwrap(); // The winner may learn it last.
        let broken = tell(&mut monitor, 0, Event::Knows(Id(7))).unwrap_err();
        assert_eq!(broken.to_string(), "agreement: node 0 hears of 7, not of 9");
        let broken = tell(&mut monitor, 2, Event::Elected).unwrap_err();
        assert_eq!(broken.to_string(), "agreement: node 2 is elected with id 7, not 9");
    }

    #[test]
    fn an_election_without_a_result_is_noticed() {
        let broken = monitor(Winner::Largest).at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "termination: the election ended without a leader");
    }

    #[test]
    fn the_next_election_needs_a_result_of_its_own() {
        let mut monitor = decided();
        tell(&mut monitor, 2, Event::Started).unwrap();
        tell(&mut monitor, 0, Event::Knows(Id(9))).unwrap(); // Late word of the last one.
        assert!(tell(&mut monitor.clone(), 1, Event::Elected).is_err(), "it is still in office");
        tell(&mut monitor, 1, Event::SteppedDown).unwrap();
        assert_eq!(monitor.at_rest().unwrap_err().promise, "termination");
        tell(&mut monitor, 1, Event::Elected).unwrap();
        let broken = monitor.at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "termination: node 1 never learns who is the leader");
    }

    #[test]
    fn only_a_leader_can_step_down() {
        let broken = tell(&mut decided(), 0, Event::SteppedDown).unwrap_err();
        assert_eq!(broken.to_string(), "one leader: node 0 steps down, but is not the leader");
    }

    #[test]
    fn after_the_leader_has_crashed_the_largest_survivor_must_win() {
        let mut monitor = decided();
        monitor.on_crash(NodeId(1)).unwrap();
        monitor.at_rest().expect("nobody has asked for a new leader");
        tell(&mut monitor, 0, Event::Started).unwrap();
        assert!(monitor.at_rest().is_err());
        let mut wrong = monitor.clone();
        tell(&mut wrong, 0, Event::Elected).unwrap();
        for node in [0, 2] {
            tell(&mut wrong, node, Event::Knows(Id(5))).unwrap();
        }
        let broken = wrong.at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "the right leader: 5 leads at last, not 7");
        tell(&mut monitor, 2, Event::Knows(Id(9))).unwrap(); // Late word of the dead one.
        tell(&mut monitor, 2, Event::Elected).unwrap();
        for node in [0, 2] {
            tell(&mut monitor, node, Event::Knows(Id(7))).unwrap();
        }
        monitor.at_rest().unwrap();
    }

    #[test]
    fn leaders_of_different_elections_may_overlap_where_that_is_allowed() {
        let mut monitor = Monitor { handover: Handover::Overlapping, ..decided() };
        monitor.on_crash(NodeId(1)).unwrap();
        tell(&mut monitor, 2, Event::Started).unwrap();
        tell(&mut monitor, 2, Event::Elected).unwrap();
        tell(&mut monitor, 1, Event::Started).unwrap(); // It is back.
        tell(&mut monitor, 1, Event::Elected).expect("node 2 has not heard of it");
        for node in 0..3 {
            tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
        }
        let broken = monitor.at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "one leader: node 2 never steps down for node 1");
        tell(&mut monitor, 2, Event::SteppedDown).unwrap();
        monitor.at_rest().unwrap();
        tell(&mut monitor, 0, Event::Started).unwrap(); // Nobody was missing.
        for node in 0..3 {
            tell(&mut monitor, node, Event::Knows(Id(9))).unwrap();
        }
        monitor.at_rest().expect("node 1 stays in office");
    }

    #[test]
    fn an_election_may_die_with_those_who_called_it() {
        let mut monitor = monitor(Winner::Largest);
        tell(&mut monitor, 0, Event::Started).unwrap();
        monitor.on_crash(NodeId(1)).unwrap();
        assert!(monitor.at_rest().is_err());
        monitor.on_crash(NodeId(0)).unwrap();
        monitor.at_rest().unwrap();
    }

    #[test]
    fn presumptions_must_agree_at_rest() {
        let mut monitor = monitor(Winner::Largest);
        for (node, id) in [(0, 5), (1, 9), (2, 9)] {
            tell(&mut monitor, node, Event::Presumes(Id(id))).unwrap();
        }
        let broken = monitor.at_rest().unwrap_err();
        assert_eq!(broken.to_string(), "agreement: node 0 presumes 5, not 9");
        tell(&mut monitor, 0, Event::Presumes(Id(9))).unwrap();
        monitor.at_rest().unwrap();
    }
}

//! Checks the promises of leader election for any algorithm.

use super::{Command, Event, Id, Winner};
use crate::protocol::{self, Broken, Promise};
use crate::{NodeId, NodeSet};

/// Checks the promises in a run of one or more elections.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Monitor {
    ids: Vec<Id>,
    winner: Winner,
    /// The initiators of the current election.
    initiators: NodeSet,
    /// The leader in office.
    leader: Option<NodeId>,
    handover: Handover,
    /// Leaders of earlier elections that have not stepped down yet, where that is allowed.
    outgoing: NodeSet,
    /// The winner of the current election, once any node has reported it.
    chosen: Option<Id>,
    /// The winner of the previous election: late reports of it are still allowed.
    previous: Option<Id>,
    /// A winner that other nodes have reported before it reported its own election.
    untold: Option<Id>,
    /// The nodes that know the current winner.
    informed: NodeSet,
    /// The nodes that know the previous winner.
    heard: NodeSet,
    /// The nodes whose only report is of the previous winner: if the same node wins again, it may
    /// have been about either election.
    unsure: NodeSet,
    /// The presumed leader of each node; empty unless the algorithm reports presumptions.
    presumed: Vec<Option<Id>>,
    /// The nodes that have crashed and reported no event since.
    down: NodeSet,
    crashes: Crashes,
}

/// When the old leader must step down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Handover {
    /// Before the new leader is elected.
    Strict,
    /// When it learns of the new leader.
    Overlapping,
}

/// How crashes weaken the promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Crashes {
    /// No node has crashed.
    None,
    /// A node has crashed: the right leader is defined only at rest.
    Some,
    /// The leader has crashed, and no election was started since.
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
            untold: None,
            informed: NodeSet::new(),
            heard: NodeSet::new(),
            unsure: NodeSet::new(),
            presumed: Vec::new(),
            down: NodeSet::new(),
            crashes: Crashes::None,
        }
    }

    /// The same, but leaders of different elections may overlap while announcements are in transit.
    pub fn overlapping(self) -> Self {
        Self { handover: Handover::Overlapping, ..self }
    }

    /// The leader in office, if any.
    pub fn leader(&self) -> Option<NodeId> {
        self.leader
    }

    /// A start after a result begins the next election: the decision depended on every node, so no
    /// node can still start the same one. A presumption is not a result.
    fn on_started(&mut self, node: NodeId) {
        if self.chosen.is_some() {
            self.previous = self.chosen.take();
            self.initiators = NodeSet::new();
            self.heard = std::mem::take(&mut self.informed);
            for node in std::mem::take(&mut self.unsure).iter() {
                self.heard.remove(node); // A report of the last winner may still come.
            }
            if self.handover == Handover::Overlapping {
                self.outgoing.extend(self.leader.take());
            }
        }
        self.initiators.insert(node);
        if self.crashes == Crashes::Vacancy {
            self.crashes = Crashes::Some;
        }
    }

    #[cold]
    fn on_elected(&mut self, node: NodeId) -> Result<(), Broken> {
        let id = self.ids[node.index()];
        if self.crashes != Crashes::None {
            // A restarted node may begin the next election before the last one is decided.
            self.previous = self.chosen.take();
            if self.handover == Handover::Overlapping {
                self.outgoing.extend(self.leader.take());
            }
        }
        if let Some(other) = self.leader {
            let detail = format!("node {node} is elected, and so is node {other}");
            return Broken::by(node, "one leader", detail);
        }
        self.leader = Some(node);
        if self.untold.take_if(|untold| *untold == id).is_some() {
            return Ok(()); // The winner was checked then; the next election may have begun.
        }
        match self.chosen {
            Some(chosen) if chosen != id => {
                let detail = format!("node {node} is elected with id {id}, not {chosen}");
                Broken::by(node, "agreement", detail)
            }
            Some(_) => Ok(()),
            None => self.choose(node, id),
        }
    }

    fn on_knows(&mut self, node: NodeId, id: Id) -> Result<(), Broken> {
        let may_be_old = self.previous == Some(id) && self.chosen.is_none_or(|it| it == id);
        let is_old_news = may_be_old && self.heard.insert(node);
        match is_old_news {
            true => self.unsure.insert(node),
            false => self.unsure.remove(node),
        };
        if self.chosen != Some(id) {
            return self.on_news(node, id, is_old_news);
        }
        self.on_informed(node, id);
        Ok(())
    }

    /// A node reports a winner other than the one known so far, if any.
    #[cold]
    fn on_news(&mut self, node: NodeId, id: Id, is_old_news: bool) -> Result<(), Broken> {
        match self.chosen {
            Some(_) if self.previous == Some(id) || self.crashes != Crashes::None => {
                self.informed.remove(node); // It must eventually learn the current winner.
                return Ok(());
            }
            Some(chosen) => {
                let detail = format!("node {node} hears of {id}, not of {chosen}");
                return Broken::by(node, "agreement", detail);
            }
            // Or the same node has won again; the next report decides.
            None if is_old_news => {}
            None => {
                self.untold = Some(id);
                self.choose(node, id)?;
            }
        }
        self.on_informed(node, id);
        Ok(())
    }

    fn on_informed(&mut self, node: NodeId, id: Id) {
        self.informed.insert(node);
        if !self.outgoing.is_empty() && id == self.ids[node.index()] && self.outgoing.remove(node) {
            (self.leader, self.chosen) = (Some(node), Some(id)); // It stays in office.
        }
    }

    #[cold]
    fn on_stepped_down(&mut self, node: NodeId) -> Result<(), Broken> {
        if self.leader == Some(node) {
            self.leader = None;
        } else if !self.outgoing.remove(node) {
            let detail = format!("node {node} steps down, but is not the leader");
            return Broken::by(node, "one leader", detail);
        }
        Ok(())
    }

    /// The election is decided, as this node is told. While nodes crash and restart, whether this
    /// is the right winner is checked only at rest.
    fn choose(&mut self, node: NodeId, id: Id) -> Result<(), Broken> {
        if self.previous != Some(id) {
            self.informed = NodeSet::new(); // Earlier reports were about the last election.
        }
        self.chosen = Some(id);
        match self.right_winner() {
            Some(right) if self.crashes == Crashes::None && right != id => {
                Broken::by(node, "the right leader", format!("{id} wins, not {right}"))
            }
            _ => Ok(()),
        }
    }

    fn right_winner(&self) -> Option<Id> {
        let id = |node: NodeId| self.ids[node.index()];
        match self.winner {
            Winner::Largest => self.up().map(id).max(),
            Winner::LargestInitiator => self.initiators.iter().map(id).max(),
            Winner::Anyone => None, // Every winner is right.
        }
    }

    fn up(&self) -> impl Iterator<Item = NodeId> + '_ {
        NodeId::all(self.ids.len() as u32).filter(|&node| !self.down.contains(node))
    }

    fn presumptions_at_rest(&self) -> Result<(), Broken> {
        let right = self.right_winner();
        match self.up().find(|node| self.presumed[node.index()] != right) {
            None => Ok(()),
            Some(node) => {
                let detail = match (self.presumed[node.index()], right) {
                    (Some(id), Some(right)) => format!("node {node} presumes {id}, not {right}"),
                    _ => format!("node {node} presumes nobody"),
                };
                Broken::by(node, "agreement", detail)
            }
        }
    }
}

impl protocol::Monitor for Monitor {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, _node: NodeId, _command: &Command) -> Result<(), Broken> {
        Ok(())
    }

    #[inline]
    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), Broken> {
        if self.crashes != Crashes::None {
            self.down.remove(node);
        }
        match event {
            Event::Started => self.on_started(node),
            Event::Elected => return self.on_elected(node),
            Event::Knows(id) => return self.on_knows(node, *id),
            Event::Presumes(id) => {
                self.presumed.resize(self.ids.len(), None);
                self.presumed[node.index()] = Some(*id);
            }
            Event::SteppedDown => return self.on_stepped_down(node),
        }
        Ok(())
    }

    /// A crashed node does not lead, and need not know the leader.
    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
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

    fn promises() -> &'static [Promise] {
        const {
            &[
                Promise::safety("one leader"),
                Promise::safety("the right leader"),
                Promise::safety("agreement"),
                Promise::liveness("termination"),
            ]
        }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        if !self.presumed.is_empty() {
            return self.presumptions_at_rest();
        }
        let Some(leader) = self.leader else {
            let is_anyone_left = self.initiators.iter().any(|node| !self.down.contains(node));
            return match self.crashes {
                Crashes::Vacancy => Ok(()), // The last election was decided.
                Crashes::Some if !is_anyone_left => Ok(()),
                _ => Broken::promise("termination", "the election ended without a leader"),
            };
        };
        if let Some(node) = self.up().find(|&node| !self.informed.contains(node)) {
            let detail = format!("node {node} never learns who is the leader");
            return Broken::by(node, "termination", detail);
        }
        if let Some(node) = self.outgoing.iter().next() {
            let detail = format!("node {node} never steps down for node {leader}");
            return Broken::by(node, "one leader", detail);
        }
        let id = self.ids[leader.index()];
        match self.right_winner() {
            Some(right) if right != id => {
                let detail = format!("{id} leads eventually, not {right}");
                Broken::by(leader, "the right leader", detail)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;

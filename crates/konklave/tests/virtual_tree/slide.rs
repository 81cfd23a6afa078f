//! Levels as they are taught: who has lost its parent takes any neighbour that has a level.

use konklave::NodeId;
use konklave::election::{Command, Event};
use konklave::protocol::{Env, Never, Protocol};

use super::world::InTree;

/// A node that is at `level`, by `parent`, as far as it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slide {
    me: NodeId,
    level: Option<u32>,
    parent: Option<NodeId>,
    /// The levels of the neighbours that are connected.
    table: Vec<(NodeId, Option<u32>)>,
}

impl Slide {
    pub(super) fn new(me: NodeId, neighbours: &[NodeId]) -> Self {
        let table = neighbours.iter().map(|&node| (node, None)).collect();
        Self { me, level: None, parent: None, table }
    }

    fn tell(&self, env: &mut impl Env<Self>) {
        for &(node, _) in &self.table {
            env.send(node, self.level);
        }
    }

    fn select(&mut self, env: &mut impl Env<Self>) {
        let before = self.level;
        for &(node, level) in &self.table {
            let Some(level) = level else { continue };
            if self.level.is_none_or(|mine| mine > level) {
                (self.level, self.parent) = (Some(level + 1), Some(node));
            }
        }
        if self.level != before {
            self.tell(env);
        }
    }
}

impl Protocol for Slide {
    type Msg = Option<u32>;
    type Timer = Never;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        match command {
            Command::Start => {
                (self.level, self.parent) = (Some(0), Some(self.me));
                self.tell(env);
            }
            Command::Lost(other) => {
                self.table.retain(|&(node, _)| node != other);
                if self.parent == Some(other) {
                    (self.level, self.parent) = (None, None);
                    self.select(env);
                }
            }
            Command::Found(_) => {}
        }
    }

    fn on_message(&mut self, from: NodeId, level: Option<u32>, env: &mut impl Env<Self>) {
        for entry in self.table.iter_mut().filter(|(node, _)| *node == from) {
            entry.1 = level;
        }
        self.select(env);
    }
}

impl InTree for Slide {
    fn parent(&self) -> Option<NodeId> {
        self.parent
    }
}

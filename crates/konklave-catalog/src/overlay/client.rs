//! An application that joins, searches and leaves.

use konklave::NodeId;
use konklave::overlay::{Command, Event};
use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};

/// Gives commands one after the other, each after the last one was answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visitor {
    /// What it will ask for, the next one last.
    wishes: Vec<Command>,
    is_waiting: bool,
}

impl Visitor {
    /// A client that gives these commands, in this order.
    pub fn new(mut wishes: Vec<Command>) -> Self {
        wishes.reverse();
        Self { wishes, is_waiting: false }
    }
}

impl Application for Visitor {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        let next = self.wishes.last().filter(|_| !self.is_waiting);
        next.copied().into_iter().collect()
    }

    fn may(&self, command: &Command) -> bool {
        self.commands().contains(command)
    }

    fn on_command(&mut self, _command: &Command) {
        self.wishes.pop();
        self.is_waiting = true;
    }

    fn on_event(&mut self, _event: &Event) {
        self.is_waiting = false;
    }

    fn revive(&mut self) {
        self.is_waiting = false;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let wishes = |node| Self::new(of_node(node, commands).copied().collect());
        NodeId::all(nodes).map(wishes).collect()
    }

    fn standing(&self) -> Standing {
        match self.is_waiting {
            true => Standing::Waiting,
            false => Standing::Idle,
        }
    }
}

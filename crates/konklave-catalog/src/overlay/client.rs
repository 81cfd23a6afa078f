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
    standing: Standing,
}

impl Visitor {
    /// A client that gives these commands, in this order.
    pub fn new(mut wishes: Vec<Command>) -> Self {
        wishes.reverse();
        Self { wishes, standing: Standing::Idle }
    }
}

impl Application for Visitor {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        let next = self.wishes.last().filter(|_| self.standing != Standing::Waiting);
        next.copied().into_iter().collect()
    }

    fn may(&self, command: &Command) -> bool {
        self.commands().contains(command)
    }

    fn on_command(&mut self, _command: &Command) {
        self.wishes.pop();
        self.standing = Standing::Waiting;
    }

    fn on_event(&mut self, _event: &Event) {
        self.standing = Standing::Served;
    }

    fn revive(&mut self) {
        self.standing = Standing::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let wishes = |node| Self::new(of_node(node, commands).copied().collect());
        NodeId::all(nodes).map(wishes).collect()
    }

    fn renamed(command: &Command, place: &dyn Fn(NodeId) -> Option<NodeId>) -> Option<Command> {
        match *command {
            Command::Join { contact } => place(contact).map(|contact| Command::Join { contact }),
            command => Some(command),
        }
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}

//! An application that calls elections, and tells its node who has crashed.

use konklave::NodeId;
use konklave::election::{Command, Event};

use super::{Application, Standing};

/// Calls so many elections.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Voter {
    starts: u32,
    standing: Standing,
    notices: Notices,
}

/// Whether anyone notices crashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Notices {
    Never,
    /// These were not told yet.
    Pending(Vec<NodeId>),
}

impl Voter {
    /// It calls up to `starts` elections.
    pub fn new(starts: u32) -> Self {
        Self { starts, standing: Standing::Idle, notices: Notices::Never }
    }

    /// The same, but it notices crashes of other nodes.
    pub fn noticing(self) -> Self {
        Self { notices: Notices::Pending(Vec::new()), ..self }
    }
}

impl Application for Voter {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = false;

    fn commands(&self) -> Vec<Command> {
        match self.starts {
            0 => Vec::new(),
            _ => vec![Command::Start],
        }
    }

    fn notices(&self) -> Vec<Command> {
        match &self.notices {
            Notices::Never => Vec::new(),
            Notices::Pending(lost) => lost.iter().copied().map(Command::Lost).collect(),
        }
    }

    fn on_command(&mut self, command: &Command) {
        match (command, &mut self.notices) {
            (Command::Start, _) => {
                self.starts -= 1;
                self.standing = Standing::Waiting;
            }
            (Command::Lost(node), Notices::Pending(lost)) => lost.retain(|other| other != node),
            (Command::Lost(_) | Command::Found(_), _) => {}
        }
    }

    fn on_event(&mut self, event: &Event) {
        match event {
            Event::Started => self.standing = Standing::Waiting,
            Event::Elected | Event::Knows(_) | Event::Presumes(_) => {
                self.standing = Standing::Served;
            }
            Event::SteppedDown => {}
        }
    }

    fn on_crash(&mut self, node: NodeId) {
        if let Notices::Pending(lost) = &mut self.notices {
            lost.push(node);
            lost.sort_unstable();
        }
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}

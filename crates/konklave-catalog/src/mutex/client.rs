//! An application that enters its critical section a few times.

use konklave::NodeId;
use konklave::mutex::{Command, Event, Phase};

use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};

/// Enters a number of times, and eventually leaves each time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Visitor {
    left: u32,
    phase: Phase,
}

impl Visitor {
    /// A client that enters up to `entries` times.
    pub fn new(entries: u32) -> Self {
        Self { left: entries, phase: Phase::Idle }
    }
}

impl Application for Visitor {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = true;

    fn commands(&self) -> Vec<Command> {
        match self.phase {
            Phase::Idle if self.left > 0 => vec![Command::Acquire],
            Phase::Inside => vec![Command::Release],
            Phase::Idle | Phase::Waiting => Vec::new(),
        }
    }

    fn on_command(&mut self, command: &Command) {
        match command {
            Command::Acquire => {
                self.left -= 1;
                self.phase = Phase::Waiting;
            }
            Command::Release => self.phase = Phase::Idle,
        }
    }

    fn on_event(&mut self, event: &Event) {
        let Event::Granted = event;
        self.phase = Phase::Inside;
    }

    fn revive(&mut self) {
        self.phase = Phase::Idle;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let entries = |node| {
            let requests = of_node(node, commands).filter(|it| **it == Command::Acquire);
            Self::new(requests.count() as u32)
        };
        NodeId::all(nodes).map(entries).collect()
    }

    fn standing(&self) -> Standing {
        match self.phase {
            Phase::Idle => Standing::Idle,
            Phase::Waiting => Standing::Waiting,
            Phase::Inside => Standing::Served,
        }
    }
}

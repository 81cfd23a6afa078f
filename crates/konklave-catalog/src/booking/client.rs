//! An application that books intervals.

use konklave::NodeId;
use konklave::booking::{Command, Event, Interval};

use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};

/// Books intervals one after the other, and releases each before it requests the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guest {
    /// The intervals to request, the next one last.
    wishes: Vec<Interval>,
    stay: Stay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stay {
    Away,
    Asking(Interval),
    Inside(Interval),
}

impl Guest {
    /// A client that requests these intervals, in this order.
    pub fn new(mut wishes: Vec<Interval>) -> Self {
        wishes.reverse();
        Self { wishes, stay: Stay::Away }
    }
}

impl Application for Guest {
    type Command = Command;
    type Event = Event;

    const TAKES_TURNS: bool = true;

    fn commands(&self) -> Vec<Command> {
        match self.stay {
            Stay::Away => self.wishes.last().copied().map(Command::Reserve).into_iter().collect(),
            Stay::Asking(_) => Vec::new(),
            Stay::Inside(interval) => vec![Command::Release(interval)],
        }
    }

    fn may(&self, command: &Command) -> bool {
        match (command, self.stay) {
            (Command::Reserve(interval), Stay::Away) => self.wishes.contains(interval),
            (Command::Release(interval), Stay::Inside(mine)) => *interval == mine,
            _ => false,
        }
    }

    fn on_command(&mut self, command: &Command) {
        match *command {
            Command::Reserve(interval) => {
                // A recorded application may have had other wishes.
                if let Some(place) = self.wishes.iter().rposition(|wish| *wish == interval) {
                    self.wishes.remove(place);
                }
                self.stay = Stay::Asking(interval);
            }
            Command::Release(_) => self.stay = Stay::Away,
        }
    }

    fn on_event(&mut self, event: &Event) {
        self.stay = match (event, self.stay) {
            (Event::Granted, Stay::Asking(interval)) => Stay::Inside(interval),
            _ => Stay::Away,
        };
    }

    fn revive(&mut self) {
        self.stay = Stay::Away;
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let wishes = |node| {
            let wishes = of_node(node, commands).filter_map(|command| match command {
                Command::Reserve(interval) => Some(*interval),
                Command::Release(_) => None,
            });
            Self::new(wishes.collect())
        };
        NodeId::all(nodes).map(wishes).collect()
    }

    fn standing(&self) -> Standing {
        match self.stay {
            Stay::Away => Standing::Idle,
            Stay::Asking(_) => Standing::Waiting,
            Stay::Inside(_) => Standing::Served,
        }
    }
}

//! An application that starts elections, and reports crashes to its node.

use konklave::NodeId;
use konklave::election::{Command, Event};

use konklave_stage::application::of_node;
use konklave_stage::{Application, Standing};

/// Starts a number of elections.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Voter {
    starts: u32,
    zeal: Zeal,
    standing: Standing,
    notices: Notices,
}

/// The reason for which a client starts elections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Zeal {
    /// It starts them at any time.
    Eager,
    /// It wants this many results: a client that learns one need not start that election.
    Content,
    /// It wants this many results, and has started the election whose result comes next.
    Called,
}

/// Whether crashes are detected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Notices {
    Never,
    /// The notices to come; those about one node are in the order of its crashes and restarts.
    Pending(Vec<Notice>),
}

/// A notice to come: the node that it is about, and the command.
type Notice = (NodeId, Command);

impl Voter {
    /// A client that starts up to `starts` elections.
    pub fn new(starts: u32) -> Self {
        Self { starts, zeal: Zeal::Eager, standing: Standing::Idle, notices: Notices::Never }
    }

    /// The results of elections that other nodes have started count as well.
    pub fn content(self) -> Self {
        Self { zeal: Zeal::Content, ..self }
    }

    /// The client detects crashes of other nodes.
    pub fn noticing(self) -> Self {
        Self { notices: Notices::Pending(Vec::new()), ..self }
    }

    fn notice(&mut self, node: NodeId, command: Command) {
        if let Notices::Pending(notices) = &mut self.notices {
            let place = notices.partition_point(|(other, _)| *other <= node);
            notices.insert(place, (node, command));
        }
    }

    /// The notices that can come next: the first about each node.
    fn next(&self) -> impl Iterator<Item = &Notice> {
        let notices = match &self.notices {
            Notices::Never => &[][..],
            Notices::Pending(notices) => notices,
        };
        notices.chunk_by(|a, b| a.0 == b.0).map(|about| &about[0])
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
        self.next().map(|(_, command)| *command).collect()
    }

    fn on_command(&mut self, command: &Command) {
        let notice = self.next().find(|(_, next)| next == command).copied();
        match (notice, &mut self.notices) {
            (Some(notice), Notices::Pending(notices)) => {
                let place = notices.iter().position(|it| *it == notice);
                notices.remove(place.expect("it was just found"));
            }
            _ if *command == Command::Start => self.starts -= 1,
            _ => {}
        }
        if *command == Command::Start {
            self.standing = Standing::Waiting;
            if self.zeal == Zeal::Content {
                self.zeal = Zeal::Called;
            }
        }
    }

    fn on_event(&mut self, event: &Event) {
        match event {
            Event::Started => self.standing = Standing::Waiting,
            Event::Elected | Event::Presumes(_) => self.standing = Standing::Served,
            Event::Knows(_) => {
                self.standing = Standing::Served;
                match self.zeal {
                    Zeal::Eager => {}
                    Zeal::Content => self.starts = self.starts.saturating_sub(1),
                    Zeal::Called => self.zeal = Zeal::Content,
                }
            }
            Event::SteppedDown => {}
        }
    }

    fn on_crash(&mut self, node: NodeId) {
        self.notice(node, Command::Lost(node));
    }

    fn on_restart(&mut self, node: NodeId) {
        self.notice(node, Command::Found(node));
    }

    /// Where crashes are detected, a restarted node starts an election.
    fn revive(&mut self) {
        self.standing = Standing::Idle;
        if let Notices::Pending(notices) = &mut self.notices {
            notices.clear();
            notices.push((NodeId(u32::MAX), Command::Start)); // Not about another node.
        }
    }

    fn supply(nodes: u32, commands: &[(NodeId, Command)]) -> Vec<Self> {
        let are_noticed = commands.iter().any(|(_, command)| *command != Command::Start);
        let voter = |node| {
            let starts = of_node(node, commands).filter(|it| **it == Command::Start);
            let voter = Self::new(starts.count() as u32);
            if are_noticed { voter.noticing() } else { voter }
        };
        NodeId::all(nodes).map(voter).collect()
    }

    fn renamed(command: &Command, place: &dyn Fn(NodeId) -> Option<NodeId>) -> Option<Command> {
        Some(match *command {
            Command::Start => Command::Start,
            Command::Lost(node) => Command::Lost(place(node)?),
            Command::Found(node) => Command::Found(place(node)?),
        })
    }

    fn standing(&self) -> Standing {
        self.standing
    }
}

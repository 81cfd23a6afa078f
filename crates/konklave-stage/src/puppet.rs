//! A protocol for tests that does what it is told, and a monitor for it.

use std::fmt::{self, Debug};
use std::time::Duration;

use konklave::protocol::{Broken, Env, Invariant, Monitor, Protocol, Snapshot};
use konklave::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// Does what it is told: every effect can be had by a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Puppet {
    pub(crate) heard: u32,
}

/// A puppet that has heard this much acts by itself.
pub(crate) const RESTLESS: u32 = 1000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Msg {
    Note(u32),
    /// Answered by a note.
    Ping,
    /// Answered by two of its kind.
    Rumour,
    /// Nobody survives it.
    Poison,
    /// Like a message of a part.
    Wrapped(Box<Self>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Timer {
    Nap,
    Retry,
    RetryAll,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Say {
    Shout,
    Sing,
    TellAll(Vec<u32>),
    Send {
        to: NodeId,
        msg: Msg,
    },
    Set(Timer),
    Cancel(Timer),
    Draw(u32),
    /// Tells node 0, and fails.
    Fail,
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Heard {
    Shouted,
    Woken(Timer),
    Sung(Song),
}

/// Prints two lines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Song;

impl Debug for Song {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("la\nla")
    }
}

impl Protocol for Puppet {
    type Msg = Msg;
    type Timer = Timer;
    type Command = Say;
    type Event = Heard;

    /// A puppet that has heard something before it starts is busy.
    fn on_start(&mut self, env: &mut impl Env<Self>) {
        if (1..RESTLESS).contains(&self.heard) {
            env.set_timer(Timer::Nap, Duration::from_millis(10));
            env.send(NodeId(self.heard), Msg::Ping);
        }
    }

    fn on_command(&mut self, command: Say, env: &mut impl Env<Self>) {
        match command {
            Say::Shout => env.emit(Heard::Shouted),
            Say::Sing => env.emit(Heard::Sung(Song)),
            Say::TellAll(nodes) => nodes.into_iter().for_each(|to| {
                env.send(NodeId(to), Msg::Note(to));
            }),
            Say::Send { to, msg } => env.send(to, msg),
            Say::Set(timer) => env.set_timer(timer, Duration::from_secs(2)),
            Say::Cancel(timer) => env.cancel_timer(timer),
            Say::Draw(bound) => {
                env.choose(bound);
            }
            Say::Fail => {
                env.send(NodeId(0), Msg::Ping);
                panic!("it was told to");
            }
            Say::Leave => env.leave(),
        }
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        self.heard += 1;
        match msg {
            Msg::Note(_) | Msg::Wrapped(_) => {}
            Msg::Ping => env.send(from, Msg::Note(self.heard)),
            Msg::Poison => panic!("poison"),
            Msg::Rumour => [0, 1].into_iter().for_each(|_| env.send(from, Msg::Rumour)),
        }
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        env.emit(Heard::Woken(timer));
    }

    fn ticks(&self) -> bool {
        self.heard >= RESTLESS
    }

    /// Tells node 0, once.
    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        if self.heard == RESTLESS {
            self.heard += 1;
            env.send(NodeId(0), Msg::Note(0));
        }
    }

    /// What comes back counts ten times.
    fn on_returned(&mut self, _to: NodeId, _msg: Msg, _env: &mut impl Env<Self>) {
        self.heard += 10;
    }

    /// A puppet waits for as many as it has messages.
    fn waits_for(&self) -> NodeSet {
        NodeId::all(self.heard).collect()
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        let few = |system: &Snapshot<'_, Self>| match system.messages.len() {
            0..=3 => Ok(()),
            many => Err(format!("{many} are in transit")),
        };
        let calm = |system: &Snapshot<'_, Self>| match system.nodes.iter().any(|it| it.heard > 9) {
            true => Err("a node has heard too much".to_owned()),
            false => Ok(()),
        };
        vec![Invariant::new("few messages", few), Invariant::new("calm", calm)]
    }
}

/// No node draws from 13; none shouts twice; node 1 stays alive; some node shouts eventually.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Watch {
    shouts: u32,
}

impl Monitor for Watch {
    type Command = Say;
    type Event = Heard;

    fn on_command(&mut self, node: NodeId, command: &Say) -> Result<(), Broken> {
        match command {
            Say::Draw(13) => Broken::promise("luck", format!("node {node} draws from 13")),
            _ => Ok(()),
        }
    }

    fn on_event(&mut self, node: NodeId, event: &Heard) -> Result<(), Broken> {
        self.shouts += u32::from(*event == Heard::Shouted);
        match self.shouts {
            0 | 1 => Ok(()),
            _ => Broken::promise("silence", format!("node {node} shouts again")),
        }
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), Broken> {
        match node {
            NodeId(1) => Broken::promise("long life", "node 1 is dead"),
            _ => Ok(()),
        }
    }

    fn at_rest(&self) -> Result<(), Broken> {
        match self.shouts {
            0 => Broken::promise("noise", "nobody has shouted"),
            _ => Ok(()),
        }
    }
}

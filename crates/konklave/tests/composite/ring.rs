//! The links of a ring: what is given to them arrives at the neighbour, once and in order, even if
//! messages are lost, duplicated or overtake each other.
//!
//! Each link sends one load at a time, numbered, and repeats it until it is acknowledged.

use std::collections::VecDeque;
use std::time::Duration;

use konklave::NodeId;
use konklave::protocol::{Data, Env, Protocol};
use serde::{Deserialize, Serialize};

/// A direction on the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// What neighbours send each other. The side is where the load goes, as its sender sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Msg<T> {
    /// A load.
    Hop { side: Side, number: u32, load: T },
    /// It has arrived.
    Ack { side: Side, number: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Timer {
    /// The load on this side was not acknowledged in time.
    Retry(Side),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Command<T> {
    Pass { side: Side, load: T },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Event<T> {
    Arrived(T),
}

/// Both links of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ring<T> {
    me: NodeId,
    nodes: u32,
    /// How long an acknowledgement may take, in milliseconds; for ever if there is no limit.
    patience: Option<u64>,
    links: [Link<T>; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Link<T> {
    /// The number of the first load in the queue, which is on its way.
    number: u32,
    queue: VecDeque<T>,
    /// How many loads have arrived on this side.
    arrived: u32,
}

impl<T: Data> Ring<T> {
    pub(super) fn new(me: NodeId, nodes: u32, patience: Option<u64>) -> Self {
        let link = || Link { number: 0, queue: VecDeque::new(), arrived: 0 };
        Self { me, nodes, patience, links: [link(), link()] }
    }

    /// The shorter way to `to`, and its length.
    pub(super) fn towards(&self, to: NodeId) -> (Side, u32) {
        let right = (to.0 + self.nodes - self.me.0) % self.nodes;
        let left = self.nodes - right;
        if right <= left { (Side::Right, right) } else { (Side::Left, left) }
    }

    fn neighbour(&self, side: Side) -> NodeId {
        let step = if side == Side::Right { 1 } else { self.nodes - 1 };
        NodeId((self.me.0 + step) % self.nodes)
    }

    fn link(&mut self, side: Side) -> &mut Link<T> {
        &mut self.links[side as usize]
    }

    /// Brings a load to the neighbour on this side.
    pub(super) fn pass(&mut self, side: Side, load: T, env: &mut impl Env<Self>) {
        self.link(side).queue.push_back(load);
        if self.link(side).queue.len() == 1 {
            self.transmit(side, env);
        }
    }

    fn transmit(&mut self, side: Side, env: &mut impl Env<Self>) {
        let Link { number, queue, .. } = self.link(side);
        let number = *number;
        let Some(load) = queue.front().cloned() else { return };
        env.send(self.neighbour(side), Msg::Hop { side, number, load });
        if let Some(patience) = self.patience {
            env.set_timer(Timer::Retry(side), Duration::from_millis(patience));
        }
    }
}

impl<T: Data> Protocol for Ring<T> {
    type Msg = Msg<T>;
    type Timer = Timer;
    type Command = Command<T>;
    type Event = Event<T>;

    fn on_command(&mut self, command: Command<T>, env: &mut impl Env<Self>) {
        let Command::Pass { side, load } = command;
        self.pass(side, load, env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg<T>, env: &mut impl Env<Self>) {
        match msg {
            Msg::Hop { side, number, load } => {
                env.send(from, Msg::Ack { side, number });
                let link = self.link(side.opposite());
                if number == link.arrived {
                    link.arrived += 1;
                    env.emit(Event::Arrived(load));
                }
                // Else it is a repetition.
            }
            Msg::Ack { side, number } => {
                let link = self.link(side);
                if number == link.number && link.queue.pop_front().is_some() {
                    link.number += 1;
                    env.cancel_timer(Timer::Retry(side));
                    self.transmit(side, env);
                }
            }
        }
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        let Timer::Retry(side) = timer;
        self.transmit(side, env);
    }
}

//! Brings a parcel to any node of a ring, from neighbour to neighbour.

use konklave::NodeId;
use konklave::protocol::{Data, Env, Hosts, Protocol};
use serde::{Deserialize, Serialize};

use super::ring::{self, Ring};

/// A parcel on its way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Packet<T> {
    from: NodeId,
    to: NodeId,
    parcel: T,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Msg<T> {
    Ring(ring::Msg<Packet<T>>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Timer {
    Ring(ring::Timer),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Command<T> {
    Deliver { to: NodeId, parcel: T },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Event<T> {
    Delivered { from: NodeId, parcel: T },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Router<T: Data> {
    me: NodeId,
    ring: Ring<Packet<T>>,
}

impl<T: Data> Router<T> {
    pub(super) fn new(me: NodeId, nodes: u32, patience: Option<u64>) -> Self {
        Self { me, ring: Ring::new(me, nodes, patience) }
    }

    /// Brings a parcel to `to`; to this node, at once.
    pub(super) fn deliver(&mut self, to: NodeId, parcel: T, env: &mut impl Env<Self>) {
        self.pass(Packet { from: self.me, to, parcel }, env);
    }

    fn pass(&mut self, packet: Packet<T>, env: &mut impl Env<Self>) {
        let Packet { from, to, .. } = packet;
        if to == self.me {
            env.emit(Event::Delivered { from, parcel: packet.parcel });
        } else {
            let (side, _) = self.ring.towards(to);
            self.run(env, |ring, env| ring.pass(side, packet, env));
        }
    }
}

impl<T: Data> Protocol for Router<T> {
    type Msg = Msg<T>;
    type Timer = Timer;
    type Command = Command<T>;
    type Event = Event<T>;

    fn on_command(&mut self, command: Command<T>, env: &mut impl Env<Self>) {
        let Command::Deliver { to, parcel } = command;
        self.deliver(to, parcel, env);
    }

    fn on_message(&mut self, from: NodeId, msg: Msg<T>, env: &mut impl Env<Self>) {
        let Msg::Ring(msg) = msg;
        self.run(env, |ring, env| ring.on_message(from, msg, env));
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        let Timer::Ring(timer) = timer;
        self.run(env, |ring, env| ring.on_timer(timer, env));
    }
}

impl<T: Data> Hosts<Ring<Packet<T>>> for Router<T> {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Ring<Packet<T>>> {
        Some(&mut self.ring)
    }

    fn wrap_msg((): &(), msg: ring::Msg<Packet<T>>) -> Msg<T> {
        Msg::Ring(msg)
    }

    fn wrap_timer((): &(), timer: ring::Timer) -> Timer {
        Timer::Ring(timer)
    }

    fn on_part(&mut self, (): &(), event: ring::Event<Packet<T>>, env: &mut impl Env<Self>) {
        let ring::Event::Arrived(packet) = event;
        self.pass(packet, env);
    }
}

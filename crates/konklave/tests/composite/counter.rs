//! A counter for all: everyone who increments it is told a number of its own.

use konklave::NodeId;
use konklave::protocol::{Env, Hosts, Protocol};
use serde::{Deserialize, Serialize};

use super::router::{self, Router};

/// The node that counts.
pub(super) const HOME: NodeId = NodeId(0);

/// What nodes tell each other through the router.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Parcel {
    Ask { op: u32 },
    Answer { op: u32, value: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Msg {
    Router(router::Msg<Parcel>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Timer {
    Router(router::Timer),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Command {
    Increment { op: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Event {
    Counted { op: u32, value: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Counter {
    router: Router<Parcel>,
    /// How many were counted here.
    value: u32,
}

impl Counter {
    pub(super) fn new(me: NodeId, nodes: u32, patience: Option<u64>) -> Self {
        Self { router: Router::new(me, nodes, patience), value: 0 }
    }
}

impl Protocol for Counter {
    type Msg = Msg;
    type Timer = Timer;
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, command: Command, env: &mut impl Env<Self>) {
        let Command::Increment { op } = command;
        self.run(env, |router, env| router.deliver(HOME, Parcel::Ask { op }, env));
    }

    fn on_message(&mut self, from: NodeId, msg: Msg, env: &mut impl Env<Self>) {
        let Msg::Router(msg) = msg;
        self.run(env, |router, env| router.on_message(from, msg, env));
    }

    fn on_timer(&mut self, timer: Timer, env: &mut impl Env<Self>) {
        let Timer::Router(timer) = timer;
        self.run(env, |router, env| router.on_timer(timer, env));
    }
}

impl Hosts<Router<Parcel>> for Counter {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Router<Parcel>> {
        Some(&mut self.router)
    }

    fn wrap_msg((): &(), msg: router::Msg<Parcel>) -> Msg {
        Msg::Router(msg)
    }

    fn wrap_timer((): &(), timer: router::Timer) -> Timer {
        Timer::Router(timer)
    }

    fn on_part(&mut self, (): &(), event: router::Event<Parcel>, env: &mut impl Env<Self>) {
        let router::Event::Delivered { from, parcel } = event;
        match parcel {
            Parcel::Ask { op } => {
                self.value += 1;
                let answer = Parcel::Answer { op, value: self.value };
                // At home this is delivered at once: the router is entered again from here.
                self.run(env, |router, env| router.deliver(from, answer, env));
            }
            Parcel::Answer { op, value } => env.emit(Event::Counted { op, value }),
        }
    }
}

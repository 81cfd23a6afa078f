//! Three protocols, each the host of the next: counters that send each other numbers, over a router
//! that finds the way, over a ring that knows only the next node.

use konklave::NodeId;
use konklave::protocol::{Env, Hosts, Never, Protocol};
use serde::{Deserialize, Serialize};

/// How far each counter counts.
pub(crate) const COUNT: u32 = 30;
/// How many nodes further each number goes.
pub(crate) const DISTANCE: u32 = 10;

/// A number on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Parcel {
    to: NodeId,
    number: u32,
}

/// The lowest: hands parcels to the next node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ring {
    next: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum RingMsg {
    Hand(Parcel),
}

impl Protocol for Ring {
    type Msg = RingMsg;
    type Timer = Never;
    type Command = Parcel;
    type Event = Parcel;

    fn on_command(&mut self, parcel: Parcel, env: &mut impl Env<Self>) {
        env.send(self.next, RingMsg::Hand(parcel));
    }

    fn on_message(&mut self, _from: NodeId, msg: RingMsg, env: &mut impl Env<Self>) {
        let RingMsg::Hand(parcel) = msg;
        env.emit(parcel);
    }
}

/// In the middle: hands parcels on until they are where they belong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Router {
    me: NodeId,
    ring: Ring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum RouterMsg {
    Ring(RingMsg),
}

impl Protocol for Router {
    type Msg = RouterMsg;
    type Timer = Never;
    type Command = Parcel;
    type Event = u32;

    fn on_command(&mut self, parcel: Parcel, env: &mut impl Env<Self>) {
        self.run(env, |ring, env| ring.on_command(parcel, env));
    }

    fn on_message(&mut self, from: NodeId, msg: RouterMsg, env: &mut impl Env<Self>) {
        let RouterMsg::Ring(msg) = msg;
        self.run(env, |ring, env| ring.on_message(from, msg, env));
    }
}

impl Hosts<Ring> for Router {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Ring> {
        Some(&mut self.ring)
    }

    fn wrap_msg((): &(), msg: RingMsg) -> RouterMsg {
        RouterMsg::Ring(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), parcel: Parcel, env: &mut impl Env<Self>) {
        match parcel.to == self.me {
            true => env.emit(parcel.number),
            false => self.on_command(parcel, env),
        }
    }
}

/// On top: whoever gets a number sends the next one, up to [`COUNT`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counter {
    friend: NodeId,
    router: Router,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum CounterMsg {
    Router(RouterMsg),
}

/// To begin with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Begin;

/// The last number has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Counted;

impl Counter {
    /// Node `me` of `nodes`.
    pub(crate) fn new(me: NodeId, nodes: u32) -> Self {
        let further = |distance| NodeId((me.0 + distance) % nodes);
        let router = Router { me, ring: Ring { next: further(1) } };
        Self { friend: further(DISTANCE), router }
    }

    fn tell(&mut self, number: u32, env: &mut impl Env<Self>) {
        let parcel = Parcel { to: self.friend, number };
        self.run(env, |router, env| router.on_command(parcel, env));
    }
}

impl Protocol for Counter {
    type Msg = CounterMsg;
    type Timer = Never;
    type Command = Begin;
    type Event = Counted;

    fn on_command(&mut self, _begin: Begin, env: &mut impl Env<Self>) {
        self.tell(1, env);
    }

    fn on_message(&mut self, from: NodeId, msg: CounterMsg, env: &mut impl Env<Self>) {
        let CounterMsg::Router(msg) = msg;
        self.run(env, |router, env| router.on_message(from, msg, env));
    }
}

impl Hosts<Router> for Counter {
    type Slot = ();

    fn part(&mut self, (): &()) -> Option<&mut Router> {
        Some(&mut self.router)
    }

    fn wrap_msg((): &(), msg: RouterMsg) -> CounterMsg {
        CounterMsg::Router(msg)
    }

    fn wrap_timer((): &(), timer: Never) -> Never {
        timer
    }

    fn on_part(&mut self, (): &(), number: u32, env: &mut impl Env<Self>) {
        match number < COUNT {
            true => self.tell(number + 1, env),
            false => env.emit(Counted),
        }
    }
}

//! Reliable links: any protocol, over a network that loses and duplicates messages.
//!
//! [`Reliable`] stands between a node and the network. It numbers the messages of every pair of
//! sender and receiver, and keeps each until it is acknowledged. One timer per node sends again
//! what is not. The receiver acknowledges every copy, and hands over one of them. So the node
//! inside gets each message exactly once, as if nothing was ever lost or duplicated, and the system
//! comes to rest when all has been acknowledged.
//!
//! **Order.** Messages are handed over as they come, or, if that is asked for, in the order in
//! which they were sent: then one that comes early waits, without an acknowledgement.
//!
//! **Nodes that crash.** A receiver that is silent for so long that it must have crashed is no
//! longer sent the message: after [`PATIENCE`] periods it is given up, as if the network had lost
//! it. So a run ends also if a node has crashed. Every message says which numbers its receiver need
//! not wait for, so that a gap does no harm to what follows.
//!
//! A node that restarts without its memory has forgotten its numbers, and what it sends is taken
//! for duplicates. No link survives that, as Fekete, Lynch, Mansour and Spinelli have shown (The
//! impossibility of implementing reliable communication in the face of crashes, JACM 1993): so
//! nodes with reliable links must not restart.
//!
//! **Nodes that leave.** A message to a node that has left comes back, unless it was handed over
//! before. Only the receiver knows which of the two is the case, and the sender asks again if an
//! answer is lost. So a node that leaves stays behind as a stub that answers for it: with an
//! acknowledgement or with a refusal. The driver is not told that it has left.
//!
//! **Memory.** A sender keeps what is not acknowledged, a receiver the numbers beyond the first one
//! that is missing. Between two nodes that are not in touch, four numbers remain.

mod link;
mod mentions;
mod packet;

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::panic::Location;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::derived::Derived;
use crate::protocol::{Env, Invariant, Protocol, Snapshot};
use crate::{NodeId, NodeSet};
use link::Link;
use mentions::Mentions;
pub use packet::{Packet, Parcel};

/// After how many periods without an acknowledgement a message is given up. It was sent again some
/// forty times by then.
pub const PATIENCE: u32 = 320;

/// A node whose links are reliable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reliable<P: Protocol> {
    node: P,
    order: Order,
    /// How often it looks for what is not acknowledged.
    period: Duration,
    links: BTreeMap<NodeId, Link<P::Msg>>,
    /// How many messages are not acknowledged, on all links together: counted, because a node may
    /// have many links.
    outstanding: usize,
    /// Whom those messages are about.
    mentions: Derived<Mentions>,
    presence: Presence,
}

/// The order in which messages of one sender are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// As they come.
    Any,
    /// As they were sent.
    Fifo,
}

/// Whether the node inside takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Presence {
    Here,
    /// It has left for good, and this stub answers for it.
    Gone,
}

/// The timer of a node with reliable links.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Timer<T> {
    /// What is not acknowledged is sent again. Pending as long as there is any.
    Resend,
    /// A timer of the node inside.
    Node(T),
}

impl<T: Debug> Debug for Timer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resend => f.write_str("Resend"),
            Self::Node(timer) => timer.fmt(f),
        }
    }
}

impl<P: Protocol> Reliable<P> {
    /// The node with reliable links that keep this order. After one to two periods without an
    /// acknowledgement a message is sent again, so a period should not be shorter than the way to
    /// the receiver and back takes.
    pub fn new(node: P, order: Order, period: Duration) -> Self {
        let (links, mentions) = (BTreeMap::new(), Derived::default());
        Self { node, order, period, links, outstanding: 0, mentions, presence: Presence::Here }
    }

    /// The node inside.
    pub fn node(&self) -> &P {
        &self.node
    }

    fn link(&mut self, peer: NodeId) -> &mut Link<P::Msg> {
        self.links.entry(peer).or_default()
    }

    /// One transition of the node inside, if it is still there.
    fn enter<E: Env<Self>>(
        &mut self,
        env: &mut E,
        transition: impl FnOnce(&mut P, &mut Numbering<'_, P, E>),
    ) {
        if self.presence == Presence::Gone {
            return;
        }
        let Self { node, links, period, outstanding, presence, .. } = self;
        let (period, sent) = (*period, Vec::new());
        let mut numbering = Numbering { links, outstanding, sent, presence, period, env };
        transition(node, &mut numbering);
        for (to, number) in numbering.sent {
            let msg = self.links.get(&to).and_then(|link| link.get(number));
            msg.into_iter().for_each(|msg| self.mentions.add(to, self.node.tells(msg)));
        }
        if self.presence == Presence::Gone {
            self.links.values_mut().for_each(Link::forget_waiting);
        }
    }

    fn on_parcel(&mut self, from: NodeId, parcel: Parcel<P::Msg>, env: &mut impl Env<Self>) {
        let number = parcel.number;
        if self.link(from).was_handed_over(number) {
            return env.send(from, Packet::Ack { number });
        }
        match self.presence {
            Presence::Here => {
                self.link(from).keep(parcel);
                self.hand_over(from, env);
            }
            Presence::Gone => env.send(from, Packet::Refused { number }),
        }
    }

    /// Hands over what need not wait any longer. The node may leave at any of these messages.
    fn hand_over(&mut self, from: NodeId, env: &mut impl Env<Self>) {
        let order = self.order;
        while self.presence == Presence::Here
            && let Some((number, msg)) = self.link(from).next(order)
        {
            env.send(from, Packet::Ack { number });
            self.enter(env, |node, env| node.on_message(from, msg, env));
        }
    }

    /// The message with this number needs no more attention.
    fn settle(&mut self, to: NodeId, number: u64, env: &mut impl Env<Self>) -> Option<P::Msg> {
        let msg = self.links.get_mut(&to)?.take_outstanding(number)?;
        self.mentions.remove(to, self.node.tells(&msg));
        self.outstanding -= 1;
        if self.outstanding == 0 {
            env.cancel_timer(Timer::Resend);
        }
        Some(msg)
    }

    /// The receiver of a message has left.
    fn give_back(&mut self, to: NodeId, number: u64, env: &mut impl Env<Self>) {
        if let Some(msg) = self.settle(to, number, env) {
            self.enter(env, |node, env| node.on_returned(to, msg, env));
        }
    }

    fn resend(&mut self, env: &mut impl Env<Self>) {
        for (&to, link) in &mut self.links {
            for msg in link.grow_older(|parcel| env.send(to, Packet::Resend(parcel))) {
                self.mentions.remove(to, self.node.tells(&msg));
                self.outstanding -= 1;
            }
        }
        if self.outstanding > 0 {
            env.set_timer(Timer::Resend, self.period);
        }
    }
}

impl<P: Protocol> Protocol for Reliable<P> {
    type Msg = Packet<P::Msg>;
    type Timer = Timer<P::Timer>;
    type Command = P::Command;
    type Event = P::Event;

    fn on_start(&mut self, env: &mut impl Env<Self>) {
        self.enter(env, |node, env| node.on_start(env));
    }

    fn on_command(&mut self, command: P::Command, env: &mut impl Env<Self>) {
        self.enter(env, |node, env| node.on_command(command, env));
    }

    fn on_message(&mut self, from: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        match msg {
            Packet::Data(parcel) | Packet::Resend(parcel) => self.on_parcel(from, parcel, env),
            Packet::Ack { number } => drop(self.settle(from, number, env)),
            Packet::Refused { number } => self.give_back(from, number, env),
        }
    }

    fn on_timer(&mut self, timer: Self::Timer, env: &mut impl Env<Self>) {
        match timer {
            Timer::Resend => self.resend(env),
            Timer::Node(timer) => self.enter(env, |node, env| node.on_timer(timer, env)),
        }
    }

    fn ticks(&self) -> bool {
        self.node.ticks()
    }

    fn on_tick(&mut self, env: &mut impl Env<Self>) {
        self.enter(env, |node, env| node.on_tick(env));
    }

    /// Nodes with reliable links leave a stub behind. If the receiver is of another kind, what
    /// comes back is as good as refused.
    fn on_returned(&mut self, to: NodeId, msg: Self::Msg, env: &mut impl Env<Self>) {
        if let Packet::Data(parcel) | Packet::Resend(parcel) = msg {
            self.give_back(to, parcel.number, env);
        }
    }

    fn waits_for(&self) -> NodeSet {
        match self.presence {
            Presence::Here => self.node.waits_for(),
            Presence::Gone => NodeSet::new(),
        }
    }

    fn reaches(&self, to: NodeId) -> bool {
        self.node.reaches(to)
    }

    /// Also the receivers of what is not acknowledged, and the nodes that such a message tells of:
    /// it may be lost on its way, and is then only here.
    fn knows(&self) -> Option<Vec<NodeId>> {
        let mut known = self.node.knows()?;
        known.extend(self.mentions.nodes());
        known.sort_unstable();
        known.dedup();
        Some(known)
    }

    fn tells(&self, msg: &Self::Msg) -> Vec<NodeId> {
        match msg {
            Packet::Data(parcel) | Packet::Resend(parcel) => self.node.tells(&parcel.msg),
            Packet::Ack { .. } | Packet::Refused { .. } => Vec::new(),
        }
    }

    fn legality(&self) -> Option<Invariant<Self>> {
        self.node.legality().map(lift)
    }

    fn converges_by_chance(&self) -> bool {
        self.node.converges_by_chance()
    }

    fn damages(&self) -> &'static [&'static str] {
        self.node.damages()
    }

    fn damage(&mut self, name: &str, choose: &mut dyn FnMut(u32) -> u32) {
        self.node.damage(name, choose);
    }

    fn invariants(&self) -> Vec<Invariant<Self>> {
        self.node.invariants().into_iter().map(lift).collect()
    }
}

/// What a proof says about the nodes inside. A message is in transit between them from when it is
/// sent until it is handed over, however many copies of it there are.
fn lift<P: Protocol>(invariant: Invariant<P>) -> Invariant<Reliable<P>> {
    Invariant::new(invariant.name(), move |system: &Snapshot<'_, Reliable<P>>| {
        let nodes: Vec<&P> = system.nodes.iter().map(|node| &node.node).collect();
        let mut messages = Vec::new();
        for (from, sender) in (0..).map(NodeId).zip(system.nodes) {
            for (&to, link) in &sender.links {
                let receiver = system.nodes.get(to.index());
                let back = receiver.and_then(|receiver| receiver.links.get(&from));
                let is_new = |number| back.is_none_or(|back| !back.was_handed_over(number));
                let outstanding = link.outstanding().filter(|&(number, _)| is_new(number));
                messages.extend(outstanding.map(|(_, msg)| (from, to, msg)));
            }
        }
        let verdict = invariant.judge(&Snapshot { nodes: &nodes, messages: &messages });
        verdict.map_err(|broken| broken.detail)
    })
}

/// The environment of the node inside: numbers its messages.
struct Numbering<'a, P: Protocol, E> {
    links: &'a mut BTreeMap<NodeId, Link<P::Msg>>,
    outstanding: &'a mut usize,
    /// The receivers and numbers of its messages.
    sent: Vec<(NodeId, u64)>,
    presence: &'a mut Presence,
    period: Duration,
    env: &'a mut E,
}

impl<P: Protocol, E: Env<Reliable<P>>> Env<P> for Numbering<'_, P, E> {
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        let parcel = self.links.entry(to).or_default().send(msg);
        self.sent.push((to, parcel.number));
        self.env.send(to, Packet::Data(parcel));
        *self.outstanding += 1;
        if *self.outstanding == 1 {
            self.env.set_timer(Timer::Resend, self.period);
        }
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        self.env.set_timer(Timer::Node(timer), after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.env.cancel_timer(Timer::Node(timer));
    }

    fn emit(&mut self, event: P::Event) {
        self.env.emit(event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.env.choose(bound)
    }

    fn leave(&mut self) {
        *self.presence = Presence::Gone;
    }

    fn at(&mut self, statement: &'static Location<'static>) {
        self.env.at(statement);
    }
}

#[cfg(test)]
mod tests;

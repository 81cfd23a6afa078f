//! How one protocol runs inside another.
//!
//! A part is a field of its host. Commands go down by method call; messages and timers of the part
//! go out as the host's, which say whose they are; events come up by [`Hosts::on_part`].
//!
//! A host may have several parts of a kind, side by side or one after the other. The [slot]
//! tells them apart: a queue, a virtual node, an epoch. What arrives for a slot that has no part,
//! such as a late message of an old epoch, is ignored by [`Hosts::run_in`], so no host needs to
//! look whether the part is still there.
//!
//! ```
//! use konklave::mutex::ricart_agrawala::{self, RicartAgrawala};
//! use konklave::mutex::{Command, Event};
//! use konklave::protocol::{Env, Hosts, Never, Protocol};
//! use konklave::{NodeId, Recorder};
//!
//! /// A node with a lock for each of its doors.
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! struct Doors(Vec<RicartAgrawala>);
//!
//! type Door = u32;
//!
//! impl Protocol for Doors {
//!     type Msg = (Door, ricart_agrawala::Msg);
//!     type Timer = Never;
//!     type Command = (Door, Command);
//!     type Event = (Door, Event);
//!
//!     fn on_command(&mut self, (door, command): Self::Command, env: &mut impl Env<Self>) {
//!         self.run_in(door, env, |lock, env| lock.on_command(command, env)); // Down.
//!     }
//!
//!     fn on_message(&mut self, from: NodeId, (door, msg): Self::Msg, env: &mut impl Env<Self>) {
//!         self.run_in(door, env, |lock, env| lock.on_message(from, msg, env));
//!     }
//! }
//!
//! impl Hosts<RicartAgrawala> for Doors {
//!     type Slot = Door;
//!
//!     fn part(&mut self, &door: &Door) -> Option<&mut RicartAgrawala> {
//!         self.0.get_mut(door as usize)
//!     }
//!
//!     fn wrap_msg(&door: &Door, msg: ricart_agrawala::Msg) -> Self::Msg {
//!         (door, msg)
//!     }
//!
//!     fn wrap_timer(_door: &Door, timer: Never) -> Never {
//!         timer
//!     }
//!
//!     fn on_part(&mut self, &door: &Door, event: Event, env: &mut impl Env<Self>) {
//!         env.emit((door, event)); // Up.
//!     }
//! }
//!
//! let mut node = Doors(vec![RicartAgrawala::new(NodeId(0), 2); 3]);
//! let mut env = Recorder::default();
//! node.on_command((2, Command::Acquire), &mut env);
//! node.on_message(NodeId(1), (7, ricart_agrawala::Msg::Reply), &mut env); // No such door.
//! assert_eq!(env.lines(), ["-> 1 (2, Request(1@0))"]);
//! node.on_message(NodeId(1), (2, ricart_agrawala::Msg::Reply), &mut env);
//! assert_eq!(env.lines(), ["! (2, Granted)"]);
//! ```
//!
//! [slot]: Hosts::Slot

use std::fmt::Debug;
use std::panic::Location;
use std::time::Duration;

use smallvec::SmallVec;

use super::{Effect, Env, Input, Invariant, NodeId, Protocol, Snapshot};

/// `Self` runs a `C` as a part, or several. The [module](self) has an example.
pub trait Hosts<C: Protocol>: Protocol {
    /// Which part, where there are several of a kind: an epoch, a queue, a virtual node. `()` if
    /// there is one.
    type Slot: Clone + Eq + Debug;

    /// The part in a slot. `None` if this node has none there, has none there yet, or has given it
    /// up: then nothing happens in this slot.
    fn part(&mut self, slot: &Self::Slot) -> Option<&mut C>;

    /// A message of the part, as a message of the host.
    fn wrap_msg(slot: &Self::Slot, msg: C::Msg) -> Self::Msg;

    /// A timer of the part, as a timer of the host.
    fn wrap_timer(slot: &Self::Slot, timer: C::Timer) -> Self::Timer;

    /// An event of the part, as an event of the host, if the application is to be told as it
    /// happens: before what the part sends next. None is, unless a host says so.
    fn wrap_event(_slot: &Self::Slot, _event: &C::Event) -> Option<Self::Event> {
        None
    }

    /// The part tells its host something, whether or not the application was told, too.
    ///
    /// A part that is given up because of one event may have told others in the same transition.
    /// They have happened, so the host hears of them.
    fn on_part(&mut self, slot: &Self::Slot, event: C::Event, env: &mut impl Env<Self>);

    /// One transition of the only part, as [`run_in`](Self::run_in) says.
    #[inline]
    fn run<E: Env<Self>>(
        &mut self,
        env: &mut E,
        transition: impl FnOnce(&mut C, &mut PartEnv<'_, E, Self, C>),
    ) where
        Self: Hosts<C, Slot = ()>,
    {
        self.run_in((), env, transition);
    }

    /// One transition of the part in this slot, then [`on_part`](Self::on_part) for each of its
    /// events, in order. Nothing, if there is [no part](Self::part).
    ///
    /// The events wait until the transition has ended: the part is never entered while it is busy.
    #[inline]
    fn run_in<E: Env<Self>>(
        &mut self,
        slot: Self::Slot,
        env: &mut E,
        transition: impl FnOnce(&mut C, &mut PartEnv<'_, E, Self, C>),
    ) {
        let Some(part) = self.part(&slot) else { return };
        let mut part_env = PartEnv { env, slot, events: SmallVec::new() };
        transition(part, &mut part_env);
        if part_env.events.is_empty() {
            return; // As nearly always: it is quicker not to move the empty list.
        }
        let PartEnv { env, slot, events } = part_env;
        for event in events {
            self.on_part(&slot, event, env);
        }
    }

    /// What the part in this slot does about an input, held back: for a host that changes it before
    /// it [releases](Self::release) it. Choices cannot wait, and are not among the effects.
    ///
    /// Every call makes a list, which [`run_in`](Self::run_in) does without.
    fn hold(
        &mut self,
        slot: &Self::Slot,
        input: Input<C>,
        env: &mut impl Env<Self>,
    ) -> Vec<Effect<C>> {
        let Some(part) = self.part(slot) else { return Vec::new() };
        let mut held = Held { effects: Vec::new(), choose: |bound| env.choose(bound) };
        part.on(input, &mut held);
        held.effects
    }

    /// Lets the part in this slot do something now. A choice was made when it was needed.
    fn release(&mut self, slot: &Self::Slot, effect: Effect<C>, env: &mut impl Env<Self>) {
        match effect {
            Effect::Send { to, msg } => env.send(to, Self::wrap_msg(slot, msg)),
            Effect::SetTimer { timer, after } => {
                env.set_timer(Self::wrap_timer(slot, timer), after);
            }
            Effect::CancelTimer(timer) => env.cancel_timer(Self::wrap_timer(slot, timer)),
            Effect::Emit(event) => {
                if let Some(event) = Self::wrap_event(slot, &event) {
                    env.emit(event);
                }
                self.on_part(slot, event, env);
            }
            Effect::Choose { .. } => {}
            Effect::Leave => env.leave(),
        }
    }
}

/// The environment of a part: its host's, with messages and timers wrapped and events held back.
pub struct PartEnv<'a, E, P: Hosts<C>, C: Protocol> {
    env: &'a mut E,
    slot: P::Slot,
    events: SmallVec<[C::Event; 2]>,
}

impl<E: Env<P>, P: Hosts<C>, C: Protocol> Env<C> for PartEnv<'_, E, P, C> {
    #[inline]
    fn send(&mut self, to: NodeId, msg: C::Msg) {
        self.env.send(to, P::wrap_msg(&self.slot, msg));
    }

    #[inline]
    fn set_timer(&mut self, timer: C::Timer, after: Duration) {
        self.env.set_timer(P::wrap_timer(&self.slot, timer), after);
    }

    #[inline]
    fn cancel_timer(&mut self, timer: C::Timer) {
        self.env.cancel_timer(P::wrap_timer(&self.slot, timer));
    }

    #[inline]
    fn emit(&mut self, event: C::Event) {
        if let Some(event) = P::wrap_event(&self.slot, &event) {
            self.env.emit(event);
        }
        self.events.push(event);
    }

    #[inline]
    fn choose(&mut self, bound: u32) -> u32 {
        self.env.choose(bound)
    }

    /// A part that leaves takes its host with it.
    #[inline]
    fn leave(&mut self) {
        self.env.leave();
    }

    #[inline]
    fn at(&mut self, statement: &'static Location<'static>) {
        self.env.at(statement);
    }
}

/// The environment of a part whose effects wait.
struct Held<C: Protocol, F> {
    effects: Vec<Effect<C>>,
    choose: F,
}

impl<C: Protocol, F: FnMut(u32) -> u32> Env<C> for Held<C, F> {
    fn send(&mut self, to: NodeId, msg: C::Msg) {
        self.effects.push(Effect::Send { to, msg });
    }

    fn set_timer(&mut self, timer: C::Timer, after: Duration) {
        self.effects.push(Effect::SetTimer { timer, after });
    }

    fn cancel_timer(&mut self, timer: C::Timer) {
        self.effects.push(Effect::CancelTimer(timer));
    }

    fn emit(&mut self, event: C::Event) {
        self.effects.push(Effect::Emit(event));
    }

    fn choose(&mut self, bound: u32) -> u32 {
        (self.choose)(bound)
    }

    fn leave(&mut self) {
        self.effects.push(Effect::Leave);
    }
}

/// A host in which the proofs of its parts hold: their lemmas are lemmas of the host.
///
/// A lemma speaks about a whole system: all parts of one slot, and what is in transit between them.
/// So it is judged in each slot for itself.
pub trait Lifts<C: Protocol>: Hosts<C> {
    /// The slots in which lemmas can be judged: those whose parts can all be [seen](Self::seen). An
    /// epoch that some node has left cannot be judged any more, as what it has forgotten may be
    /// what the lemma looks for.
    fn slots(nodes: &[&Self]) -> Vec<Self::Slot>;

    /// The part in one of these slots, as a lemma sees it; as it will begin, if it has not yet.
    /// `None` if this node takes no part. Those that do are the first of all nodes: a lemma knows
    /// them by their numbers.
    fn seen(&self, slot: &Self::Slot) -> Option<&C>;

    /// The slot that a message of the host belongs to, and the part's message in it;
    /// [`wrap_msg`](Hosts::wrap_msg) the other way round. `None` if it is the host's own.
    fn unwrap_msg(msg: &Self::Msg) -> Option<(Self::Slot, &C::Msg)>;

    /// A lemma about the parts of a slot, as one about their hosts: it has the same name, and holds
    /// if it holds in every slot.
    fn lift(lemma: Invariant<C>) -> Invariant<Self> {
        Invariant::new(lemma.name(), move |system: &Snapshot<'_, Self>| {
            let slots = Self::slots(system.nodes);
            slots.iter().try_for_each(|slot| {
                judge_in(slot, &lemma, system).map_err(|detail| match slots.len() {
                    1 => detail,
                    _ => format!("{slot:?}: {detail}"),
                })
            })
        })
    }
}

fn judge_in<P: Lifts<C>, C: Protocol>(
    slot: &P::Slot,
    lemma: &Invariant<C>,
    system: &Snapshot<'_, P>,
) -> Result<(), String> {
    let mut seen = system.nodes.iter().map(|node| node.seen(slot));
    let nodes: Vec<&C> = seen.by_ref().map_while(|part| part).collect();
    assert!(seen.all(|part| part.is_none()), "the nodes with a part in {slot:?} are the first");
    let sent = system.messages.iter().filter_map(|&(from, to, msg)| {
        let (whose, msg) = P::unwrap_msg(msg)?;
        (whose == *slot).then_some((from, to, msg))
    });
    let messages: Vec<_> = sent.collect();
    let verdict = lemma.judge(&Snapshot { nodes: &nodes, messages: &messages });
    verdict.map_err(|broken| broken.detail)
}

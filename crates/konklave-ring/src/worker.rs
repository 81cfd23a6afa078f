//! A worker: takes messages one at a time and runs the transitions of its node.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use konklave::NodeId;
use konklave::election::{Command, Event};
use konklave::protocol::{Broken, Env, Input, Protocol};
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mailbox::{Mailbox, Next};
use crate::notice::What;
use crate::rest::Busy;
use crate::ring::Shared;

/// The content of a mailbox.
pub(crate) enum Post<P: Protocol> {
    /// A message of another worker.
    Letter { from: NodeId, msg: P::Msg, busy: Busy },
    /// A command of the application, or a report of the failure detector.
    Order(Command, Busy),
    /// Stop in an orderly way.
    Stop,
    /// Crash at once, without telling any other worker.
    Die,
}

/// How a worker ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Stopped,
    Dead,
}

pub(crate) struct Worker<P: Protocol> {
    pub(crate) me: NodeId,
    pub(crate) node: P,
    pub(crate) mailbox: Arc<Mailbox<Post<P>>>,
    pub(crate) desk: Desk<P>,
    /// The token of the input being handled: the ring is not at rest before its consequences hold
    /// their own tokens or, if the transition panics, before that is recorded.
    pub(crate) at_hand: Option<Busy>,
}

/// The [`Env`] of a node in this driver.
pub(crate) struct Desk<P: Protocol> {
    pub(crate) me: NodeId,
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) outbox: Sender<(NodeId, Post<P>)>,
    pub(crate) random: Xoshiro256PlusPlus,
    /// The messages of the current transition. They leave at its end, after its events.
    pub(crate) sent: Vec<(NodeId, P::Msg)>,
    /// The timers that are set, each with its deadline and its token of pending work.
    pub(crate) timers: BTreeMap<P::Timer, (Option<Instant>, Busy)>,
}

impl<P> Worker<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    /// Runs until it is stopped or killed.
    pub(crate) fn run(mut self) {
        self.desk.shared.journal.note(self.me, What::WorkerStarted);
        let end = catch_unwind(AssertUnwindSafe(|| self.work())).unwrap_or_else(|panic| {
            let broken = Broken::promise("assertions hold", said(panic.as_ref()));
            self.desk.shared.journal.breach(broken);
            End::Dead
        });
        match end {
            End::Stopped => {
                self.desk.shared.journal.note(self.me, What::WorkerStopped);
                self.mailbox.close();
            }
            End::Dead => {
                self.desk.shared.journal.died(self.me);
                self.mailbox.bury();
            }
        }
    }

    fn work(&mut self) -> End {
        self.react(Input::Start);
        loop {
            match self.mailbox.take(self.desk.shared.pause, self.desk.next_deadline()) {
                Next::Item(Post::Letter { from, msg, busy }) => {
                    self.at_hand = Some(busy);
                    self.read(from, msg);
                }
                Next::Item(Post::Order(command, busy)) => {
                    self.at_hand = Some(busy);
                    self.note_neighbour(command);
                    self.react(Input::Command(command));
                }
                Next::Item(Post::Stop) | Next::Closed => return End::Stopped,
                Next::Item(Post::Die) => return End::Dead,
                Next::TimeUp => {
                    if let Some((timer, busy)) = self.desk.take_expired() {
                        self.at_hand = Some(busy);
                        self.react(Input::Timer(timer));
                    }
                }
            }
            self.at_hand = None;
        }
    }

    fn read(&mut self, from: NodeId, msg: P::Msg) {
        let vote = (self.desk.shared.read)(&msg);
        self.desk.shared.journal.note(self.me, What::Taken { from, vote });
        if self.react(Input::Message { from, msg }) == 0 {
            self.desk.shared.journal.ends(self.me, vote);
        }
    }

    fn note_neighbour(&self, command: Command) {
        let what = match command {
            Command::Lost(neighbour) => What::Removed { neighbour },
            Command::Found(neighbour) => What::Joined { neighbour },
            Command::Start => return,
        };
        self.desk.shared.journal.note(self.me, what);
    }

    /// Performs one transition and sends its messages; returns their number.
    fn react(&mut self, input: Input<P>) -> usize {
        let shared = Arc::clone(&self.desk.shared);
        let _passed = shared.gate.read().unwrap_or_else(PoisonError::into_inner);
        self.node.on(input, &mut self.desk);
        let sent = std::mem::take(&mut self.desk.sent);
        let count = sent.len();
        for (to, msg) in sent {
            shared.journal.sends(self.me, to, (shared.read)(&msg));
            let letter = Post::Letter { from: self.me, msg, busy: shared.rest.busy() };
            let _ = self.desk.outbox.send((to, letter)); // The courier is gone only if it panicked.
        }
        count
    }
}

impl<P: Protocol> Desk<P> {
    fn next_deadline(&self) -> Option<Instant> {
        self.timers.values().filter_map(|(deadline, _)| *deadline).min()
    }

    fn take_expired(&mut self) -> Option<(P::Timer, Busy)> {
        let now = Instant::now();
        let is_expired = |deadline: Option<Instant>| deadline.is_some_and(|at| at <= now);
        let mut timers = self.timers.iter();
        let (timer, _) = timers.find(|(_, (deadline, _))| is_expired(*deadline))?;
        let timer = timer.clone();
        let (_, busy) = self.timers.remove(&timer)?;
        Some((timer, busy))
    }
}

impl<P> Env<P> for Desk<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    fn send(&mut self, to: NodeId, msg: P::Msg) {
        self.sent.push((to, msg));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Duration) {
        let deadline = Instant::now().checked_add(after); // Never, if out of range.
        self.timers.insert(timer, (deadline, self.shared.rest.busy()));
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.timers.remove(&timer);
    }

    fn emit(&mut self, event: Event) {
        self.shared.journal.event(self.me, event);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        ((u128::from(self.random.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// Workers stay: no election lets a node leave.
    fn leave(&mut self) {}
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a worker panicked")
}

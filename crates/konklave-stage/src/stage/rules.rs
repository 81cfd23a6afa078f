//! What may happen next.

use konklave::NodeId;
use konklave::protocol::{Monitor, Protocol};

use super::{Impossible, Letter, Stage};
use crate::action::Action;
use crate::application::Application;
use crate::local::{Local, Status, Urge};

/// The order in which the messages of a channel arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Any.
    Any,
    /// First in, first out.
    Fifo,
}

/// When timers run out and crashes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At any time.
    Free,
    /// Crashes are noticed when nothing is in transit, and timers run out when nothing is left to
    /// be noticed: messages are faster than notices, and these than timers.
    Patient,
}

impl<P, A, M> Stage<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Everything that may happen now, in a fixed order, but for faults and forged messages: each
    /// node's commands and timers, then deliveries.
    pub fn enabled(&self) -> Vec<Action<P>> {
        let mut enabled = Vec::new();
        for (node, local) in self.nodes().zip(&self.locals) {
            for action in local.inputs().into_iter().filter_map(|it| Action::own(node, it.1)) {
                // A command can be a wish and a notice.
                if self.allows(&action) && !enabled.contains(&action) {
                    enabled.push(action);
                }
            }
        }
        let arrivals = self.transit.keys().map(|&number| self.arrival(number));
        enabled.extend(arrivals.filter(|action| self.allows(action)));
        enabled
    }

    /// Every fault that can happen now: nodes crash and restart, messages are lost and duplicated.
    pub fn faults(&self) -> Vec<Action<P>> {
        let nodes = self.nodes().zip(&self.locals).filter_map(|(node, local)| match local.status {
            Status::Asleep | Status::Gone => None,
            Status::Up => Some(Action::Crash(node)),
            Status::Down | Status::Away => Some(Action::Restart(node)),
        });
        let numbers = self.transit.keys();
        let messages = numbers.flat_map(|&it| [Action::Lose(it), Action::Duplicate(it)]);
        nodes.chain(messages).collect()
    }

    /// Whether something may happen now: it is possible, its application may ask for it, and the
    /// rules about order and pace let it happen. Faults know no rules.
    pub fn allows(&self, action: &Action<P>) -> bool {
        if self.possible(action).is_err() {
            return false;
        }
        let are_awake = self.locals.iter().all(|local| local.status != Status::Asleep);
        match action {
            // All nodes start before anything else happens.
            Action::Command { node, command } => {
                let application = &self.locals[node.index()].application;
                let is_notice = application.notices().contains(command);
                are_awake && application.may(command) && (!is_notice || self.can_notice())
            }
            Action::Timer { .. } | Action::Tick(_) => are_awake && self.can_time_out(),
            Action::Deliver(number) | Action::Return(number) => {
                are_awake && self.can_arrive(&self.transit[number].0)
            }
            Action::DeliverForged { .. } => are_awake,
            Action::Start(_)
            | Action::Lose(_)
            | Action::Duplicate(_)
            | Action::Crash(_)
            | Action::Restart(_)
            | Action::Forge { .. }
            | Action::Spoil { .. }
            | Action::Damage { .. } => true,
        }
    }

    /// What happens next to a message in transit: it arrives, or it comes back.
    pub fn arrival(&self, number: u32) -> Action<P> {
        match self.letter(number).is_ok_and(|letter| self.comes_back(letter)) {
            true => Action::Return(number),
            false => Action::Deliver(number),
        }
    }

    /// Whether nothing has to happen: no message is in transit but to crashed nodes, no timer is
    /// pending, no node acts by itself, and applications may ask for something, but need not.
    pub fn is_at_rest(&self) -> bool {
        let is_wish = |(urge, _): &(Urge, _)| *urge == Urge::Wish;
        let rests = |local: &Local<P, A>| local.inputs().iter().all(is_wish);
        !self.is_any_in_transit() && self.locals.iter().all(rests)
    }

    fn can_arrive(&self, letter: &Letter<P>) -> bool {
        let mut older = self.transit.range(..letter.number).map(|(_, (older, _))| older);
        match self.order {
            Order::Any => true,
            Order::Fifo => !older.any(|it| (it.from, it.to) == (letter.from, letter.to)),
        }
    }

    fn can_notice(&self) -> bool {
        self.pace == Pace::Free || !self.is_any_in_transit()
    }

    fn can_time_out(&self) -> bool {
        let has_notices = |local: &Local<P, A>| {
            local.status == Status::Up && !local.application.notices().is_empty()
        };
        self.pace == Pace::Free || !self.is_any_in_transit() && !self.locals.iter().any(has_notices)
    }

    /// Whether a message is in transit that a node will receive, or get back, and not miss.
    fn is_any_in_transit(&self) -> bool {
        self.transit.values().any(|(it, _)| match self.locals[it.to.index()].status {
            Status::Down | Status::Away => false,
            Status::Gone => self.comes_back(it),
            Status::Asleep | Status::Up => true,
        })
    }

    /// Whether the receiver of a message has left, while its sender is still there.
    fn comes_back(&self, letter: &Letter<P>) -> bool {
        let status = |node: NodeId| self.local(node).map(|local| local.status);
        status(letter.to) == Ok(Status::Gone) && status(letter.from) == Ok(Status::Up)
    }

    /// Whether something can happen at all, allowed or not.
    pub(super) fn possible(&self, action: &Action<P>) -> Result<(), Impossible> {
        match action {
            Action::Start(node) => self.expect(*node, Status::Asleep),
            Action::Restart(node) => self.expect(*node, Status::Down),
            Action::Command { node, .. }
            | Action::Tick(node)
            | Action::Crash(node)
            | Action::Spoil { node, .. }
            | Action::Damage { node, .. } => self.expect(*node, Status::Up),
            Action::Timer { node, timer } => {
                self.expect(*node, Status::Up)?;
                match self.locals[node.index()].timers.contains(timer) {
                    true => Ok(()),
                    false => {
                        Err(Impossible::NotPending { node: *node, timer: format!("{timer:?}") })
                    }
                }
            }
            Action::Deliver(number) => {
                let to = self.letter(*number)?.to;
                match self.local(to)?.status {
                    Status::Asleep => self.expect(to, Status::Up),
                    Status::Gone if self.comes_back(self.letter(*number)?) => {
                        self.expect(to, Status::Up)
                    }
                    Status::Up | Status::Down | Status::Away | Status::Gone => Ok(()),
                }
            }
            Action::Return(number) => {
                let letter = self.letter(*number)?;
                self.expect(letter.to, Status::Gone)?;
                self.expect(letter.from, Status::Up)
            }
            Action::DeliverForged { from, to, .. } => {
                self.expect(*to, Status::Up)?;
                let is_forged = self.forged.contains_key(&(*from, *to));
                if is_forged { Ok(()) } else { Err(Impossible::NotForged) }
            }
            Action::Lose(number) | Action::Duplicate(number) => self.letter(*number).map(drop),
            Action::Forge { to, .. } => self.local(*to).map(drop),
        }
    }

    fn expect(&self, node: NodeId, expected: Status) -> Result<(), Impossible> {
        match self.local(node)?.status {
            status if status == expected => Ok(()),
            status => Err(Impossible::Status { node, status }),
        }
    }
}

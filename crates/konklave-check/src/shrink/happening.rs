//! What happens in a recorded schedule, as a list from which things can be taken away.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Input, Invariant, Protocol};
use konklave::trace::{Fault, Line, Step};
use konklave_stage::local::choices_in;
use konklave_stage::{Action, Letter};

use crate::system::Order;

/// Something that happens. The first start of each node is left out: it always does. Messages are
/// meant by what they say, because their numbers change when something is taken away.
#[derive(Clone, Debug)]
pub(crate) enum Happening<P: Protocol> {
    /// Anything that has nothing to do with a message that was sent.
    Act { action: Action<P>, choices: Vec<u32> },
    /// A message arrives, or comes back.
    Arrive { letter: Letter<P>, choices: Vec<u32> },
    /// A message is lost. If its channel holds equal messages that were sent before it, these stay:
    /// where the order matters, it matters which of them is lost.
    Lose { letter: Letter<P>, before: usize },
    /// A message is duplicated when it is sent.
    Duplicate(Letter<P>),
    /// A message is forged and arrives.
    Forge { from: NodeId, to: NodeId, msg: P::Msg, choices: Vec<u32> },
    /// A crashed node restarts.
    Restart { node: NodeId, choices: Vec<u32> },
}

/// A recorded schedule.
pub(crate) struct Recorded<P: Protocol> {
    /// The choices of each node when it starts.
    pub(crate) starts: Vec<Vec<u32>>,
    /// What happens then.
    pub(crate) happenings: Vec<Happening<P>>,
    /// The promise that is broken at the end.
    pub(crate) broken: Broken,
    /// Whether messages overtake each other.
    pub(crate) order: Order,
    /// The invariants of the algorithm.
    pub(crate) invariants: Vec<Invariant<P>>,
}

/// Why a schedule cannot be shrunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The trace breaks no promise.
    NothingBroken,
    /// The last steps repeat for ever, and such schedules cannot be shrunk.
    Endless,
    /// Its end is missing, or it mentions nodes or messages that do not exist.
    Damaged,
    /// The replay does not break the promise.
    Unrepeatable,
}

impl<P: Protocol> Recorded<P> {
    /// Reads the lines of a trace of these nodes.
    pub(crate) fn read(nodes: &[P], lines: &[Line<P>]) -> Result<Self, Unfit> {
        let mut reader = Reader {
            starts: vec![None; nodes.len()],
            happenings: Vec::new(),
            letters: Vec::new(),
            duplicates: duplicates(lines),
            pending: BTreeMap::new(),
            order: Order::Fifo,
        };
        for line in lines {
            match line {
                Line::Step(step) => reader.step(step)?,
                Line::Fault { what, .. } => reader.fault(what)?,
                Line::Loop { .. } => return Err(Unfit::Endless),
                Line::End(end) => {
                    let broken = end.broken.clone().ok_or(Unfit::NothingBroken)?;
                    let Reader { starts, happenings, order, .. } = reader;
                    let starts = starts.into_iter().map(Option::unwrap_or_default).collect();
                    let invariants = nodes.iter().take(1).flat_map(P::invariants).collect();
                    return Ok(Self { starts, happenings, broken, order, invariants });
                }
            }
        }
        Err(Unfit::Damaged)
    }

    /// The schedule of a system in which nodes have other numbers, or are gone: what happens at a
    /// node that is gone, or between it and others, is left out.
    pub(crate) fn renamed(
        mut self,
        place: &dyn Fn(NodeId) -> Option<NodeId>,
        rename: &dyn Fn(&P::Command) -> Option<P::Command>,
    ) -> Self {
        let starts = self.starts.drain(..).zip(0..);
        let starts = starts.filter(|(_, node)| place(NodeId(*node)).is_some());
        let starts = starts.map(|(choices, _)| choices).collect();
        let happenings = self.happenings.drain(..);
        let happenings = happenings.filter_map(|it| it.renamed(place, rename)).collect();
        Self { starts, happenings, ..self }
    }
}

impl<P: Protocol> Happening<P> {
    fn renamed(
        self,
        place: &dyn Fn(NodeId) -> Option<NodeId>,
        rename: &dyn Fn(&P::Command) -> Option<P::Command>,
    ) -> Option<Self> {
        let letter = |letter: Letter<P>| {
            Some(Letter { from: place(letter.from)?, to: place(letter.to)?, ..letter })
        };
        Some(match self {
            Self::Act { action, choices } => {
                let action = match action {
                    Action::Command { node, command } => {
                        Action::Command { node: place(node)?, command: rename(&command)? }
                    }
                    Action::Timer { node, timer } => Action::Timer { node: place(node)?, timer },
                    Action::Tick(node) => Action::Tick(place(node)?),
                    Action::Crash(node) => Action::Crash(place(node)?),
                    Action::Damage { node, name, choices } => {
                        Action::Damage { node: place(node)?, name, choices }
                    }
                    Action::Spoil { node, messages } => {
                        let messages = messages.into_iter();
                        let messages = messages.filter_map(|(from, msg)| Some((place(from)?, msg)));
                        Action::Spoil { node: place(node)?, messages: messages.collect() }
                    }
                    // Everything else happens to messages, or has a variant of its own.
                    _ => return None,
                };
                Self::Act { action, choices }
            }
            Self::Arrive { letter: it, choices } => Self::Arrive { letter: letter(it)?, choices },
            Self::Lose { letter: it, before } => Self::Lose { letter: letter(it)?, before },
            Self::Duplicate(it) => Self::Duplicate(letter(it)?),
            Self::Forge { from, to, msg, choices } => {
                Self::Forge { from: place(from)?, to: place(to)?, msg, choices }
            }
            Self::Restart { node, choices } => Self::Restart { node: place(node)?, choices },
        })
    }
}

/// The commands that applications give in a trace.
pub fn commands<P: Protocol>(lines: &[Line<P>]) -> Vec<(NodeId, P::Command)> {
    let command = |line: &Line<P>| match line {
        Line::Step(Step { node, input: Input::Command(command), .. }) => {
            Some((*node, command.clone()))
        }
        _ => None,
    };
    lines.iter().filter_map(command).collect()
}

/// How many duplicates of each message there are.
fn duplicates<P: Protocol>(lines: &[Line<P>]) -> BTreeMap<u32, u32> {
    let mut duplicates = BTreeMap::new();
    for line in lines {
        if let Line::Fault { what: Fault::Doubled(number), .. } = line {
            *duplicates.entry(*number).or_default() += 1;
        }
    }
    duplicates
}

struct Reader<P: Protocol> {
    starts: Vec<Option<Vec<u32>>>,
    happenings: Vec<Happening<P>>,
    /// All messages, by their numbers.
    letters: Vec<Letter<P>>,
    duplicates: BTreeMap<u32, u32>,
    /// What is in transit on each channel, in the order of sending.
    pending: BTreeMap<(NodeId, NodeId), Vec<u32>>,
    order: Order,
}

impl<P: Protocol> Reader<P> {
    fn step(&mut self, step: &Step<P>) -> Result<(), Unfit> {
        let Step { node, input, number, effects, .. } = step;
        let node = *node;
        let choices: Vec<u32> = choices_in(effects).map(|(_, value)| value).collect();
        let start = self.starts.get_mut(node.index()).ok_or(Unfit::Damaged)?;
        match (input, number) {
            (Input::Start, _) if start.is_none() => *start = Some(choices),
            (Input::Start, _) => {
                // It belongs to the restart before it.
                let restarts = self.happenings.iter_mut().rev();
                let restart = restarts.into_iter().find_map(|happening| match happening {
                    Happening::Restart { node: other, choices } if *other == node => Some(choices),
                    _ => None,
                });
                *restart.ok_or(Unfit::Damaged)? = choices;
            }
            (Input::Message { .. } | Input::Returned { .. }, Some(number)) => {
                self.arrive(*number, choices)?;
            }
            (Input::Returned { .. }, None) => return Err(Unfit::Damaged),
            (Input::Message { from, msg }, None) => {
                let (from, msg) = (*from, msg.clone());
                self.happenings.push(Happening::Forge { from, to: node, msg, choices });
            }
            (Input::Command(_) | Input::Timer(_) | Input::Tick, _) => {
                let action = Action::own(node, input.clone());
                self.happenings.extend(action.map(|action| Happening::Act { action, choices }));
            }
        }
        for effect in effects {
            if let Effect::Send { to, msg } = effect {
                let number = self.letters.len() as u32;
                self.send(Letter { number, from: node, to: *to, msg: msg.clone() });
            }
        }
        Ok(())
    }

    /// A message that is duplicated is so from the beginning, whenever that shows.
    fn send(&mut self, letter: Letter<P>) {
        let pending = self.pending.entry((letter.from, letter.to)).or_default();
        pending.push(letter.number);
        for _ in 0..self.duplicates.get(&letter.number).copied().unwrap_or(0) {
            self.happenings.push(Happening::Duplicate(letter.clone()));
            pending.push(letter.number);
        }
        self.letters.push(letter);
    }

    /// Takes a message out of its channel; how many are there before it.
    fn take(&mut self, number: u32) -> Result<(Letter<P>, usize), Unfit> {
        let letter = self.letters.get(number as usize).cloned().ok_or(Unfit::Damaged)?;
        let pending = self.pending.entry((letter.from, letter.to)).or_default();
        let place = pending.iter().position(|other| *other == number).ok_or(Unfit::Damaged)?;
        pending.remove(place);
        Ok((letter, place))
    }

    fn arrive(&mut self, number: u32, choices: Vec<u32>) -> Result<(), Unfit> {
        let (letter, place) = self.take(number)?;
        if place > 0 {
            self.order = Order::Any;
        }
        self.happenings.push(Happening::Arrive { letter, choices });
        Ok(())
    }

    fn act(&mut self, action: Action<P>) {
        self.happenings.push(Happening::Act { action, choices: Vec::new() });
    }

    fn fault(&mut self, fault: &Fault<P>) -> Result<(), Unfit> {
        match fault {
            Fault::Lost(number) => {
                let (letter, place) = self.take(*number)?;
                let before = self.pending[&(letter.from, letter.to)].iter().take(place);
                let is_equal = |other: &&u32| self.letters[**other as usize].msg == letter.msg;
                let before = before.filter(is_equal).count();
                self.happenings.push(Happening::Lose { letter, before });
            }
            Fault::Missed(number) => self.arrive(*number, Vec::new())?,
            Fault::Restart(node) => {
                self.happenings.push(Happening::Restart { node: *node, choices: Vec::new() });
            }
            Fault::Crash(node) => self.act(Action::Crash(*node)),
            Fault::Garbage { node, messages } => {
                self.act(Action::Spoil { node: *node, messages: messages.clone() });
            }
            Fault::Damage { node, name, choices } => self.act(Action::Damage {
                node: *node,
                name: name.clone(),
                choices: choices.clone(),
            }),
            // Duplicates were seen before, forgeries show when they arrive, and what merely holds
            // messages back is the same as bad luck.
            Fault::Doubled(_)
            | Fault::Forged { .. }
            | Fault::Pause(_)
            | Fault::Resume(_)
            | Fault::Partition(_)
            | Fault::Heal(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use konklave::mutex::ricart_agrawala::RicartAgrawala;

    use super::*;

    /// Where node 0 is gone, what the others do by themselves goes on.
    #[test]
    fn turns_move_with_their_node() {
        let place = |node: NodeId| node.0.checked_sub(1).map(NodeId);
        let turn = |node| Happening::<RicartAgrawala>::Act {
            action: Action::Tick(NodeId(node)),
            choices: Vec::new(),
        };
        let renamed = |node| match turn(node).renamed(&place, &|command| Some(*command)) {
            Some(Happening::Act { action: Action::Tick(node), .. }) => Some(node),
            _ => None,
        };
        assert_eq!((renamed(0), renamed(2)), (None, Some(NodeId(1))));
    }
}

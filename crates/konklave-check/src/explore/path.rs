//! The way to a state, as a trace.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Input, Monitor, Protocol};
use konklave::trace::{End, Fault, Line, Step};

use super::{Finding, Space};
use crate::application::Application;
use crate::code::Packet;
use crate::lookup::ask;
use crate::report::{Counterexample, Schedule};
use crate::seen::{NOBODY, StateId};
use crate::successors::{Action, Successor, Successors};

/// The promise that a run ends, where nodes should come to rest.
pub(super) const COMES_TO_REST: &str = "comes to rest";

/// A step of a schedule: the row before it, and what happens.
pub(super) struct Move {
    pub(super) row: Vec<u32>,
    pub(super) successor: Successor,
}

impl<P, A, M> Space<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    pub(super) fn counterexample(&self, finding: Finding) -> Counterexample<P> {
        let Finding { state, successor, broken } = finding;
        let mut successors = Successors::new(&self.shared);
        let (mut moves, row) = self.way_to(state, &mut successors);
        if let Some(Successor { action, print, .. }) = successor {
            // Found by another thread, whose outcomes have other places.
            let mut all = Vec::new();
            successors.of(&row, self.shape.print(&row), &mut |successor| all.push(successor));
            let successor = all.into_iter().find(|it| (it.action, it.print) == (action, print));
            moves.push(Move { row, successor: successor.expect("it was found before") });
        }
        let schedule = self.schedule(&moves, None, Some(&broken), &mut successors);
        Counterexample { broken, schedule, cycle: None }
    }

    /// The moves from the first state to this one, and its row.
    pub(super) fn way_to(
        &self,
        state: StateId,
        successors: &mut Successors<'_, P, A, M>,
    ) -> (Vec<Move>, Vec<u32>) {
        let before = |state: &StateId| Some(self.seen.parent(*state)).filter(|it| *it != NOBODY);
        let mut states: Vec<_> = std::iter::successors(Some(state), before).collect();
        states.reverse();
        self.way_along(&states, successors)
    }

    /// The moves along these states, each of which follows from the one before.
    pub(super) fn way_along(
        &self,
        states: &[StateId],
        successors: &mut Successors<'_, P, A, M>,
    ) -> (Vec<Move>, Vec<u32>) {
        let mut row = self.first.clone();
        let mut moves = Vec::new();
        for &next in &states[1..] {
            let (successor, next_row) = self.towards(&row, next, successors);
            moves.push(Move { row, successor });
            row = next_row;
        }
        (moves, row)
    }

    /// What leads from a state to one that follows it, and the row of that.
    fn towards(
        &self,
        row: &[u32],
        next: StateId,
        successors: &mut Successors<'_, P, A, M>,
    ) -> (Successor, Vec<u32>) {
        let mut all = Vec::new();
        successors.of(row, self.shape.print(row), &mut |successor| all.push(successor));
        let mut next_row = Vec::new();
        for successor in all {
            if successor.monitor == crate::lookup::BROKEN {
                continue;
            }
            successors.write(row, successor, &mut next_row);
            if self.seen.find(successor.print, &next_row) == Some(next) {
                return (successor, next_row);
            }
        }
        unreachable!("the next state follows from this one");
    }

    /// Moves as a trace. From the move `repeats` on they can go on for ever.
    pub(super) fn schedule(
        &self,
        moves: &[Move],
        repeats: Option<usize>,
        broken: Option<&Broken>,
        successors: &mut Successors<'_, P, A, M>,
    ) -> Schedule<P> {
        let mut script =
            Script { space: self, lines: Vec::new(), transit: VecDeque::new(), sent: 0 };
        for (at, Move { row, successor }) in moves.iter().enumerate() {
            if repeats == Some(at) {
                script.lines.push(Line::Loop { at: at as u64 });
            }
            let index = successors.reaction(row, *successor);
            script.play(at as u64, row, *successor, index);
        }
        let steps = script.lines.iter().filter(|line| matches!(line, Line::Step(_))).count();
        script.lines.push(Line::End(End {
            ended: if broken.is_some() { "violation" } else { "quiescence" }.to_owned(),
            time: moves.len() as u64,
            steps: steps as u64,
            broken: broken.cloned(),
        }));
        script.lines
    }
}

/// A trace that is being written.
struct Script<'a, P: Protocol, A, M> {
    space: &'a Space<P, A, M>,
    lines: Vec<Line<P>>,
    /// What is in transit, with the numbers of the messages, in the order of sending.
    transit: VecDeque<(Packet, u32)>,
    sent: u32,
}

impl<P, A, M> Script<'_, P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Writes what happens; if a node takes a step, `index` says which of its reactions it is.
    fn play(&mut self, at: u64, row: &[u32], successor: Successor, index: usize) {
        let packets = self.space.shape.packets(row);
        let packet = |place: u16| packets[usize::from(place)];
        match successor.action {
            Action::Own { node, index: input } => {
                let node = NodeId(node.into());
                let code = self.space.shape.codes.own(node, input.into());
                self.step(at, row, node, code, None, index);
            }
            Action::Deliver { place } => {
                let number = self.take(packet(place));
                self.arrive(at, row, packet(place), number, index);
            }
            Action::Duplicate { place } => {
                let number = self.number(packet(place));
                self.arrive(at, row, packet(place), number, index);
                self.lines.push(Line::Fault { at, what: Fault::Doubled(number) });
            }
            Action::Lose { place } => {
                let number = self.take(packet(place));
                self.lines.push(Line::Fault { at, what: Fault::Lost(number) });
            }
            Action::Crash { node } => {
                let node = NodeId(node.into());
                self.lines.push(Line::Fault { at, what: Fault::Crash(node) });
                let codes = self.space.shape.codes;
                let missed: Vec<_> =
                    self.transit.iter().filter(|(it, _)| codes.receiver(*it) == node).collect();
                for &&(_, number) in &missed {
                    self.lines.push(Line::Fault { at, what: Fault::Missed(number) });
                }
                self.transit.retain(|(it, _)| codes.receiver(*it) != node);
            }
        }
    }

    fn arrive(&mut self, at: u64, row: &[u32], packet: Packet, number: u32, index: usize) {
        let node = self.space.shape.codes.receiver(packet);
        self.step(at, row, node, packet, Some(number), index);
    }

    fn place(&self, packet: Packet) -> usize {
        self.transit.iter().position(|(it, _)| *it == packet).expect("it is in transit")
    }

    fn number(&self, packet: Packet) -> u32 {
        self.transit[self.place(packet)].1
    }

    fn take(&mut self, packet: Packet) -> u32 {
        self.transit.remove(self.place(packet)).expect("it was just found").1
    }

    fn step(
        &mut self,
        at: u64,
        row: &[u32],
        node: NodeId,
        code: u32,
        number: Option<u32>,
        index: usize,
    ) {
        let mut dictionary = ask(&self.space.shared);
        let local = row[node.index()];
        let input: Input<P> = dictionary.input(local, code);
        let reaction = dictionary.local_at(local).reactions(&input).swap_remove(index);
        let mut sends = dictionary.step(node, local, code)[index].sends.clone().into_iter();
        let mut missed = Vec::new();
        for effect in &reaction.effects {
            let Effect::Send { to, .. } = effect else { continue };
            let Some(packet) = sends.next() else { break };
            match dictionary.is_down(row[to.index()]) {
                true => missed.push(Fault::Missed(self.sent)),
                false => self.transit.push_back((packet, self.sent)),
            }
            self.sent += 1;
        }
        let state = Some(format!("{:?}", reaction.local.node));
        let effects = reaction.effects;
        self.lines.push(Line::Step(Step { at, node, input, number, effects, state }));
        self.lines.extend(missed.into_iter().map(|what| Line::Fault { at, what }));
    }
}

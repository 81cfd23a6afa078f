//! A schedule as a trace.

use std::collections::VecDeque;

use konklave::NodeId;
use konklave::protocol::{Effect, Input, Monitor, Protocol};
use konklave::trace::{End, Fault, Line, Step};

use crate::application::Application;
use crate::code::Packet;
use crate::dictionary::Dictionary;
use crate::explore::{Move, Way};
use crate::meaning::Meaning;
use crate::report::Schedule;
use crate::shape::Shape;
use crate::successors::Action;

impl<P, A, M> Dictionary<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Writes down what a schedule means.
    pub(crate) fn script(&mut self, way: Way) -> Schedule<P> {
        let Way { moves, repeats, broken } = way;
        let shape = Shape::new(self.nodes(), self.codes, self.world());
        let lines = Vec::new();
        let mut script =
            Script { dictionary: self, shape, lines, transit: VecDeque::new(), sent: 0 };
        for (at, a_move) in moves.iter().enumerate() {
            if repeats == Some(at) {
                script.lines.push(Line::Loop { at: at as u64 });
            }
            script.play(at as u64, a_move);
        }
        let mut lines = script.lines;
        let steps = lines.iter().filter(|line| matches!(line, Line::Step(_))).count();
        lines.push(Line::End(End {
            ended: if broken.is_some() { "violation" } else { "quiescence" }.to_owned(),
            time: moves.len() as u64,
            steps: steps as u64,
            broken,
        }));
        lines
    }
}

/// A trace that is being written.
struct Script<'a, P: Protocol, A, M> {
    dictionary: &'a mut Dictionary<P, A, M>,
    shape: Shape,
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
    /// Writes what happens.
    fn play(&mut self, at: u64, a_move: &Move) {
        let Move { row, action, reaction } = a_move;
        let index = *reaction;
        let packets = self.shape.packets(row);
        let packet = |place: u16| packets[usize::from(place)];
        match *action {
            Action::Own { node, index: input } => {
                let node = NodeId(node.into());
                let code = self.shape.codes.own(node, input.into());
                self.step(at, row, node, code, None, index);
            }
            Action::Deliver { place } => {
                let number = self.take(packet(place));
                self.arrive(at, row, packet(place), number, index);
            }
            Action::Duplicate { place } => {
                let number = self.number(packet(place));
                self.lines.push(Line::Fault { at, what: Fault::Doubled(number) });
                self.arrive(at, row, packet(place), number, index);
            }
            Action::Lose { place } => {
                let number = self.take(packet(place));
                self.lines.push(Line::Fault { at, what: Fault::Lost(number) });
            }
            Action::Crash { node } => {
                let node = NodeId(node.into());
                self.lines.push(Line::Fault { at, what: Fault::Crash(node) });
                let codes = self.shape.codes;
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
        let node = self.shape.codes.receiver(packet);
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
        let dictionary = &mut *self.dictionary;
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

//! A schedule as a trace.

use konklave::NodeId;
use konklave::protocol::{Input, Monitor, Protocol};
use konklave_stage::Action as StageAction;
use konklave_stage::local::choices_in;

use crate::application::Application;
use crate::chronicle::Chronicle;
use crate::code::Packet;
use crate::dictionary::Dictionary;
use crate::explore::{Move, Way};
use crate::meaning::Meaning;
use crate::report::Schedule;
use crate::shape::Shape;
use crate::successors::Action;
use crate::system::System;

impl<P, A, M> Dictionary<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Writes down what a schedule of this system means.
    pub(crate) fn script(&self, system: &System<P, A, M>, way: Way) -> Schedule<P> {
        let Way { moves, repeats, broken } = way;
        let shape = Shape::new(self.nodes(), self.codes, self.world());
        let chronicle = Chronicle::new(system).kept();
        let mut script = Script { dictionary: self, shape, chronicle };
        for (place, a_move) in moves.iter().enumerate() {
            if repeats == Some(place) {
                script.chronicle.mark_loop();
            }
            script.play(a_move);
        }
        script.chronicle.end(broken)
    }
}

/// A trace that is being written.
struct Script<'a, P: Protocol, A, M> {
    dictionary: &'a Dictionary<P, A, M>,
    shape: Shape,
    chronicle: Chronicle<P, A, M>,
}

impl<P, A, M> Script<'_, P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// Lets happen what happens.
    fn play(&mut self, a_move: &Move) {
        let Move { row, action, reaction } = a_move;
        let packets = self.shape.packets(row);
        let packet = |place: u16| packets[usize::from(place)];
        match *action {
            Action::Own { node, index } => {
                let node = NodeId(node.into());
                let code = self.shape.codes.own(node, index.into());
                let input = self.dictionary.input(row[node.index()], code);
                let choices = self.choices(row, node, &input, *reaction);
                let action = StageAction::own(node, input).expect("no message comes from within");
                self.chronicle.happen(&action, &choices);
            }
            Action::Deliver { place } => self.arrive(row, packet(place), *reaction),
            Action::Duplicate { place } => {
                let number = self.number(packet(place));
                self.chronicle.happen(&StageAction::Duplicate(number), &[]);
                self.arrive(row, packet(place), *reaction);
            }
            Action::Lose { place } => {
                let number = self.number(packet(place));
                self.chronicle.happen(&StageAction::Lose(number), &[]);
            }
            Action::Crash { node } => {
                self.chronicle.happen(&StageAction::Crash(NodeId(node.into())), &[]);
            }
        }
        self.chronicle.miss();
    }

    fn arrive(&mut self, row: &[u32], packet: Packet, reaction: usize) {
        let node = self.shape.codes.receiver(packet);
        let input = self.dictionary.input(row[node.index()], packet);
        let choices = self.choices(row, node, &input, reaction);
        self.chronicle.happen(&StageAction::Deliver(self.number(packet)), &choices);
    }

    /// The number of the oldest such message in transit.
    fn number(&self, packet: Packet) -> u32 {
        let codes = self.shape.codes;
        let (from, to) = (codes.sender(packet), codes.receiver(packet));
        let msg = self.dictionary.message_at(packet);
        let mut transit = self.chronicle.stage.transit();
        let letter = transit.find(|it| (it.from, it.to, &it.msg) == (from, to, msg));
        letter.expect("it is in transit").number
    }

    /// The choices by which a node shows this reaction.
    fn choices(&self, row: &[u32], node: NodeId, input: &Input<P>, reaction: usize) -> Vec<u32> {
        let reactions = self.dictionary.local_at(row[node.index()]).reactions(input);
        choices_in(&reactions[reaction].1.effects).map(|(_, value)| value).collect()
    }
}

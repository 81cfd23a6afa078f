//! A schedule as a trace.

use konklave::protocol::{Input, Monitor, Protocol};
use konklave::trace::Fault;
use konklave::{NodeId, NodeSet};
use konklave_stage::Action as StageAction;
use konklave_stage::local::choices_in;

use crate::application::Application;
use crate::chronicle::Chronicle;
use crate::code::Packet;
use crate::dictionary::Dictionary;
use crate::explore::{Move, Way};
use crate::meaning::{Meaning, Outage};
use crate::report::Schedule;
use crate::shape::{Shape, Side};
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
        let mut script = Script { dictionary: self, shape, chronicle, gone: NodeSet::new() };
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
    /// The nodes that have crashed for ever.
    gone: NodeSet,
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
        let sent_before = self.chronicle.stage.sent();
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
            Action::Back { place } => {
                let (node, packet) = (self.shape.codes.sender(packet(place)), packet(place));
                let msg = self.dictionary.message_at(packet).clone();
                let input = Input::Returned { to: self.shape.codes.receiver(packet), msg };
                let choices = self.choices(row, node, &input, *reaction);
                self.chronicle.happen(&StageAction::Return(self.number(packet)), &choices);
            }
            Action::Lose { place } => {
                let number = self.number(packet(place));
                self.chronicle.happen(&StageAction::Lose(number), &[]);
            }
            Action::Miss { place } => {
                let number = self.number(packet(place));
                self.chronicle.happen(&StageAction::Deliver(number), &[]);
            }
            Action::Crash { node, outage } => {
                let node = NodeId(node.into());
                self.chronicle.happen(&StageAction::Crash(node), &[]);
                if outage == Outage::Final {
                    self.gone.insert(node);
                }
            }
            Action::Return { node } => self.restart(NodeId(node.into()), *reaction),
            Action::Cut { side } => self.chronicle.note(Fault::Partition(self.groups(side))),
            Action::Heal => {
                let groups = self.groups(self.shape.side(row));
                self.chronicle.note(Fault::Heal(groups));
            }
        }
        self.chronicle.stop(|letter| {
            let packet = self.shape.codes.packet(letter.from, letter.to, 0);
            if self.gone.contains(letter.to) {
                Some(StageAction::Deliver(letter.number)) // It is missed.
            } else if letter.number >= sent_before
                && self.shape.crosses(self.shape.side(row), packet)
            {
                Some(StageAction::Lose(letter.number))
            } else {
                None
            }
        });
    }

    /// A node returns and starts.
    fn restart(&mut self, node: NodeId, reaction: usize) {
        self.chronicle.happen(&StageAction::Restart(node), &[]);
        let reactions = self.chronicle.stage.locals()[node.index()].reactions(&Input::Start);
        let choices: Vec<_> =
            choices_in(&reactions[reaction].1.effects).map(|(_, value)| value).collect();
        self.chronicle.happen(&StageAction::Start(node), &choices);
    }

    /// The groups of a cut, as options and traces name them.
    fn groups(&self, side: Side) -> String {
        let beyond = |node: &usize| side >> node & 1 == 1;
        let (there, here): (Vec<_>, Vec<_>) = (0..self.shape.nodes).partition(beyond);
        let group = |nodes: Vec<usize>| {
            let names: Vec<_> = nodes.iter().map(usize::to_string).collect();
            names.join(",")
        };
        format!("{}/{}", group(here), group(there))
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

//! Every value that occurs has a number, and every step of a node is taken once and remembered.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::protocol::references::{self, Acquaintances};
use konklave::protocol::{Broken, Effect, Input, Invariant, Monitor, Protocol, Snapshot};
use konklave_stage::local::{Local, Reaction, Status, Urge, failed_assertion, judge_send};

use crate::application::{Application, Standing};
use crate::code::{Codes, Packet};
use crate::meaning::{
    AT_FAULT, IN_SILENCE, Meaning, NO_NEWS, NumberMap, Outage, Traits, Transition, bytes_of, pair,
};
use crate::numbers::Numbers;
use crate::system::{CHANCE, CONVERGENCE, System, World};

/// All values by their numbers, and all steps that were ever taken.
pub(crate) struct Dictionary<P: Protocol, A, M> {
    pub(crate) codes: Codes,
    world: World,
    /// Those that have to hold.
    invariants: Vec<Invariant<P>>,
    /// When a state is legal, and when it is connected, if nodes repair themselves.
    legality: Option<(Invariant<P>, Invariant<P>)>,
    /// The messages that have come back.
    returned: Numbers<Packet>,
    fresh: Vec<Local<P, A>>,
    locals: Numbers<Local<P, A>>,
    messages: Numbers<P::Msg>,
    monitors: Numbers<M>,
    news: Numbers<(NodeId, Vec<Heard<P>>)>,
    duties: Numbers<(NodeId, Input<P>)>,
    steps: NumberMap<Vec<Transition>>,
    /// What the transitions of all steps take.
    transition_bytes: usize,
    judgements: NumberMap<Result<u32, Broken>>,
}

/// Something about a node that its monitor is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Heard<P: Protocol> {
    Command(P::Command),
    Event(P::Event),
    Crash,
    Restart,
    /// It breaks a promise that every node keeps: an assertion of its own has failed, say.
    Breach(Broken),
}

impl<P, A, M> Dictionary<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    /// A dictionary, and the first state: all nodes asleep, and the monitor.
    pub(crate) fn new(system: System<P, A, M>) -> (Self, Vec<u32>) {
        let invariants = system.invariants();
        let legality = system.legality().map(|legality| (legality, references::connected()));
        let System { nodes, applications, monitor, world } = system;
        let nodes = nodes.into_iter().zip(applications);
        let fresh: Vec<_> = nodes.map(|(node, app)| Local::asleep(node, app)).collect();
        let mut dictionary = Self {
            codes: Codes::new(fresh.len() as u32),
            world,
            invariants,
            legality,
            returned: Numbers::new(),
            locals: Numbers::new(),
            messages: Numbers::new(),
            monitors: Numbers::new(),
            news: Numbers::new(),
            duties: Numbers::new(),
            steps: NumberMap::default(),
            transition_bytes: 0,
            judgements: NumberMap::default(),
            fresh,
        };
        dictionary.news.number((NodeId(0), Vec::new())); // The number of no news.
        let mut row: Vec<u32> =
            dictionary.fresh.clone().into_iter().map(|local| dictionary.local(local)).collect();
        row.push(dictionary.monitor(monitor));
        (dictionary, row)
    }

    fn local(&mut self, local: Local<P, A>) -> u32 {
        self.locals.number(local)
    }

    fn monitor(&mut self, monitor: M) -> u32 {
        self.monitors.number(monitor)
    }

    pub(crate) fn local_at(&self, number: u32) -> &Local<P, A> {
        self.locals.value(number)
    }

    pub(crate) fn monitor_at(&self, number: u32) -> &M {
        self.monitors.value(number)
    }

    pub(crate) fn message_at(&self, packet: Packet) -> &P::Msg {
        self.messages.value(self.codes.content(packet))
    }

    /// The input that a code stands for, to a node in this state.
    pub(crate) fn input(&self, local: u32, code: u32) -> Input<P> {
        let codes = self.codes;
        match (codes.is_own(code), codes.as_returned(code)) {
            (true, Some(number)) => {
                let packet = *self.returned.value(number);
                let msg = self.message_at(packet).clone();
                Input::Returned { to: codes.receiver(packet), msg }
            }
            (true, None) => {
                let mut inputs = self.local_at(local).inputs();
                inputs.swap_remove(codes.content(code) as usize).1
            }
            (false, _) => {
                Input::Message { from: codes.sender(code), msg: self.message_at(code).clone() }
            }
        }
    }

    fn transition(
        &mut self,
        node: NodeId,
        input: &Input<P>,
        known: &Acquaintances,
        (local, reaction): (Local<P, A>, Reaction<P>),
    ) -> Transition {
        let Reaction { effects, panic, .. } = reaction;
        let mut sends = Vec::new();
        let mut heard = Vec::new();
        if let Input::Command(command) = input {
            heard.push(Heard::Command(command.clone()));
        }
        for effect in effects {
            match effect {
                Effect::Send { to, msg } => {
                    let verdict = judge_send(node, to, self.nodes(), || local.node.reaches(to));
                    match verdict.and_then(|()| known.judge(node, to)) {
                        Ok(()) => {
                            let msg = self.messages.number(msg);
                            assert!(msg < self.codes.room(), "more messages than numbers for them");
                            sends.push(self.codes.packet(node, to, msg));
                        }
                        Err(broken) => heard.push(Heard::Breach(broken)),
                    }
                }
                Effect::Emit(event) => heard.push(Heard::Event(event)),
                Effect::SetTimer { .. }
                | Effect::CancelTimer(_)
                | Effect::Choose { .. }
                | Effect::Leave => {}
            }
        }
        heard.extend(panic.map(|message| Heard::Breach(failed_assertion(Some(node), message))));
        let news = self.news(node, heard);
        Transition { local: self.local(local), sends, news }
    }

    /// Shows these nodes, and what is in transit between them.
    fn snapshot<T>(
        &self,
        locals: &[u32],
        packets: &[Packet],
        look: impl FnOnce(&Snapshot<'_, P>) -> T,
    ) -> T {
        let nodes: Vec<&P> = locals.iter().map(|&local| &self.local_at(local).node).collect();
        let message = |&packet: &Packet| {
            let codes = self.codes;
            (codes.sender(packet), codes.receiver(packet), self.message_at(packet))
        };
        let messages: Vec<_> = packets.iter().map(message).collect();
        look(&Snapshot { nodes: &nodes, messages: &messages })
    }

    fn news(&mut self, node: NodeId, heard: Vec<Heard<P>>) -> u32 {
        match heard.is_empty() {
            true => NO_NEWS,
            false => {
                let news = self.news.number((node, heard));
                assert!(news < AT_FAULT, "more news than numbers for them");
                news
            }
        }
    }
}

impl<P, A, M> Meaning for Dictionary<P, A, M>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    fn nodes(&self) -> usize {
        self.fresh.len()
    }

    fn codes(&self) -> Codes {
        self.codes
    }

    fn world(&self) -> World {
        self.world
    }

    fn takes_turns(&self) -> bool {
        A::TAKES_TURNS
    }

    fn traits(&self, local: u32) -> Traits {
        let local = self.local_at(local);
        let inputs = local.inputs();
        let count = |urge| number(inputs.iter().filter(|it| it.0 == urge).count());
        let standing = local.application.standing();
        Traits {
            status: local.status,
            standing,
            contends: match standing {
                Standing::Idle => false,
                Standing::Waiting => true,
                Standing::Served => A::TAKES_TURNS, // What all can have, nobody keeps from others.
            },
            wishes: count(Urge::Wish),
            free: count(Urge::Wish) + count(Urge::Duty),
            notices: count(Urge::Notice),
            timers: count(Urge::Timer),
            turns: count(Urge::Turn),
        }
    }

    fn step(&mut self, node: NodeId, local: u32, code: u32) -> &[Transition] {
        let key = pair(local, code);
        if !self.steps.contains_key(&key) {
            let input = self.input(local, code);
            let known = Acquaintances::of(&self.local_at(local).node, &input);
            let reactions = self.local_at(local).reactions(&input).into_iter();
            let transitions: Vec<_> =
                reactions.map(|reaction| self.transition(node, &input, &known, reaction)).collect();
            self.transition_bytes += transitions.iter().map(Transition::bytes).sum::<usize>();
            self.steps.insert(key, transitions);
        }
        &self.steps[&key]
    }

    fn judge(&mut self, monitor: u32, news: u32) -> Result<u32, &Broken> {
        let key = pair(monitor, news);
        if !self.judgements.contains_key(&key) {
            let mut next = self.monitor_at(monitor).clone();
            let (node, heard) = self.news.value(news & !(IN_SILENCE | AT_FAULT));
            if news & AT_FAULT != 0 {
                next.on_fault();
            }
            let verdict = heard.iter().try_for_each(|heard| match heard {
                Heard::Command(command) if news & IN_SILENCE != 0 => {
                    next.on_command_in_silence(*node, command)
                }
                Heard::Command(command) => next.on_command(*node, command),
                Heard::Event(event) => next.on_event(*node, event),
                Heard::Crash => next.on_crash(*node),
                Heard::Restart => next.on_restart(*node),
                Heard::Breach(broken) => Err(broken.clone()),
            });
            let judgement = verdict.map(|()| self.monitor(next));
            self.judgements.insert(key, judgement);
        }
        self.judgements[&key].as_ref().copied()
    }

    fn crash(&mut self, node: NodeId, locals: &[u32], outage: Outage) -> (Vec<u32>, u32) {
        let mut next = Vec::with_capacity(locals.len());
        for (other, &number) in NodeId::all(locals.len() as u32).zip(locals) {
            let mut local = self.local_at(number).clone();
            if other == node {
                let fresh = self.fresh[other.index()].clone();
                local = match outage {
                    // All that it knew is gone, also what its application still wanted.
                    Outage::Final => Local { status: Status::Down, ..fresh },
                    Outage::Passing => {
                        local.application.revive();
                        let Local { application, .. } = local;
                        Local { status: Status::Away, application, ..fresh }
                    }
                };
            } else if local.status == Status::Up {
                local.application.on_crash(node);
            }
            next.push(self.local(local));
        }
        (next, self.news(node, vec![Heard::Crash]))
    }

    fn restart(&mut self, node: NodeId, locals: &[u32]) -> Vec<u32> {
        let mut local = self.local_at(locals[node.index()]).clone();
        local.status = Status::Asleep;
        let mut next = Vec::with_capacity(locals.len());
        for (other, &number) in NodeId::all(locals.len() as u32).zip(locals) {
            let mut number = number;
            match self.local_at(number).status {
                Status::Up => {
                    let mut told = self.local_at(number).clone();
                    told.application.on_restart(node);
                    number = self.local(told);
                }
                Status::Down | Status::Away if other != node => local.application.on_crash(other),
                Status::Down | Status::Away | Status::Gone | Status::Asleep => {}
            }
            next.push(number);
        }
        next[node.index()] = self.local(local);
        next
    }

    fn news_of_restart(&mut self, node: NodeId, start: u32) -> u32 {
        let (_, heard) = self.news.value(start);
        let heard = std::iter::once(Heard::Restart).chain(heard.iter().cloned()).collect();
        self.news(node, heard)
    }

    fn at_rest(&self, monitor: u32) -> Result<(), Broken> {
        self.monitor_at(monitor).at_rest()
    }

    fn open_promises(&self) -> BTreeSet<String> {
        let complaints = self.monitors.values().filter_map(|monitor| monitor.at_rest().err());
        let convergence = if self.converges_by_chance() { CHANCE } else { CONVERGENCE };
        let convergence = self.stabilises().then(|| convergence.to_owned());
        complaints.map(|broken| broken.promise).chain(convergence).collect()
    }

    fn has_invariants(&self) -> bool {
        !self.invariants.is_empty()
    }

    fn broken_invariants(&self, locals: &[u32], packets: &[Packet]) -> Vec<Broken> {
        let broken = |system: &Snapshot<'_, P>| {
            self.invariants.iter().filter_map(|invariant| invariant.judge(system).err()).collect()
        };
        self.snapshot(locals, packets, broken)
    }

    fn stabilises(&self) -> bool {
        self.legality.is_some()
    }

    fn converges_by_chance(&self) -> bool {
        self.stabilises() && self.fresh[0].node.converges_by_chance()
    }

    fn disconnection(&self, locals: &[u32], packets: &[Packet]) -> Option<Broken> {
        let (_, connected) = self.legality.as_ref()?;
        self.snapshot(locals, packets, |system| connected.judge(system).err())
    }

    fn illegality(&self, locals: &[u32], packets: &[Packet]) -> Option<Broken> {
        let (legality, _) = self.legality.as_ref()?;
        self.snapshot(locals, packets, |system| legality.judge(system).err())
    }

    fn returned(&mut self, packet: Packet) -> u32 {
        let number = self.returned.number(packet);
        assert!(number < self.codes.room() / 2, "more messages came back than numbers for them");
        self.codes.returned(self.codes.sender(packet), number)
    }

    fn restarted(&mut self, node: NodeId, local: u32, code: u32, reaction: usize) -> Vec<u32> {
        let input = self.input(local, code);
        let effects = self.local_at(local).reactions(&input).swap_remove(reaction).1.effects;
        let timer = |effect| match effect {
            Effect::SetTimer { timer, .. } => Some((node, Input::Timer(timer))),
            _ => None,
        };
        effects.into_iter().filter_map(timer).map(|timer| self.duties.number(timer)).collect()
    }

    fn duty(&mut self, node: NodeId, local: u32, code: u32) -> Option<u32> {
        let is_own = self.codes.is_own(code);
        let is_wish = self.codes.content(code) < self.traits(local).wishes;
        if is_own && is_wish {
            return None;
        }
        let input = self.input(local, code);
        Some(self.duties.number((node, input)))
    }

    fn bytes(&self) -> usize {
        let values = self.locals.bytes() + self.messages.bytes() + self.monitors.bytes();
        let heard = self.news.bytes() + self.duties.bytes();
        let steps = bytes_of(&self.steps) + self.transition_bytes;
        values + heard + steps + bytes_of(&self.judgements)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer values than there are numbers")
}

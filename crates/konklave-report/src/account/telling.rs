//! Walks along a trace and keeps what is needed to put it together.

use std::collections::BTreeMap;

use konklave::NodeId;
use konklave::protocol::{Broken, Effect, Input};
use konklave::trace::{End, Fault, Line, Step};
use konklave_stage::erased::{Erased, Value};

use super::spans::Spans;
use super::{Account, Event, Fate, Message, Shade, ShadeKind, SpanKind, Vocabulary, What};
use crate::show;

pub(super) struct Telling {
    nodes: usize,
    vocabulary: Vocabulary,
    events: Vec<Event>,
    messages: Vec<Message>,
    /// The places of messages in transit, by their numbers.
    under_way: BTreeMap<u32, Vec<usize>>,
    sent: u32,
    spans: Spans,
    shades: Vec<Shade>,
    end: Option<End>,
    /// How many lines were told.
    lines: usize,
    /// The time of the last step, and whether all steps so far had a time of their own.
    last: Option<u64>,
    is_in_steps: bool,
    /// The event of the last line if it told an application something.
    last_told: Option<usize>,
    guilty: Option<usize>,
}

impl Telling {
    pub(super) fn new(nodes: usize, vocabulary: Vocabulary) -> Self {
        Self {
            nodes,
            vocabulary,
            events: Vec::new(),
            messages: Vec::new(),
            under_way: BTreeMap::new(),
            sent: 0,
            spans: Spans::new(nodes),
            shades: Vec::new(),
            end: None,
            lines: 0,
            last: None,
            is_in_steps: true,
            last_told: None,
            guilty: None,
        }
    }

    pub(super) fn line(&mut self, line: &Line<Erased>) -> Result<(), String> {
        let told = self.tell(line);
        self.lines += 1;
        told
    }

    fn tell(&mut self, line: &Line<Erased>) -> Result<(), String> {
        if let Line::Step(Step { at, .. }) = line {
            // Searches count steps; what comes with a step, such as a miss, is not counted.
            self.is_in_steps &= self.last < Some(*at) && *at <= self.lines as u64;
            self.last = Some(*at);
        }
        match line {
            Line::Step(step) => self.step(step),
            Line::Fault { at, what } => self.fault(*at, what),
            Line::Loop { at } => {
                let from = self.event(*at, None, What::Turn, "repeats");
                self.shade(from, ShadeKind::Repetition, "repeats for ever");
                Ok(())
            }
            Line::End(end) => {
                if let Some(broken) = &end.broken {
                    self.guilty = self.guilty(broken);
                    self.event(end.time, None, What::Violation, broken.to_string());
                }
                self.end = Some(end.clone());
                Ok(())
            }
        }
    }

    pub(super) fn finish(self) -> Account {
        let mut events = self.events;
        if self.is_in_steps {
            events.iter_mut().for_each(|event| event.number = event.at as usize);
        }
        let (spans, informed) = self.spans.finish();
        Account {
            nodes: self.nodes,
            events,
            messages: self.messages,
            spans,
            informed,
            shades: self.shades,
            end: self.end,
            guilty: self.guilty,
            is_in_steps: self.is_in_steps,
            vocabulary: self.vocabulary,
        }
    }

    /// The event that broke a promise: the last one, or none. That a run has come to rest, or goes
    /// round in circles, is not the fault of an event: then nothing is in transit any more, or
    /// steps repeat. What breaks just when nothing is in transit tells an application something,
    /// and the promise is broken at no other node.
    fn guilty(&self, broken: &Broken) -> Option<usize> {
        let last = self.events.len().checked_sub(1)?;
        let node = self.events[last].node?;
        let is_other = broken.node.is_some_and(|other| other.index() != node);
        let repeats = self.shades.iter().any(|shade| shade.kind == ShadeKind::Repetition);
        let is_at_work = !self.under_way.is_empty() || self.last_told == Some(last);
        (is_at_work && !is_other && !repeats).then_some(last)
    }

    fn node(&self, node: NodeId) -> Result<usize, String> {
        let known = Some(node.index()).filter(|node| *node < self.nodes);
        known.ok_or_else(|| format!("there is no node {node} among {} nodes", self.nodes))
    }

    fn event(
        &mut self,
        at: u64,
        node: Option<usize>,
        what: What,
        label: impl Into<String>,
    ) -> usize {
        let (label, brief) = (label.into(), String::new());
        self.events.push(Event { number: self.lines, at, node, what, label, brief });
        self.events.len() - 1
    }

    fn shade(&mut self, from: usize, kind: ShadeKind, label: &str) {
        self.shades.push(Shade { from, to: None, kind, label: label.to_owned() });
    }

    fn step(&mut self, step: &Step<Erased>) -> Result<(), String> {
        let node = self.node(step.node)?;
        let what = match &step.input {
            Input::Start | Input::Tick if step.effects.is_empty() => return Ok(()),
            Input::Start => What::Start,
            Input::Command(_) => What::Command,
            Input::Message { .. } | Input::Returned { .. } => What::Receive,
            Input::Timer(_) | Input::Tick => What::Timer,
        };
        let event = self.event(step.at, Some(node), what, label(step, show::text));
        self.events[event].brief = label(step, show::brief);
        match &step.input {
            Input::Message { from, msg } => {
                let from = self.node(*from)?;
                self.receive(event, from, node, step.number, msg);
            }
            Input::Command(command) => {
                let sense = self.vocabulary.of_command(command);
                self.spans.hear(node, event, sense, !step.effects.is_empty());
            }
            Input::Returned { .. } => self.come_back(step.number),
            Input::Start | Input::Timer(_) | Input::Tick => {}
        }
        for effect in &step.effects {
            match effect {
                Effect::Send { to, msg } => {
                    let to = self.node(*to)?;
                    self.send(event, node, to, msg);
                }
                Effect::Emit(word) => {
                    let sense = self.vocabulary.of_event(word);
                    self.spans.hear(node, event, sense, true);
                    self.last_told = Some(event);
                }
                Effect::SetTimer { .. }
                | Effect::CancelTimer(_)
                | Effect::Choose { .. }
                | Effect::Leave => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, event: usize, from: usize, to: usize, msg: &Value) {
        self.under_way.entry(self.sent).or_default().push(self.messages.len());
        self.messages.push(Message {
            number: Some(self.sent),
            sent: Some(event),
            from,
            to,
            fate: Fate::InFlight,
            is_duplicate: false,
            kind: msg.kind(),
            label: show::label(msg),
            text: show::text(msg),
        });
        self.sent += 1;
    }

    fn receive(&mut self, event: usize, from: usize, to: usize, number: Option<u32>, msg: &Value) {
        let place = number.and_then(|number| self.arrival(number, Some((from, to))));
        match place {
            Some(place) => self.messages[place].fate = Fate::Arrived(event),
            None => self.messages.push(Message {
                number: None,
                sent: None,
                from,
                to,
                fate: Fate::Arrived(event),
                is_duplicate: false,
                kind: msg.kind(),
                label: show::label(msg),
                text: show::text(msg),
            }),
        }
    }

    /// The place of the message that leaves the network, if it goes this way.
    fn arrival(&mut self, number: u32, way: Option<(usize, usize)>) -> Option<usize> {
        let places = self.under_way.get_mut(&number)?;
        let &place = places.first()?;
        let message = &self.messages[place];
        if way.is_some_and(|way| way != (message.from, message.to)) {
            return None;
        }
        places.remove(0);
        if places.is_empty() {
            self.under_way.remove(&number);
        }
        Some(place)
    }

    /// A message is back at its sender: it is drawn as lost on its way to a node that has left.
    fn come_back(&mut self, number: Option<u32>) {
        if let Some(place) = number.and_then(|number| self.arrival(number, None)) {
            self.messages[place].fate = Fate::Lost;
        }
    }

    fn fault(&mut self, at: u64, fault: &Fault<Erased>) -> Result<(), String> {
        match fault {
            Fault::Lost(number) => {
                if let Some(place) = self.arrival(*number, None) {
                    self.messages[place].fate = Fate::Lost;
                }
            }
            Fault::Missed(number) => {
                if let Some(place) = self.arrival(*number, None) {
                    let to = self.messages[place].to;
                    let event = self.event(at, Some(to), What::Missed, "");
                    self.messages[place].fate = Fate::Missed(event);
                }
            }
            Fault::Doubled(number) => {
                if let Some(places) = self.under_way.get_mut(number)
                    && let Some(&place) = places.first()
                {
                    places.push(self.messages.len());
                    let copy = Message { is_duplicate: true, ..self.messages[place].clone() };
                    self.messages.push(copy);
                }
            }
            // It is told when it arrives.
            Fault::Forged { .. } => {}
            Fault::Partition(groups) => {
                let label = format!("partition {groups}");
                let from = self.event(at, None, What::Turn, &label[..]);
                self.shade(from, ShadeKind::Partition(groups.clone()), &label);
            }
            Fault::Heal(groups) => {
                let to = self.event(at, None, What::Turn, format!("partition {groups} heals"));
                let kind = ShadeKind::Partition(groups.clone());
                let open = |shade: &&mut Shade| shade.to.is_none() && shade.kind == kind;
                if let Some(shade) = self.shades.iter_mut().find(open) {
                    shade.to = Some(to);
                }
            }
            Fault::Crash(node) => self.crash(at, *node)?,
            Fault::Restart(node) => {
                self.back(at, *node, What::Restart, SpanKind::Crashed)?;
            }
            Fault::Pause(node) => {
                let node = self.node(*node)?;
                let event = self.event(at, Some(node), What::Pause, "");
                self.spans.begin(node, event, SpanKind::Paused, "");
            }
            Fault::Resume(node) => self.back(at, *node, What::Resume, SpanKind::Paused)?,
            Fault::Garbage { node, .. } => {
                let node = self.node(*node)?;
                self.event(at, Some(node), What::Spoilt, "state corrupted");
            }
            Fault::Damage { node, name, .. } => {
                let node = self.node(*node)?;
                self.event(at, Some(node), What::Spoilt, name);
            }
        }
        Ok(())
    }

    /// A crash ends whatever the node was doing.
    fn crash(&mut self, at: u64, node: NodeId) -> Result<(), String> {
        let node = self.node(node)?;
        let event = self.event(at, Some(node), What::Crash, "");
        self.spans.end(node, event, |_| true);
        self.spans.begin(node, event, SpanKind::Crashed, "");
        Ok(())
    }

    fn back(&mut self, at: u64, node: NodeId, what: What, kind: SpanKind) -> Result<(), String> {
        let node = self.node(node)?;
        let event = self.event(at, Some(node), what, "");
        self.spans.end(node, event, |span| span.kind == kind);
        Ok(())
    }
}

/// What a step is about, but for the messages: the command or the timer, and what was told.
fn label(step: &Step<Erased>, show: fn(&Value) -> String) -> String {
    let asked = match &step.input {
        Input::Command(value) | Input::Timer(value) => Some(show(value)),
        Input::Start | Input::Message { .. } | Input::Tick | Input::Returned { .. } => None,
    };
    let told = step.effects.iter().filter_map(|effect| match effect {
        Effect::Emit(event) => Some(show(event)),
        _ => None,
    });
    asked.into_iter().chain(told).collect::<Vec<_>>().join(", ")
}

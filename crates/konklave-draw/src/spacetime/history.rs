use std::collections::BTreeSet;

/// The place of an event in the order of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub usize);

/// What an event is, which decides how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A node starts, or a message arrives: a dot.
    Step,
    /// The application asks for something.
    Command,
    /// A timer runs out.
    Timer,
    /// A node stops and forgets.
    Crash,
    /// A crashed node starts anew.
    Restart,
    /// A node stops for a while.
    Pause,
    /// A paused node resumes.
    Resume,
    /// A message reaches a node that does not hear it.
    Missed,
    /// Anything else worth a mark.
    Mark,
    /// A promise is broken; the label says which. It is told in full above the picture.
    Violation,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It causes this event at its receiver.
    Arrived(EventId),
    /// It reaches its receiver at this event, but the receiver is down.
    Missed(EventId),
    /// It never arrives.
    Lost,
    /// It is still in transit when the history ends.
    InFlight,
}

impl Fate {
    /// The event at the receiver, if the message gets there.
    pub(super) fn place(self) -> Option<EventId> {
        match self {
            Self::Arrived(to) | Self::Missed(to) => Some(to),
            Self::Lost | Self::InFlight => None,
        }
    }
}

/// How a stretch of a node's line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanLook {
    /// A full bar: the node has what others want.
    Holds,
    /// A light bar with a broken outline: the node wants something.
    Waits,
    /// A grey bar with hatches: the node does not exist.
    Crashed,
    /// A hollow bar: the node stands still.
    Paused,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) time: u64,
    /// `None` if it does not belong to a single node.
    pub(super) node: Option<usize>,
    pub(super) kind: EventKind,
    pub(super) label: String,
    /// What stands beside it if the label does not fit.
    pub(super) brief: String,
    /// What it is called in pictures.
    pub(super) number: usize,
    /// The promise that it breaks.
    pub(super) breaks: Option<String>,
}

impl Event {
    /// The promise that is broken here, by this event or by what did not happen.
    pub(super) fn broken(&self) -> Option<&str> {
        let is_end = self.kind == EventKind::Violation;
        self.breaks.as_deref().or(is_end.then_some(self.label.as_str()))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Message {
    /// `None` if no node sent it.
    pub(super) from: Option<EventId>,
    pub(super) from_node: usize,
    pub(super) to_node: usize,
    pub(super) fate: Fate,
    pub(super) kind: String,
    /// What stands along the arrow, if there is room; else the last word of the kind.
    pub(super) label: String,
    pub(super) tip: String,
    pub(super) origin: Origin,
}

/// Where a message comes from: its sender, or a network that duplicates messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Sender,
    Duplication,
}

impl Message {
    /// The kind without that of the parts around it: `Explore` of `Wave.Explore`.
    pub(super) fn short_kind(&self) -> &str {
        self.kind.rsplit('.').next().unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) node: usize,
    /// None if it began before the history, or has not ended with it.
    pub(super) ends: (Option<EventId>, Option<EventId>),
    pub(super) look: SpanLook,
    pub(super) kind: String,
    pub(super) label: String,
}

#[derive(Clone, Debug)]
pub(super) struct Shade {
    pub(super) ends: (Option<EventId>, Option<EventId>),
    pub(super) label: String,
}

/// What happened in a run: events in order, and how they hang together.
#[derive(Clone, Debug)]
pub struct History {
    pub(super) nodes: Vec<String>,
    pub(super) events: Vec<Event>,
    pub(super) messages: Vec<Message>,
    pub(super) spans: Vec<Span>,
    pub(super) shades: Vec<Shade>,
}

impl History {
    /// A history of these nodes in which nothing has happened. A node's place here is its number.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        let nodes = labels.into_iter().map(Into::into).collect();
        let (events, messages) = (Vec::new(), Vec::new());
        Self { nodes, events, messages, spans: Vec::new(), shades: Vec::new() }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Adds what happens next to a node. The label may be empty.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn event(
        &mut self,
        time: u64,
        node: usize,
        kind: EventKind,
        label: impl Into<String>,
    ) -> EventId {
        assert!(node < self.nodes.len(), "there is no node {node}");
        self.push(time, Some(node), kind, label.into())
    }

    /// Adds an event that does not belong to a single node: a partition, a violation.
    pub fn event_of_all(
        &mut self,
        time: u64,
        kind: EventKind,
        label: impl Into<String>,
    ) -> EventId {
        self.push(time, None, kind, label.into())
    }

    fn push(&mut self, time: u64, node: Option<usize>, kind: EventKind, label: String) -> EventId {
        let number = self.events.len();
        let brief = label.clone();
        self.events.push(Event { time, node, kind, label, brief, number, breaks: None });
        EventId(number)
    }

    /// Calls an event by another number than its place here.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn number(&mut self, event: EventId, number: usize) {
        self.events[event.0].number = number;
    }

    /// Says that an event breaks a promise, which is told in full above the picture.
    ///
    /// # Panics
    ///
    /// If there is no such event.
    pub fn breaks(&mut self, event: EventId, promise: impl Into<String>) {
        self.events[event.0].breaks = Some(promise.into());
    }

    /// Adds a message that was sent at an event. `kind` is a word, or several with dots between
    /// them if parts have kinds of their own; `tip` is all there is to say. A message that arrives
    /// twice is added twice, the second time as a [duplicate](Self::duplicate).
    ///
    /// # Panics
    ///
    /// If the events or the node do not exist, or the message arrives elsewhere or before it is
    /// sent, or no node sent it.
    pub fn message(
        &mut self,
        from: EventId,
        to_node: usize,
        fate: Fate,
        kind: impl Into<String>,
        tip: impl Into<String>,
    ) {
        let from_node = self.events[from.0].node.expect("a node sends it");
        assert!(to_node < self.nodes.len(), "there is no node {to_node}");
        if let Some(to) = fate.place() {
            assert!(from < to, "it arrives after it was sent");
            assert_eq!(self.events[to.0].node, Some(to_node), "it arrives where it was sent to");
        }
        let (from, kind, tip) = (Some(from), kind.into(), tip.into());
        let (label, origin) = (String::new(), Origin::Sender);
        self.messages.push(Message { from, from_node, to_node, fate, kind, label, tip, origin });
    }

    /// Adds a forged message, which no node sent although it names a sender.
    ///
    /// # Panics
    ///
    /// If the event or the node do not exist, or the event does not belong to a node.
    pub fn forged(
        &mut self,
        from_node: usize,
        to: EventId,
        kind: impl Into<String>,
        tip: impl Into<String>,
    ) {
        let to_node = self.events[to.0].node.expect("it reaches a node");
        assert!(from_node < self.nodes.len(), "there is no node {from_node}");
        let (fate, kind, tip) = (Fate::Arrived(to), kind.into(), tip.into());
        let (from, label, origin) = (None, String::new(), Origin::Sender);
        self.messages.push(Message { from, from_node, to_node, fate, kind, label, tip, origin });
    }

    /// Says that the message that was added last is a duplicate, which the network made.
    ///
    /// # Panics
    ///
    /// If there is no message.
    pub fn duplicate(&mut self) {
        self.messages.last_mut().expect("a message was added").origin = Origin::Duplication;
    }

    /// Says what stands along the arrow of the message that was added last, where there is room.
    ///
    /// # Panics
    ///
    /// If there is no message.
    pub fn label(&mut self, label: impl Into<String>) {
        self.messages.last_mut().expect("a message was added").label = label.into();
    }

    /// What stands beside the last event where its label does not fit; an empty text is not used.
    ///
    /// # Panics
    ///
    /// If there is no event.
    pub fn brief(&mut self, brief: &str) {
        let event = self.events.last_mut().expect("an event was added");
        if !brief.is_empty() {
            brief.clone_into(&mut event.brief);
        }
    }

    /// The kinds of all messages, sorted: so a kind has the same look in every part of a history.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let kinds: BTreeSet<_> = self.messages.iter().map(|it| it.kind.as_str()).collect();
        kinds.into_iter().collect()
    }

    /// Adds a stretch of a node's line, from an event or the beginning to an event or the end.
    /// `kind` stands in the legend, `label` (it may be empty) in the picture if there is room.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn span(
        &mut self,
        node: usize,
        from: Option<EventId>,
        to: Option<EventId>,
        look: SpanLook,
        kind: impl Into<String>,
        label: impl Into<String>,
    ) {
        assert!(node < self.nodes.len(), "there is no node {node}");
        let (ends, kind, label) = ((from, to), kind.into(), label.into());
        self.spans.push(Span { node, ends, look, kind, label });
    }

    /// Adds a stretch of time that is shaded for all nodes, such as a partition.
    pub fn shade(&mut self, from: Option<EventId>, to: Option<EventId>, label: impl Into<String>) {
        self.shades.push(Shade { ends: (from, to), label: label.into() });
    }
}

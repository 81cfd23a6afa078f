//! What applications ask for and are told, as stretches of time. This is all that is known about
//! problems: the words of mutual exclusion, booking and election.

use super::{Span, SpanKind};

/// The stretches that have begun and those that have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    all: Vec<Span>,
    /// The places of those that have not ended, for each node.
    open: Vec<Vec<usize>>,
    /// The event at which each node was told the result of an election, if it was.
    informed: Vec<Option<usize>>,
}

impl Spans {
    pub(super) fn new(nodes: usize) -> Self {
        Self { all: Vec::new(), open: vec![Vec::new(); nodes], informed: vec![None; nodes] }
    }

    pub(super) fn begin(&mut self, node: usize, event: usize, kind: SpanKind, label: &str) {
        self.open[node].push(self.all.len());
        self.all.push(Span { node, from: event, to: None, kind, label: label.to_owned() });
    }

    /// Ends all open stretches of a node that meet a condition, and returns the last.
    pub(super) fn end(
        &mut self,
        node: usize,
        event: usize,
        condition: impl Fn(&Span) -> bool,
    ) -> Option<&Span> {
        let all = &mut self.all;
        let ended = self.open[node].extract_if(.., |place| condition(&all[*place]));
        let ended: Vec<_> = ended.collect();
        for &place in &ended {
            self.all[place].to = Some(event);
        }
        ended.last().map(|&place| &self.all[place])
    }

    fn is(&self, node: usize, kind: SpanKind) -> bool {
        self.open[node].iter().any(|&place| self.all[place].kind == kind)
    }

    /// The application asks. `is_heard` says whether the node did anything about it.
    pub(super) fn command(
        &mut self,
        node: usize,
        event: usize,
        (name, content): (&str, &str),
        is_heard: bool,
    ) {
        use SpanKind::{Booked, Inside, Waiting};
        // An interval, as booking prints it.
        let content = content.replacen(", ", "..", 1);
        match name {
            "Acquire" if !self.is(node, Waiting) && !self.is(node, Inside) => {
                self.begin(node, event, Waiting, "");
            }
            // Whether a holder may ask for more depends on the form of the problem.
            "Reserve" if !self.is(node, Waiting) && (is_heard || !self.is(node, Booked)) => {
                self.begin(node, event, Waiting, &content);
            }
            "Release" => {
                self.end(node, event, |span| {
                    span.kind == Inside || span.kind == Booked && span.label == content
                });
            }
            _ => {}
        }
    }

    /// The application is told something.
    pub(super) fn told(&mut self, node: usize, event: usize, name: &str) {
        use SpanKind::{Booked, Inside, Leading, Waiting};
        let waits = |span: &Span| span.kind == Waiting;
        match name {
            "Granted" => {
                let label = self.end(node, event, waits).map(|span| span.label.clone());
                match label.filter(|label| !label.is_empty()) {
                    Some(interval) => self.begin(node, event, Booked, &interval),
                    None => self.begin(node, event, Inside, ""),
                }
            }
            "Denied" => {
                self.end(node, event, waits);
            }
            "Elected" if !self.is(node, Leading) => self.begin(node, event, Leading, ""),
            "Knows" => self.informed[node] = Some(event),
            "SteppedDown" => {
                self.end(node, event, |span| span.kind == Leading);
            }
            _ => {}
        }
    }

    pub(super) fn finish(self) -> (Vec<Span>, Vec<Option<usize>>) {
        (self.all, self.informed)
    }
}

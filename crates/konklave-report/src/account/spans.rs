//! What applications ask for and are told, as stretches of time.

use konklave::sense::{Operation, Sense};

use super::{Span, SpanKind};

/// The stretches that have begun and those that have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    all: Vec<Span>,
    /// The places of those that have not ended, for each node.
    open: Vec<Vec<usize>>,
    /// The event at which each node has learned a result last, if it has.
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

    fn has(&self, node: usize, condition: impl Fn(&Span) -> bool) -> bool {
        self.open[node].iter().any(|&place| condition(&self.all[place]))
    }

    /// The application asks or is told something that plays this part. `is_heard` says whether the
    /// node did anything about it.
    pub(super) fn hear(&mut self, node: usize, event: usize, sense: Sense, is_heard: bool) {
        use SpanKind::{Held, Waiting};
        match sense {
            Sense::Ask(Operation(name)) => {
                // Whether a holder may ask for more depends on the form of the problem.
                let is_in_turn = is_heard || !self.has(node, |span| span.kind == Held);
                if is_in_turn && !self.has(node, |span| span.kind == Waiting) {
                    self.begin(node, event, Waiting, &name);
                }
            }
            Sense::Grant(operation) => {
                let asked = self.end(node, event, |span| is_of(span, Waiting, &operation));
                let name = asked.map_or(operation.0, |span| span.label.clone());
                if !self.has(node, |span| span.kind == Held && span.label == name) {
                    self.begin(node, event, Held, &name);
                }
            }
            Sense::Answer(operation) => {
                self.end(node, event, |span| is_of(span, Waiting, &operation));
            }
            Sense::Learn(operation) => {
                self.end(node, event, |span| is_of(span, Waiting, &operation));
                self.informed[node] = Some(event);
            }
            Sense::Return(operation) => {
                self.end(node, event, |span| is_of(span, Held, &operation));
            }
            Sense::Other => {}
        }
    }

    pub(super) fn finish(self) -> (Vec<Span>, Vec<Option<usize>>) {
        (self.all, self.informed)
    }
}

/// Whether a stretch belongs to an operation. One without a name belongs to the current operation.
fn is_of(span: &Span, kind: SpanKind, Operation(name): &Operation) -> bool {
    span.kind == kind && (name.is_empty() || span.label.is_empty() || span.label == *name)
}

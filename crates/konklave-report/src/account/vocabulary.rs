use konklave::sense::Sense;
use konklave_stage::erased::Value;

use super::SpanKind;

/// What a reader has to know about a problem to tell what happened: the part that each command and
/// each event plays in an operation, and what the problem calls having what was asked for. The
/// default knows nothing, so nodes neither wait nor hold.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// The part that a command plays, as it stands in the trace.
    pub command: fn(&serde_json::Value) -> Sense,
    /// The part that an event plays.
    pub event: fn(&serde_json::Value) -> Sense,
    /// The stretch of time in which a node has what it asked for: `critical section`.
    pub held: &'static str,
    /// Whether at most one node has it at a time, as far as the problem promises. Only then can
    /// there be a token, or a quorum whose members are asked.
    pub is_exclusive: bool,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let (command, event) = (|_: &_| Sense::Other, |_: &_| Sense::Other);
        Self { command, event, held: "held", is_exclusive: false }
    }
}

impl Vocabulary {
    /// What a stretch of this kind is called.
    pub fn name(&self, kind: SpanKind) -> &'static str {
        match kind {
            SpanKind::Held => self.held,
            SpanKind::Waiting => "waiting",
            SpanKind::Crashed => "crashed",
            SpanKind::Paused => "paused",
        }
    }

    pub(super) fn of_command(&self, command: &Value) -> Sense {
        (self.command)(&command.to_json())
    }

    pub(super) fn of_event(&self, event: &Value) -> Sense {
        (self.event)(&event.to_json())
    }
}

//! The flaw of the median rule on logs: logs of values.

use konklave::consensus::median_log::MedianLog;
use konklave::consensus::{Command, Event, Value};
use konklave::protocol::{Effect, Input};

use crate::Flaw;

/// The entries of a log are values and not writes: a value that is in the log already is not
/// appended once more, so the value of the last entry stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogsValues {
    /// The value of the last entry, if the one that is being written is an older entry.
    last: Option<Value>,
}

impl Flaw<MedianLog> for LogsValues {
    fn inputs(&mut self, node: &MedianLog, input: Input<MedianLog>) -> Vec<Input<MedianLog>> {
        self.last = match input {
            Input::Command(Command::Write(value)) if node.values().any(|it| it == value) => {
                Some(node.value())
            }
            _ => None,
        };
        vec![input]
    }

    fn effects(
        &mut self,
        _: &MedianLog,
        _: &Input<MedianLog>,
        effects: Vec<Effect<MedianLog>>,
    ) -> Vec<Effect<MedianLog>> {
        match self.last.take() {
            Some(last) => vec![Effect::Emit(Event::Took(last))],
            None => effects,
        }
    }
}

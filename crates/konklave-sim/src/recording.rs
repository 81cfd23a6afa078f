//! Writes a run down as a trace.

use std::fmt::Debug;
use std::io::{self, Write};

use konklave::NodeId;
use konklave::protocol::{Effect, Input};
use konklave::trace::{End, Fault, Line, Step};
use serde::Serialize;

use konklave_stage::erased::Erased;

/// A trace that is being written. The header is the caller's.
pub struct Recording<'a> {
    out: Box<dyn Write + 'a>,
    with_states: bool,
    /// The effects of the current step so far.
    effects: Vec<Effect<Erased>>,
    /// What befell its messages.
    faults: Vec<Fault<Erased>>,
    /// How many messages led to each message, itself included.
    depths: Vec<u32>,
    steps: u64,
    /// The first thing that went wrong with the output; nothing is written after it.
    error: Option<io::Error>,
}

impl<'a> Recording<'a> {
    /// Writes lines to `out`, with the state after each step if asked for.
    pub fn new(out: impl Write + 'a, with_states: bool) -> Self {
        Self {
            out: Box::new(out),
            with_states,
            effects: Vec::new(),
            faults: Vec::new(),
            depths: Vec::new(),
            steps: 0,
            error: None,
        }
    }

    /// Whether the output has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// The number of the next message, to which `depth` messages have led.
    pub(crate) fn number(&mut self, depth: u32) -> u32 {
        self.depths.push(depth);
        self.depths.len() as u32 - 1
    }

    /// The causal depth of the message with this number; `None` if it was forged.
    pub(crate) fn depth(&self, number: u32) -> u32 {
        self.depths.get(number as usize).copied().unwrap_or(0)
    }

    /// Adds an effect to the current step.
    pub(crate) fn effect(&mut self, effect: Effect<Erased>) {
        self.effects.push(effect);
    }

    /// Adds a fault of a message of the current step.
    pub(crate) fn message_fault(&mut self, fault: Fault<Erased>) {
        self.faults.push(fault);
    }

    /// Ends the current step.
    pub(crate) fn step(
        &mut self,
        at: u64,
        node: NodeId,
        input: Input<Erased>,
        number: Option<u32>,
        state: &dyn Debug,
    ) {
        let effects = std::mem::take(&mut self.effects);
        let state = self.with_states.then(|| format!("{state:?}"));
        let line = Line::Step(Step { at, node, input, number, effects, state });
        self.write(&line);
        if let Line::Step(Step { mut effects, .. }) = line {
            effects.clear();
            self.effects = effects; // For its memory.
        }
        self.steps += 1;
        for fault in std::mem::take(&mut self.faults) {
            self.fault(at, fault);
        }
    }

    /// Something goes wrong between steps.
    pub(crate) fn fault(&mut self, at: u64, what: Fault<Erased>) {
        self.write(&Line::Fault { at, what });
    }

    /// The run is over; whether everything could be written.
    pub(crate) fn finish(mut self, end: impl FnOnce(u64) -> End) -> io::Result<()> {
        self.write(&Line::End(end(self.steps)));
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn write(&mut self, line: &Line<Erased>) {
        if self.error.is_none() {
            self.error = write_line(&mut self.out, line).err();
        }
    }
}

/// Writes one line of a trace.
pub fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

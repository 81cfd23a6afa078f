use konklave::protocol::{Effect, Input};
use konklave::trace::{Fault, Line, Step};
use konklave_stage::erased::{Erased, Value};

use crate::show;
use crate::table::{Cell, Table};

/// A trace as a table for spreadsheets (RFC 4180): one row for everything that happened to a node,
/// was done by it, or went wrong.
///
/// `line` counts the lines of the trace after its header, from one; `peer` is the other end of a
/// message, and `message` its number.
pub fn csv(lines: &[Line<Erased>]) -> String {
    let columns = ["line", "time", "node", "what", "peer", "message", "kind", "text"];
    let mut rows = Rows { table: Table::new(columns), line: 0, sent: 0 };
    for line in lines {
        rows.line += 1;
        match line {
            Line::Step(step) => rows.step(step),
            Line::Fault { at, what } => rows.fault(*at, what),
            Line::Loop { at } => rows.push(*at, None, "loop", Row::default()),
            Line::End(end) => {
                let broken = end.broken.as_ref().map(|broken| format!("; {broken}"));
                let text = format!("{}{}", end.ended, broken.unwrap_or_default());
                rows.push(end.time, None, "end", Row { text, ..Row::default() });
            }
        }
    }
    rows.table.csv()
}

struct Rows {
    table: Table,
    line: u64,
    sent: u32,
}

/// What not every row has.
#[derive(Default)]
struct Row {
    peer: Option<u32>,
    message: Option<u32>,
    kind: String,
    text: String,
}

impl Row {
    fn of(value: &Value) -> Self {
        Self { kind: value.kind(), text: show::text(value), ..Self::default() }
    }

    fn number(number: u32) -> Self {
        Self { message: Some(number), ..Self::default() }
    }
}

impl Rows {
    fn push(&mut self, at: u64, node: Option<u32>, what: &str, row: Row) {
        self.table.push([
            Cell::from(self.line),
            Cell::from(at),
            Cell::from(node),
            Cell::from(what),
            Cell::from(row.peer),
            Cell::from(row.message),
            Cell::from(row.kind),
            Cell::from(row.text),
        ]);
    }

    fn step(&mut self, step: &Step<Erased>) {
        let (at, node) = (step.at, Some(step.node.0));
        match &step.input {
            Input::Start => self.push(at, node, "start", Row::default()),
            Input::Command(command) => self.push(at, node, "command", Row::of(command)),
            Input::Message { from, msg } => {
                let row = Row { peer: Some(from.0), message: step.number, ..Row::of(msg) };
                self.push(at, node, "receive", row);
            }
            Input::Timer(timer) => self.push(at, node, "timer", Row::of(timer)),
            Input::Tick => self.push(at, node, "tick", Row::default()),
            Input::Returned { to, msg } => {
                let row = Row { peer: Some(to.0), message: step.number, ..Row::of(msg) };
                self.push(at, node, "returned", row);
            }
        }
        for effect in &step.effects {
            match effect {
                Effect::Send { to, msg } => {
                    let row = Row { peer: Some(to.0), message: Some(self.sent), ..Row::of(msg) };
                    self.sent += 1;
                    self.push(at, node, "send", row);
                }
                Effect::SetTimer { timer, .. } => {
                    self.push(at, node, "set timer", Row::of(timer));
                }
                Effect::CancelTimer(timer) => {
                    self.push(at, node, "cancel timer", Row::of(timer));
                }
                Effect::Emit(event) => self.push(at, node, "emit", Row::of(event)),
                Effect::Choose { bound, value } => {
                    let text = format!("{value} of {bound}");
                    self.push(at, node, "choose", Row { text, ..Row::default() });
                }
                Effect::Leave => self.push(at, node, "leave", Row::default()),
            }
        }
    }

    fn fault(&mut self, at: u64, fault: &Fault<Erased>) {
        let none = Row::default;
        match fault {
            Fault::Lost(number) => self.push(at, None, "lost", Row::number(*number)),
            Fault::Doubled(number) => self.push(at, None, "doubled", Row::number(*number)),
            Fault::Missed(number) => self.push(at, None, "missed", Row::number(*number)),
            Fault::Crash(node) => self.push(at, Some(node.0), "crash", none()),
            Fault::Restart(node) => self.push(at, Some(node.0), "restart", none()),
            Fault::Pause(node) => self.push(at, Some(node.0), "pause", none()),
            Fault::Resume(node) => self.push(at, Some(node.0), "resume", none()),
            Fault::Partition(groups) => {
                self.push(at, None, "partition", Row { text: groups.clone(), ..none() });
            }
            Fault::Heal(groups) => {
                self.push(at, None, "heal", Row { text: groups.clone(), ..none() });
            }
            Fault::Garbage { node, .. } => self.push(at, Some(node.0), "garbage", none()),
            Fault::Damage { node, name, .. } => {
                self.push(at, Some(node.0), "damage", Row { text: name.clone(), ..none() });
            }
            Fault::Forged { from, to } => {
                self.push(at, Some(to.0), "forged", Row { peer: Some(from.0), ..none() });
            }
        }
    }
}

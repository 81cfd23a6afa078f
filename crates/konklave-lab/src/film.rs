//! Films: what the page is told about a system, as JSON. The lines of a film are those of a trace,
//! with notes.

use std::ops::Range;

use konklave::NodeId;
use konklave::protocol::Effect;
use konklave::trace::Line;
use konklave_catalog::document;
use konklave_catalog::stage::Seen;
use konklave_report::network::places;
use konklave_report::show::{sentence, text};
use konklave_stage::erased::{Erased, Value};
use konklave_stage::{Action, Status};
use serde_json::{Value as Json, json};

use crate::moves::{Move, choices};
use crate::play::{Moment, Phase, Play};
use crate::trunk::Trunk;

/// The version of the format of films and links.
pub const VERSION: u32 = 1;

/// Everything that does not change while a system is watched: its nodes and where they lie, its
/// network, the kinds of its messages, its promises.
pub fn cast(trunk: &Trunk) -> Json {
    let site = &trunk.site;
    let (entry, graph) = (site.entry(), site.graph());
    let labels: Vec<_> = NodeId::all(graph.nodes()).map(|node| graph.label(node)).collect();
    let edges: Vec<_> = graph.iter_edges().map(|(from, to)| [from.0, to.0]).collect();
    let kinds = document::messages(entry.source);
    let kinds: Vec<_> =
        kinds.iter().map(|it| json!({ "name": it.name, "meaning": it.meaning })).collect();
    let promises: Vec<_> = (entry.problem.promises)().iter().map(|it| it.name).collect();
    json!({
        "konklave_film": VERSION,
        "title": trunk.title,
        "command": trunk.command,
        "algorithm": entry.name,
        "problem": entry.problem.name,
        "summary": entry.document().summary,
        "flaw": entry.flaw.map(|it| it.flaw),
        "words": { "held": entry.problem.words.held, "waits": entry.problem.words.waits },
        "nodes": graph.nodes(),
        "labels": labels,
        "ids": site.ids().iter().map(|id| id.0).collect::<Vec<_>>(),
        "places": places(graph),
        "edges": if graph.is_complete() && graph.nodes() > 13 { Vec::new() } else { edges },
        "is_complete": graph.is_complete(),
        "is_directed": graph.is_directed(),
        "kinds": kinds,
        "promises": promises,
        "file": entry.file,
        "ring": trunk.ring,
        "is_cut": trunk.is_cut,
        "end": trunk.end,
    })
}

/// The moments of a film from one to another. What does not change is not said again.
pub fn moments<'a>(
    all: impl Iterator<Item = &'a Moment>,
    first: &'a [Seen],
    range: Range<usize>,
) -> Vec<Json> {
    let mut said = Said { first, nodes: vec![None; first.len()], open: None, sent: 0 };
    let mut lines = Vec::with_capacity(range.len());
    for (moment, index) in all.take(range.end).zip(0..) {
        match range.contains(&index) {
            true => lines.push(said.line(moment)),
            false => said.skip(moment),
        }
    }
    lines
}

/// What the page knows from earlier lines.
struct Said<'a> {
    first: &'a [Seen],
    /// Each node as it was told last; none if it still is as it was at first.
    nodes: Vec<Option<&'a Seen>>,
    open: Option<&'a str>,
    sent: u32,
}

impl<'a> Said<'a> {
    fn skip(&mut self, moment: &'a Moment) {
        self.sent += messages(&moment.line).count() as u32;
        if let Some((node, seen)) = &moment.node {
            self.nodes[node.index()] = Some(seen);
        }
        self.open = moment.open.as_ref().map(|open| open.promise.as_str());
    }

    /// A line of a trace with its note.
    fn line(&mut self, moment: &'a Moment) -> Json {
        let mut note = json!({ "text": sentence(&moment.line) });
        let says = messages(&moment.line).zip(self.sent..);
        let says = says.map(|((_, msg), number)| json!([number, msg.kind(), text(msg)]));
        note["says"] = says.collect();
        let statements = moment.statements.iter().map(|it| json!([it.file(), it.line()]));
        note["src"] = statements.collect();
        if let Some((node, seen)) = &moment.node {
            let before = self.nodes[node.index()].unwrap_or(&self.first[node.index()]);
            note["node"] = change(*node, before, seen);
        }
        if let Some(phase) = moment.phase {
            note["phase"] = json!(word(phase));
        }
        if !moment.broken.is_empty() {
            note["broken"] = json!(moment.broken);
        }
        let open = moment.open.as_ref().map(|open| open.promise.as_str());
        if open != self.open {
            note["open"] = json!(open);
        }
        if let Some(what) = moment.what {
            let step = Move { what, choices: choices(&moment.line) };
            note["do"] = json!(step.to_string());
        }
        self.skip(moment);
        let mut line = serde_json::to_value(&moment.line).unwrap_or_default();
        line["note"] = note;
        line
    }
}

/// What is new about a node: of its state, only what lies between the beginning and the end that
/// are as before, which are given by their lengths in characters.
fn change(node: NodeId, before: &Seen, after: &Seen) -> Json {
    let mut told = json!({ "id": node });
    if before.state != after.state {
        let (old, new): (Vec<char>, Vec<char>) =
            (before.state.chars().collect(), after.state.chars().collect());
        let most = old.len().min(new.len());
        let alike = |place: &usize| old[*place] == new[*place];
        let start = (0..most).take_while(alike).count();
        let tail = |place: &usize| old[old.len() - 1 - place] == new[new.len() - 1 - place];
        let end = (0..most - start).take_while(tail).count();
        let middle: String = new[start..new.len() - end].iter().collect();
        told["state"] = json!([start, end, middle]);
    }
    if before.status != after.status {
        told["status"] = json!(status(after.status));
    }
    if before.waits_for != after.waits_for {
        told["waits"] = json!(after.waits_for);
    }
    if before.knows != after.knows {
        told["knows"] = json!(after.knows);
    }
    told
}

/// The messages that a line sends, with their receivers.
fn messages(line: &Line<Erased>) -> impl Iterator<Item = (NodeId, &Value)> {
    let effects = match line {
        Line::Step(step) => &step.effects[..],
        Line::Fault { .. } | Line::Loop { .. } | Line::End(_) => &[],
    };
    effects.iter().filter_map(|effect| match effect {
        Effect::Send { to, msg } => Some((*to, msg)),
        _ => None,
    })
}

/// A node as it is at a moment.
fn describe(node: NodeId, seen: &Seen) -> Json {
    let mut told = json!({ "id": node, "state": seen.state, "status": status(seen.status) });
    if !seen.waits_for.is_empty() {
        told["waits"] = json!(seen.waits_for);
    }
    if let Some(knows) = &seen.knows {
        told["knows"] = json!(knows);
    }
    told
}

/// All nodes, as they are at a moment.
pub fn nodes(seen: &[Seen]) -> Json {
    (0..).map(NodeId).zip(seen).map(|(node, seen)| describe(node, seen)).collect()
}

/// How the system stands at the end of a play: its nodes, what can happen, what cannot happen yet.
pub fn standing(play: &Play) -> Json {
    let stage = play.stage();
    let transit = stage.transit();
    let enabled = stage.enabled();
    let said = |number: u32| transit.iter().find(|it| it.0 == number);
    let option = |action: &Action<Erased>| {
        let what = Move::of(action, stage)?;
        let (node, message, words) = match action {
            Action::Start(node) => (Some(*node), None, format!("{node} starts")),
            Action::Command { node, command } => {
                (Some(*node), None, format!("{node} is told to {}", text(command)))
            }
            Action::Timer { node, timer } => {
                (Some(*node), None, format!("{node} times out: {}", text(timer)))
            }
            Action::Tick(node) => (Some(*node), None, format!("{node} acts by itself")),
            Action::Deliver(number) => {
                let (_, from, to, msg) = said(*number)?;
                let words = format!("{to} receives {} from {from}", text(msg));
                (Some(*to), Some(*number), words)
            }
            Action::Return(number) => {
                let (_, from, to, msg) = said(*number)?;
                let words = format!("{from} gets back from {to}: {}", text(msg));
                (Some(*from), Some(*number), words)
            }
            Action::Lose(number) => (None, Some(*number), format!("message {number} is lost")),
            Action::Duplicate(number) => {
                (None, Some(*number), format!("message {number} is duplicated"))
            }
            Action::Crash(node) => (Some(*node), None, format!("{node} crashes")),
            Action::Restart(node) => (Some(*node), None, format!("{node} restarts")),
            Action::DeliverForged { .. }
            | Action::Forge { .. }
            | Action::Damage { .. }
            | Action::Spoil { .. } => {
                return None;
            }
        };
        Some(json!({ "do": what.to_string(), "text": words, "node": node, "message": message }))
    };
    let arrives = |number: u32| {
        let arrivals = [Action::Deliver(number), Action::Return(number)];
        enabled.iter().any(|action| arrivals.contains(action))
    };
    let held = transit.iter().filter(|it| !arrives(it.0)).map(|it| it.0);
    let messages = transit.iter().map(|(number, from, to, msg)| {
        json!({ "n": number, "from": from, "to": to, "kind": msg.kind(), "text": text(msg) })
    });
    json!({
        "transit": messages.collect::<Vec<_>>(),
        "options": enabled.iter().filter_map(option).collect::<Vec<_>>(),
        "faults": stage.faults().iter().filter_map(option).collect::<Vec<_>>(),
        "held": held.collect::<Vec<_>>(),
        "broken": stage.broken(),
        "open": stage.open(),
        "rests": stage.is_at_rest(),
    })
}

fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "idle",
        Phase::Waits => "waits",
        Phase::Holds => "holds",
        Phase::Knows => "knows",
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Asleep => "asleep",
        Status::Up => "up",
        Status::Down | Status::Away => "down",
        Status::Gone => "gone",
    }
}

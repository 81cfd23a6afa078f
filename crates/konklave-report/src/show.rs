//! Messages, timers, commands and events of any algorithm, for people.

use konklave::protocol::Input;
use konklave::trace::{Fault, Line};
use konklave_stage::erased::{Erased, Value};
use konklave_stage::kind::{variant, variants};
use serde_json::Value as Json;

/// The whole value: as the algorithm prints it, or nearly so if it was read from a file.
pub fn text(value: &Value) -> String {
    let printed = format!("{value:?}");
    if printed.is_empty() { print(&value.to_json()) } else { printed }
}

/// What a line of a trace tells, in one sentence: what happened, without its effects.
pub fn sentence(line: &Line<Erased>) -> String {
    match line {
        Line::Step(step) => {
            let node = step.node;
            match &step.input {
                Input::Start => format!("{node} starts"),
                Input::Command(command) => format!("{node} is told to {}", text(command)),
                Input::Message { from, msg } => {
                    format!("{node} receives {} from {from}", text(msg))
                }
                Input::Timer(timer) => format!("{node} times out: {}", text(timer)),
                Input::Tick => format!("{node} acts by itself"),
                Input::Returned { to, msg } => format!("{node} gets back from {to}: {}", text(msg)),
            }
        }
        Line::Fault { what, .. } => fault(what),
        Line::Loop { .. } => "the steps from here on can repeat for ever".to_owned(),
        Line::End(end) => format!("end: {}", end.ended),
    }
}

fn fault(fault: &Fault<Erased>) -> String {
    match fault {
        Fault::Lost(number) => format!("message {number} is lost"),
        Fault::Doubled(number) => format!("message {number} is duplicated"),
        Fault::Missed(number) => format!("message {number} reaches a crashed node"),
        Fault::Crash(node) => format!("{node} crashes"),
        Fault::Restart(node) => format!("{node} restarts"),
        Fault::Pause(node) => format!("{node} pauses"),
        Fault::Resume(node) => format!("{node} resumes"),
        Fault::Partition(groups) => format!("partition {groups} begins"),
        Fault::Heal(groups) => format!("partition {groups} heals"),
        Fault::Garbage { node, messages } => {
            format!("the state of {node} is corrupted, as if by {messages:?}")
        }
        Fault::Damage { node, name, .. } => format!("the state of {node} is damaged: {name}"),
        Fault::Forged { from, to } => format!("a forged message from {from} to {to} appears"),
    }
}

/// What a message says to its receiver: the innermost of the variants that make up its kind, with
/// what is in it if that is short.
pub(crate) fn label(msg: &Value) -> String {
    let json = msg.to_json();
    let innermost = variants(&json).pop();
    let text = print(innermost.map_or(&json, |(_, all)| all));
    match (text.chars().count() <= LABEL, innermost) {
        (true, _) => text,
        (false, Some((name, _))) => name.to_owned(),
        (false, None) => String::new(),
    }
}

/// A command or an event where there is little room: the innermost of its variants, and the values
/// in it without their names.
pub(crate) fn brief(value: &Value) -> String {
    let json = value.to_json();
    let innermost = variants(&json).pop();
    let content = innermost.and_then(|(_, all)| variant(all));
    let mut values = Vec::new();
    collect(content.map_or(&json, |(_, content)| content), &mut values);
    match content {
        Some((name, _)) => format!("{name}({})", values.join(", ")),
        None => values.join(", "),
    }
}

fn collect(json: &Json, values: &mut Vec<String>) {
    match json {
        Json::Null => values.push("-".to_owned()),
        Json::Array(items) => items.iter().for_each(|item| collect(item, values)),
        Json::Object(fields) => fields.values().for_each(|field| collect(field, values)),
        other => values.push(print(other)),
    }
}

/// The maximum number of characters along an arrow.
const LABEL: usize = 18;

fn print(json: &Json) -> String {
    if let Some((name, content)) = variant(json) {
        let is_struct = content.is_object() && variant(content).is_none();
        return match is_struct {
            true => format!("{name} {}", print(content)),
            false => format!("{name}({})", inside(content)),
        };
    }
    match json {
        Json::String(text) => text.clone(),
        Json::Array(items) => format!("[{}]", list(items)),
        Json::Object(fields) => {
            let field = |(name, value): (&String, &Json)| format!("{name}: {}", print(value));
            let fields: Vec<_> = fields.iter().map(field).collect();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        other => other.to_string(),
    }
}

fn inside(json: &Json) -> String {
    match json {
        Json::Array(items) => list(items),
        other => print(other),
    }
}

fn list(items: &[Json]) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn kinds_are_those_that_the_simulator_counts() {
        let cases = [
            (r#""Request""#, "Request"),
            (r#"{"Ack":3}"#, "Ack"),
            (r#"{"Wave":{"Explore":[1,2]}}"#, "Wave.Explore"),
            (r#"{"Probe":{"heading":"Clockwise","id":3}}"#, "Probe"),
            (r#"{"election":2,"msg":{"Propose":5}}"#, "Propose"),
            ("7", "message"),
            ("null", "message"),
        ];
        for (json, expected) in cases {
            assert_eq!(value(json).kind(), expected, "{json}");
        }
    }

    #[test]
    fn labels_are_what_receivers_look_at() {
        let cases = [
            (r#""Request""#, "Request"),
            (r#"{"Request":[1,0]}"#, "Request(1, 0)"),
            (r#"{"Wave":{"Explore":[1,2]}}"#, "Explore(1, 2)"),
            (r#"{"Wave":"Echo"}"#, "Echo"),
            (r#"{"Probe":{"heading":"Clockwise","id":3}}"#, "Probe"),
            (r#"{"Probe":{"id":3}}"#, "Probe { id: 3 }"),
            (r#"{"election":2,"msg":{"Propose":5}}"#, "Propose(5)"),
            ("7", "7"),
        ];
        for (json, expected) in cases {
            assert_eq!(label(&value(json)), expected, "{json}");
        }
    }

    #[test]
    fn where_there_is_little_room_values_have_no_names() {
        let cases = [
            (r#""Acquire""#, "Acquire"),
            (r#"{"Invoke":{"Put":{"key":1,"value":7}}}"#, "Put(1, 7)"),
            (r#"{"Invoke":{"Get":4}}"#, "Get(4)"),
            (r#"{"Invoke":"Dequeue"}"#, "Dequeue"),
            (r#"{"Returned":{"answer":null,"ticket":3,"witness":9}}"#, "Returned(-, 3, 9)"),
        ];
        for (json, expected) in cases {
            assert_eq!(brief(&value(json)), expected, "{json}");
        }
    }

    #[test]
    fn values_from_files_read_like_those_of_the_algorithm() {
        let cases = [
            (r#""Request""#, "Request"),
            (r#"{"Ack":3}"#, "Ack(3)"),
            (r#"{"Propose":[1,"Left"]}"#, "Propose(1, Left)"),
            (r#"{"Probe":{"id":3,"phase":0}}"#, "Probe { id: 3, phase: 0 }"),
            (r#"{"Wave":{"Explore":[1,{"a":[]}]}}"#, "Wave(Explore(1, { a: [] }))"),
        ];
        for (json, expected) in cases {
            assert_eq!(text(&value(json)), expected, "{json}");
        }
    }
}

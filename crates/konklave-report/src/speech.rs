//! Messages, commands and events of any algorithm, for people: their kinds and their whole text.

use konklave_stage::erased::Value;
use serde_json::Value as Json;

/// The kind of a message: the names of its variants, as the simulator counts them. A message of a
/// part has a longer name, `Wave.Explore`; a struct has the kind of a field that has one.
pub fn kind(word: &Value) -> String {
    variant(&json(word)).unwrap_or_else(|| "message".to_owned())
}

/// All there is to say: as the algorithm prints it, or nearly so if the word comes from a file.
pub fn text(word: &Value) -> String {
    let spoken = format!("{word:?}");
    if spoken.is_empty() { spell(&json(word)) } else { spoken }
}

/// What a message says to its receiver: the innermost of the variants that make up its kind, with
/// what is in it if that is short.
pub fn label(word: &Value) -> String {
    let value = json(word);
    let inner = innermost(&value);
    let text = spell(inner);
    match text.chars().count() <= LABEL {
        true => text,
        false => variant(inner).unwrap_or_default(),
    }
}

/// So many characters can be read along an arrow.
const LABEL: usize = 18;

/// The word as data.
pub(crate) fn json(word: &Value) -> Json {
    serde_json::to_value(word).unwrap_or_default()
}

/// Variants begin with a capital letter, and fields do not.
fn is_variant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// The only field of an object, if it is a variant.
fn only_variant(value: &Json) -> Option<(&String, &Json)> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    fields.iter().next().filter(|(name, _)| is_variant(name))
}

fn variant(value: &Json) -> Option<String> {
    if let Some((name, content)) = only_variant(value) {
        return match variant(content).filter(|_| !is_struct(content)) {
            Some(inner) => Some(format!("{name}.{inner}")),
            None => Some(name.clone()),
        };
    }
    match value {
        Json::String(name) if is_variant(name) => Some(name.clone()),
        Json::Object(fields) => fields.values().find_map(variant),
        _ => None,
    }
}

/// The innermost value that a kind speaks of.
fn innermost(value: &Json) -> &Json {
    let inner = match (only_variant(value), value) {
        (Some((_, content)), _) => {
            (variant(content).is_some() && !is_struct(content)).then_some(content)
        }
        (None, Json::Object(fields)) => fields.values().find(|field| variant(field).is_some()),
        _ => None,
    };
    inner.map_or(value, innermost)
}

/// Whether it is a struct, or the fields of a variant: these say nothing about its kind.
fn is_struct(value: &Json) -> bool {
    value.is_object() && only_variant(value).is_none()
}

fn spell(value: &Json) -> String {
    if let Some((name, content)) = only_variant(value) {
        return match is_struct(content) {
            true => format!("{name} {}", spell(content)),
            false => format!("{name}({})", inside(content)),
        };
    }
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => format!("[{}]", list(items)),
        Json::Object(fields) => {
            let field = |(name, value): (&String, &Json)| format!("{name}: {}", spell(value));
            let fields: Vec<_> = fields.iter().map(field).collect();
            if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
        }
        other => other.to_string(),
    }
}

fn inside(value: &Json) -> String {
    match value {
        Json::Array(items) => list(items),
        other => spell(other),
    }
}

fn list(items: &[Json]) -> String {
    items.iter().map(spell).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(json: &str) -> Value {
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
            assert_eq!(kind(&word(json)), expected, "{json}");
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
            assert_eq!(label(&word(json)), expected, "{json}");
        }
    }

    #[test]
    fn words_from_files_read_like_those_of_the_algorithm() {
        let cases = [
            (r#""Request""#, "Request"),
            (r#"{"Ack":3}"#, "Ack(3)"),
            (r#"{"Propose":[1,"Left"]}"#, "Propose(1, Left)"),
            (r#"{"Probe":{"id":3,"phase":0}}"#, "Probe { id: 3, phase: 0 }"),
            (r#"{"Wave":{"Explore":[1,{"a":[]}]}}"#, "Wave(Explore(1, { a: [] }))"),
        ];
        for (json, expected) in cases {
            assert_eq!(text(&word(json)), expected, "{json}");
        }
    }
}

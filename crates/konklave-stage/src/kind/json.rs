//! The rule for messages of which only the JSON is known.

use serde_json::Value as Json;

use super::{DEPTH, NONE};

/// The variants that make up the kind of a message, from the outermost on: the name of each, and
/// all of it.
pub fn variants(json: &Json) -> Vec<(&str, &Json)> {
    let mut found = Vec::new();
    look(json, &mut found);
    found.truncate(DEPTH);
    found
}

/// The kind that these variants make up.
pub fn name(variants: &[(&str, &Json)]) -> String {
    let names: Vec<_> = variants.iter().map(|(name, _)| *name).collect();
    if names.is_empty() { NONE.to_owned() } else { names.join(".") }
}

fn look<'a>(json: &'a Json, found: &mut Vec<(&'a str, &'a Json)>) {
    match json {
        Json::String(name) if is_variant(name) => found.push((name, json)),
        Json::Object(fields) => match variant(json) {
            Some((name, content)) => {
                found.push((name, json));
                look(content, found);
            }
            // Fields say nothing about the kind of a variant around them.
            None => fields.values().for_each(|field| {
                if found.is_empty() {
                    look(field, found);
                }
            }),
        },
        _ => {}
    }
}

/// The variant that an object is, if it is one, and what is in it.
pub fn variant(json: &Json) -> Option<(&str, &Json)> {
    let fields = json.as_object().filter(|fields| fields.len() == 1)?;
    let (name, content) = fields.iter().next()?;
    is_variant(name).then_some((name.as_str(), content))
}

/// Variants begin with a capital letter, and fields do not.
fn is_variant(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

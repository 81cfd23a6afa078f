//! Errors in the options of a system, with hints.

use std::error::Error;
use std::fmt::{self, Display};

/// An error message: what is wrong, why, and what is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// A refusal with this explanation.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// An unknown name; the message suggests the nearest known names.
    pub fn unknown<'a>(
        what: &str,
        name: &str,
        valid: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let hint = match nearest(name, valid.clone()) {
            Some(hint) => hint,
            None => format!("valid names are {}", valid.collect::<Vec<_>>().join(", ")),
        };
        Self(format!("there is no {what} '{name}': {hint}"))
    }
}

/// Similar names, as a question.
pub fn nearest<'a>(name: &str, valid: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let near = valid
        .clone()
        .map(|valid| (strsim::damerau_levenshtein(&name.to_lowercase(), valid), valid))
        .min()
        .filter(|(distance, valid)| *distance <= 2.max(valid.len() / 3));
    let begins = |valid: &&str| valid.split('-').any(|part| part == name.to_lowercase());
    let begun: Vec<_> = valid.filter(begins).map(|it| format!("'{it}'")).collect();
    match near {
        Some((_, near)) => Some(format!("did you mean '{near}'?")),
        None if !begun.is_empty() => Some(format!("did you mean {}?", begun.join(" or "))),
        None => None,
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let valid = ["raymond", "ricart-agrawala", "chang-roberts"];
        let hint = |name| Refusal::unknown("algorithm", name, valid.into_iter()).to_string();
        assert_eq!(hint("raimond"), "there is no algorithm 'raimond': did you mean 'raymond'?");
        assert!(hint("Ricart-Agrawalla").ends_with("did you mean 'ricart-agrawala'?"));
        assert!(hint("Ricart").ends_with("did you mean 'ricart-agrawala'?"));
        assert!(hint("paxos").ends_with("valid names are raymond, ricart-agrawala, chang-roberts"));
    }
}

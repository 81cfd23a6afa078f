//! Options as data: declared once, understood by every verb.

use std::fmt::Display;
use std::str::FromStr;

use konklave_sim::random::Random;
use konklave_sim::workload::Members;
use serde::Serialize;

use crate::needs::Needs;

/// What can be done with an algorithm, as far as options differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Simulate it once. Random schedules are such runs, too.
    Run,
    /// Look at every schedule.
    Check,
    /// Put it beside the others of its problem.
    Compare,
    /// Simulate many sizes and seeds.
    Sweep,
}

/// What an option is if nobody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// This value.
    Is(&'static str),
    /// What these words say: the problem computes it.
    Means(&'static str),
}

impl Usual {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Is(text) | Self::Means(text) => text,
        }
    }
}

/// An option of a problem: what its applications do, or what its nodes are given.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Its name: `--NAME`.
    pub name: &'static str,
    /// What stands for its value in the help: `COUNT`.
    pub value: &'static str,
    /// What it says, without its default.
    pub help: &'static str,
    /// The verbs that take it, and what it is there if nobody says.
    pub usual: &'static [(Verb, Usual)],
    /// Whether a value makes sense; if not, what would.
    pub check: fn(&str) -> Result<(), String>,
    /// What a random run takes; nothing leaves it at its default.
    pub draw: fn(&mut Draw<'_>) -> Option<String>,
    /// Whether a sweep takes several values, separated by commas, each a series of its own.
    pub is_series: bool,
    /// Whether it says which nodes ask, or how often: in a search, a budget can say that instead.
    pub is_budget: bool,
}

/// What a random run is drawn for.
pub struct Draw<'a> {
    /// The source of randomness.
    pub random: &'a mut Random,
    /// What the algorithm needs from its surroundings.
    pub needs: &'a Needs,
    /// How many nodes there are.
    pub nodes: u32,
}

impl Draw<'_> {
    /// One of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len() as u64) as usize]
    }

    /// All nodes, or a number of them.
    pub fn members(&mut self) -> Members {
        match self.random.below(2) {
            0 => Members::All,
            _ => Members::Count(1 + self.random.below(self.nodes.into()) as u32),
        }
    }
}

impl Opt {
    /// What it is for this verb if nobody says; nothing if the verb does not take it.
    pub fn usual(&self, verb: Verb) -> Option<Usual> {
        self.usual.iter().find(|(other, _)| *other == verb).map(|(_, usual)| *usual)
    }

    /// The same, with another default for these verbs.
    pub const fn usually(self, usual: &'static [(Verb, Usual)]) -> Self {
        Self { usual, ..self }
    }
}

/// An option that only some algorithms have: one of a few values.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Choice {
    /// Its name: `--NAME`.
    pub name: &'static str,
    /// What it can be; the first is the default. `file:PATH` and `NUMBER` stand for any such.
    pub values: &'static [&'static str],
    /// What it says.
    #[serde(skip)]
    pub help: &'static str,
    /// What a random run takes; nothing leaves it at its default.
    #[serde(skip)]
    pub draw: fn(&mut Draw<'_>, &Self) -> Option<String>,
    /// Whether a value makes the algorithm another one on so many nodes than the default does.
    #[serde(skip)]
    pub is_distinct: fn(&str, u32) -> bool,
}

impl Choice {
    /// One of these values, all of which random runs try.
    pub const fn new(
        name: &'static str,
        values: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self { name, values, help, draw: draw_any, is_distinct: |_, _| true }
    }

    /// The form of an algorithm, where there are several.
    pub const fn variant(values: &'static [&'static str]) -> Self {
        let help = "The form of the algorithm, where there are several: `explain` names them";
        Self::new("variant", values, help)
    }

    /// The same, but random runs leave the number to the algorithm: others would be a mistake of
    /// the user's.
    pub const fn own_number(self) -> Self {
        Self { draw: draw_named, ..self }
    }

    /// Whether the option can have this value.
    pub fn allows(&self, value: &str) -> bool {
        self.values.iter().any(|&form| match form {
            FILE => value.len() > 5 && value.starts_with("file:"),
            NUMBER => value.parse::<u32>().is_ok_and(|number| number > 0),
            form => value == form,
        })
    }

    /// The forms of the algorithm on so many nodes, the default first. Files and numbers are for
    /// users to choose.
    pub fn forms(&self, nodes: u32) -> Vec<&'static str> {
        let is_named = |value: &&str| ![FILE, NUMBER].contains(value);
        let named = self.values.iter().copied().filter(is_named);
        named.filter(|value| (self.is_distinct)(value, nodes)).collect()
    }
}

/// Stands for any file among the values of a choice.
const FILE: &str = "file:PATH";
/// Stands for any whole number above zero.
const NUMBER: &str = "NUMBER";

/// Any value; a number up to that of nodes.
pub fn draw_any(draw: &mut Draw<'_>, choice: &Choice) -> Option<String> {
    match draw.pick(choice.values) {
        FILE => None,
        NUMBER => Some((1 + draw.random.below(draw.nodes.into())).to_string()),
        value => Some(value.to_owned()),
    }
}

/// Any value that has a name.
fn draw_named(draw: &mut Draw<'_>, choice: &Choice) -> Option<String> {
    Some(draw.pick(choice.values))
        .filter(|value| ![FILE, NUMBER].contains(value))
        .map(str::to_owned)
}

/// The check of an option that is a `T`.
///
/// # Errors
///
/// If the text is not a `T`.
pub fn is<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// The check of an option that is a number above zero.
///
/// # Errors
///
/// If the text is something else.
pub fn is_positive(text: &str) -> Result<(), String> {
    match text.parse::<u32>() {
        Ok(1..) => Ok(()),
        _ => Err("write a whole number above zero".to_owned()),
    }
}

/// The check of an option that takes any text.
///
/// # Errors
///
/// Never.
pub fn is_text(_text: &str) -> Result<(), String> {
    Ok(())
}

/// An option that random runs leave at its default.
pub fn never_drawn(_draw: &mut Draw<'_>) -> Option<String> {
    None
}

/// How ids lie along the node numbers, for problems whose nodes have ids.
pub static IDS: Opt = Opt {
    name: "ids",
    value: "ORDER",
    help: "How ids lie along the node numbers: random, ascending, descending, list:4,1,7 or \
           file:PATH with one id per node",
    usual: &[
        (Verb::Run, Usual::Is("random")),
        (Verb::Check, Usual::Is("random")),
        (Verb::Sweep, Usual::Is("random")),
    ],
    check: crate::ids::check,
    draw: |draw| Some(draw.pick(&["random", "random", "ascending", "descending"]).to_owned()),
    is_series: false,
    is_budget: false,
};

/// How soon nodes are told of crashes, for problems whose applications notice them.
pub static NOTICE: Opt = Opt {
    name: "notice",
    value: "TICKS",
    help: "How soon the others notice that a node has crashed or is back",
    usual: &[
        (Verb::Run, Usual::Means("T; the longest delay where the algorithm relies on it")),
        (Verb::Sweep, Usual::Means("T; the longest delay where the algorithm relies on it")),
    ],
    check: is::<u64>,
    // Whether nodes crash is drawn later, and with it how soon that is noticed.
    draw: never_drawn,
    is_series: false,
    is_budget: false,
};

/// The longest delay of a message, for algorithms that rely on one.
pub const MAX_DELAY: Choice = Choice::new(
    "max-delay",
    &["20", NUMBER],
    "The longest delay that the algorithm relies on, in ticks",
)
.own_number();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_allow_their_values_and_no_others() {
        let choice = Choice::new("quorum", &["auto", FILE, NUMBER], "");
        for value in ["auto", "file:q.txt", "7"] {
            assert!(choice.allows(value), "{value}");
        }
        for value in ["", "file:", "0", "-1", "grid"] {
            assert!(!choice.allows(value), "{value}");
        }
    }

    #[test]
    fn an_option_has_a_default_where_it_is_taken() {
        assert_eq!(IDS.usual(Verb::Check), Some(Usual::Is("random")));
        assert_eq!(NOTICE.usual(Verb::Check), None);
    }
}

//! Options as data: declared once, used by every subcommand.

use std::fmt::Display;
use std::str::FromStr;

use konklave_sim::Delay;
use konklave_sim::random::Random;
use konklave_sim::workload::Members;
use serde::{Deserialize, Serialize};

use crate::needs::Needs;
use crate::setup::Setup;

/// The subcommands, as far as their options differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Simulate one run, or a random schedule.
    #[default]
    Run,
    /// Check every schedule.
    Check,
    /// Compare the algorithms of a problem.
    Compare,
    /// Simulate many sizes and seeds.
    Sweep,
}

impl Verb {
    /// Whether this is `run`.
    pub fn is_run(&self) -> bool {
        *self == Self::Run
    }
}

/// The default of an option. It stands here and nowhere else.
#[derive(Clone, Copy, Debug)]
pub enum Usual {
    /// This value.
    Is(&'static str),
    /// The value that follows from the other options and the delays, described by these words.
    Of(fn(&Setup, Delay) -> String, &'static str),
    /// No value; what happens without one, in these words.
    Means(&'static str),
}

impl Usual {
    /// The text in the help.
    pub fn text(self) -> &'static str {
        match self {
            Self::Is(text) | Self::Of(_, text) | Self::Means(text) => text,
        }
    }

    /// The value in a system with this setup and these delays, if there is one.
    fn value(self, setup: &Setup, delay: Delay) -> Option<String> {
        match self {
            Self::Is(value) => Some(value.to_owned()),
            Self::Of(value, _) => Some(value(setup, delay)),
            Self::Means(_) => None,
        }
    }
}

/// An option of a problem, about its applications or its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// Its name: `--NAME`.
    pub name: &'static str,
    /// The placeholder of its value in the help: `COUNT`.
    pub value: &'static str,
    /// The help text, without the default.
    pub help: &'static str,
    /// The subcommands that take it, and its default there.
    pub usual: &'static [(Verb, Usual)],
    /// Validates a value; an error names valid ones.
    pub check: fn(&str) -> Result<(), String>,
    /// Draws a value for a random run; `None` is the default.
    pub draw: fn(&mut Draw<'_>) -> Option<String>,
    /// Whether its value is part of the name of a series of a sweep, even if there is only one.
    pub is_series: bool,
    /// Whether it sets which nodes make requests, or how many: in a search, it excludes `--budget`.
    pub is_budget: bool,
}

/// The input of a random draw.
pub struct Draw<'a> {
    /// The source of randomness.
    pub random: &'a mut Random,
    /// The assumptions of the algorithm.
    pub needs: &'a Needs,
    /// The number of nodes.
    pub nodes: u32,
}

impl Draw<'_> {
    /// Draws one of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len() as u64) as usize]
    }

    /// Draws all nodes, or a number of them.
    pub fn members(&mut self) -> Members {
        match self.random.below(2) {
            0 => Members::All,
            _ => Members::Count(1 + self.random.below(self.nodes.into()) as u32),
        }
    }
}

impl Opt {
    /// The default for this subcommand; `None` if it does not take the option.
    pub fn usual(&self, verb: Verb) -> Option<Usual> {
        self.usual.iter().find(|(other, _)| *other == verb).map(|(_, usual)| *usual)
    }

    /// Its value: as given, or the default for this subcommand.
    pub fn value(&self, setup: &Setup, verb: Verb, delay: Delay) -> Option<String> {
        let given = setup.options.get(self.name).cloned();
        given.or_else(|| self.usual(verb)?.value(setup, delay))
    }

    /// The same, as a `T`.
    pub fn get<T: FromStr>(&self, setup: &Setup, verb: Verb, delay: Delay) -> Option<T> {
        self.value(setup, verb, delay)?.parse().ok()
    }

    /// Replaces the defaults.
    pub const fn usually(self, usual: &'static [(Verb, Usual)]) -> Self {
        Self { usual, ..self }
    }
}

/// An option that only some algorithms have: one of a few values.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Choice {
    /// Its name: `--NAME`.
    pub name: &'static str,
    /// The valid values; the first is the default. Capital letters are placeholders: `NUMBER`.
    pub values: &'static [&'static str],
    /// The help text.
    #[serde(skip)]
    pub help: &'static str,
    /// Draws a value for a random run; `None` is the default.
    #[serde(skip)]
    pub draw: fn(&mut Draw<'_>, &Self) -> Option<String>,
    /// Whether a value makes a variant that differs from the default on this many nodes.
    #[serde(skip)]
    pub is_distinct: fn(&str, u32) -> bool,
    /// Validates values of a form of its own; an error names valid ones.
    #[serde(skip)]
    pub form: Option<Form>,
}

/// Validates a value; an error names valid ones.
pub type Form = fn(&str) -> Result<(), String>;

impl Choice {
    /// A choice of these values, all of which random runs draw.
    pub const fn new(
        name: &'static str,
        values: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self { name, values, help, draw: draw_any, is_distinct: |_, _| true, form: None }
    }

    /// The option `--variant` with these values.
    pub const fn variant(values: &'static [&'static str]) -> Self {
        let help = "The variant of the algorithm, if it has several: `explain` names them";
        Self::new("variant", values, help)
    }

    /// Random runs use the default only, because other numbers would violate the assumptions.
    pub const fn own_number(self) -> Self {
        Self { draw: draw_named, ..self }
    }

    /// Allows values of a form of its own, beside those that are listed.
    pub const fn form(self, check: fn(&str) -> Result<(), String>) -> Self {
        Self { form: Some(check), ..self }
    }

    /// Does not make a variant of any value.
    pub const fn no_variants(self) -> Self {
        Self { is_distinct: |_, _| false, ..self }
    }

    /// Whether the option can have this value.
    pub fn allows(&self, value: &str) -> bool {
        self.check(value).is_ok()
    }

    /// Validates a value; an error says what is valid.
    ///
    /// # Errors
    ///
    /// If the option cannot have this value.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let is_listed = self.values.iter().any(|&form| match form {
            FILE => value.len() > 5 && value.starts_with("file:"),
            SETS => value.starts_with("list:"),
            NUMBER => value.parse::<u32>().is_ok_and(|number| number > 0),
            form => value == form,
        });
        match self.form {
            _ if is_listed => Ok(()),
            Some(check) => check(value),
            None => {
                let values = self.values.join(", ");
                Err(format!("write {}", values.replace(NUMBER, &or_number())))
            }
        }
    }

    /// The variants of the algorithm on this many nodes, the default first, without lists, files
    /// and numbers.
    pub fn forms(&self, nodes: u32) -> Vec<&'static str> {
        let is_named = |value: &&str| !is_placeholder(value);
        let named = self.values.iter().copied().filter(is_named);
        named.filter(|value| (self.is_distinct)(value, nodes)).collect()
    }
}

/// The placeholder for any file.
const FILE: &str = "file:PATH";
/// The placeholder for any list of sets of nodes, one for each node.
pub(crate) const SETS: &str = "list:SETS";
/// The placeholder for any whole number above zero.
const NUMBER: &str = "NUMBER";

/// What that placeholder stands for.
fn or_number() -> String {
    format!("or a whole number from 1 to {}", u32::MAX)
}

fn is_placeholder(value: &str) -> bool {
    value.contains(char::is_uppercase)
}

/// Draws any value; a number is at most that of nodes.
pub fn draw_any(draw: &mut Draw<'_>, choice: &Choice) -> Option<String> {
    match draw.pick(choice.values) {
        NUMBER => Some((1 + draw.random.below(draw.nodes.into())).to_string()),
        value if is_placeholder(value) => None,
        value => Some(value.to_owned()),
    }
}

/// Draws any named value.
fn draw_named(draw: &mut Draw<'_>, choice: &Choice) -> Option<String> {
    Some(draw.pick(choice.values)).filter(|value| !is_placeholder(value)).map(str::to_owned)
}

/// Validates an option of type `T`.
///
/// # Errors
///
/// If the text is not a `T`.
pub fn is<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    text.parse::<T>().map(drop).map_err(|error| error.to_string())
}

/// The check of an option that is a number, however large.
///
/// # Errors
///
/// If the text is something else, or a number beyond 64 bits.
pub fn is_count(text: &str) -> Result<(), String> {
    match text.parse::<u64>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("write a whole number from 0 to {}", u64::MAX)),
    }
}

/// The check of an option that is a number.
///
/// # Errors
///
/// If the text is something else, or a number beyond 32 bits.
pub fn is_number(text: &str) -> Result<(), String> {
    match text.parse::<u32>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("write a whole number from 0 to {}", u32::MAX)),
    }
}

/// The check of an option that is a time in ticks.
///
/// # Errors
///
/// If the text is something else, or too long for the clock of a run.
pub fn is_ticks(text: &str) -> Result<(), String> {
    match text.parse::<u64>() {
        Ok(..TICKS_END) => Ok(()),
        Ok(_) => Err(format!("write a time below {TICKS_END} ticks, so that the clock can count")),
        Err(_) => Err("write a whole number of ticks, such as 10".to_owned()),
    }
}

/// No pause takes as long, so that times can be added up.
pub(crate) const TICKS_END: u64 = 1 << 40;

/// Validates an option that is a number above zero.
///
/// # Errors
///
/// If the text is not a whole number above zero.
pub fn is_positive(text: &str) -> Result<(), String> {
    match text.parse::<u32>() {
        Ok(1..) => Ok(()),
        _ => Err("write a whole number above zero".to_owned()),
    }
}

/// Accepts any text.
///
/// # Errors
///
/// Never.
pub fn is_text(_text: &str) -> Result<(), String> {
    Ok(())
}

/// Draws the default.
pub fn never_drawn(_draw: &mut Draw<'_>) -> Option<String> {
    None
}

/// The assignment of ids to node numbers, for problems whose nodes have ids.
pub static IDS: Opt = Opt {
    name: "ids",
    value: "ORDER",
    help: "Assignment of ids to node numbers: random, ascending, descending, list:4,1,7 or \
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

/// The delay of the failure detector, for problems whose applications report crashes.
pub static NOTICE: Opt = Opt {
    name: "notice",
    value: "TICKS",
    help: "Delay until the other nodes detect a crash or a restart",
    usual: &[
        (Verb::Run, Usual::Means("T; the maximum delay if the algorithm relies on one")),
        (Verb::Sweep, Usual::Means("T; the maximum delay if the algorithm relies on one")),
    ],
    check: is_ticks,
    // Drawn later, together with the crashes.
    draw: never_drawn,
    is_series: false,
    is_budget: false,
};

/// The maximum delay of a message, for algorithms that rely on one.
pub const MAX_DELAY: Choice = Choice::new(
    "max-delay",
    &["20", NUMBER],
    "The maximum delay that the algorithm relies on, in ticks",
)
.own_number();

#[cfg(test)]
mod tests;

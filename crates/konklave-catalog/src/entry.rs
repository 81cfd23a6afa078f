//! An entry of the catalogue: everything that is known about an algorithm.

use konklave_sim::Options;

use crate::document::Document;
use crate::expected::Expected;
use crate::needs::Needs;
use crate::option::Choice;
use crate::problem::About;
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;
use crate::specimen::Specimen;
use crate::system::System;

/// One algorithm, correct or broken.
pub struct Entry {
    /// Its name on the command line.
    pub name: String,
    /// The problem it solves.
    pub problem: &'static About,
    /// Its assumptions about network, order and faults.
    pub needs: Needs,
    /// The options that only this algorithm has.
    pub choices: &'static [Choice],
    /// The source text of its file.
    pub source: &'static str,
    /// The path of that file in its repository.
    pub file: &'static str,
    /// The formula for the main quantity of a run at a site, if there is one.
    pub formula: fn(&Site, &Options) -> Option<Expected>,
    /// How often other nodes can be served before one that waits, if the algorithm bounds it and
    /// its problem promises it.
    pub overtaking: fn(&Site) -> Option<u32>,
    /// The number of nodes beside those that a user asks for: servers, or nodes that join later.
    pub others: fn(&Setup) -> u32,
    /// Builds its nodes.
    pub build: Build,
    /// The specimen, if the algorithm is broken.
    pub flaw: Option<&'static Specimen>,
}

/// Builds the nodes of an algorithm at a site.
pub type Build = fn(&Site) -> Result<Box<dyn System + '_>, Refusal>;

impl Entry {
    /// An algorithm for this problem, without options and without a formula.
    pub fn new(name: &str, problem: &'static About, needs: Needs, build: Build) -> Self {
        Self {
            name: name.to_owned(),
            problem,
            needs,
            choices: &[],
            source: "",
            file: "",
            formula: |_, _| None,
            overtaking: |_| None,
            others: |_| 0,
            build,
            flaw: None,
        }
    }

    /// Adds its source file, whose module doc `list` and `explain` show.
    #[must_use]
    pub fn source(self, source: &'static str, file: &'static str) -> Self {
        Self { source, file, ..self }
    }

    /// Adds options of its own.
    #[must_use]
    pub fn choices(self, choices: &'static [Choice]) -> Self {
        Self { choices, ..self }
    }

    /// Adds a formula for its main quantity.
    #[must_use]
    pub fn formula(self, formula: fn(&Site, &Options) -> Option<Expected>) -> Self {
        Self { formula, ..self }
    }

    /// Adds a bound on overtaking.
    #[must_use]
    pub fn overtaking(self, overtaking: fn(&Site) -> Option<u32>) -> Self {
        Self { overtaking, ..self }
    }

    /// Its module doc.
    pub fn document(&self) -> Document {
        Document::of(self.source)
    }

    /// The option of its own with this name.
    pub fn choice(&self, name: &str) -> Option<&'static Choice> {
        self.choices.iter().find(|choice| choice.name == name)
    }

    /// The variants that its first option selects on this many nodes, the default first; empty if
    /// there is only one.
    pub fn variants(&self, nodes: u32) -> Vec<&'static str> {
        self.choices.first().map_or_else(Vec::new, |choice| choice.forms(nodes))
    }
}

/// An entry: problem and module, needs, options, formula, and the constructor of its nodes.
macro_rules! line {
    ($problem:ident::$module:ident, $needs:expr, $choices:expr, $formula:expr, $build:expr) => {
        $crate::entry::Entry {
            name: stringify!($module).replace('_', "-"),
            problem: &$crate::$problem::ABOUT,
            needs: $needs,
            choices: $choices,
            source: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../konklave/src/",
                stringify!($problem),
                "/",
                stringify!($module),
                ".rs"
            )),
            file: concat!(
                "crates/konklave/src/",
                stringify!($problem),
                "/",
                stringify!($module),
                ".rs"
            ),
            formula: $formula,
            overtaking: |_| None,
            others: |_| 0,
            build: $build,
            flaw: None,
        }
    };
}

pub(crate) use line;

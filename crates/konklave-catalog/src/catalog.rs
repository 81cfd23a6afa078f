//! The table of algorithms, problems and specimens, and lookups by name.

use crate::entry::Entry;
use crate::problem::About;
use crate::refusal::Refusal;
use crate::specimen::Specimen;

/// All known algorithms, correct and broken. It lives as long as the program.
#[derive(Default)]
pub struct Catalog {
    /// The algorithms, by problem and name.
    entries: Vec<Entry>,
    /// The specimens, in the order of their lists.
    specimens: Vec<Entry>,
    problems: Vec<&'static About>,
}

impl Catalog {
    /// The algorithms of this repository.
    pub fn standard() -> Self {
        let entries = [
            crate::mutex::entries(),
            crate::booking::entries(),
            crate::election::entries(),
            crate::overlay::entries(),
            crate::dictionary::entries(),
            crate::queue::entries(),
            crate::stack::entries(),
            crate::heap::entries(),
            crate::search::entries(),
            crate::selection::entries(),
            crate::consensus::entries(),
        ];
        entries.into_iter().flatten().fold(Self::default(), Self::with)
    }

    /// Adds an algorithm. It replaces one of the same name.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        if !self.problems.contains(&entry.problem) {
            self.problems.push(entry.problem);
        }
        self.entries.retain(|other| other.name != entry.name);
        let place = |entry: &Entry| self.problems.iter().position(|it| *it == entry.problem);
        let key = (place(&entry), entry.name.clone());
        let at = self.entries.partition_point(|it| (place(it), it.name.clone()) < key);
        self.entries.insert(at, entry);
        self
    }

    /// Adds these specimens. Those whose correct algorithm is unknown are left out.
    #[must_use]
    pub fn with_specimens(
        mut self,
        specimens: impl IntoIterator<Item = &'static Specimen>,
    ) -> Self {
        let entries = &self.entries;
        let entry = |specimen: &'static Specimen| {
            let right = entries.iter().find(|entry| entry.name == specimen.of)?;
            Some(specimen.entry(right))
        };
        self.specimens.extend(specimens.into_iter().filter_map(entry));
        self
    }

    /// Makes the catalogue live as long as the program.
    pub fn leak(self) -> &'static Self {
        Box::leak(Box::new(self))
    }

    /// The algorithms, by problem and name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The algorithms of a problem, by name.
    pub fn entries_of(&self, problem: &About) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.problem == problem)
    }

    /// The specimens.
    pub fn specimens(&self) -> &[Entry] {
        &self.specimens
    }

    /// The problems.
    pub fn problems(&self) -> &[&'static About] {
        &self.problems
    }

    /// The algorithm with this name, correct or broken.
    ///
    /// # Errors
    ///
    /// If the name is unknown.
    pub fn find(&self, name: &str) -> Result<&Entry, Refusal> {
        let all = self.entries.iter().chain(&self.specimens);
        all.into_iter().find(|entry| entry.name == name).ok_or_else(|| {
            let names = self.entries.iter().map(|entry| entry.name.as_str());
            let of = |problem| self.entries_of(problem).map(|entry| entry.name.as_str());
            match self.find_problem(name) {
                Ok(problem) => Refusal::new(format!(
                    "{name} is a family, and one algorithm is needed: write one of {}",
                    of(problem).collect::<Vec<_>>().join(", ")
                )),
                Err(_) => Refusal::unknown("algorithm", name, names),
            }
        })
    }

    /// The specimen with this name, with its entry and its flaw.
    ///
    /// # Errors
    ///
    /// If the name is unknown.
    pub fn find_specimen(&self, name: &str) -> Result<(&Entry, &'static Specimen), Refusal> {
        let found = self.specimens.iter().find(|entry| entry.name == name);
        found.and_then(|entry| Some((entry, entry.flaw?))).ok_or_else(|| {
            let names = self.specimens.iter().map(|entry| entry.name.as_str());
            Refusal::unknown("specimen", name, names)
        })
    }

    /// The problem with this name.
    ///
    /// # Errors
    ///
    /// If the name is unknown.
    pub fn find_problem(&self, name: &str) -> Result<&'static About, Refusal> {
        let found = self.problems.iter().copied().find(|problem| problem.name == name);
        found.ok_or_else(|| {
            Refusal::unknown("problem", name, self.problems.iter().map(|problem| problem.name))
        })
    }
}

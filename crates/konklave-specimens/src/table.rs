//! All specimens.

pub(crate) mod elections;
pub(crate) mod permissions;
pub(crate) mod rings;
pub(crate) mod tokens;

use crate::Specimen;

/// All specimens: locks by permission, locks by token, elections on rings, other elections.
pub fn all() -> impl Iterator<Item = &'static Specimen> {
    let groups = [&permissions::ALL[..], &tokens::ALL, &rings::ALL, &elections::ALL];
    groups.into_iter().flatten()
}

/// The specimen with this name.
pub fn find(name: &str) -> Option<&'static Specimen> {
    all().find(|specimen| specimen.name == name)
}

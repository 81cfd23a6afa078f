//! What the lab asks of the program that it is part of.

use konklave_catalog::catalog::Catalog;
use konklave_catalog::site::Site;
use konklave_sim::Options;

/// The command line around the lab: it reads options as it does everywhere, so that they have the
/// same checks and the same error messages here.
pub trait Repertoire {
    /// The algorithms that there are.
    fn catalog(&self) -> &'static Catalog;

    /// The system that `konklave run` with these words simulates, and how.
    ///
    /// # Errors
    ///
    /// If the command line refuses them: a sentence that says what would be right.
    fn run(&self, words: &[String]) -> Result<(Site, Options), String>;

    /// The system that the header of a trace describes.
    ///
    /// # Errors
    ///
    /// If it is not such a header.
    fn recorded(&self, header: &str) -> Result<Site, String>;
}

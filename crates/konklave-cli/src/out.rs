//! What the folders of `--out` have in common.

/// The command line that was given, for people who want to do it again.
pub(crate) fn command() -> String {
    let words = std::env::args().skip(1).map(|word| match word.contains([' ', '*', '(', '"', '<']) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word,
    });
    format!("konklave {}", words.collect::<Vec<_>>().join(" "))
}

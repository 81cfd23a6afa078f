//! Reads the module doc of an algorithm: what `list` and `explain` show.

/// The module doc of an algorithm's file, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The idea in one sentence.
    pub summary: String,
    /// Authors, title, venue, year.
    pub reference: String,
    /// Headings and texts, in order.
    pub sections: Vec<(String, String)>,
}

/// One kind of message, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its variant, as declared.
    pub name: String,
    /// What it means.
    pub meaning: String,
}

impl Document {
    /// The module doc of a source file.
    pub fn of(source: &str) -> Self {
        let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
        let mut sections = vec![(String::new(), String::new())];
        for line in lines {
            let line = line.strip_prefix(' ').unwrap_or(line);
            match line.strip_prefix("# ") {
                Some(heading) => sections.push((heading.to_owned(), String::new())),
                None => {
                    let (_, text) = sections.last_mut().expect("there is a first section");
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        for (_, text) in &mut sections {
            *text = text.trim().to_owned();
        }
        let (_, head) = sections.remove(0);
        let (summary, reference) = head.split_once("\n\n").unwrap_or((&head, ""));
        Self { summary: unwrap(summary), reference: unwrap(reference), sections }
    }

    /// The text below a heading.
    pub fn section(&self, heading: &str) -> &str {
        let section = self.sections.iter().find(|(name, _)| name == heading);
        section.map_or("", |(_, text)| text)
    }

    /// How many messages it takes: the first sentence of the cost section.
    pub fn messages(&self) -> String {
        let cost = unwrap(self.section("Cost"));
        let formula = cost.strip_prefix("Messages: ").unwrap_or(&cost);
        formula.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
    }

    /// The first sentence of a section that mentions this, if one does.
    fn sentence_about(&self, heading: &str, word: &str) -> Option<String> {
        let text = unwrap(self.section(heading));
        let mut sentences = text.split_inclusive(". ").map(str::trim);
        let found = sentences.find(|sentence| sentence.to_lowercase().contains(word))?;
        Some(found.trim_end_matches('.').to_owned())
    }

    /// What a fault does to the algorithm: the sentence that its assumptions have about it.
    pub fn fault(&self, name: &str) -> Option<String> {
        self.sentence_about("Assumes", &name.to_lowercase())
    }

    /// What something costs.
    pub fn cost(&self, name: &str) -> Option<String> {
        self.sentence_about("Cost", &format!("{name}: "))
    }

    /// The year of publication: the last one that the reference's first sentence group names.
    pub fn year(&self) -> Option<u32> {
        let is_year = |word: &&str| word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
        let words = self.reference.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(is_year).find_map(|word| word.parse().ok())
    }
}

/// A paragraph without its line breaks.
fn unwrap(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The kinds of messages that a source file declares in its `pub enum Msg`.
pub fn messages(source: &str) -> Vec<Message> {
    let body = source.lines().skip_while(|line| !line.starts_with("pub enum Msg")).skip(1);
    let mut messages = Vec::new();
    let mut meaning = Vec::new();
    let mut depth = 0_usize;
    for line in body.take_while(|line| !line.starts_with('}')) {
        let line = line.trim();
        match line.strip_prefix("/// ") {
            Some(text) if depth == 0 => meaning.push(text),
            None if depth == 0 && line.starts_with(char::is_uppercase) => {
                let name = line.trim_end_matches([',', '{', ' ']).to_owned();
                messages.push(Message { name, meaning: meaning.join(" ") });
                meaning.clear();
            }
            _ => {}
        }
        if !line.starts_with("//") {
            depth += line.matches('{').count();
            depth = depth.saturating_sub(line.matches('}').count());
        }
    }
    messages
}

/// The module from which a source file takes its messages: `pub use super::MODULE::Msg;`.
pub fn borrows_messages(source: &str) -> Option<&str> {
    source.lines().find_map(|line| line.strip_prefix("pub use super::")?.strip_suffix("::Msg;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
//! Ask nicely.
//!
//! A. Uthor, B. Uthor: On asking.
//! Journal of Things 3, 1999.
//!
//! # Idea
//!
//! One paragraph,
//! in two lines.
//!
//! Another one.
//!
//! # Cost
//!
//! Messages: 2(n-1) per entry,
//! always. Delay T.

use std::fmt;

/// What nodes send.
pub enum Msg {
    /// May I?
    Request(Stamp),
    /// A longer
    /// meaning.
    Token {
        /// A field.
        count: u32,
    },
    /// Yes.
    Reply,
}
";

    #[test]
    fn a_module_doc_is_taken_apart() {
        let document = Document::of(SOURCE);
        assert_eq!(document.summary, "Ask nicely.");
        assert_eq!(document.reference, "A. Uthor, B. Uthor: On asking. Journal of Things 3, 1999.");
        assert_eq!(document.section("Idea"), "One paragraph,\nin two lines.\n\nAnother one.");
        assert_eq!(document.messages(), "2(n-1) per entry, always");
        assert_eq!(document.year(), Some(1999));
        assert_eq!(document.sentence_about("Cost", "delay"), Some("Delay T".to_owned()));
        assert_eq!(document.sentence_about("Cost", "state"), None);
    }

    #[test]
    fn messages_are_found_with_their_meaning() {
        let found: Vec<(String, String)> =
            messages(SOURCE).into_iter().map(|message| (message.name, message.meaning)).collect();
        let expected =
            [("Request(Stamp)", "May I?"), ("Token", "A longer meaning."), ("Reply", "Yes.")];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn messages_can_be_those_of_another_file() {
        assert_eq!(borrows_messages("use a::B;\npub use super::other::Msg;\n"), Some("other"));
        assert_eq!(borrows_messages(SOURCE), None);
    }
}

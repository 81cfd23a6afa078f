//! Reads the module doc of an algorithm, which `list` and `explain` show.

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
    /// The variant of `Msg`, as declared.
    pub name: String,
    /// Its doc comment.
    pub meaning: String,
}

impl Document {
    /// The module doc of a source file.
    pub fn of(source: &str) -> Self {
        let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
        let mut sections = vec![(String::new(), String::new())];
        for line in lines {
            let line = &without_links(line.strip_prefix(' ').unwrap_or(line));
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

    /// The message complexity: the first sentence of the cost section.
    pub fn messages(&self) -> String {
        let cost = unwrap(self.section("Cost"));
        let formula = cost.strip_prefix("Messages: ").unwrap_or(&cost);
        formula.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
    }

    /// The statement of the labelled list item `- LABEL: STATEMENT` in a section, without its final
    /// full stop. Labels are compared without regard to case.
    fn labelled(&self, heading: &str, label: &str) -> Option<String> {
        let mut items = items(self.section(heading)).into_iter();
        let (_, statement) = items.find(|(name, _)| name.eq_ignore_ascii_case(label))?;
        Some(statement.trim_end_matches('.').to_owned())
    }

    /// The effect of a fault, such as `Loss`, `Duplication`, `Crash` or `Order`: the item with this
    /// label under "Assumes".
    pub fn fault(&self, name: &str) -> Option<String> {
        self.labelled("Assumes", name)
    }

    /// A cost other than messages, such as `Time` or `State`: the item with this label in "Cost".
    pub fn cost(&self, name: &str) -> Option<String> {
        self.labelled("Cost", name)
    }

    /// The degree of fairness that a lock states, without the reason behind the colon.
    pub fn fairness(&self) -> Option<String> {
        let statement = self.cost("fairness")?;
        Some(statement.split(": ").next().unwrap_or_default().to_owned())
    }

    /// The year of publication: the last one that the reference's first sentence group names.
    pub fn year(&self) -> Option<u32> {
        let is_year = |word: &&str| word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
        let words = self.reference.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(is_year).find_map(|word| word.parse().ok())
    }
}

/// A line without the links of rustdoc: of [`name`], [`name`](target) and [text](target), the name
/// and the text remain. Other brackets stay, as in an interval [1, n].
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        text.push_str(before);
        let Some((inside, behind)) = after.split_once(']') else {
            text.push('[');
            rest = after;
            continue;
        };
        let target = behind.strip_prefix('(').and_then(|it| it.split_once(')'));
        let is_name = inside.len() > 2 && inside.starts_with('`') && inside.ends_with('`');
        rest = match (target, is_name) {
            (Some((_, behind)), _) => {
                text.push_str(inside);
                behind
            }
            (None, true) => {
                text.push_str(inside);
                behind
            }
            (None, false) => {
                text.push('[');
                after
            }
        };
    }
    text + rest
}

/// A paragraph without its line breaks.
fn unwrap(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The labelled list items of a section, in order: label and statement. An item begins with
/// `- LABEL: ` and extends over the indented lines below it.
fn items(section: &str) -> Vec<(String, String)> {
    let mut items: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in section.lines() {
        if let Some((label, start)) = line.strip_prefix("- ").and_then(|it| it.split_once(": ")) {
            items.push((label.to_owned(), start.trim().to_owned()));
            is_open = true;
        } else if let Some((_, statement)) = items.last_mut().filter(|_| is_open)
            && line.starts_with("  ")
        {
            statement.push(' ');
            statement.push_str(line.trim());
        } else {
            is_open = false;
        }
    }
    items
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
            Some(text) if depth == 0 => meaning.push(without_links(text)),
            None if depth == 0 && line.starts_with(char::is_uppercase) => {
                // Of a message of a part, the kind says enough.
                let kind = line.split_once('(').filter(|(_, of)| of.contains("::"));
                let name = kind.map_or(line, |(kind, _)| kind);
                let name = name.trim_end_matches([',', '{', ' ']).to_owned();
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

/// Where a source file takes its messages from, if it does not declare them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lender<'a> {
    /// All algorithms of the problem have the same: `pub use super::Msg;`.
    Problem,
    /// Another algorithm: `pub use super::MODULE::Msg;`.
    Algorithm(&'a str),
    /// A file that problems share: `pub use crate::batched::Msg;`.
    All(&'static str),
}

/// What problems share, with their sources.
const SHARED: [(&str, &str); 2] = [
    (
        "batched",
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/batched/mod.rs")),
    ),
    (
        "object::central",
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../konklave/src/object/central.rs")),
    ),
];

/// The file from which a source file takes its messages.
pub fn borrows_messages(source: &str) -> Option<Lender<'_>> {
    source.lines().find_map(|line| {
        let path = line.strip_prefix("pub use ")?.strip_suffix("Msg;")?;
        if let Some(module) = path.strip_prefix("crate::") {
            let mut shared = SHARED.iter();
            return shared
                .find(|it| module.strip_suffix("::") == Some(it.0))
                .map(|it| Lender::All(it.1));
        }
        let module = path.strip_prefix("super::")?.strip_suffix("::");
        Some(module.map_or(Lender::Problem, Lender::Algorithm))
    })
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
//! always. The state of the art.
//!
//! - Time: coordination delay T.
//! - State: a clock, and
//!   two sets: one of them small.
//!
//! # Assumes
//!
//! No crashes. Loss: not labelled.
//!
//! - Loss: a lost request starves its sender. Safety holds.
//! - an item without a label
//!   in two lines
//! - Crash: the crash of any node
//!   blocks all others eventually.
//!
//!   Not part of it.

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
    /// Of a part.
    Part(other::Msg<Id>),
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
    }

    #[test]
    fn faults_and_costs_are_labelled_items() {
        let document = Document::of(SOURCE);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(document.cost("Time"), some("coordination delay T"));
        assert_eq!(document.cost("state"), some("a clock, and two sets: one of them small"));
        assert_eq!(document.fault("Loss"), some("a lost request starves its sender. Safety holds"));
        assert_eq!(
            document.fault("Crash"),
            some("the crash of any node blocks all others eventually")
        );
    }

    #[test]
    fn a_word_in_a_sentence_is_not_a_label() {
        let document = Document::of(SOURCE);
        assert_eq!(document.cost("Messages"), None);
        assert_eq!(document.cost("Crash"), None, "it is under another heading");
        assert_eq!(document.fault("Duplication"), None);
        assert_eq!(document.fault("an item without a label"), None);
    }

    #[test]
    fn messages_are_found_with_their_meaning() {
        let found: Vec<(String, String)> =
            messages(SOURCE).into_iter().map(|message| (message.name, message.meaning)).collect();
        let expected = [
            ("Request(Stamp)", "May I?"),
            ("Token", "A longer meaning."),
            ("Reply", "Yes."),
            ("Part", "Of a part."),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn links_of_rustdoc_become_words() {
        for (line, expected) in [
            ("see [`Foo`] and [`bar`](super::bar::Bar).", "see `Foo` and `bar`."),
            ("[the paper](https://example.org/x), [1, n] and a[i]", "the paper, [1, n] and a[i]"),
            ("[`a`][`b`] [ open", "`a``b` [ open"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_links(line), expected);
        }
    }

    #[test]
    fn messages_can_be_those_of_another_file() {
        let other = "use a::B;\npub use super::other::Msg;\n";
        assert_eq!(borrows_messages(other), Some(Lender::Algorithm("other")));
        assert_eq!(borrows_messages("pub use super::Msg;\n"), Some(Lender::Problem));
        let shared = borrows_messages("pub use crate::batched::Msg;\n");
        assert!(matches!(shared, Some(Lender::All(source)) if messages(source).len() == 6));
        assert_eq!(borrows_messages(SOURCE), None);
    }
}

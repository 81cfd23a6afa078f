//! Verdicts as JUnit XML, which every service for continuous integration shows.

use std::fmt::Write;

/// Verdicts that belong together, in the words of JUnit: test cases of a test suite.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// What was examined.
    pub name: String,
    /// How long that took.
    pub seconds: f64,
    /// The verdicts.
    pub cases: Vec<Case>,
}

/// One verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it is about, such as an algorithm.
    pub about: String,
    /// What is judged, such as a promise.
    pub name: String,
    /// The verdict.
    pub outcome: Outcome,
}

/// How something was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not: a sentence, and all that is known about it.
    Failed(String, String),
    /// There is no verdict, for this reason.
    Undecided(String),
}

impl Suite {
    /// The XML document.
    pub fn xml(&self) -> String {
        let count =
            |is: fn(&Outcome) -> bool| self.cases.iter().filter(|it| is(&it.outcome)).count();
        let failures = count(|it| matches!(it, Outcome::Failed(..)));
        let skipped = count(|it| matches!(it, Outcome::Undecided(_)));
        let totals = format!(
            "name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" \
             time=\"{:.3}\"",
            escaped(&self.name),
            self.cases.len(),
            self.seconds
        );
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        let _ = writeln!(xml, "<testsuites {totals}>\n  <testsuite {totals}>");
        for Case { about, name, outcome } in &self.cases {
            let (about, name) = (escaped(about), escaped(name));
            let _ = write!(xml, "    <testcase classname=\"{about}\" name=\"{name}\"");
            let _ = match outcome {
                Outcome::Passed => writeln!(xml, "/>"),
                Outcome::Failed(message, details) => writeln!(
                    xml,
                    ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                    escaped(message),
                    escaped(details)
                ),
                Outcome::Undecided(reason) => writeln!(
                    xml,
                    ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                    escaped(reason)
                ),
            };
        }
        xml + "  </testsuite>\n</testsuites>\n"
    }
}

/// Text inside XML. Characters that XML cannot hold, such as those that colour a terminal, are
/// replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(it),
            it if it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            it => escaped.push(it),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_parser_reads_the_same_verdicts() {
        let case = |name: &str, outcome| Case {
            about: "a<b>&\"c\"".to_owned(),
            name: name.to_owned(),
            outcome,
        };
        let failed = Outcome::Failed("1 < 2 & \"so\"".to_owned(), "]]> \u{1b}[31m\nx".to_owned());
        let suite = Suite {
            name: "konklave check 'x' & y".to_owned(),
            seconds: 1.25,
            cases: vec![
                case("mutual exclusion", Outcome::Passed),
                case("deadlock", failed),
                case("liveness", Outcome::Undecided("a limit".to_owned())),
            ],
        };
        let xml = suite.xml();
        let document = roxmltree::Document::parse(&xml).unwrap();
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        let suite = root.first_element_child().unwrap();
        assert_eq!(suite.tag_name().name(), "testsuite");
        for element in [root, suite] {
            let numbers = ["name", "tests", "failures", "errors", "skipped", "time"]
                .map(|name| element.attribute(name).unwrap());
            assert_eq!(numbers, ["konklave check 'x' & y", "3", "1", "0", "1", "1.250"]);
        }
        let cases: Vec<_> = suite.children().filter(|it| it.is_element()).collect();
        assert_eq!(cases.len(), 3);
        assert!(cases.iter().all(|it| it.attribute("classname") == Some("a<b>&\"c\"")));
        assert_eq!(cases[0].attribute("name"), Some("mutual exclusion"));
        assert!(cases[0].first_element_child().is_none());
        let failure = cases[1].first_element_child().unwrap();
        assert_eq!(failure.tag_name().name(), "failure");
        assert_eq!(failure.attribute("message"), Some("1 < 2 & \"so\""));
        assert_eq!(failure.text(), Some("]]> \u{fffd}[31m\nx"));
        let skipped = cases[2].first_element_child().unwrap();
        assert_eq!(skipped.tag_name().name(), "skipped");
        assert_eq!(skipped.attribute("message"), Some("a limit"));
    }
}

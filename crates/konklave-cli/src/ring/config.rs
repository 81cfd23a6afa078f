//! The config file in TOML; errors give line, column and key.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::choices::Choices;
use konklave_catalog::refusal::Refusal;

use crate::failure::Failure;
use crate::setup::read_file;

/// The type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    /// An integer or a string.
    Word,
    Flag,
    /// A string or a list of strings.
    Texts,
}

impl Kind {
    fn article(self) -> &'static str {
        match self {
            Self::Number => "a whole number",
            Self::Text => "a text in quotes",
            Self::Word => "a whole number or a text in quotes",
            Self::Flag => "true or false",
            Self::Texts => "a text in quotes, or a list of them",
        }
    }
}

/// The options, by their names on the command line.
const OPTIONS: [(&str, Kind); 17] = [
    ("size", Kind::Number),
    ("number-of-elections", Kind::Number),
    ("sleep", Kind::Number),
    ("worker-sleep", Kind::Number),
    ("algorithm", Kind::Text),
    ("initiator", Kind::Word),
    ("seed", Kind::Number),
    ("kill", Kind::Texts),
    ("revive", Kind::Texts),
    ("ack-timeout", Kind::Number),
    ("election-timeout", Kind::Number),
    ("log", Kind::Flag),
    ("log-file", Kind::Text),
    ("log-date", Kind::Flag),
    ("log-level", Kind::Word),
    ("no-config-log", Kind::Flag),
    ("events", Kind::Text),
];

/// The names of options in tables, where they differ.
const IN_TABLES: [(&str, &str); 9] = [
    ("ring.size", "size"),
    ("ring.number_of_elections", "number-of-elections"),
    ("ring.sleeptime", "sleep"),
    ("ring.worker.sleeptime", "worker-sleep"),
    ("log.enabled", "log"),
    ("log.file", "log-file"),
    ("log.include_date", "log-date"),
    ("log.level", "log-level"),
    ("log.no_config_log", "no-config-log"),
];

const TABLES: [&str; 3] = ["ring", "ring.worker", "log"];

/// Reads the file.
pub(super) fn read(path: &Path) -> Result<Choices, Failure> {
    let text = read_file("read the config", path)?;
    parse(&text).map_err(|Mistake { span, what }| {
        let (line, column) = place(&text, span.start);
        Failure::bad(format!("{}, line {line}, column {column}: {what}", path.display()))
    })
}

/// An error and its place in the file.
#[derive(Debug)]
struct Mistake {
    span: Range<usize>,
    what: String,
}

fn parse(text: &str) -> Result<Choices, Mistake> {
    let table = DeTable::parse(text).map_err(|error| Mistake {
        span: error.span().unwrap_or_default(),
        what: format!("this is not TOML: {}", error.message().trim()),
    })?;
    let mut reader = Reader { choices: Choices::default(), seen: Vec::new(), is_log_off: false };
    reader.read(table.get_ref(), "")?;
    let mut choices = reader.choices;
    if reader.is_log_off {
        (choices.log_file, choices.log_level) = (None, None);
    }
    Ok(choices)
}

struct Reader {
    choices: Choices,
    /// The options that were set, and the key of each.
    seen: Vec<(&'static str, String)>,
    /// Whether the file disables the log.
    is_log_off: bool,
}

impl Reader {
    fn read(&mut self, table: &DeTable<'_>, prefix: &str) -> Result<(), Mistake> {
        for (key, value) in table {
            let path = format!("{prefix}{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if TABLES.contains(&path.as_str()) => {
                    self.read(inner, &format!("{path}."))?;
                }
                _ => self.set(&path, key.span(), value)?,
            }
        }
        Ok(())
    }

    fn set(
        &mut self,
        key: &str,
        span: Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Mistake> {
        let long = IN_TABLES.iter().find(|(path, _)| *path == key).map_or(key, |(_, name)| name);
        let Some(&(option, kind)) = OPTIONS.iter().find(|(name, _)| *name == long) else {
            let what = match TABLES.contains(&key) {
                true => format!("'{key}' is a table: write [{key}]"),
                false => {
                    let keys = OPTIONS.iter().map(|(name, _)| *name);
                    let keys = keys.chain(IN_TABLES.iter().map(|(path, _)| *path));
                    Refusal::unknown("key", key, keys).to_string()
                }
            };
            return Err(Mistake { span, what });
        };
        if let Some((_, other)) = self.seen.iter().find(|(seen, _)| *seen == option) {
            let what = format!("'{key}' is the same option as '{other}', which is set already");
            return Err(Mistake { span, what });
        }
        self.seen.push((option, key.to_owned()));
        let wrong = |value: &Spanned<DeValue<'_>>| Mistake {
            span: value.span(),
            what: format!("'{key}' must be {}, not {}", kind.article(), name_of(value.get_ref())),
        };
        let texts = match (kind, value.get_ref()) {
            (Kind::Texts, DeValue::Array(list)) => list.iter().collect(),
            _ => vec![value],
        };
        for value in texts {
            let text = text_of(kind, value.get_ref()).ok_or_else(|| wrong(value))?;
            self.is_log_off |= option == "log" && text == "false";
            self.choices.set(option, &text).map_err(|what| Mistake {
                span: value.span(),
                what: format!("'{key}' cannot be {text}: {what}"),
            })?;
        }
        Ok(())
    }
}

/// The value as on the command line; `None` if it has another type.
fn text_of(kind: Kind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (Kind::Number | Kind::Word, DeValue::Integer(number)) => {
            let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(number.to_string())
        }
        (Kind::Text | Kind::Word | Kind::Texts, DeValue::String(text)) => Some(text.to_string()),
        (Kind::Flag, DeValue::Boolean(flag)) => Some(flag.to_string()),
        _ => None,
    }
}

fn name_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Line and column, from one.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use konklave::NodeId;
    use konklave_ring::{Initiator, Level, Moment};

    use super::*;

    #[test]
    fn tables_and_flat_keys_mean_the_same() {
        let tables = parse(
            "[ring]\nsize = 8\nnumber_of_elections = 0x10\nsleeptime = 7\n\
             worker.sleeptime = 5\n[log]\nenabled = true\nfile = 'a'\ninclude_date = true\n\
             level = 1\nno_config_log = true",
        );
        let flat = parse(
            "size = 8\nnumber-of-elections = 16\nsleep = 7\nworker-sleep = 5\nlog = true\n\
             log-file = 'a'\nlog-date = true\nlog-level = 'Debug'\nno-config-log = true",
        );
        let (tables, flat) = (tables.unwrap(), flat.unwrap());
        assert_eq!(format!("{tables:?}"), format!("{flat:?}"));
        assert_eq!((flat.size, flat.number_of_elections), (Some(8), Some(16)));
        assert_eq!(flat.sleep, Some(Duration::from_millis(7)));
        assert_eq!(flat.log_level, Some(Level::Debug));

        let more = parse("kill = ['1@2', '0@3']\nrevive = '1@3'\ninitiator = 2\nseed = 4").unwrap();
        assert_eq!(more.kill[1], Moment { election: 3, node: NodeId(0) });
        assert_eq!((more.revive.len(), more.initiator), (1, Some(Initiator::At(NodeId(2)))));
        let off = parse("[log]\nenabled = false\nfile = 'a'\nlevel = 0").unwrap();
        assert!(!off.log && off.log_file.is_none() && off.log_level.is_none());
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (text, line, column, hint) in [
            ("size = ", 1, 8, "this is not TOML"),
            ("[ring]\nsize = 8\nsise = 8", 3, 1, "did you mean 'ring.size'?"),
            ("[ring]\nsize = 'eight'", 2, 8, "'ring.size' must be a whole number, not a text"),
            ("\n  size = 0", 2, 10, "'size' cannot be 0: a ring has 1 to"),
            ("sleep = -1", 1, 9, "cannot be -1"),
            ("sleep = 1.5", 1, 9, "not a fraction"),
            ("help = true", 1, 1, "there is no key 'help'"),
            ("config = 'x'", 1, 1, "there is no key 'config'"),
            ("[ring]\nsize = 1\n[rung]\nsize = 2", 3, 2, "there is no key 'rung'"),
            ("ring = 8", 1, 1, "'ring' is a table"),
            ("size = 8\n[ring]\nsize = 8", 1, 1, "the same option as 'ring.size'"),
            ("log-level = 6", 1, 13, "'log-level' cannot be 6: write 0 to 5"),
            ("log-date = 1", 1, 12, "must be true or false"),
            ("kill = ['1@2', 3]", 1, 16, "'kill' must be a text"),
            ("kill = ['1@0']", 1, 9, "POS@ELECTION"),
            ("size = 99999999999999999999999", 1, 8, "'size' cannot be"),
        ] {
            let mistake = parse(text).unwrap_err();
            assert!(mistake.what.contains(hint), "{text}: {mistake:?}");
            assert_eq!(place(text, mistake.span.start), (line, column), "{text}: {mistake:?}");
        }
    }
}

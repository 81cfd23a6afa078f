//! The seal of a trace: its last line has a checksum of everything else. So a time that was moved,
//! or an option of the header that was changed, shows even where any value could be right.
//!
//! The checksum is of the lines without the field itself and without blanks between tokens, so a
//! trace may go through a program that formats JSON in another way.

use std::io::{self, Write};

use serde_json::Value;

/// How the last line of a trace begins.
const LAST: &str = r#"{"end":"#;
/// The name of the field, up to its value.
const FIELD: &str = r#""checksum":""#;
/// What closes the last line.
const CLOSE: &str = "}}";

/// FNV-1a, which finds accidental changes, not forgeries.
#[derive(Clone, Copy, Debug)]
struct Checksum(u64);

impl Checksum {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_line(&mut self, line: &str) {
        self.add(line.as_bytes());
        self.add(b"\n");
    }

    fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// A line without the blanks between its tokens.
fn dense(line: &str) -> String {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let mut dense = line.to_owned();
    dense.retain(|char| {
        let is_kept = is_quoted || !char.is_ascii_whitespace();
        is_quoted ^= char == '"' && !is_escaped;
        is_escaped = is_quoted && char == '\\' && !is_escaped;
        is_kept
    });
    dense
}

/// Takes the checksum out of the last line, if there is one.
fn take_checksum(line: &mut String) -> Option<String> {
    let start = line.find(FIELD)?;
    let value = start + FIELD.len();
    let end = value + line[value..].find('"')?;
    let sum = line[value..end].to_owned();
    // With the comma that separates it from its neighbour.
    match line[..start].ends_with(',') {
        true => line.replace_range(start - 1..=end, ""),
        false => {
            line.replace_range(start..=end + usize::from(line[end + 1..].starts_with(',')), "")
        }
    }
    Some(sum)
}

/// Seals the lines of a trace that are part of a report.
pub(crate) fn seal(lines: &mut [Value]) {
    let mut sum = Checksum::new();
    lines.iter().for_each(|line| sum.add_line(&line.to_string()));
    if let Some(end) = lines.last_mut().and_then(|line| line.get_mut("end")) {
        end["checksum"] = sum.text().into();
    }
}

/// Writes a trace, and seals its last line.
pub(crate) struct Sealing<W> {
    out: W,
    /// The line so far.
    line: Vec<u8>,
    sum: Checksum,
}

impl<W: Write> Sealing<W> {
    /// A trace that begins here.
    pub(crate) fn new(out: W) -> Self {
        Self { out, line: Vec::new(), sum: Checksum::new() }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.sum.add(&self.line);
        let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let body = text.strip_suffix(CLOSE.as_bytes());
        match body.filter(|body| body.starts_with(LAST.as_bytes())) {
            Some(body) => {
                self.out.write_all(body)?;
                writeln!(self.out, ",{FIELD}{}\"{CLOSE}", self.sum.text())?;
            }
            None => self.out.write_all(&self.line)?,
        }
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The lines of a trace after its header, and an error after the last one if they are not those
/// that were sealed.
pub(crate) struct Sealed<L> {
    lines: L,
    sum: Checksum,
    problem: Option<&'static str>,
}

const CHANGED: &str = "the checksum differs: the header, a time or another line was changed since \
                       the trace was recorded";
const UNSEALED: &str = "the last line has no checksum, so the header or a time may have been \
                        changed since the trace was recorded: record it again";

impl<L: Iterator<Item = io::Result<String>>> Sealed<L> {
    /// The lines that follow this header.
    pub(crate) fn new(header: &str, lines: L) -> Self {
        let mut sum = Checksum::new();
        sum.add_line(&dense(header));
        Self { lines, sum, problem: None }
    }

    fn read(&mut self, line: &str) {
        let mut line = dense(line);
        let is_last = line.starts_with(LAST);
        let seal = if is_last { take_checksum(&mut line) } else { None };
        self.sum.add_line(&line);
        self.problem = match seal {
            Some(seal) if seal != self.sum.text() => Some(CHANGED),
            None if is_last => Some(UNSEALED),
            _ => None,
        };
    }
}

impl<L: Iterator<Item = io::Result<String>>> Iterator for Sealed<L> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        if let Some(problem) = self.problem.take() {
            return Some(Err(io::Error::other(problem)));
        }
        let line = self.lines.next()?;
        if let Ok(line) = &line {
            self.read(line);
        }
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 4] = [
        r#"{"konklave_trace":1}"#,
        r#"{"step":{"at":1}}"#,
        r#"{"step":{"at":2}}"#,
        r#"{"end":{"ended":"quiescence","time":2,"steps":2}}"#,
    ];

    fn sealed() -> String {
        let mut sealing = Sealing::new(Vec::new());
        for line in LINES {
            // In pieces, as a serialiser writes it.
            let (begin, rest) = line.split_at(7);
            write!(sealing, "{begin}").unwrap();
            writeln!(sealing, "{rest}").unwrap();
        }
        String::from_utf8(sealing.out).unwrap()
    }

    fn read(text: &str) -> Result<Vec<String>, String> {
        let (header, lines) = text.split_once('\n').unwrap();
        let lines = lines.lines().map(|line| Ok(line.to_owned()));
        Sealed::new(header, lines).collect::<io::Result<_>>().map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_sealed_is_read() {
        let text = sealed();
        assert_eq!(text.lines().take(3).collect::<Vec<_>>(), LINES[..3]);
        assert!(text.lines().last().unwrap().starts_with(LINES[3].strip_suffix("}}").unwrap()));
        assert_eq!(read(&text).unwrap().len(), 3);
        assert!(read(&LINES.join("\n")).unwrap_err().contains("no checksum"));
    }

    #[test]
    fn every_digit_matters() {
        let text = sealed();
        for (place, _) in text.char_indices().filter(|(_, char)| char.is_ascii_digit()) {
            let mut changed = text.clone().into_bytes();
            changed[place] = if changed[place] == b'7' { b'8' } else { b'7' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(read(&changed).unwrap_err().contains("checksum"), "{changed}");
        }
    }

    #[test]
    fn blanks_between_tokens_do_not_matter() {
        let spaced = sealed().replace(':', ": ").replace(',', ", ");
        assert!(read(&spaced).is_ok(), "{spaced}");
        assert!(read(&spaced.replacen("\"at\": 2", "\"at\": 3", 1)).is_err());
        let quoted = r#"{"a \" b" : "c\\" , "d" : 1}"#;
        assert_eq!(dense(quoted), r#"{"a \" b":"c\\","d":1}"#);
    }

    /// There the fields are in another order, and the checksum can be the first of them.
    #[test]
    fn lines_of_a_report_are_sealed_as_well() {
        let mut lines = LINES.map(|line| serde_json::from_str(line).unwrap());
        seal(&mut lines);
        let text = lines.map(|line: Value| line.to_string()).join("\n");
        assert!(read(&text).is_ok(), "{text}");
        assert!(read(&text.replacen("\"at\":2", "\"at\":3", 1)).unwrap_err().contains("differs"));
    }
}

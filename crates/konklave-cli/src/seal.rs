//! The seal of a trace: its last line ends with a checksum of everything before. So a time that
//! was moved, or an option of the header that was changed, shows even where any value could be
//! right.

use std::io::{self, Write};

/// How the last line of a trace begins.
const LAST: &str = r#"{"end":{"#;
/// What comes before the checksum in it.
const MARK: &str = r#","checksum":""#;
/// What closes it without a checksum, and with one.
const CLOSE: &str = "}}";
const CLOSE_SEALED: &str = "\"}}";

/// FNV-1a, which finds what was changed, not who wants to deceive.
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

    fn text(self) -> String {
        format!("{:016x}", self.0)
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
        let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let body = text.strip_suffix(CLOSE.as_bytes());
        match body.filter(|body| body.starts_with(LAST.as_bytes())) {
            Some(body) => {
                self.sum.add(body);
                self.out.write_all(body)?;
                writeln!(self.out, "{MARK}{}{CLOSE_SEALED}", self.sum.text())?;
            }
            None => {
                self.sum.add(&self.line);
                self.out.write_all(&self.line)?;
            }
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
/// that were sealed. Older traces have no seal, and are taken as they are.
pub(crate) struct Sealed<L> {
    lines: L,
    sum: Checksum,
    is_broken: bool,
}

impl<L: Iterator<Item = io::Result<String>>> Sealed<L> {
    /// The lines that follow this header.
    pub(crate) fn new(header: &str, lines: L) -> Self {
        let mut sealed = Self { lines, sum: Checksum::new(), is_broken: false };
        sealed.add_line(header);
        sealed
    }

    fn add_line(&mut self, line: &str) {
        self.sum.add(line.as_bytes());
        self.sum.add(b"\n");
    }

    fn read(&mut self, line: &str) {
        match line.rsplit_once(MARK).filter(|_| line.starts_with(LAST)) {
            Some((body, seal)) => {
                self.sum.add(body.as_bytes());
                self.is_broken = seal.strip_suffix(CLOSE_SEALED) != Some(&self.sum.text());
            }
            None => self.add_line(line),
        }
    }
}

impl<L: Iterator<Item = io::Result<String>>> Iterator for Sealed<L> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        if std::mem::take(&mut self.is_broken) {
            return Some(Err(io::Error::other(
                "the checksum differs: the header, a time or another line was changed since the \
                 trace was recorded",
            )));
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
        assert_eq!(read(&LINES.join("\n")).unwrap(), LINES[1..], "an older trace has no seal");
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
}

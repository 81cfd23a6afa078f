//! Files of lines, any of which may turn out to be a device that never ends.

use std::io::{self, BufReader, Read};

/// The longest line that is read, in bytes. The header of a trace contains a whole network.
const LINE_MAX: usize = 256 << 20;

/// Reads lines from something.
pub(crate) fn lined<R: Read>(inner: R) -> BufReader<Lined<R>> {
    BufReader::new(Lined { inner, length: 0 })
}

/// Text that consists of lines: one that is too long is an error, before it fills the memory.
pub(crate) struct Lined<R> {
    inner: R,
    /// The length of the present line so far.
    length: usize,
}

impl<R: Read> Read for Lined<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let after_newline = buffer[..count].iter().rev().position(|byte| *byte == b'\n');
        self.length = after_newline.unwrap_or_else(|| self.length.saturating_add(count));
        match self.length > LINE_MAX {
            true => Err(io::Error::other(format!(
                "a line has more than {} MiB, so this is not a file of lines",
                LINE_MAX >> 20
            ))),
            false => Ok(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;

    use super::*;

    #[test]
    fn lines_end_and_start_anew() {
        // Many lines together may be longer than one line.
        let mut reader = Lined { inner: &b"ab\ncde\n\nfg"[..], length: 0 };
        let mut buffer = [0; 4];
        let lengths = [1, 0, 2].map(|expected| {
            assert!(reader.read(&mut buffer).unwrap() > 0);
            (reader.length, expected)
        });
        assert!(lengths.iter().all(|(length, expected)| length == expected), "{lengths:?}");
        let lines: Vec<_> = lined(&b"a\nb"[..]).lines().map(Result::unwrap).collect();
        assert_eq!(lines, ["a", "b"]);
    }
}

/// A position in a text that tracks its line.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    /// The current line, counted from 1.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// The next character, without consuming it.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.advance(next.len_utf8());
        Some(next)
    }

    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        self.rest.starts_with(prefix)
    }

    /// Consumes `prefix` if it comes next.
    pub(super) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.starts_with(prefix);
        if found {
            self.advance(prefix.len());
        }
        found
    }

    /// Consumes the characters that are `wanted`.
    pub(super) fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'a str {
        self.advance(self.rest.find(|next| !wanted(next)).unwrap_or(self.rest.len()))
    }

    /// Consumes everything up to and including the next `end`; returns the part before it.
    pub(super) fn take_until(&mut self, end: &str) -> Option<&'a str> {
        let taken = self.advance(self.rest.find(end)?);
        self.advance(end.len());
        Some(taken)
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.line += taken.matches('\n').count() as u32;
        taken
    }
}

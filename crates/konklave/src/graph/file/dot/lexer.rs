use std::borrow::Cow;
use std::fmt::{self, Display};

use crate::graph::GraphError;
use crate::graph::file::bad;
use crate::graph::file::cursor::Cursor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or number without quotes, or a keyword.
    Word(&'a str),
    Quoted(Cow<'a, str>),
    /// A text in angle brackets.
    Html,
    /// `--`, or `->` if it is directed.
    Link {
        directed: bool,
    },
    Symbol(char),
    End,
}

impl Token<'_> {
    /// Whether this is `keyword`, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

impl Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{word}`"),
            Self::Quoted(name) => write!(f, "`\"{name}\"`"),
            Self::Html => write!(f, "`<`"),
            Self::Link { directed: false } => write!(f, "`--`"),
            Self::Link { directed: true } => write!(f, "`->`"),
            Self::Symbol(symbol) => write!(f, "`{symbol}`"),
            Self::End => write!(f, "the end of the file"),
        }
    }
}

pub(super) struct Lexer<'a>(Cursor<'a>);

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(Cursor::new(text))
    }

    /// The next token, and the line where it begins; [`Token::End`] from the end of the text on.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, u32), GraphError> {
        self.skip_blanks()?;
        let line = self.0.line();
        let Some(first) = self.0.peek() else { return Ok((Token::End, line)) };
        let token = if is_part_of_word(first) {
            Token::Word(self.0.take_while(is_part_of_word))
        } else if self.0.eat("--") {
            Token::Link { directed: false }
        } else if self.0.eat("->") {
            Token::Link { directed: true }
        } else if self.0.eat("\"") {
            Token::Quoted(self.quoted(line)?)
        } else if first == '<' {
            self.html(line)?;
            Token::Html
        } else if first == '-' {
            // A negative number; a link would have been longer.
            let mut is_first = true;
            let is_wanted = |c| std::mem::take(&mut is_first) || is_part_of_word(c);
            match self.0.take_while(is_wanted) {
                "-" => return Err(bad(line, "unexpected character `-`")),
                number => Token::Word(number),
            }
        } else if "{}[];,=:+".contains(first) {
            self.0.next();
            Token::Symbol(first)
        } else {
            return Err(bad(line, format!("unexpected character `{first}`")));
        };
        Ok((token, line))
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), GraphError> {
        loop {
            self.0.take_while(char::is_whitespace);
            let line = self.0.line();
            if self.0.starts_with("#") || self.0.starts_with("//") {
                self.0.take_while(|c| c != '\n');
            } else if self.0.eat("/*") {
                self.0.take_until("*/").ok_or_else(|| bad(line, "`/*` is not closed"))?;
            } else {
                return Ok(());
            }
        }
    }

    /// The text up to the closing quote.
    ///
    /// As in Graphviz, `\"` is a quote, and no other backslash escapes anything; unlike there,
    /// `\\` is one backslash, so that every name can be written.
    fn quoted(&mut self, line: u32) -> Result<Cow<'a, str>, GraphError> {
        let mut name = Cow::Borrowed(self.0.take_while(|c| c != '"' && c != '\\'));
        loop {
            match (self.0.next(), self.0.peek()) {
                (None, _) => return Err(bad(line, "`\"` is not closed")),
                (Some('\\'), Some(escaped @ ('"' | '\\'))) => {
                    self.0.next();
                    name.to_mut().push(escaped);
                }
                (Some('"'), _) => return Ok(name),
                (Some(other), _) => name.to_mut().push(other),
            }
        }
    }

    /// Skips a text in nested angle brackets.
    fn html(&mut self, line: u32) -> Result<(), GraphError> {
        let mut depth = 0_u32;
        loop {
            match self.0.next() {
                Some('<') => depth += 1,
                Some('>') => depth -= 1,
                Some(_) => {}
                None => return Err(bad(line, "`<` is not closed")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// Letters and digits of any script, underscores and decimal points.
fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

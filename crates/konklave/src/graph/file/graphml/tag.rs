use std::borrow::Cow;

use crate::graph::GraphError;
use crate::graph::file::bad;
use crate::graph::file::cursor::Cursor;

/// An XML tag. `<a/>` both opens and closes.
pub(super) struct Tag<'a> {
    /// The local name, without a namespace prefix.
    pub(super) name: &'a str,
    pub(super) line: u32,
    pub(super) opens: bool,
    pub(super) closes: bool,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
}

impl<'a> Tag<'a> {
    /// Consumes the next tag, and skips comments, declarations and text before it.
    pub(super) fn next(cursor: &mut Cursor<'a>) -> Result<Option<Self>, GraphError> {
        loop {
            cursor.take_while(|c| c != '<');
            let line = cursor.line();
            let others = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
            if let Some((start, end)) = others.into_iter().find(|(start, _)| cursor.eat(start)) {
                let problem = || bad(line, format!("`{start}` is not closed"));
                cursor.take_until(end).ok_or_else(problem)?;
            } else if cursor.eat("<") {
                return Self::read(cursor, line).map(Some);
            } else {
                return Ok(None);
            }
        }
    }

    fn read(cursor: &mut Cursor<'a>, line: u32) -> Result<Self, GraphError> {
        let is_end = cursor.eat("/");
        let name = word(cursor);
        let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
        let mut tag = Self { name, line, opens: !is_end, closes: is_end, attributes: Vec::new() };
        loop {
            cursor.take_while(char::is_whitespace);
            if cursor.eat("/") {
                tag.closes = true;
            } else if cursor.eat(">") {
                return Ok(tag);
            } else {
                let attribute = attribute(cursor, name)?;
                tag.attributes.push(attribute);
            }
        }
    }

    pub(super) fn optional(&self, attribute: &str) -> Option<&Cow<'a, str>> {
        self.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value)
    }

    pub(super) fn required(&self, attribute: &str) -> Result<&Cow<'a, str>, GraphError> {
        let problem = || bad(self.line, format!("`<{}>` has no `{attribute}`", self.name));
        self.optional(attribute).ok_or_else(problem)
    }
}

/// A name; empty if none comes next.
fn word<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    cursor.take_while(|c| !c.is_whitespace() && !"=<>/\"'".contains(c))
}

/// `name="value"` or `name='value'`, within the tag `tag`.
fn attribute<'a>(
    cursor: &mut Cursor<'a>,
    tag: &str,
) -> Result<(&'a str, Cow<'a, str>), GraphError> {
    let line = cursor.line();
    let name = word(cursor);
    if name.is_empty() {
        return Err(bad(line, format!("`<{tag}` is not closed")));
    }
    cursor.take_while(char::is_whitespace);
    let is_given = cursor.eat("=");
    cursor.take_while(char::is_whitespace);
    let quote = ["\"", "'"].into_iter().find(|quote| cursor.eat(quote));
    let Some(quote) = quote.filter(|_| is_given) else {
        return Err(bad(line, format!("`{name}` has no value in quotes")));
    };
    let Some(value) = cursor.take_until(quote) else {
        return Err(bad(line, format!("the value of `{name}` is not closed")));
    };
    Ok((name, unescaped(value, line)?))
}

/// The value with its entities resolved.
fn unescaped(value: &str, line: u32) -> Result<Cow<'_, str>, GraphError> {
    let mut pieces = value.split('&');
    let start = pieces.next().unwrap_or_default();
    let mut text = Cow::Borrowed(start);
    for piece in pieces {
        let (entity, after) = piece.split_once(';').unwrap_or((piece, ""));
        let Some(c) = entity_char(entity).filter(|_| piece.contains(';')) else {
            return Err(bad(line, format!("`&{entity}` is not an entity such as `&amp;`")));
        };
        text.to_mut().push(c);
        text.to_mut().push_str(after);
    }
    Ok(text)
}

fn entity_char(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

//! The words of a bound.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// An operator, a comparison, a parenthesis or a comma.
    Sign(&'static str),
    End,
}

impl Token {
    /// For error messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("'{number}'"),
            Self::Name(name) => format!("'{name}'"),
            Self::Sign(sign) => format!("'{sign}'"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// What is wrong, and at which character.
pub(super) type Problem = (usize, String);

/// Longer signs come before those that they begin with.
const SIGNS: [&str; 13] = ["<=", ">=", "==", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

/// The tokens of a text with their places, followed by the end.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Problem> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let rest = &chars[at..];
        let is_sign = |sign: &&&str| sign.chars().eq(rest.iter().copied().take(sign.len()));
        let length = match c {
            c if c.is_whitespace() => 1,
            '0'..='9' | '.' => {
                let (number, length) = number(rest).map_err(|problem| (at, problem))?;
                tokens.push((at, Token::Number(number)));
                length
            }
            c if c.is_alphabetic() => {
                let is_part = |c: &&char| c.is_alphanumeric() || matches!(**c, '_' | '.');
                let name: String = rest.iter().take_while(is_part).collect();
                let length = name.chars().count();
                tokens.push((at, Token::Name(name)));
                length
            }
            _ => {
                let sign = SIGNS.iter().find(is_sign).ok_or_else(|| (at, strange(c)))?;
                tokens.push((at, Token::Sign(sign)));
                sign.len()
            }
        };
        at += length;
    }
    tokens.push((at, Token::End));
    Ok(tokens)
}

/// A number as Rust reads it, and its length.
fn number(chars: &[char]) -> Result<(f64, usize), String> {
    let is_digit = |place: usize| chars.get(place).is_some_and(char::is_ascii_digit);
    let mut length = 0;
    while is_digit(length) || chars.get(length) == Some(&'.') {
        length += 1;
    }
    // An exponent belongs to it only if it has digits: in `2e` the `e` is a name.
    if matches!(chars.get(length), Some('e' | 'E')) {
        let sign = usize::from(matches!(chars.get(length + 1), Some('+' | '-')));
        let mut end = length + 1 + sign;
        if is_digit(end) {
            while is_digit(end) {
                end += 1;
            }
            length = end;
        }
    }
    let text: String = chars[..length].iter().collect();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((number, length)),
        Ok(_) => Err(format!("{text} is too large")),
        Err(_) => Err(format!("'{text}' is not a number: write it as 12, 0.5 or 1e6")),
    }
}

/// What to write instead of a character that has no meaning here.
fn strange(c: char) -> String {
    let instead = match c {
        '=' => "write == for equal, <= for at most, >= for at least",
        '\u{2264}' => "write <=",
        '\u{2265}' => "write >=",
        '\u{d7}' | '\u{b7}' => "write *",
        '\u{f7}' => "write /",
        '\u{221a}' => "write sqrt(...)",
        '[' | ']' | '{' | '}' => "write parentheses ( )",
        '!' => "only <= < >= > == compare",
        _ => "write numbers, names, + - * / ^ ( ) and one of <= < >= > ==",
    };
    format!("'{c}' has no meaning here: {instead}", c = c.escape_debug())
}

//! From the words of a bound to its formulas.

use super::Comparison;
use super::formula::{Formula, Function, Operator, Step};
use super::token::{Problem, Token, tokens};

/// So deep can parentheses, signs and powers be nested.
const DEPTH: usize = 100;

const FUNCTIONS: &str = "ln, log2, log10, sqrt, floor, ceil, H, min, max";
const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    ("<", Comparison::Below),
    (">=", Comparison::AtLeast),
    (">", Comparison::Above),
    ("==", Comparison::Equal),
];

pub(super) fn bound(text: &str, names: &[&str]) -> Result<(Formula, Comparison, Formula), Problem> {
    let mut parser = Parser { tokens: tokens(text)?, place: 0, names, steps: Vec::new(), depth: 0 };
    if *parser.next() == Token::End {
        return Err((0, "nothing is written: write something like messages <= 2*n".to_owned()));
    }
    let left = parser.formula()?;
    let comparison = parser.comparison()?;
    let right = parser.formula()?;
    match parser.next() {
        Token::End => Ok((left, comparison, right)),
        Token::Sign(sign) if COMPARISONS.iter().any(|(name, _)| name == sign) => {
            Err(parser.problem("one comparison is enough: write two bounds instead".to_owned()))
        }
        token => Err(parser.problem(unexpected(token, "an operator or the end"))),
    }
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    place: usize,
    names: &'a [&'a str],
    steps: Vec<Step>,
    depth: usize,
}

impl Parser<'_> {
    fn next(&self) -> &Token {
        &self.tokens[self.place].1
    }

    fn problem(&self, problem: String) -> Problem {
        (self.tokens[self.place].0, problem)
    }

    /// Goes on. The end stays the end.
    fn advance(&mut self) {
        self.place = (self.place + 1).min(self.tokens.len() - 1);
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.next(), Token::Sign(next) if *next == sign);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn comparison(&mut self) -> Result<Comparison, Problem> {
        for (sign, comparison) in COMPARISONS {
            if self.take(sign) {
                return Ok(comparison);
            }
        }
        Err(self.problem(match self.next() {
            Token::End => "there is no comparison: add <= and a bound".to_owned(),
            token => unexpected(token, "an operator or one of <= < >= > =="),
        }))
    }

    fn formula(&mut self) -> Result<Formula, Problem> {
        self.sum()?;
        Ok(Formula(std::mem::take(&mut self.steps)))
    }

    fn sum(&mut self) -> Result<(), Problem> {
        self.product()?;
        loop {
            let operator = match self.next() {
                Token::Sign("+") => Operator::Add,
                Token::Sign("-") => Operator::Subtract,
                _ => return Ok(()),
            };
            self.advance();
            self.product()?;
            self.steps.push(Step::Binary(operator));
        }
    }

    fn product(&mut self) -> Result<(), Problem> {
        self.signed()?;
        loop {
            let operator = match self.next() {
                Token::Sign("*") => Operator::Multiply,
                Token::Sign("/") => Operator::Divide,
                _ => return Ok(()),
            };
            self.advance();
            self.signed()?;
            self.steps.push(Step::Binary(operator));
        }
    }

    /// A sign binds less than a power: -2^2 is -4.
    fn signed(&mut self) -> Result<(), Problem> {
        self.deeper(|parser| {
            if parser.take("-") {
                parser.signed()?;
                parser.steps.push(Step::Unary(Function::Negate));
                return Ok(());
            }
            parser.power()
        })
    }

    fn power(&mut self) -> Result<(), Problem> {
        self.atom()?;
        if self.take("^") {
            self.signed()?;
            self.steps.push(Step::Binary(Operator::Power));
        }
        // After a whole operand, another one can only be a product without its sign.
        match self.next() {
            Token::Number(_) | Token::Name(_) | Token::Sign("(") => {
                let token = self.next().shown();
                Err(self.problem(format!("write * before {token}")))
            }
            _ => Ok(()),
        }
    }

    fn deeper(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        if self.depth == DEPTH {
            return Err(self.problem(format!("this is nested deeper than {DEPTH} times")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn atom(&mut self) -> Result<(), Problem> {
        match self.next().clone() {
            Token::Number(number) => {
                self.advance();
                self.steps.push(Step::Number(number));
                Ok(())
            }
            Token::Name(name) => self.name(&name),
            Token::Sign("(") => {
                let opening = self.tokens[self.place].0;
                self.advance();
                self.sum()?;
                self.close(opening)
            }
            token => Err(self.problem(unexpected(&token, "a number, a name or a parenthesis"))),
        }
    }

    fn close(&mut self, opening: usize) -> Result<(), Problem> {
        if self.take(")") {
            return Ok(());
        }
        Err(match self.next() {
            Token::Sign(",") => self.problem("only min and max take several values".to_owned()),
            Token::End => {
                (opening, "this parenthesis is not closed: write ) at its end".to_owned())
            }
            token => self.problem(unexpected(token, "an operator or )")),
        })
    }

    fn name(&mut self, name: &str) -> Result<(), Problem> {
        let is_call = matches!(self.tokens.get(self.place + 1), Some((_, Token::Sign("("))));
        let is_known = name == "n" || self.names.contains(&name);
        match (is_call, is_known) {
            (true, _) => self.call(name),
            (false, true) => {
                self.advance();
                self.steps.push(Step::Name(name.to_owned()));
                Ok(())
            }
            (false, false) => Err(self.problem(self.unknown(name))),
        }
    }

    fn unknown(&self, name: &str) -> String {
        if FUNCTIONS.split(", ").any(|function| function == name) {
            return format!("{name} is a function: write {name}(n)");
        }
        let mut names: Vec<_> = self.names.iter().copied().chain(["n"]).collect();
        names.sort_unstable();
        names.dedup();
        let alike = |known: &&&str| known.eq_ignore_ascii_case(name) || is_near(known, name);
        let hint = match names.iter().find(alike) {
            Some(known) => format!("did you mean {known}?"),
            None => format!("measured quantities are {}", names.join(", ")),
        };
        format!("'{name}' is not measured: {hint}")
    }

    fn call(&mut self, name: &str) -> Result<(), Problem> {
        let callable = callable(name).map_err(|problem| self.problem(problem))?;
        self.advance();
        let opening = self.tokens[self.place].0;
        self.advance();
        self.sum()?;
        match callable {
            Callable::One(function) => self.steps.push(Step::Unary(function)),
            Callable::Many(operator) => {
                if !matches!(self.next(), Token::Sign(",")) {
                    let problem = format!("{name} needs two values: write {name}(a, b)");
                    return Err(self.problem(problem));
                }
                while self.take(",") {
                    self.sum()?;
                    self.steps.push(Step::Binary(operator));
                }
            }
        }
        self.close(opening)
    }
}

/// What can stand before a parenthesis.
enum Callable {
    /// A function of one value.
    One(Function),
    /// A function of two values or more, which takes them two by two.
    Many(Operator),
}

fn callable(name: &str) -> Result<Callable, String> {
    Ok(match name {
        "ln" => Callable::One(Function::Ln),
        "log2" => Callable::One(Function::Log2),
        "log10" => Callable::One(Function::Log10),
        "sqrt" => Callable::One(Function::Sqrt),
        "floor" => Callable::One(Function::Floor),
        "ceil" => Callable::One(Function::Ceil),
        "H" => Callable::One(Function::Harmonic),
        "min" => Callable::Many(Operator::Min),
        "max" => Callable::Many(Operator::Max),
        "log" => return Err("which logarithm? Write ln, log2 or log10".to_owned()),
        "n" => return Err("n is not a function: write n*(...)".to_owned()),
        _ => return Err(format!("there is no function {name}: write one of {FUNCTIONS}")),
    })
}

fn unexpected(token: &Token, instead: &str) -> String {
    let found = token.shown();
    match token {
        Token::Sign(")") => format!("this ) closes nothing: {instead} is expected"),
        _ => format!("{found} cannot stand here: {instead} is expected"),
    }
}

/// Whether one character more, less or other makes the names equal.
fn is_near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let longest = a.len().max(b.len());
    if a.len().abs_diff(b.len()) > 1 || start + longest < 3 {
        return false;
    }
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    longest - same <= 1
}

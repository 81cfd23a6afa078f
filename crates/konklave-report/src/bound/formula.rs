//! Formulas, ready to be computed.

use super::Assignment;

/// The steps of a computation on a stack. So a formula of any length is computed, copied and
/// dropped without recursion.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Formula(pub(super) Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Number(f64),
    Name(String),
    /// Of the top of the stack.
    Unary(Function),
    /// Of the two at the top of the stack.
    Binary(Operator),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
}

/// Functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Negate,
    Ln,
    Log2,
    Log10,
    Sqrt,
    Floor,
    Ceil,
    Harmonic,
}

impl Formula {
    /// Its value, which need not be a number; or the name that the row lacks.
    pub(super) fn value(&self, row: &Assignment) -> Result<f64, String> {
        let mut stack = Vec::new();
        for step in &self.0 {
            let value = match step {
                Step::Number(number) => *number,
                Step::Name(name) => *row.get(name).ok_or_else(|| name.clone())?,
                Step::Unary(function) => one(*function, stack.pop().unwrap_or(f64::NAN)),
                Step::Binary(operator) => {
                    let right = stack.pop().unwrap_or(f64::NAN);
                    two(*operator, stack.pop().unwrap_or(f64::NAN), right)
                }
            };
            stack.push(value);
        }
        Ok(stack.pop().unwrap_or(f64::NAN))
    }
}

fn one(function: Function, x: f64) -> f64 {
    match function {
        Function::Negate => -x,
        Function::Ln => libm::log(x),
        Function::Log2 => libm::log2(x),
        Function::Log10 => libm::log10(x),
        Function::Sqrt => x.sqrt(),
        Function::Floor => x.floor(),
        Function::Ceil => x.ceil(),
        Function::Harmonic => harmonic(x),
    }
}

fn two(operator: Operator, x: f64, y: f64) -> f64 {
    match operator {
        Operator::Add => x + y,
        Operator::Subtract => x - y,
        Operator::Multiply => x * y,
        Operator::Divide => x / y,
        Operator::Power => libm::pow(x, y),
        Operator::Min if x.is_nan() || y.is_nan() => f64::NAN,
        Operator::Max if x.is_nan() || y.is_nan() => f64::NAN,
        Operator::Min => x.min(y),
        Operator::Max => x.max(y),
    }
}

/// The harmonic number 1 + 1/2 + ... + 1/n; between whole numbers, its smooth continuation.
fn harmonic(n: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    if n < 0.0 {
        return f64::NAN;
    }
    // H(n) = H(n + 1) - 1/(n + 1), until the series is exact enough.
    let (mut n, mut missing) = (n, 0.0);
    while n < 50.0 {
        n += 1.0;
        missing += 1.0 / n;
    }
    let square = 1.0 / (n * n);
    let tail = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
    libm::log(n) + EULER + 1.0 / (2.0 * n) - tail - missing
}

#[cfg(test)]
mod tests {
    use super::harmonic;

    #[test]
    fn harmonic_numbers_are_sums() {
        let mut sum = 0.0;
        assert!(harmonic(0.0).abs() < 1e-13);
        for n in 1..=2000 {
            sum += 1.0 / f64::from(n);
            let ours = harmonic(f64::from(n));
            assert!((ours / sum - 1.0).abs() < 1e-13, "H({n}) = {sum}, not {ours}");
        }
    }
}

use konklave_sim::random::{Random, Stream};

use super::*;

const NAMES: [&str; 3] = ["messages", "time", "messages_per_entry"];

fn row(n: f64, messages: f64) -> Assignment {
    Assignment::from([
        ("n".to_owned(), n),
        ("messages".to_owned(), messages),
        ("time".to_owned(), 3.0),
    ])
}

/// The value of a formula for n = 8 and 20 messages.
fn value(formula: &str) -> f64 {
    let bound = Bound::parse(&format!("{formula} <= 0"), &NAMES).unwrap();
    bound.check(&row(8.0, 20.0)).unwrap().1
}

fn problem(text: &str) -> (usize, String) {
    let error = Bound::parse(text, &NAMES).expect_err(text);
    (error.at, error.problem)
}

#[test]
fn formulas_by_hand() {
    let cases = [
        ("1+2*3", 7.0),
        ("(1+2)*3", 9.0),
        ("10-4-3", 3.0),
        ("24/4/3", 2.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("2*-n", -16.0),
        ("2*n*log2(n)+n", 56.0),
        ("ln(1)+log10(1000)+sqrt(16)", 7.0),
        ("H(4)*12", 25.0),
        ("floor(2.9)+ceil(2.1)", 5.0),
        ("min(n, 3, time+1)+max(messages, 1)", 23.0),
        ("1.5e2 + .5 + 2.", 152.5),
        ("n*(n+1)/2", 36.0),
    ];
    for (formula, expected) in cases {
        let value = value(formula);
        assert!((value - expected).abs() < 1e-12, "{formula} = {expected}, not {value}");
    }
}

#[test]
fn comparisons_mean_what_they_say() {
    let cases = [
        ("20 <= 20", true),
        ("20 < 20", false),
        ("messages>=20", true),
        ("messages > 20", false),
        ("messages == 20", true),
        ("messages == 21", false),
        ("messages <= 19.999", false),
        ("0.1+0.2 == 0.3", true),
        ("0.1+0.2 > 0.3", false),
        ("19 < messages", true),
    ];
    for (text, expected) in cases {
        let bound = Bound::parse(text, &NAMES).unwrap();
        assert_eq!(bound.check(&row(8.0, 20.0)).unwrap().0, expected, "{text}");
    }
}

#[test]
fn the_first_row_that_breaks_it_is_named() {
    let bound = Bound::parse("messages <= 2*n", &NAMES).unwrap();
    let mut rows = vec![row(1.0, 2.0), row(2.0, 4.0), row(3.0, 7.0), row(4.0, 9.0)];
    let violation = Violation { row: 2, n: Some(3.0), left: 7.0, right: 6.0 };
    assert_eq!(bound.first_violation(&rows), Ok(Some(violation)));
    rows.truncate(2);
    assert_eq!(bound.first_violation(&rows), Ok(None));
}

#[test]
fn what_has_no_value_is_neither_kept_nor_broken() {
    let row = row(1.0, 5.0);
    for text in ["messages <= 1/(n-1)", "messages <= ln(0-n)", "sqrt(-1) <= min(1, ln(-1))"] {
        let problem = Bound::parse(text, &NAMES).unwrap().check(&row).unwrap_err();
        assert_eq!(problem, format!("'{text}' has no value for n = 1"));
    }
    let problem = Bound::parse("messages_per_entry <= 1", &NAMES).unwrap().check(&row).unwrap_err();
    assert_eq!(problem, "'messages_per_entry' was not measured for n = 1");
}

#[test]
fn mistakes_are_shown_where_they_are_and_with_what_would_be_right() {
    let cases = [
        ("", 0, "nothing is written"),
        ("messages", 8, "add <= and a bound"),
        ("messages <=", 11, "a number, a name or a parenthesis is expected"),
        ("messages = 3", 9, "write =="),
        ("messages \u{2264} 3", 9, "write <="),
        ("mesages <= 3", 0, "did you mean messages?"),
        ("Time <= 3", 0, "did you mean time?"),
        ("latency <= 3", 0, "measured quantities are messages, messages_per_entry, n, time"),
        ("messages <= 2n", 13, "write * before 'n'"),
        ("messages <= (n+1)(n-1)", 17, "write * before '('"),
        ("messages <= n(n+1)", 12, "write n*("),
        ("messages <= lg(n)", 12, "there is no function lg: write one of ln, log2"),
        ("messages <= log(n)", 12, "ln, log2 or log10"),
        ("messages <= sqrt", 12, "write sqrt(n)"),
        ("messages <= (n+1", 12, "not closed"),
        ("messages <= n)", 13, "closes nothing"),
        ("messages <= ln(n, 2)", 16, "only min and max"),
        ("messages <= max(n)", 17, "max needs two values"),
        ("1 <= n <= 3", 7, "one comparison is enough"),
        ("messages <= 1.2.3", 12, "not a number"),
        ("messages <= 1e999", 12, "too large"),
        ("messages <= 2**n", 14, "'*' cannot stand here"),
        ("messages <= \u{1f600}", 12, "has no meaning"),
        ("messages != 3", 9, "only <= < >= > == compare"),
    ];
    for (text, at, part) in cases {
        let (place, problem) = problem(text);
        assert!(place == at && problem.contains(part), "{text}: {place} {problem}");
    }
    let shown = Bound::parse("messages <= 2n", &NAMES).unwrap_err().to_string();
    assert_eq!(shown, "messages <= 2n\n             ^ write * before 'n'");
}

/// A random formula with its value, written with the parentheses that it needs. `level` is how
/// tightly its surroundings bind: 0 a sum, 1 a product, 2 a sign, 3 a power's exponent, 4 its base.
fn random_formula(random: &mut Random, depth: u32, level: u32) -> (String, f64) {
    let mut pick = |bound| random.below(bound);
    let kind = if depth == 0 { pick(2) } else { pick(9) };
    let (text, value, own) = match kind {
        0 => {
            let number = pick(9) + 1;
            (number.to_string(), number as f64, 4)
        }
        1 => ("n".to_owned(), 8.0, 4),
        2..=5 => {
            let own = if kind < 4 { 0 } else { 1 };
            let (left, x) = random_formula(random, depth - 1, own);
            let (right, y) = random_formula(random, depth - 1, own + 1);
            let (sign, value) = match kind {
                2 => ("+", x + y),
                3 => (" - ", x - y),
                4 => ("*", x * y),
                _ => (" / ", x / y),
            };
            (format!("{left}{sign}{right}"), value, own)
        }
        6 => {
            let (part, x) = random_formula(random, depth - 1, 2);
            (format!("-{part}"), -x, 2)
        }
        7 => {
            let (base, x) = random_formula(random, depth - 1, 4);
            let (exponent, y) = random_formula(random, depth - 1, 2);
            (format!("{base}^{exponent}"), x.powf(y), 3)
        }
        _ => {
            let (part, x) = random_formula(random, depth - 1, 0);
            (format!("max({part}, 1)"), if x.is_nan() { x } else { x.max(1.0) }, 4)
        }
    };
    if own < level { (format!("({text})"), value) } else { (text, value) }
}

#[test]
fn random_formulas_have_the_values_they_were_built_with() {
    let seed = 5;
    println!("seed {seed}");
    let mut random = Random::new(seed, Stream::Faults);
    let mut compared = 0;
    for _ in 0..20_000 {
        let (text, expected) = random_formula(&mut random, 5, 0);
        let bound = Bound::parse(&format!("{text} <= 0"), &NAMES).unwrap_or_else(|e| panic!("{e}"));
        match bound.check(&row(8.0, 20.0)) {
            Ok((_, value, _)) => {
                let is_near = (value - expected).abs() <= 1e-6 * expected.abs().max(1.0);
                assert!(is_near || expected.abs() > 1e12, "{text} = {expected}, not {value}");
                compared += 1;
            }
            Err(_) => assert!(!expected.is_finite(), "{text} = {expected}"),
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn nothing_that_is_typed_panics() {
    let seed = 6;
    println!("seed {seed}");
    let mut random = Random::new(seed, Stream::Faults);
    let words = [
        "n",
        "messages",
        "log2",
        "(",
        ")",
        ",",
        "<=",
        "==",
        "=",
        "1",
        "2e",
        "1.",
        ".",
        "-",
        "^",
        "*",
        " ",
        "min",
        "H",
        "\u{e9}",
        "e",
        "9e9",
        "\u{1f600}",
        "\0",
        "\n",
    ];
    for _ in 0..50_000 {
        let length = random.below(12);
        let text: String =
            (0..length).map(|_| words[random.below(words.len() as u64) as usize]).collect();
        match Bound::parse(&text, &NAMES) {
            Ok(bound) => drop(bound.check(&row(8.0, 20.0))),
            Err(error) => {
                assert!(error.at <= text.chars().count());
                assert!(!error.to_string().is_empty());
            }
        }
    }
    let deep = |open: &str, close: &str| {
        let text = format!("{}1{} <= n", open.repeat(100_000), close.repeat(100_000));
        assert!(problem(&text).1.contains("nested deeper than 100 times"), "{open}");
    };
    deep("(", ")");
    deep("-", "");
    deep("2^", "");
    deep("ln(", ")");
    let long = format!("1{} <= n", "+1".repeat(100_000));
    let bound = Bound::parse(&long, &NAMES).unwrap();
    assert_eq!(bound.clone().check(&row(8.0, 0.0)).unwrap().1, 100_001.0);
}

#[test]
fn a_bound_without_a_value_is_known_before_anything_is_measured() {
    let bound = |text: &str| Bound::parse(text, &["messages"]).unwrap();
    let hole = bound("messages <= 1/(n-10)");
    assert_eq!(hole.check_size(9.0), Ok(()));
    assert_eq!(
        hole.check_size(10.0).unwrap_err(),
        "'messages <= 1/(n-10)' has no value for n = 10"
    );
    assert!(bound("ln(n-5) <= messages").check_size(3.0).is_err());
    assert_eq!(bound("messages/(n-10) <= 1").check_size(10.0), Ok(()), "that depends");
}

//! Numbers and names in sentences.

/// A number with its thousands separated: 12 345.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun, in the singular or plural.
pub fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { more })
}

/// Names in a row: 'a', 'b' and 'c'.
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// A measured number, rounded to a few digits.
pub fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 1000.0 => grouped(number.round() as u64),
        size if size == size.round() => format!("{number:.0}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_readable() {
        assert_eq!(listed(&[]), "");
        assert_eq!(listed(&["a"]), "'a'");
        assert_eq!(listed(&["a", "b c", "d"]), "'a', 'b c' and 'd'");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(counted(1, "entry", "entries"), "1 entry");
        assert_eq!(counted(1000, "entry", "entries"), "1 000 entries");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(short(3.0), "3");
        assert_eq!(short(2.66666), "2.667");
        assert_eq!(short(12_345.678), "12 346");
    }
}

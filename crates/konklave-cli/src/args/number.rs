//! Counts as people write them: `1000000`, `1_000_000` or `1e6`.

use std::borrow::Cow;

/// A whole number in digits only, if the text is one in another form; otherwise the text itself.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    match digits(text) {
        Some(digits) => Cow::Owned(digits),
        None => Cow::Borrowed(text),
    }
}

/// The digits of a whole number that is written with underscores, a point or an exponent.
fn digits(text: &str) -> Option<String> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<u8>().ok().filter(|it| *it <= 30)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let has_point = number.contains('.');
    let is_digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    // Underscores separate digits from digits.
    let is_grouped = whole.split('_').all(|group| !group.is_empty() && is_digits(group));
    if !is_grouped || !is_digits(fraction) || (has_point && fraction.is_empty()) {
        return None;
    }
    // What is behind the point must move before it: 1.5e6 is whole, 1.5 is not.
    let zeros = usize::from(exponent).checked_sub(fraction.len())?;
    let digits = whole.replace('_', "") + fraction + &"0".repeat(zeros);
    let significant = digits.trim_start_matches('0');
    Some(if significant.is_empty() { "0".to_owned() } else { significant.to_owned() })
}

/// Parses a count.
pub(crate) fn count<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = plain(text).parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| "write a whole number such as 1000, 1_000_000 or 1e6".to_owned())
}

/// Parses a count of at least one.
pub(crate) fn positive<T: TryFrom<u64> + PartialEq + From<bool>>(text: &str) -> Result<T, String> {
    match count(text)? {
        zero if zero == T::from(false) => Err("write a whole number above zero".to_owned()),
        number => Ok(number),
    }
}

/// Parses a count between these two.
pub(crate) fn within<T: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<T, String> {
    let number = count(text).ok().filter(|number| (least..=most).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("write a whole number from {least} to {most}"))
}

/// Parses a number of faults.
pub(crate) fn faults(text: &str) -> Result<u8, String> {
    within(text, 0, u8::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_every_form() {
        for text in ["1000000", "1_000_000", "1e6", "1E6", "1.0e6", "0.001e9", "10_00e3", "01e6"] {
            assert_eq!(count::<u32>(text), Ok(1_000_000), "{text}");
        }
        assert_eq!(count::<u64>("18446744073709551615"), Ok(u64::MAX));
        assert_eq!((count::<u32>("0"), count::<u32>("0e5")), (Ok(0), Ok(0)));
    }

    #[test]
    fn what_is_not_a_whole_number_stays_as_it_is() {
        for text in ["", "_1", "1_", "1__0", "1.5", "1.", "1e", "1e-3", "e6", "1.55e1", "x", "-1"] {
            assert_eq!(plain(text), text);
            assert!(count::<u64>(text).is_err(), "{text}");
        }
        assert!(count::<u32>("1e10").is_err(), "it is beyond 32 bits");
        assert!(count::<u64>("1e20").is_err() && count::<u64>("1e255").is_err());
        assert_eq!(positive::<u32>("0").unwrap_err(), "write a whole number above zero");
    }
}

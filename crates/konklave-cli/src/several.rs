//! Several values of one option, separated by commas.

/// Splits a list of values, and drops repeated ones. A value that contains commas itself, such as
/// `list:3,5,8`, takes as many items as it can; but the path of a `file:` ends at the next comma.
///
/// # Errors
///
/// If an item is not a value: what `check` says about it.
pub(crate) fn split(
    text: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> Result<Vec<String>, String> {
    let items: Vec<&str> = text.split(',').collect();
    let (mut values, mut at) = (Vec::new(), 0);
    while at < items.len() {
        let furthest = if items[at].starts_with("file:") { at + 1 } else { items.len() };
        let mut ends = (at + 1..=furthest).rev();
        let Some(end) = ends.find(|&end| check(&items[at..end].join(",")).is_ok()) else {
            check(items[at])?;
            break;
        };
        let value = items[at..end].join(",");
        if !values.contains(&value) {
            values.push(value);
        }
        at = end;
    }
    Ok(values)
}

/// The number of a value that is one, or that has one behind its name, such as `poisson:0.5`; and
/// that name.
pub(crate) fn number(value: &str) -> Option<(&str, f64)> {
    let (name, number) = value.rsplit_once(':').unwrap_or(("", value));
    let number = number.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some((name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Result<(), String> {
        konklave_catalog::option::is::<konklave_sim::workload::Members>(text)
    }

    #[test]
    fn a_value_with_commas_takes_as_many_items_as_it_can() {
        assert_eq!(split("all,list:3,5,8", members).unwrap(), ["all", "list:3,5,8"]);
        assert_eq!(split("list:3,5,one,2", members).unwrap(), ["list:3,5", "one", "2"]);
        assert_eq!(split("one,one", members).unwrap(), ["one"]);
        let topology = |text: &str| {
            konklave_catalog::setup::read_topology(text).map(drop).map_err(|it| it.to_string())
        };
        let both = split("file:a.dot,file:b.dot,ring", topology).unwrap();
        assert_eq!(both, ["file:a.dot", "file:b.dot", "ring"]);
        assert!(split("ring,nonsense", topology).unwrap_err().contains("nonsense"));
        assert!(split("one,", members).is_err() && split("", members).is_err());
    }

    #[test]
    fn numbers_may_have_a_name() {
        assert_eq!(number("0.05"), Some(("", 0.05)));
        assert_eq!(number("poisson:2"), Some(("poisson", 2.0)));
        for text in ["light", "2@40", "uniform:1..10", "inf"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}

//! How eagerly applications ask.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Who asks when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// One at a time: a random node asks when the one before has left and everything is at rest.
    Light,
    /// Everyone asks at once, and again as soon as it has left and thought.
    Heavy,
    /// Everyone asks after an exponential time; together so many times per T while nobody waits.
    Poisson(f64),
}

impl FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("poisson:").map(str::parse::<f64>)) {
            ("light", _) => Ok(Self::Light),
            ("heavy", _) => Ok(Self::Heavy),
            (_, Some(Ok(rate))) if rate > 0.0 && rate.is_finite() => Ok(Self::Poisson(rate)),
            (_, Some(_)) => Err(format!("'{text}': the rate must be a number above zero")),
            _ => Err(format!("'{text}' is not a load: write light, heavy or poisson:RATE")),
        }
    }
}

impl Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Light => f.write_str("light"),
            Self::Heavy => f.write_str("heavy"),
            Self::Poisson(rate) => write!(f, "poisson:{rate}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_read_and_printed() {
        for text in ["light", "heavy", "poisson:0.5"] {
            assert_eq!(text.parse::<Demand>().unwrap().to_string(), text);
        }
        let error = |text: &str| text.parse::<Demand>().unwrap_err();
        assert_eq!(error("poisson:0"), "'poisson:0': the rate must be a number above zero");
        assert_eq!(error("poisson:x"), "'poisson:x': the rate must be a number above zero");
        assert!(error("medium").contains("poisson:RATE"));
    }
}

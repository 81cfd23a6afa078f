//! The values that nodes begin with, and who attacks them.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::consensus::Value;
use konklave_sim::random::{Random, Stream};

/// The values that nodes begin with, all above zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// All nodes have the same.
    Same,
    /// One half has the one, the other half the other.
    Two,
    /// No two nodes have the same.
    Distinct,
    /// Each node draws one of this many.
    Uniform(u32),
    /// One per node.
    List(Vec<Value>),
}

/// The largest value, so that a liar has one above it.
const LARGEST: Value = Value::MAX - 1;

impl Values {
    /// Reads the content of a file with one value per node.
    ///
    /// # Errors
    ///
    /// If a line is not a value.
    pub fn read(text: &str) -> Result<Self, String> {
        let words = text.split_whitespace();
        words.map(value).collect::<Result<_, _>>().map(Self::List)
    }

    /// The value of each node.
    ///
    /// # Errors
    ///
    /// If there is not one value per node.
    pub fn assign(&self, nodes: u32, seed: u64) -> Result<Vec<Value>, String> {
        let each = |value: &dyn Fn(u32) -> Value| (0..nodes).map(value).collect();
        Ok(match self {
            Self::Same => each(&|_| 1),
            Self::Two => each(&|node| 1 + node % 2),
            Self::Distinct => each(&|node| 1 + node),
            Self::Uniform(count) => {
                let mut random = Random::new(seed, Stream::Ids);
                (0..nodes).map(|_| 1 + random.below((*count).into()) as Value).collect()
            }
            Self::List(list) if list.len() == nodes as usize => list.clone(),
            Self::List(list) => {
                return Err(format!("{} values for {nodes} nodes: write one each", list.len()));
            }
        })
    }
}

fn value(text: &str) -> Result<Value, String> {
    let value = text.trim().parse().ok().filter(|value| (1..=LARGEST).contains(value));
    value.ok_or_else(|| format!("'{text}' is not a value: write a number from 1 to {LARGEST}"))
}

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}': write same, two, distinct, uniform:K, list:3,1,2 or file:PATH with one \
                 value per node"
            )
        };
        match text.split_once(':') {
            None => match text {
                "same" => Ok(Self::Same),
                "two" => Ok(Self::Two),
                "distinct" => Ok(Self::Distinct),
                _ => Err(wrong()),
            },
            Some(("uniform", count)) => match count.parse() {
                Ok(count @ 1..=LARGEST) => Ok(Self::Uniform(count)),
                _ => Err(format!("'{text}': write a number from 1 to {LARGEST}, as in uniform:8")),
            },
            Some(("list", list)) => {
                list.split(',').map(value).collect::<Result<_, _>>().map(Self::List)
            }
            _ => Err(wrong()),
        }
    }
}

/// Who works against agreement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adversary {
    /// Nobody.
    #[default]
    None,
    /// This many nodes lie now and then.
    Liars(u32),
    /// In every round, this many nodes are moved from the larger camp to the smaller.
    Balancing(u32),
    /// In every round, this many random nodes get the smallest or the largest value.
    Extremes(u32),
}

impl Adversary {
    /// How many values it changes in a round.
    pub fn strength(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Liars(count) | Self::Balancing(count) | Self::Extremes(count) => count,
        }
    }

    /// How many nodes lie.
    pub fn liars(self) -> u32 {
        if let Self::Liars(count) = self { count } else { 0 }
    }
}

impl FromStr for Adversary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}': write none, liars:K, balancing:T or extremes:T, with K, T above zero"
            )
        };
        if text == "none" {
            return Ok(Self::None);
        }
        let (name, count) = text.split_once(':').ok_or_else(wrong)?;
        let count = count.parse().ok().filter(|count| *count > 0).ok_or_else(wrong)?;
        match name {
            "liars" => Ok(Self::Liars(count)),
            "balancing" => Ok(Self::Balancing(count)),
            "extremes" => Ok(Self::Extremes(count)),
            _ => Err(wrong()),
        }
    }
}

impl Display for Adversary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Liars(count) => write!(f, "liars:{count}"),
            Self::Balancing(count) => write!(f, "balancing:{count}"),
            Self::Extremes(count) => write!(f, "extremes:{count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_asked_for() {
        let of = |text: &str| text.parse::<Values>().unwrap().assign(4, 1);
        assert_eq!(of("same").unwrap(), [1, 1, 1, 1]);
        assert_eq!(of("two").unwrap(), [1, 2, 1, 2]);
        assert_eq!(of("distinct").unwrap(), [1, 2, 3, 4]);
        assert_eq!(of("list:9,7,9,7").unwrap(), [9, 7, 9, 7]);
        assert!(of("uniform:3").unwrap().iter().all(|value| (1..=3).contains(value)));
        assert_eq!(of("list:9").unwrap_err(), "1 values for 4 nodes: write one each");
        assert_eq!(Values::read("3\n1\n").unwrap(), Values::List(vec![3, 1]));
        for wrong in ["", "three", "uniform:0", "uniform:", "list:", "list:0", "list:1,x"] {
            assert!(wrong.parse::<Values>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn adversaries_are_read_as_they_are_written() {
        for text in ["none", "liars:1", "balancing:16", "extremes:3"] {
            assert_eq!(text.parse::<Adversary>().unwrap().to_string(), text);
        }
        for wrong in ["", "liars", "liars:0", "balancing:-1", "bribes:3"] {
            assert!(wrong.parse::<Adversary>().is_err(), "{wrong}");
        }
    }
}

//! One part of a large job, which any batch system can distribute over machines.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part: `3/16` is the third of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// The number of the part, from 1 on.
    pub part: u32,
    /// The number of parts.
    pub parts: u32,
}

impl Shard {
    /// Whether the item in this place of a list belongs to this part.
    pub fn has(self, place: usize) -> bool {
        place as u64 % u64::from(self.parts) == u64::from(self.part - 1)
    }

    /// The only part of a whole job.
    pub const WHOLE: Self = Self { part: 1, parts: 1 };

    /// The place in the whole list of the item in this place of the part.
    pub fn place(self, place: u64) -> u64 {
        place.wrapping_mul(self.parts.into()).wrapping_add(u64::from(self.part - 1))
    }

    /// How many of this many items belong to this part.
    pub fn share(self, items: u64) -> u64 {
        items.saturating_sub(u64::from(self.part - 1)).div_ceil(self.parts.into())
    }

    /// All parts of a job with as many.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.parts).map(move |part| Self { part, ..self })
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write PART/PARTS, such as 3/16 for the third of sixteen parts";
        let numbers = text.split_once('/').and_then(|(part, parts)| {
            Some((part.parse::<u32>().ok()?, parts.parse::<u32>().ok()?))
        });
        match numbers {
            Some((part, parts)) if 1 <= part && part <= parts => Ok(Self { part, parts }),
            Some((_, parts @ 1..)) => Err(format!("parts are numbered from 1 to {parts}: {form}")),
            _ => Err(form.to_owned()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_belongs_to_exactly_one_part() {
        let shard: Shard = "1/3".parse().unwrap();
        for place in 0..10 {
            assert_eq!(shard.all().filter(|shard| shard.has(place)).count(), 1);
        }
        for items in 0..10 {
            let mut places: Vec<u64> = shard
                .all()
                .flat_map(|shard| (0..shard.share(items)).map(move |place| shard.place(place)))
                .collect();
            places.sort_unstable();
            assert_eq!(places, (0..items).collect::<Vec<_>>());
        }
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/4"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!(shard.to_string(), "1/3");
    }
}

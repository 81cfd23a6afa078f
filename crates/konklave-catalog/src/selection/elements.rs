//! Which elements there are, where, and which rank is asked for.

use std::str::FromStr;

use konklave::circle::{Mixer, Point, Salt};
use konklave::selection::Key;
use konklave_sim::random::Random;

/// How elements are spread over processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Each is at a process drawn at random.
    Random,
    /// One process after the other gets one, again and again.
    Dealt,
    /// Four of five are at the first process, the others anywhere.
    Skewed,
    /// All are at the first process.
    One,
}

impl FromStr for Spread {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Self::Random),
            "dealt" => Ok(Self::Dealt),
            "skewed" => Ok(Self::Skewed),
            "one" => Ok(Self::One),
            _ => Err("write random, dealt, skewed or one".to_owned()),
        }
    }
}

/// The priorities of elements.
const PRIORITY: Salt = Salt(41);
/// Their processes.
const PLACE: Salt = Salt(42);
/// Which are anywhere, if they are skewed.
const ANYWHERE: Salt = Salt(43);

impl Spread {
    /// The process of an element, one of so many.
    fn place(self, mixer: Mixer, id: u64, processes: u32) -> u32 {
        let any = || Point(mixer.mix(id, PLACE)).cell(processes);
        match self {
            Self::Random => any(),
            Self::Dealt => (id % u64::from(processes)) as u32,
            Self::Skewed if mixer.mix(id, ANYWHERE) < u64::MAX / 5 => any(),
            Self::Skewed | Self::One => 0,
        }
    }
}

/// The priority of an element: below 2^44, so that every program reads it exactly.
pub fn priority(mixer: Mixer, id: u64) -> u64 {
    mixer.mix(id, PRIORITY) >> 20
}

/// So many elements, by process.
pub fn elements(mixer: Mixer, count: u64, spread: Spread, processes: u32) -> Vec<Vec<Key>> {
    let mut all = vec![Vec::new(); processes as usize];
    for id in 0..count {
        let key = Key { priority: priority(mixer, id), id };
        all[spread.place(mixer, id, processes) as usize].push(key);
    }
    all
}

/// Which rank is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// That of the median, the lower one of two.
    Middle,
    /// Any, each time anew.
    Random,
    /// This one.
    This(u64),
}

impl Rank {
    /// The rank among so many elements, at least one.
    pub fn among(self, elements: u64, random: &mut Random) -> u64 {
        match self {
            Self::Middle => elements.div_ceil(2),
            Self::Random => random.between(1, elements),
            Self::This(rank) => rank,
        }
    }
}

impl FromStr for Rank {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("middle", _) => Ok(Self::Middle),
            ("random", _) => Ok(Self::Random),
            (_, Ok(0)) => Err("ranks are counted from 1, for the smallest element".to_owned()),
            (_, Ok(rank)) => Ok(Self::This(rank)),
            _ => Err("write a rank, counted from 1, or middle or random".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use konklave_sim::random::Stream;

    use super::*;

    #[test]
    fn elements_are_where_their_spread_says() {
        let mixer = Mixer::new(1);
        let counts = |spread| {
            let all = elements(mixer, 1000, spread, 4);
            all.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(counts(Spread::Dealt), [250; 4]);
        assert_eq!(counts(Spread::One), [1000, 0, 0, 0]);
        // 850 and 50 are expected, or 250; a standard deviation is below 14.
        let skewed = counts(Spread::Skewed);
        assert!((800..900).contains(&skewed[0]) && skewed[3] > 0, "{skewed:?}");
        assert!(counts(Spread::Random).iter().all(|count| (195..305).contains(count)));
    }

    #[test]
    fn ranks_are_read_as_they_are_written() {
        let mut random = Random::new(1, Stream::Workload);
        let mut rank = |text: &str| text.parse::<Rank>().unwrap().among(6, &mut random);
        assert_eq!((rank("middle"), rank("6"), rank("7")), (3, 6, 7));
        assert!((0..100).all(|_| (1..=6).contains(&rank("random"))));
        for wrong in ["", "0", "-1", "first", "1.5"] {
            assert!(wrong.parse::<Rank>().is_err(), "{wrong}");
        }
    }
}

//! How long messages travel.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;

use crate::random::Random;

/// A model of message delays, in ticks. No message takes less than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delay {
    /// Every message takes this long. With one tick, the clock is the time of the literature.
    Constant(u64),
    /// Each message takes anything from the first to the second, all equally likely.
    Uniform(u64, u64),
    /// Memoryless with this mean: most messages are quick, some very slow.
    Exponential(u64),
    /// Each link has a delay of its own in this range, the same for all messages and both ways.
    PerLink(u64, u64),
    /// Each direction of each link has a delay of its own in this range.
    Asymmetric(u64, u64),
    /// Each message takes as long as one of these measured ones, all equally likely.
    Measured(Measured),
}

/// Delays that were measured elsewhere, in ticks.
///
/// They are kept until the process ends, so that a model of delays is a small value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Where they come from, for reports.
    origin: &'static str,
    ticks: &'static [u64],
}

impl Measured {
    /// Reads delays, a whole number of ticks on each line. Empty lines and comments after `#` are
    /// skipped. `origin` is such as the path of a file.
    ///
    /// # Errors
    ///
    /// If a line is not a delay, or there is none.
    pub fn read(origin: &str, text: &str) -> Result<Self, String> {
        let mut ticks = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let value = line.split('#').next().unwrap_or_default().trim();
            if value.is_empty() {
                continue;
            }
            let wrong = |problem: String| format!("line {number}: {problem}");
            ticks.push(match value.parse::<u64>() {
                Ok(0) => return Err(wrong("a message takes at least one tick".to_owned())),
                Ok(LONGER..) => {
                    return Err(wrong(format!("a message takes less than {LONGER} ticks")));
                }
                Ok(ticks) => ticks,
                Err(_) => {
                    return Err(wrong(format!(
                        "'{value}' is not a whole number of ticks: write one delay per line, in a \
                         unit as small as needed"
                    )));
                }
            });
        }
        match ticks.is_empty() {
            true => Err("there are no delays: write one per line, in whole ticks".to_owned()),
            false => Ok(Self { origin: String::leak(origin.to_owned()), ticks: Vec::leak(ticks) }),
        }
    }

    fn mean(self) -> f64 {
        self.ticks.iter().map(|&ticks| ticks as f64).sum::<f64>() / self.ticks.len() as f64
    }
}

impl Delay {
    /// The forms that can be written.
    pub const FORMS: &'static str = "constant:D, uniform:A..B, exp:MEAN, per-link:A..B, \
         asymmetric:A..B or file:PATH, in whole ticks";

    /// The mean delay in ticks: the T of the literature.
    pub fn mean(self) -> f64 {
        match self {
            Self::Constant(delay) | Self::Exponential(delay) => delay as f64,
            Self::Uniform(low, high) | Self::PerLink(low, high) | Self::Asymmetric(low, high) => {
                (low as f64 + high as f64) / 2.0
            }
            Self::Measured(measured) => measured.mean(),
        }
    }

    /// The maximum delay, if it is bounded.
    pub fn longest(self) -> Option<u64> {
        match self {
            Self::Exponential(_) => None,
            Self::Constant(delay) => Some(delay),
            Self::Uniform(_, high) | Self::PerLink(_, high) | Self::Asymmetric(_, high) => {
                Some(high)
            }
            Self::Measured(measured) => measured.ticks.iter().copied().max(),
        }
    }

    /// The delay of one message. `links` decides the fixed delays of links.
    #[inline(always)]
    pub fn draw(&self, from: NodeId, to: NodeId, links: u64, random: &mut Random) -> u64 {
        match *self {
            Self::Uniform(low, high) => random.between(low, high),
            _ => self.draw_otherwise(from, to, links, random),
        }
    }

    /// Apart, so that the usual delay is drawn in a few instructions wherever something is sent.
    #[inline(never)]
    fn draw_otherwise(&self, from: NodeId, to: NodeId, links: u64, random: &mut Random) -> u64 {
        match *self {
            Self::Constant(delay) => delay,
            Self::Uniform(low, high) => random.between(low, high),
            Self::Exponential(mean) => random.geometric(mean),
            Self::PerLink(low, high) => of_link(from.min(to), from.max(to), links, low, high),
            Self::Asymmetric(low, high) => of_link(from, to, links, low, high),
            Self::Measured(Measured { ticks, .. }) => {
                ticks[random.below(ticks.len() as u64) as usize]
            }
        }
    }

    /// Whether a later message on a link never arrives before an earlier one.
    pub fn keeps_order(self) -> bool {
        matches!(self, Self::Constant(_) | Self::PerLink(..) | Self::Asymmetric(..))
    }
}

/// A number that only depends on the link, spread evenly over the range.
fn of_link(a: NodeId, b: NodeId, links: u64, low: u64, high: u64) -> u64 {
    let mut hash = links ^ (u64::from(a.0) << 32 | u64::from(b.0));
    for _ in 0..2 {
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    hash ^= hash >> 32;
    low + ((u128::from(hash) * u128::from(high - low + 1)) >> 64) as u64
}

/// No message takes as long, so that times can be added up.
const LONGER: u64 = 1 << 40;

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let ticks = || match value.parse() {
            Ok(0) => Err(format!("'{text}': a message takes at least one tick")),
            Ok(LONGER..) => Err(format!("'{text}': a message takes less than {LONGER} ticks")),
            Ok(ticks) => Ok(ticks),
            Err(_) => Err(format!("'{text}': '{value}' is not a number of ticks")),
        };
        let range = || {
            let wrong = || format!("'{text}': '{value}' is not a range of ticks such as 1..10");
            let (low, high) = value.split_once("..").ok_or_else(wrong)?;
            let (low, high): (u64, u64) =
                (low.parse().map_err(|_| wrong())?, high.parse().map_err(|_| wrong())?);
            if low == 0 {
                return Err(format!("'{text}': a message takes at least one tick"));
            }
            if high >= LONGER {
                return Err(format!("'{text}': a message takes less than {LONGER} ticks"));
            }
            if low > high {
                return Err(format!(
                    "'{text}': the range is empty: write the smaller number first"
                ));
            }
            Ok((low, high))
        };
        match name {
            "constant" => ticks().map(Self::Constant),
            "exp" => ticks().map(Self::Exponential),
            "uniform" => range().map(|(low, high)| Self::Uniform(low, high)),
            "per-link" => range().map(|(low, high)| Self::PerLink(low, high)),
            "asymmetric" => range().map(|(low, high)| Self::Asymmetric(low, high)),
            "file" => Err(format!("'{text}': the file has to be read first")),
            _ => Err(format!("'{text}' is not a delay: write {}", Self::FORMS)),
        }
    }
}

impl Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(delay) => write!(f, "constant:{delay}"),
            Self::Uniform(low, high) => write!(f, "uniform:{low}..{high}"),
            Self::Exponential(mean) => write!(f, "exp:{mean}"),
            Self::PerLink(low, high) => write!(f, "per-link:{low}..{high}"),
            Self::Asymmetric(low, high) => write!(f, "asymmetric:{low}..{high}"),
            Self::Measured(measured) => write!(f, "file:{}", measured.origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn what_is_printed_can_be_read() {
        for text in ["constant:1", "uniform:1..10", "exp:5", "per-link:2..3", "asymmetric:1..9"] {
            assert_eq!(text.parse::<Delay>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_delays_are_explained() {
        let error = |text: &str| text.parse::<Delay>().unwrap_err();
        assert_eq!(error("constant:0"), "'constant:0': a message takes at least one tick");
        assert_eq!(error("uniform:0..3"), "'uniform:0..3': a message takes at least one tick");
        assert_eq!(
            error("uniform:9..3"),
            "'uniform:9..3': the range is empty: write the smaller number first"
        );
        assert_eq!(error("uniform:4"), "'uniform:4': '4' is not a range of ticks such as 1..10");
        assert!(error("constant:9999999999999").ends_with("less than 1099511627776 ticks"));
        assert!(error("per-link:1..9999999999999").ends_with("less than 1099511627776 ticks"));
        assert_eq!(error("exp:x"), "'exp:x': 'x' is not a number of ticks");
        assert!(error("gauss:3").contains("uniform:A..B"));
    }

    #[test]
    fn links_keep_their_delay_and_differ_from_each_other() {
        let mut random = Random::new(1, Stream::Network);
        let mut draw =
            |delay: Delay, a: u32, b: u32| delay.draw(NodeId(a), NodeId(b), 42, &mut random);
        let (per_link, asymmetric) = (Delay::PerLink(1, 1000), Delay::Asymmetric(1, 1000));
        assert_eq!(draw(per_link, 3, 4), draw(per_link, 4, 3));
        assert_eq!(draw(asymmetric, 3, 4), draw(asymmetric, 3, 4));
        assert_ne!(draw(asymmetric, 3, 4), draw(asymmetric, 4, 3));
        let sum: u64 = (0..10_000).map(|other| draw(per_link, 7, other + 8)).sum();
        let mean = sum as f64 / 10_000.0;
        assert!((mean - 500.5).abs() < 12.0, "spread evenly over the links: {mean}");
    }

    #[test]
    fn measured_delays_are_drawn_as_often_as_they_were_measured() {
        let measured = Measured::read("lan.txt", "# ms\n2\n\n 7 # slow\n2\n9\n").unwrap();
        let delay = Delay::Measured(measured);
        assert_eq!(delay.to_string(), "file:lan.txt");
        assert_eq!((delay.mean(), delay.longest()), (5.0, Some(9)));
        assert!(!delay.keeps_order());
        let mut random = Random::new(1, Stream::Network);
        let mut counts = [0; 10];
        for _ in 0..40_000 {
            counts[delay.draw(NodeId(0), NodeId(1), 0, &mut random) as usize] += 1;
        }
        // 2 was measured twice, 7 and 9 once.
        for (ticks, expected) in [(2, 20_000_i32), (7, 10_000), (9, 10_000)] {
            let found: i32 = counts[ticks];
            assert!((found - expected).abs() < 400, "{ticks}: {found}");
        }
        assert_eq!(counts.iter().sum::<i32>(), counts[2] + counts[7] + counts[9]);
    }

    #[test]
    fn wrong_measurements_are_explained() {
        let error = |text: &str| Measured::read("x", text).unwrap_err();
        assert!(error("").starts_with("there are no delays: write one per line"));
        assert!(error("# nothing\n").starts_with("there are no delays"));
        assert!(error("3\n0.5\n").starts_with("line 2: '0.5' is not a whole number of ticks"));
        assert!(error("-1").starts_with("line 1: '-1' is not"));
        assert_eq!(error("1\n\n0"), "line 3: a message takes at least one tick");
        assert!(error("9999999999999").ends_with("less than 1099511627776 ticks"));
    }

    #[test]
    fn every_draw_is_in_range() {
        let mut random = Random::new(1, Stream::Network);
        for delay in [Delay::Uniform(3, 5), Delay::PerLink(3, 5), Delay::Asymmetric(3, 5)] {
            let mut seen = [0; 6];
            for other in 1..300 {
                seen[delay.draw(NodeId(0), NodeId(other), 9, &mut random) as usize] += 1;
            }
            assert!(seen[..3] == [0; 3] && seen[3..].iter().all(|&count| count > 0), "{seen:?}");
        }
    }
}

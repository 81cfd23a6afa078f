//! The load that applications generate, and its options, for problems whose applications enter,
//! stay and leave.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave_sim::Delay;
use konklave_sim::workload::Members;

use crate::option::{Opt, TICKS_END, Usual, Verb, is, is_number, is_ticks};
use crate::refusal::Refusal;
use crate::setup::Setup;
use crate::site::Site;

/// The load: which nodes make requests, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// One request at a time: a random node asks once the previous one has left and the system is
    /// at rest.
    Light,
    /// Every node asks at the start, and again after it has left and its think time is over.
    Heavy,
    /// Every node asks after an exponential time; the nodes together this many times per T while no
    /// node waits.
    Poisson(f64),
}

/// A lower rate would be an idle system; most that are typed are meant to be something else.
const RATE_MIN: f64 = 1e-9;

impl FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("poisson:").map(str::parse::<f64>)) {
            ("light", _) => Ok(Self::Light),
            ("heavy", _) => Ok(Self::Heavy),
            (_, Some(Ok(rate))) if rate >= RATE_MIN && rate.is_finite() => Ok(Self::Poisson(rate)),
            (_, Some(Ok(rate))) if rate > 0.0 && rate < RATE_MIN => {
                Err(format!("'{text}': the rate must be at least {RATE_MIN:e} per T"))
            }
            (_, Some(_)) => Err(format!("'{text}': the rate must be a number above zero")),
            _ => Err(format!("'{text}' is not a load: write light, heavy or poisson:RATE")),
        }
    }
}

impl Demand {
    /// Refuses a load so low that the clock of a run could not count the pauses between requests.
    ///
    /// # Errors
    ///
    /// If a node would pause for too long on average; `unit` is T in ticks.
    pub(crate) fn refuse_endless(self, requesters: usize, unit: f64) -> Result<(), Refusal> {
        let Self::Poisson(rate) = self else { return Ok(()) };
        let least = requesters as f64 * unit / TICKS_END as f64;
        match rate < least {
            false => Ok(()),
            true => Err(Refusal::new(format!(
                "--load {self}: a node would pause for more than {TICKS_END} ticks on average: \
                 write a rate of at least {}",
                rounded(1.5 * least) // Not below the least if it is rounded to a digit.
            ))),
        }
    }
}

/// The number with one significant digit, as people write it.
fn rounded(number: f64) -> String {
    let digit = format!("{number:.0e}");
    match number {
        0.001..1e6 => digit.parse().map_or(digit, |number: f64| number.to_string()),
        _ => digit,
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

/// The number of requests of each node.
pub static ENTRIES: Opt = Opt {
    name: "entries",
    value: "COUNT",
    help: "Number of entries, or attempts, of each node; under light load, on average",
    usual: &[
        (Verb::Run, Usual::Is("5")),
        (Verb::Check, Usual::Is("1")),
        (Verb::Compare, Usual::Of(enough, "enough for precise means")),
        (Verb::Sweep, Usual::Is("5")),
    ],
    check: is_number,
    draw: |draw| Some((1 + draw.random.below(4)).to_string()),
    is_series: false,
    is_budget: true,
};

/// The load.
pub static LOAD: Opt = Opt {
    name: "load",
    value: "LOAD",
    help: "light: one node at a time, at rest; heavy: every node, always; poisson:RATE: this \
           many requests per T",
    usual: &[
        (Verb::Run, Usual::Is("heavy")),
        (Verb::Compare, Usual::Is("heavy")),
        (Verb::Sweep, Usual::Is("heavy")),
    ],
    check: is::<Demand>,
    draw: |draw| Some(draw.pick(&["light", "heavy", "heavy", "poisson:0.5"]).to_owned()),
    is_series: true,
    is_budget: false,
};

/// The time that a node stays inside.
pub static CS: Opt = Opt {
    name: "cs",
    value: "TICKS",
    help: "Time that a node stays inside",
    usual: &[
        (Verb::Run, Usual::Of(five_delays, "5 T")),
        (Verb::Compare, Usual::Of(five_delays, "5 T")),
        (Verb::Sweep, Usual::Of(five_delays, "5 T")),
    ],
    check: is_ticks,
    draw: |draw| Some(draw.random.below(30).to_string()),
    is_series: false,
    is_budget: false,
};

/// The time between a release and the next request.
pub static THINK: Opt = Opt {
    name: "think",
    value: "TICKS",
    help: "Think time of a node between two requests",
    usual: &[(Verb::Run, Usual::Is("0")), (Verb::Sweep, Usual::Is("0"))],
    check: is_ticks,
    draw: |draw| Some(draw.random.below(10).to_string()),
    is_series: false,
    is_budget: false,
};

/// The nodes that make requests.
pub static REQUESTERS: Opt = Opt {
    name: "requesters",
    value: "NODES",
    help: "Nodes that make requests: all, one, a number of them, or list:3,5,8",
    usual: &[(Verb::Run, Usual::Is("all"))],
    check: is::<Members>,
    draw: |draw| Some(draw.members().to_string()),
    is_series: false,
    is_budget: false,
};

/// Long enough for all messages to arrive.
fn five_delays(_setup: &Setup, delay: Delay) -> String {
    ((5.0 * delay.mean()).round() as u64).to_string()
}

/// Enough entries for a precise mean: under heavy load, runs are regular.
pub(crate) fn enough(setup: &Setup, delay: Delay) -> String {
    let entries = match LOAD.get(setup, Verb::Compare, delay) {
        Some(Demand::Light | Demand::Poisson(_)) => 30_000_u32.div_ceil(setup.nodes).max(30),
        Some(Demand::Heavy) | None => 14,
    };
    entries.to_string()
}

/// The time that a node stays inside.
pub(crate) fn inside(site: &Site, delay: Delay) -> u64 {
    site.timed(&CS, delay).expect("--cs has a default")
}

/// The number of requests of a run, and the name of a request.
pub(crate) fn requests(site: &Site) -> Option<(u64, &'static str)> {
    Some((site.value::<u64>(&ENTRIES) * u64::from(site.nodes()), "entry"))
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
        assert_eq!(
            error("poisson:1e-300"),
            "'poisson:1e-300': the rate must be at least 1e-9 per T"
        );
        assert!(error("medium").contains("poisson:RATE"));
    }

    #[test]
    fn a_pause_that_the_clock_cannot_count_is_refused() {
        let refuse =
            |rate, requesters, unit| Demand::Poisson(rate).refuse_endless(requesters, unit);
        assert!(refuse(0.001, 1000, 10.0).is_ok());
        let message = refuse(1e-300, 10, 1.0).unwrap_err().to_string();
        assert!(message.ends_with("at least 1e-11"), "{message}");
        // The rate that it proposes is accepted.
        assert!(refuse(1e-11, 10, 1.0).is_ok());
    }
}

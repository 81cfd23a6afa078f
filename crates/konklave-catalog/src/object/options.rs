//! The options of shared objects: which operations there are, how many, on which keys, and who
//! joins and leaves meanwhile.

use std::fmt::{self, Display};
use std::str::FromStr;

use konklave::NodeId;
use konklave::circle::{Mixer, Salt};
use konklave_sim::random::Random;

use crate::option::{Opt, Usual, Verb, is, is_number, is_positive, is_text, never_drawn};

/// The operations of each client: a number, or in a search what each does, letter by letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ops {
    /// This many.
    Count(u32),
    /// These, for each client: letters, each with the number of its key if that is not 0.
    Script(Vec<Vec<(char, u64)>>),
}

impl FromStr for Ops {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.parse() {
            return Ok(Self::Count(count));
        }
        let wrong = || {
            "write a number of operations, or one letter for each operation of each client, as in \
             pg/g1: the letters of --mix, with the number of a key if it is not key 0"
                .to_owned()
        };
        let client = |text: &str| {
            let mut steps: Vec<(char, u64)> = Vec::new();
            for letter in text.chars() {
                match (letter.to_digit(10), steps.last_mut()) {
                    (None, _) if letter.is_ascii_lowercase() => steps.push((letter, 0)),
                    (Some(digit), Some((_, key))) if *key < 1_000_000 => {
                        *key = 10 * *key + u64::from(digit);
                    }
                    _ => return Err(wrong()),
                }
            }
            Ok(steps)
        };
        text.split('/').map(client).collect::<Result<_, _>>().map(Self::Script)
    }
}

/// How often the keys are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keys {
    /// All equally often.
    Uniform,
    /// The i-th key in proportion to 1 / i to the power of this.
    Zipf(f64),
    /// Only one of them.
    One,
    /// The nodes of a search tree: a client goes from the root to a random leaf, again and again.
    Tree,
}

impl FromStr for Keys {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let exponent = text.strip_prefix("zipf:").map(str::parse::<f64>);
        match (text, exponent) {
            ("uniform", _) => Ok(Self::Uniform),
            ("one", _) => Ok(Self::One),
            ("tree", _) => Ok(Self::Tree),
            (_, Some(Ok(exponent))) if (0.0..=100.0).contains(&exponent) => {
                Ok(Self::Zipf(exponent))
            }
            (_, Some(_)) => Err("the exponent of zipf is a number from 0 to 100".to_owned()),
            _ => Err("write uniform, zipf:EXPONENT, one or tree".to_owned()),
        }
    }
}

impl Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => f.write_str("uniform"),
            Self::Zipf(exponent) => write!(f, "zipf:{exponent}"),
            Self::One => f.write_str("one"),
            Self::Tree => f.write_str("tree"),
        }
    }
}

/// Draws keys.
#[derive(Clone, Debug)]
pub struct KeyDraw {
    keys: u64,
    /// For an uneven distribution: the sums of the weights up to each key.
    sums: Vec<f64>,
}

impl KeyDraw {
    /// Draws from this many keys.
    pub fn new(keys: Keys, count: u64) -> Self {
        let weight = |exponent: f64| move |rank: u64| libm::pow((rank + 1) as f64, -exponent);
        let (keys, sums) = match keys {
            Keys::Uniform | Keys::Tree => (count, Vec::new()),
            Keys::One => (1, Vec::new()),
            Keys::Zipf(exponent) => {
                let mut sum = 0.0;
                let add = |weight: f64| {
                    sum += weight;
                    sum
                };
                (count, (0..count).map(weight(exponent)).map(add).collect())
            }
        };
        Self { keys: keys.max(1), sums }
    }

    /// A key.
    pub fn draw(&self, random: &mut Random) -> u64 {
        let Some(total) = self.sums.last() else { return random.below(self.keys) };
        let at = random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * total;
        (self.sums.partition_point(|sum| *sum <= at) as u64).min(self.keys - 1)
    }
}

/// The node of a search tree that the n-th operation of a client is about, if the tree has this
/// many levels: the root is 1, and the children of k are 2k and 2k + 1.
pub(super) fn tree_node(client: NodeId, n: u32, levels: u32) -> u64 {
    let (search, level) = (n / levels.max(1), n % levels.max(1));
    let leaf = Mixer::new(client.0.into()).mix(search.into(), Salt::KEY);
    1 << level | leaf.checked_shr(64 - level).unwrap_or(0)
}

/// How many operations, or which.
pub static OPS: Opt = ops(&[
    (Verb::Run, Usual::Is("20")),
    (Verb::Check, Usual::Is("1")),
    (Verb::Compare, Usual::Is("20")),
    (Verb::Sweep, Usual::Is("20")),
]);

/// How many operations, or which, with the defaults of an object.
pub const fn ops(usual: &'static [(Verb, Usual)]) -> Opt {
    Opt {
        name: "ops",
        value: "COUNT",
        help: "Operations of each client; in a check also a script such as pg/g1: what each client \
           does, in letters of --mix with the number of a key",
        usual,
        check: is::<Ops>,
        draw: |draw| Some(draw.random.below(8).to_string()),
        is_series: false,
        is_budget: true,
    }
}

pub(crate) const fn optional(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    usual: &'static [(Verb, Usual)],
    check: fn(&str) -> Result<(), String>,
) -> Opt {
    let (is_series, is_budget) = (false, false);
    Opt { name, value, help, usual, check, draw: never_drawn, is_series, is_budget }
}

/// How many clients.
pub static CLIENTS: Opt = optional(
    "clients",
    "COUNT",
    "Members that invoke operations",
    &[
        (Verb::Run, Usual::Means("all members at the beginning")),
        (Verb::Check, Usual::Means("all members at the beginning")),
        (Verb::Compare, Usual::Means("all members at the beginning")),
        (Verb::Sweep, Usual::Means("all members at the beginning")),
    ],
    is_positive,
);

/// How often.
pub static RATE: Opt = optional(
    "rate",
    "RATE",
    "Operations of each client per T, at random times",
    &[
        (Verb::Run, Usual::Means("as many as the window allows")),
        (Verb::Compare, Usual::Means("as many as the window allows")),
        (Verb::Sweep, Usual::Means("as many as the window allows")),
    ],
    |text| match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && (1e-9..=1e9).contains(&rate) => Ok(()),
        _ => Err("write a number from 1e-9 to 1e9, such as 0.5".to_owned()),
    },
);

/// How long.
pub static ROUNDS: Opt = optional(
    "rounds",
    "ROUNDS",
    "Time during which clients invoke operations, in T: it takes the place of --ops. With --rate, \
     any number of operations may then be outstanding, unless --window is given",
    &[
        (Verb::Run, Usual::Means("until each client has invoked --ops operations")),
        (Verb::Sweep, Usual::Means("until each client has invoked --ops operations")),
    ],
    is_positive,
);

/// How many at once.
pub static WINDOW: Opt = Opt {
    draw: |draw| Some((1 + draw.random.below(8)).to_string()),
    ..optional(
        "window",
        "COUNT",
        "Operations of one client that may be outstanding",
        &[
            (Verb::Run, Usual::Is("1")),
            (Verb::Check, Usual::Is("1")),
            (Verb::Compare, Usual::Is("1")),
            (Verb::Sweep, Usual::Is("1")),
        ],
        is_positive,
    )
};

/// Which operations, with the defaults of an object.
pub const fn mix(usual: &'static [(Verb, Usual)]) -> Opt {
    let help = "Operations, each as often as its letter is here. Dictionary: p puts, g gets, d \
                deletes; queue and stack: i inserts, r removes; heap: i \
                inserts, d deletes a minimum; \
                search: i inserts, d deletes, s searches for the longest common prefix, c for the \
                key, n and p for the next key on each side, a counts all keys that are equal but \
                for 3 bits";
    optional("mix", "LETTERS", help, usual, is_text)
}

/// How urgent elements are.
pub static PRIORITIES: Opt = Opt {
    draw: |draw| Some((1 + draw.random.below(8)).to_string()),
    ..optional(
        "priorities",
        "COUNT",
        "Priorities that elements have: 1, which goes first, up to this number",
        &[
            (Verb::Run, Usual::Is("4")),
            (Verb::Check, Usual::Is("4")),
            (Verb::Compare, Usual::Is("4")),
            (Verb::Sweep, Usual::Is("4")),
        ],
        is_positive,
    )
};

/// Which operations on a dictionary.
pub static MIX: Opt = mix(&[
    (Verb::Run, Usual::Is("pppgggd")),
    (Verb::Check, Usual::Is("pg")),
    (Verb::Compare, Usual::Is("pppgggd")),
    (Verb::Sweep, Usual::Is("pppgggd")),
]);

pub(crate) const KEYS_HELP: &str = "\
    Keys of operations: uniform, zipf:EXPONENT, one, or tree: every client searches in a tree of \
    --ops levels whose nodes are keys, from the root down; search: how many keys come first";

/// On which keys.
pub static KEYS: Opt = Opt {
    draw: |draw| Some(draw.pick(&["uniform", "zipf:1", "one"]).to_owned()),
    ..optional(
        "keys",
        "DISTRIBUTION",
        KEYS_HELP,
        &[
            (Verb::Run, Usual::Is("uniform")),
            (Verb::Compare, Usual::Is("uniform")),
            (Verb::Sweep, Usual::Is("uniform")),
        ],
        is::<Keys>,
    )
};

/// What is there at the beginning.
pub static ITEMS: Opt = optional(
    "items",
    "COUNT",
    "Keys, each of which is put once before all other operations; 0 puts none, and there are half \
     as many keys as operations",
    &[(Verb::Run, Usual::Is("0")), (Verb::Compare, Usual::Is("0")), (Verb::Sweep, Usual::Is("0"))],
    is_number,
);

/// The processes that join.
pub static JOINS: Opt = Opt {
    draw: |draw| {
        let joins = draw.random.below(4);
        (!draw.needs.no_joins).then(|| joins.to_string())
    },
    ..optional(
        "joins",
        "COUNT",
        "Nodes beside those of --nodes that join at random times while operations are invoked",
        &[
            (Verb::Run, Usual::Is("0")),
            (Verb::Check, Usual::Is("0")),
            (Verb::Compare, Usual::Is("0")),
            (Verb::Sweep, Usual::Is("0")),
        ],
        |text| match text.parse::<u32>() {
            Ok(0..=10_000_000) => Ok(()),
            _ => Err("write a whole number from 0 to 10000000".to_owned()),
        },
    )
};

/// The processes that leave.
pub static LEAVES: Opt = Opt {
    draw: |draw| {
        let leaves = draw.random.below(draw.nodes.clamp(1, 4).into());
        (!draw.needs.no_leaves).then(|| leaves.to_string())
    },
    ..optional(
        "leaves",
        "COUNT",
        "Members that leave at random times while operations are invoked",
        &[
            (Verb::Run, Usual::Is("0")),
            (Verb::Check, Usual::Is("0")),
            (Verb::Compare, Usual::Is("0")),
            (Verb::Sweep, Usual::Is("0")),
        ],
        is_number,
    )
};

#[cfg(test)]
mod tests {
    use konklave_sim::random::Stream;

    use super::*;

    #[test]
    fn scripts_are_read_letter_by_letter() {
        let script = |text: &str| text.parse::<Ops>();
        assert_eq!(script("12").unwrap(), Ops::Count(12));
        let expected = vec![vec![('p', 0), ('g', 12)], vec![('g', 1)], vec![]];
        assert_eq!(script("pg12/g1/").unwrap(), Ops::Script(expected));
        for wrong in ["P", "1p", "p-1", "p g", "p99999999999"] {
            assert!(script(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_search_in_a_tree_goes_from_the_root_down() {
        for client in 0..50 {
            let way: Vec<u64> = (0..8).map(|n| tree_node(NodeId(client), n, 4)).collect();
            for search in way.chunks(4) {
                assert_eq!(search[0], 1);
                assert!(search.windows(2).all(|pair| pair[1] / 2 == pair[0]), "{search:?}");
            }
        }
    }

    #[test]
    fn keys_have_a_distribution() {
        for (text, is_valid) in
            [("zipf:1", true), ("zipf:0", true), ("zipf:-1", false), ("zipf:x", false)]
        {
            assert_eq!(text.parse::<Keys>().is_ok(), is_valid, "{text}");
        }
        let mut random = Random::new(1, Stream::Workload);
        let draw = KeyDraw::new(Keys::Zipf(1.0), 4);
        let mut counts = [0_u32; 4];
        (0..25_000).for_each(|_| counts[draw.draw(&mut random) as usize] += 1);
        // 12, 6, 4 and 3 of 25; a standard deviation is below 80.
        for (count, share) in counts.into_iter().zip([12.0, 6.0, 4.0, 3.0]) {
            assert!((f64::from(count) - share * 1000.0).abs() < 320.0, "{counts:?}");
        }
        let one = KeyDraw::new(Keys::One, 9);
        assert!((0..100).all(|_| one.draw(&mut random) == 0));
    }
}

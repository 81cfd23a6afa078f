//! The options of a search structure.

use crate::object::options::{KEYS_HELP, optional};
use crate::option::{Opt, Usual, Verb, is_number, is_positive};

const SOME_KEYS: Usual = Usual::Means("1000, or half of all there are");
const THOUSAND: Usual = Usual::Is("1000");

/// How many keys there are.
pub(super) static KEYS: Opt = Opt {
    draw: |draw| Some(draw.random.below(10).to_string()),
    ..optional(
        "keys",
        "COUNT",
        KEYS_HELP,
        &[(Verb::Run, SOME_KEYS), (Verb::Compare, SOME_KEYS), (Verb::Sweep, SOME_KEYS)],
        is_number,
    )
};

/// How many operations follow.
pub(super) static QUERIES: Opt = Opt {
    draw: |draw| Some((1 + draw.random.below(10)).to_string()),
    ..optional(
        "queries",
        "COUNT",
        "Operations of --mix after all keys were inserted, rounded up to as many for each client",
        &[(Verb::Run, THOUSAND), (Verb::Compare, THOUSAND), (Verb::Sweep, THOUSAND)],
        is_positive,
    )
};

/// How long keys are.
pub(super) static WIDTH: Opt = Opt {
    draw: |draw| Some(draw.pick(&["5", "8", "33", "64"]).to_owned()),
    ..optional(
        "width",
        "BITS",
        "Number of bits of a key",
        &[
            (Verb::Run, Usual::Is("64")),
            (Verb::Check, Usual::Is("3")),
            (Verb::Compare, Usual::Is("64")),
            (Verb::Sweep, Usual::Is("64")),
        ],
        |text| match text.parse::<u32>() {
            Ok(1..=64) => Ok(()),
            _ => Err("write a number of bits from 1 to 64".to_owned()),
        },
    )
};

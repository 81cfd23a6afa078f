//! How long locks are run and what of that is measured, so that formulas apply.

use konklave_sim::Delay;

use crate::demand::{self, CS, Demand, LOAD, enough};
use crate::option::{Opt, Usual, Verb, is_count, never_drawn};
use crate::setup::Setup;

/// The number of requests of each node.
pub static ENTRIES: Opt = demand::ENTRIES.usually(&[
    (Verb::Run, Usual::Is("5")),
    (Verb::Check, Usual::Is("1")),
    (
        Verb::Compare,
        Usual::Of(enough, "enough for precise means, without the beginning and the end"),
    ),
    (
        Verb::Sweep,
        Usual::Of(
            steady,
            "10 under light load, 14 under heavy load with constant delays, both without the \
             beginning and the end; else 5",
        ),
    ),
]);

/// The entries that are not measured.
pub static WARMUP: Opt = Opt {
    name: "warmup",
    value: "ENTRIES",
    help: "Leave this many entries out of the measurements, at the beginning and at the end",
    usual: &[
        (Verb::Run, Usual::Is("0")),
        (Verb::Compare, Usual::Of(|setup, delay| warmup(setup, Verb::Compare, delay), BUT_STEADY)),
        (Verb::Sweep, Usual::Of(|setup, delay| warmup(setup, Verb::Sweep, delay), BUT_STEADY)),
    ],
    check: is_count,
    draw: never_drawn,
    is_series: false,
    is_budget: false,
};

const BUT_STEADY: &str = "all but the steady state, if there is one";

/// As many entries as a steady state needs, if there is one.
fn steady(setup: &Setup, delay: Delay) -> String {
    let entries = match (LOAD.get(setup, Verb::Sweep, delay), delay) {
        (Some(Demand::Light), _) => 10,
        (Some(Demand::Heavy), Delay::Constant(_)) => 14,
        _ => 5,
    };
    entries.to_string()
}

/// The entries before the steady state, and after it: a third under light load, because many
/// algorithms depend on which nodes have entered; two rounds under regular load. None if there is
/// no steady state, or too little else to measure: the messages of a part of a run cannot be
/// attributed to its entries.
fn warmup(setup: &Setup, verb: Verb, delay: Delay) -> String {
    let entries: u64 = ENTRIES.get(setup, verb, delay).unwrap_or_default();
    let inside: u64 = CS.get(setup, verb, delay).unwrap_or_default();
    let nodes = u64::from(setup.nodes);
    let is_long = inside as f64 >= 5.0 * delay.mean();
    let left_out = match (LOAD.get(setup, verb, delay), delay) {
        (Some(Demand::Light), _) => entries * nodes / 3,
        (Some(Demand::Heavy), Delay::Constant(_)) if is_long && entries > 4 => 2 * nodes,
        _ => 0,
    };
    left_out.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steady_state_is_what_is_left() {
        let constant = Delay::Constant(1);
        let uniform = Delay::Uniform(1, 9);
        let setup = |load: &str| Setup { nodes: 6, ..Setup::default() }.with(LOAD.name, load);
        let all = |load: &str, verb, delay| {
            [&ENTRIES, &WARMUP].map(|it| it.value(&setup(load), verb, delay).unwrap())
        };
        assert_eq!(all("heavy", Verb::Run, constant), ["5", "0"]);
        assert_eq!(all("heavy", Verb::Sweep, constant), ["14", "12"]);
        assert_eq!(all("heavy", Verb::Sweep, uniform), ["5", "0"]);
        assert_eq!(all("light", Verb::Sweep, uniform), ["10", "20"]);
        assert_eq!(all("heavy", Verb::Compare, uniform), ["14", "0"]);
        assert_eq!(all("light", Verb::Compare, constant), ["5000", "10000"]);
        // Given entries are fewer, so the steady state is shorter.
        let few = setup("light").with(ENTRIES.name, 3);
        assert_eq!(WARMUP.value(&few, Verb::Sweep, constant).unwrap(), "6");
    }
}

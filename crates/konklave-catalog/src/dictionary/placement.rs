//! Dictionaries with a server that spread data more evenly than consistent hashing, or over members
//! of unequal capacity: their lines, and what is counted in them.

use konklave::circle::Mixer;
use konklave::dictionary::Census;
use konklave::dictionary::bounded_loads::{BoundedLoads, LoadFactor};
use konklave::dictionary::cone_dht::{Cone, ConeDht};
use konklave::dictionary::placed::Placement;
use konklave::dictionary::share_dht::{Rule, Share, ShareDht, Stage};
use konklave::dictionary::two_choices::TwoChoices;
use konklave_sim::Options;
use konklave_sim::workload::Spread;

use super::capacities::{CAPACITIES, RECAPACITY, of_members, of_nodes, plan, thousandths};
use super::{COMPLETE, dictionary, members, served, three};
use crate::entry::{Entry, line};
use crate::expected::Expected;
use crate::object::Shared;
use crate::object::others;
use crate::option::Choice;
use crate::quantity::{Measures, Quantity, Stored};
use crate::site::Site;

pub(super) static REL_STD: Quantity = Quantity::new(
    "rel_std",
    "",
    "standard deviation of a member's data from its share of the capacity, over that: fairness",
)
.label("deviation")
.column("rel. std");
pub(super) static MAX_DEVIATION: Quantity = Quantity::new(
    "max_deviation",
    "",
    "the largest deviation of a member's data from its share of the capacity, over that",
);
pub(super) static OVER_OPTIMUM: Quantity = Quantity::new(
    "moved_over_optimum",
    "",
    "data that changes have moved, over the least that had to move: adaptivity",
)
.label("moved/optimum")
.column("moved/optimum");
pub(super) static UNCOVERED: Quantity =
    Quantity::new("uncovered", "of the circle", "the part that no member's arc covers");
pub(super) static MULTISETS: Quantity =
    Quantity::new("multisets", "", "parts of the circle with a multiset of members: efficiency");
pub(super) static REDIRECTED: Quantity =
    Quantity::new("redirected", "of the data", "the part of the data that is not at its home")
        .label("redirected")
        .column("redirected");
pub(super) static PROBES: Quantity =
    Quantity::new("probes", "", "members beyond its home that the search for a key asks")
        .spread()
        .label("probes");

/// What was counted, by quantity.
pub(super) fn counted(census: &Census) -> Measures {
    let Census { loads, shares, least_moved, moved, uncovered, multisets, probes, .. } = census;
    let total = loads.iter().sum::<u64>() as f64;
    let equal = 1.0 / loads.len().max(1) as f64;
    let share = |place: usize| shares.get(place).copied().unwrap_or(equal);
    let deviation = |(place, load): (usize, &u64)| *load as f64 / total / share(place) - 1.0;
    let deviations: Vec<f64> = loads.iter().enumerate().map(deviation).collect();
    let square = deviations.iter().map(|it| it * it).sum::<f64>() / deviations.len().max(1) as f64;
    let most = deviations.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
    let least = least_moved.filter(|least| *least > 0.0);
    let far = probes.iter().filter(|probes| **probes > 0).count();
    let spread = probes.iter().max().map(|max| Spread {
        mean: probes.iter().map(|it| f64::from(*it)).sum::<f64>() / probes.len() as f64,
        max: f64::from(*max),
    });
    let fair = |place: usize| total * share(place);
    let stored = loads.iter().enumerate();
    let stored = stored.map(|(place, keys)| Stored { keys: *keys, share: fair(place) });
    let stored = if total > 0.0 { stored.collect() } else { Vec::new() };
    Measures::default()
        .stored(stored)
        .with(&REL_STD, (total > 0.0).then(|| square.sqrt()))
        .with(&MAX_DEVIATION, (total > 0.0).then_some(most))
        .with(&OVER_OPTIMUM, least.map(|least| *moved as f64 / least))
        .with(&UNCOVERED, *uncovered)
        .with(&MULTISETS, *multisets)
        .with(&REDIRECTED, spread.map(|_| far as f64 / probes.len() as f64))
        .with(&PROBES, spread)
}

const STRETCH: Choice = Choice::new(
    "stretch",
    &["4", "FACTOR"],
    "How often a position is covered on average, in multiples of ln n",
)
.form(|text| match thousandths(text) {
    Some(1..=1_000_000) => Ok(()),
    _ => Err("write a number above 0, such as 4, up to 1000".to_owned()),
});
const STAGE: Choice = Choice::new(
    "stage",
    &["hrw", "ch"],
    "How a key picks one of the members that cover it: rendezvous or consistent hashing",
);
const LOAD_FACTOR: Choice = Choice::new(
    "load-factor",
    &["1.25", "FACTOR"],
    "The most data of a member, in multiples of the mean: above 1",
)
.form(|text| match thousandths(text) {
    Some(1001..=1_000_000) => Ok(()),
    _ => Err("a member must have room for more than the mean: write a number above 1, such as \
              1.25, up to 1000"
        .to_owned()),
});

/// The lines of these dictionaries.
pub(super) fn entries() -> Vec<Entry> {
    let share = line!(
        dictionary::share_dht,
        COMPLETE,
        &[STAGE, STRETCH, CAPACITIES, RECAPACITY],
        unless_resized,
        |site| {
            let capacities = of_nodes(site)?;
            let share = Share::new(rule(site), of_members(site, &capacities)?);
            let plan = plan(site, &capacities)?;
            let capacity = move |me: konklave::NodeId| capacities[me.index()];
            dictionary(Shared::new(1), site, move |me| {
                ShareDht::new(me, capacity(me), &share, &plan)
            })
        }
    );
    let cone =
        line!(dictionary::cone_dht, COMPLETE, &[CAPACITIES, RECAPACITY], unless_resized, |site| {
            let capacities = of_nodes(site)?;
            let mixer = Mixer::new(site.setup().seed);
            let cone = Cone::new(mixer, of_members(site, &capacities)?);
            let plan = plan(site, &capacities)?;
            let capacity = move |me: konklave::NodeId| capacities[me.index()];
            dictionary(Shared::new(1), site, move |me| ConeDht::new(me, capacity(me), &cone, &plan))
        });
    let bounded = line!(dictionary::bounded_loads, COMPLETE, &[LOAD_FACTOR], |_, _| None, |site| {
        let table = served(site)?;
        let factor = LoadFactor { thousandths: factor(site) };
        dictionary(Shared::new(1), site, move |me| BoundedLoads::new(me, &table, factor))
    });
    let two = line!(dictionary::two_choices, COMPLETE, &[], |_, _| None, |site| {
        let table = served(site)?;
        dictionary(Shared::new(1), site, move |me| TwoChoices::new(me, &table))
    });
    let all = [share, cone, bounded, two];
    all.map(|entry| Entry { others: |setup| others(1, setup), ..entry }).into()
}

/// Three messages for each operation, if no capacity changes.
fn unless_resized(site: &Site, options: &Options) -> Option<Expected> {
    three(site, options).filter(|_| site.number(RECAPACITY.name) == 0)
}

fn factor(site: &Site) -> u32 {
    thousandths(site.choice(LOAD_FACTOR.name)).unwrap_or(1250)
}

/// The stretch is that of the members at the beginning, and at least one.
fn rule(site: &Site) -> Rule {
    let factor = f64::from(thousandths(site.choice(STRETCH.name)).unwrap_or(4000)) / 1000.0;
    let stretch = (factor * libm::log(f64::from(members(site)))).max(1.0);
    let stage = match site.choice(STAGE.name) {
        "ch" => Stage::Consistent,
        _ => Stage::Rendezvous,
    };
    let mixer = Mixer::new(site.setup().seed);
    Rule { mixer, stretch: (stretch * (1_u64 << 32) as f64) as u64, stage }
}

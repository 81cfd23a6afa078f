//! Specimens of dictionaries that place data evenly.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Table;
use konklave::dictionary::bounded_loads::{BoundedLoads, LoadFactor};
use konklave::dictionary::placed::{Placed, Placement};
use konklave::dictionary::share_dht::{Rule, Stage};
use konklave::dictionary::two_choices::TwoChoices;
use konklave_catalog::dictionary::Keyed;
use konklave_catalog::object::Shared;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::flaws::placement::{MovesWithoutHome, NeverPulls, NoHysteresis, PerMultiset, Unwrapped};
use crate::{Flaw, Flawed};

const DICTIONARY: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Inconsistent,
    promise: "sequentially consistent",
    setting: Setting::new("complete", &[0, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 5] = [
    Specimen {
        name: "bounded-loads-without-pull",
        of: "bounded-loads",
        flaw: "A deletion leaves a hole, and nothing is pulled there: a search for a key behind it \
               ends at the hole.",
        setting: Setting::new("complete", &[0, 4, 0, 0]).options(&[("ops", "p0p1d0g1")]),
        steps: 22,
        build: |site| {
            let table = table(site)?;
            let factor = LoadFactor { thousandths: 1250 };
            flawed(site, move |me| BoundedLoads::new(me, &table, factor), NeverPulls)
        },
        ..DICTIONARY
    },
    Specimen {
        name: "share-dht-per-multiset",
        of: "share-dht",
        flaw: "The functions of the second stage differ from multiset to multiset: a member that \
               joins makes keys move between others.",
        finds: Finding::Misplaced,
        promise: "only claims that change move keys",
        setting: Setting::new("complete", &[0, 1, 0, 1]).options(&[("ops", "p2"), ("joins", "1")]),
        steps: 6,
        build: |site| shared_by::<PerMultiset>(site, 3 << 32),
        ..DICTIONARY
    },
    Specimen {
        name: "share-dht-unwrapped",
        of: "share-dht",
        flaw: "An arc that goes past zero ends there: a key is stored at a member that does not \
               cover it, although another one does.",
        finds: Finding::Misplaced,
        promise: "a member with a claim stores a key",
        setting: Setting::new("complete", &[0, 1, 0]).options(&[("ops", "p0")]),
        steps: 3,
        build: |site| shared_by::<Unwrapped>(site, 1 << 32),
        ..DICTIONARY
    },
    Specimen {
        name: "two-choices-no-hysteresis",
        of: "two-choices",
        flaw: "A key moves to a member that stores one key less: then it may move back, for ever.",
        finds: Finding::Livelock,
        promise: "comes to rest",
        setting: Setting::new("complete", &[0, 1, 0, 0]).options(&[("ops", "p1")]),
        steps: 12,
        build: |site| {
            let table = table(site)?;
            flawed(site, move |me| TwoChoices::new(me, &table), NoHysteresis)
        },
        ..DICTIONARY
    },
    Specimen {
        name: "two-choices-without-home",
        of: "two-choices",
        flaw: "A member returns a key without asking its home, which does not know of it: the key \
               is lost.",
        setting: Setting::new("complete", &[0, 3, 0, 0]).options(&[("ops", "p1p3g3")]),
        steps: 22,
        build: |site| {
            let table = table(site)?;
            flawed(site, move |me| TwoChoices::new(me, &table), MovesWithoutHome)
        },
        ..DICTIONARY
    },
];

fn table(site: &Site) -> Result<Table, konklave_catalog::refusal::Refusal> {
    let shared = Shared::<Keyed>::new(1);
    shared.refuse_empty(site)?;
    Ok(Table::new(Mixer::new(site.setup().seed), shared.members(site)))
}

/// Nodes that are right but for a flaw.
fn flawed<'a, P, F>(site: &'a Site, right: impl Fn(NodeId) -> P + 'a, flaw: F) -> Built<'a>
where
    P: konklave::protocol::Protocol<
            Command = konklave::dictionary::Command,
            Event = konklave::dictionary::Event,
        >,
    F: Flaw<P>,
{
    let make = move |me| Flawed::new(right(me), flaw.clone());
    Ok(erased_nodes(Shared::<Keyed>::new(1), site, make))
}

/// The right protocol with a wrong rule, for members of equal capacity.
fn shared_by<P: Placement<Rule = Rule>>(site: &Site, stretch: u64) -> Built<'_> {
    let shared = Shared::<Keyed>::new(1);
    shared.refuse_empty(site)?;
    let rule = Rule { mixer: Mixer::new(site.setup().seed), stretch, stage: Stage::Rendezvous };
    let placement = P::new(rule, shared.members(site).map(|node| (node, 1)).collect());
    let make = move |me| Placed::new(me, 1, &placement, &[]);
    Ok(erased_nodes(shared, site, make))
}

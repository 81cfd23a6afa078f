//! Specimens of consensus.

use konklave::NodeId;
use konklave::consensus::Surroundings;
use konklave::consensus::median_log::MedianLog;
use konklave::consensus::minimum_rule::MinimumRule;
use konklave_catalog::consensus::{Consensus, places};
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::nothing;
use crate::Flawed;
use crate::flaws::median_log::LogsValues;

const CONSENSUS: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Relapse,
    promise: "closure",
    setting: Setting::new("complete", &[0, 0]).perpetual().options(&[("values", "same")]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 2] = [
    Specimen {
        name: "median-log-of-values",
        of: "median-log",
        flaw: "The entries of a log are values and not writes: a value that is written again is \
               not a new entry, so the write has no effect.",
        finds: Finding::LostWrite,
        promise: "writes count",
        setting: Setting::new("complete", &[3]).perpetual(),
        steps: 3,
        build: |site| {
            let place = places(site)?;
            let make = move |me| {
                let (value, around) = place(me);
                Flawed::new(MedianLog::new(me, value, around), LogsValues::default())
            };
            Ok(erased_nodes(Consensus, site, make))
        },
        ..CONSENSUS
    },
    Specimen {
        name: "minimum-rule-liar",
        of: "minimum-rule",
        flaw: "The last node lies: it tells a value that is smaller than all others, and nodes \
               that agree do not agree any more.",
        steps: 2,
        build: |site| {
            let place = places(site)?;
            let last = NodeId(site.nodes() - 1);
            let make = move |me| {
                let (value, around) = place(me);
                // A value above all others tells that it lies; nobody is warned of it.
                let liar = (me == last).then_some(value + 1);
                MinimumRule::new(value, Surroundings { liar, ..around })
            };
            Ok(erased_nodes(Consensus, site, make))
        },
        ..CONSENSUS
    },
];

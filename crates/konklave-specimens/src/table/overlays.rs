//! Specimens of overlays.

use konklave::overlay::Overlay;
use konklave::overlay::build_ring::Closed;
use konklave_catalog::overlay::{Networks, nodes};
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::flaws::overlay::{Drops, Merges, OnNews, Spoiled};

const OVERLAY: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::NeverLegal,
    promise: "convergence",
    setting: Setting::new("complete", &[0, 0, 0]).perpetual(),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 3] = [
    Specimen {
        name: "build-list-drops-addresses",
        of: "build-list",
        flaw: "A node drops an address that it does not keep, instead of handing it on: it was the \
               only connection of two parts.",
        finds: Finding::Parted,
        promise: "connected",
        steps: 2,
        build: network::<Spoiled<Drops>>,
        ..OVERLAY
    },
    Specimen {
        name: "build-ring-merges-losers",
        of: "build-ring",
        flaw: "Of two nodes that claim to be the smallest, the largest one learns the loser as a \
               neighbour, and does not introduce the two to each other: two lists stay side by \
               side.",
        steps: 9,
        build: network::<Spoiled<Merges>>,
        ..OVERLAY
    },
    Specimen {
        name: "skip-plus-settles-on-news",
        of: "skip-plus",
        flaw: "A node looks for superfluous neighbours only when it learns of a new one: one that \
               it begins with stays for ever.",
        setting: Setting::new("complete", &[0, 0, 0, 0])
            .perpetual()
            .seed(45)
            .options(&[("start", "dense")]),
        steps: 38,
        build: network::<Closed<Spoiled<OnNews>>>,
        ..OVERLAY
    },
];

/// Nodes of an overlay with a spoiled rule.
fn network<O: Overlay>(site: &Site) -> Built<'_> {
    Ok(erased_nodes(Networks::of::<O>(), site, nodes::<O>(site)?))
}

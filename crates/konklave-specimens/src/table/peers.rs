//! Specimens of dictionaries without a server.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Opening;
use konklave::dictionary::combine_split::{CombineSplit, Variant};
use konklave::dictionary::prefix_dht::{PrefixDht, Responsible, bridges};
use konklave::overlay::build_list::BuildList;
use konklave::overlay::place::sorted;
use konklave::overlay::skip_plus::SkipPlus;
use konklave::overlay::{Member, Overlay, Place, Start};
use konklave_catalog::dictionary::Keyed;
use konklave_catalog::object::Shared;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::Flawed;
use crate::flaws::peers::{DropsBeforeStored, NoWrapTest};

const PEERS: Specimen = Specimen {
    name: "",
    of: "",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Deadlock,
    promise: "every operation returns",
    setting: Setting::new("complete", &[1, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 3] = [
    Specimen {
        name: "combine-split-cyclic-paths",
        of: "combine-split",
        flaw: "The largest node does not know that it is responsible for what lies before the \
               smallest one: each of the two holds back the request that the other passes on.",
        setting: Setting::new("complete", &[1, 1]).options(&[("ops", "g0")]),
        steps: 3,
        build: |site| combined::<NoWrapTest>(site, Variant::Strict),
        ..PEERS
    },
    Specimen {
        name: "combine-split-eager",
        of: "combine-split",
        flaw: "An answer that is under way also serves requests that came after it was given: a \
               process does not read what it has written.",
        finds: Finding::Inconsistent,
        promise: "sequentially consistent",
        setting: Setting::new("complete", &[2, 2, 2])
            .options(&[("network", "list"), ("ops", "pg/pg/pg")]),
        steps: 15,
        build: |site| combined::<BuildList>(site, Variant::Eager),
        ..PEERS
    },
    Specimen {
        name: "prefix-dht-drops-before-stored",
        of: "prefix-dht",
        flaw: "A node drops a copy when it sends it on, before the next node has stored it: a \
               search overtakes it, and does not find what was found before.",
        finds: Finding::Inconsistent,
        promise: "monotone searchability",
        setting: Setting::new("complete", &[3, 1])
            .perpetual()
            .options(&[("ops", "p0g0g0"), ("joins", "1")]),
        steps: 18,
        build: prefix,
        ..PEERS
    },
];

fn mixer(site: &Site) -> Mixer {
    Mixer::new(site.setup().seed)
}

/// What each member knows in a legal network; the others join later.
fn legal<O: Overlay>(site: &Site) -> Vec<Start> {
    let mixer = mixer(site);
    let order = sorted(mixer, Shared::<Keyed>::new(0).members(site));
    let mut starts = vec![Start::Outside; site.nodes() as usize];
    let ends = [order[0], order[order.len() - 1]];
    for (node, held) in order.iter().zip(O::ideal(mixer, &order)) {
        let is_end = O::CLOSES && order.len() > 1;
        let end = match ends {
            [first, last] if is_end && *node == first => Some(last),
            [first, last] if is_end && *node == last => Some(first),
            _ => None,
        };
        starts[node.index()] = Start::Knowing { held, end, mail: Vec::new() };
    }
    starts
}

/// Right nodes of a variant, in a network that does not change.
fn combined<O: Overlay>(site: &Site, variant: Variant) -> Built<'_> {
    let (mixer, starts) = (mixer(site), legal::<O>(site));
    let make = move |me: NodeId| {
        CombineSplit::<O>::new(starts[me.index()].legal(Place::new(me, mixer)), variant)
    };
    let shared = Shared::<Keyed>::new(0);
    let shared = if variant == Variant::Strict { shared } else { shared.explaining() };
    Ok(erased_nodes(shared, site, make))
}

/// A member that leaves as soon as all have confirmed it, as right ones do in a search.
fn member(me: NodeId, mixer: Mixer, starts: &[Start]) -> Member<SkipPlus> {
    Member::new(Place::new(me, mixer), starts[me.index()].clone(), 0)
}

fn prefix(site: &Site) -> Built<'_> {
    let (mixer, starts) = (mixer(site), legal::<SkipPlus>(site));
    let make = move |me: NodeId| {
        let known = match &starts[me.index()] {
            Start::Knowing { held, .. } => Some(bridges(Place::new(me, mixer), held)),
            _ => None,
        };
        let member = member(me, mixer, &starts);
        let right = PrefixDht::new(member, known, Responsible::Smallest, Opening::Changing);
        Flawed::new(right, DropsBeforeStored)
    };
    Ok(erased_nodes(Shared::<Keyed>::new(0).monotone(), site, make))
}

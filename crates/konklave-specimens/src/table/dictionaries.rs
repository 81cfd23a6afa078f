//! Specimens of dictionaries.

use konklave::NodeId;
use konklave::circle::Mixer;
use konklave::dictionary::Table;
use konklave::dictionary::server_dht::ServerDht;
use konklave_catalog::dictionary::Keyed;
use konklave_catalog::object::Shared;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::flaws::server_dht::{AnswersForOthers, ExpectsWhatHasCome, HandsOverTooEarly};
use crate::{Flaw, Flawed};

const SERVER: Specimen = Specimen {
    name: "",
    of: "server-dht",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Deadlock,
    promise: "every operation returns",
    setting: Setting::new("complete", &[0, 1, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 3] = [
    Specimen {
        name: "server-dht-answers-for-others",
        flaw: "A member that is asked about a key that it does not own answers as if it did: a \
               value that was put is not found.",
        finds: Finding::Inconsistent,
        promise: "sequentially consistent",
        setting: Setting::new("complete", &[0, 2, 1]).options(&[("joins", "1")]),
        steps: 10,
        build: |site| served(site, |_| AnswersForOthers::default()),
        ..SERVER
    },
    Specimen {
        name: "server-dht-expects-what-has-come",
        flaw: "A part of the circle that arrives before it was announced is expected once more: \
               operations on its keys wait for it for ever.",
        setting: Setting::new("complete", &[0, 1, 1]).options(&[("joins", "1")]),
        steps: 8,
        build: |site| served(site, |site| ExpectsWhatHasCome::new(mixer(site))),
        ..SERVER
    },
    Specimen {
        name: "server-dht-hands-over-too-early",
        flaw: "A member hands over at once what it does not own yet: nothing. The records arrive \
               later, at the wrong member.",
        finds: Finding::Inconsistent,
        promise: "sequentially consistent",
        setting: Setting::new("complete", &[0, 2, 1, 1]).options(&[("joins", "2")]),
        steps: 14,
        build: |site| served(site, |_| HandsOverTooEarly::default()),
        ..SERVER
    },
];

fn mixer(site: &Site) -> Mixer {
    Mixer::new(site.setup().seed)
}

/// A server and members, each right but for a flaw.
fn served<F: Flaw<ServerDht>>(site: &Site, flaw: fn(&Site) -> F) -> Built<'_> {
    let shared = Shared::<Keyed>::new(1);
    shared.refuse_empty(site)?;
    let table = Table::new(mixer(site), shared.members(site));
    let make = move |me: NodeId| Flawed::new(ServerDht::new(me, &table, 1), flaw(site));
    Ok(erased_nodes(shared, site, make))
}

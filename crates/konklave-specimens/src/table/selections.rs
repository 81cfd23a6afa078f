//! Specimens of selection, and of the heap that selects.

use konklave::NodeId;
use konklave::heap::seap::Rule;
use konklave::overlay::ldb::Ldb;
use konklave::selection::k_select::KSelect;
use konklave_catalog::heap::{Ranked, seap_node};
use konklave_catalog::object::Shared;
use konklave_catalog::refusal::Refusal;
use konklave_catalog::selection::{Selection, held, plan};
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::{System, erased_nodes};

use super::nothing;
use crate::flaws::k_select::{FewDoNotCount, Unchecked};
use crate::{Flaw, Flawed};

const SELECTION: Specimen = Specimen {
    name: "",
    of: "k-select",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::WrongElement,
    promise: "the right element",
    setting: Setting::new("complete", &[1, 0]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 3] = [
    Specimen {
        name: "k-select-few-do-not-count",
        flaw: "A process with fewer elements than the rank that it is asked for does not count as \
               infinite: the others cut off what the wanted element is among.",
        setting: SELECTION.setting.options(&[
            ("elements", "4"),
            ("rank", "3"),
            ("sample", "1"),
            ("spread", "one"),
        ]),
        steps: 15,
        build: |site| broken(site, FewDoNotCount),
        ..SELECTION
    },
    Specimen {
        name: "k-select-unchecked",
        flaw: "Nobody counts what a cut leaves outside, so a sample that misses the element cuts \
               it off.",
        setting: SELECTION.setting.seed(12).options(&[
            ("elements", "6000"),
            ("rank", "4000"),
            ("sample", "400"),
            ("spread", "one"),
        ]),
        steps: 33,
        build: |site| broken(site, Unchecked::default()),
        ..SELECTION
    },
    Specimen {
        name: "seap-free-rule",
        of: "seap",
        flaw: "A process contributes all its inserts to an insert phase, also those behind a \
               delete: the delete takes out what was inserted later.",
        finds: Finding::Inconsistent,
        promise: "sequentially consistent",
        setting: Setting::new("complete", &[0, 2]).options(&[("mix", "di"), ("window", "2")]),
        steps: 16,
        build: |site| {
            let node = seap_node(site);
            Ok(erased_nodes(Shared::<Ranked>::new(0), site, move |me| node(me, Rule::Free)))
        },
        ..SELECTION
    },
];

fn broken<F: Flaw<KSelect>>(site: &Site, flaw: F) -> Result<Box<dyn System + '_>, Refusal> {
    let (plan, held) = (plan(site), held(site));
    let network = Ldb::hashed(plan.mixer, NodeId::all(site.nodes()));
    let make = move |me: NodeId| {
        let node = KSelect::new(&network[me.index()], plan, held[me.index()].clone());
        Flawed::new(node, flaw.clone())
    };
    Ok(erased_nodes(Selection, site, make))
}

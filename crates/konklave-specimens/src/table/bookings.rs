//! Specimens of booking.

use konklave::booking::Form;
use konklave::booking::reservation::Reservation;
use konklave_catalog::booking::Booking;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::{Finding, Setting, Specimen, Tool};
use konklave_catalog::system::erased_nodes;

use super::{Built, nothing};
use crate::flaws::reservation::{ComparesBeginnings, DeniesAtOnce, ForgetsDeferred};
use crate::{Flaw, Flawed};

const BOOKING: Specimen = Specimen {
    name: "",
    of: "reservation",
    flaw: "",
    is_forbidden_setting: false,
    finds: Finding::Deadlock,
    promise: "no starvation",
    setting: Setting::new("complete", &[1, 1]),
    found_by: Tool::Check,
    steps: 0,
    build: nothing,
};

pub(crate) static ALL: [Specimen; 3] = [
    Specimen {
        name: "reservation-compares-beginnings",
        flaw: "A node takes intervals for overlapping only if they begin at the same time: it \
               permits the others, and holds its own.",
        finds: Finding::Overlap,
        promise: "no overlap",
        steps: 6,
        build: |site| booking(site, Form::Block, ComparesBeginnings::default()),
        ..BOOKING
    },
    Specimen {
        name: "reservation-denies-at-once",
        flaw: "A node whose older request overlaps another one denies that at once, and does not \
               wait for the answers to its own: nobody holds the interval.",
        finds: Finding::GroundlessDenial,
        promise: "no groundless denial",
        setting: Setting::new("complete", &[1, 1]).options(&[("variant", "deny")]),
        steps: 4,
        build: |site| booking(site, Form::Deny, DeniesAtOnce),
        ..BOOKING
    },
    Specimen {
        name: "reservation-forgets-deferred",
        flaw: "A node gives its interval back and forgets the answers that it has deferred.",
        steps: 6,
        build: |site| booking(site, Form::Block, ForgetsDeferred),
        ..BOOKING
    },
];

/// Nodes that book intervals, each right but for a flaw.
fn booking<F: Flaw<Reservation>>(site: &Site, form: Form, flaw: F) -> Built<'_> {
    let make = move |me| Flawed::new(Reservation::new(me, site.nodes(), form), flaw.clone());
    Ok(erased_nodes(Booking { form }, site, make))
}

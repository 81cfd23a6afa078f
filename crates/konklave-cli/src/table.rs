//! The algorithms, one line each: the only place that knows them by name.

use std::sync::LazyLock;

use konklave::NodeId;
use konklave::booking::{Form, reservation::Reservation};
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::mutex::carvalho_roucairol::CarvalhoRoucairol;
use konklave::mutex::central::Central;
use konklave::mutex::lamport::{Acks, Lamport};
use konklave::mutex::raymond::Raymond;
use konklave::mutex::ricart_agrawala::RicartAgrawala;

use crate::drive;
use crate::entry::{Choice, Entry, Family, Needs, Network, Order};
use crate::failure::Failure;
use crate::site::Site;

/// One line of the table: family and module, needs, options, and how to drive it.
macro_rules! entry {
    ($family:ident::$module:ident, $needs:expr, $choices:expr, $drive:expr) => {
        Entry {
            name: stringify!($module).replace('_', "-"),
            family: Family::find(stringify!($family)).expect("families are modules"),
            needs: $needs,
            choices: $choices,
            source: include_str!(concat!(
                "../../konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            )),
            file: concat!(
                "crates/konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            ),
            drive: $drive,
        }
    };
}

const RING: Needs = Needs::network(Network::Ring);
const TREE: Needs = Needs::network(Network::Tree);
const COMPLETE: Needs = Needs::network(Network::Complete);

const ACKS: Choice = Choice { name: "variant", values: &["eager", "lazy"] };
const FORM: Choice = Choice { name: "variant", values: &["block", "deny"] };
const WAKE: Choice = Choice { name: "wake", values: &["all", "suppress", "relay"] };

/// All algorithms, by family and name.
pub static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        entry!(mutex::carvalho_roucairol, COMPLETE, &[], |site, job| {
            drive::mutex(site, job, |me| CarvalhoRoucairol::new(me, site.nodes()))
        }),
        entry!(mutex::central, COMPLETE, &[], |site, job| {
            drive::mutex(site, job, |me| Central::new(me, NodeId(0)))
        }),
        entry!(mutex::lamport, COMPLETE.order(Order::Fifo), &[ACKS], |site, job| {
            let acks = acks(site);
            drive::mutex(site, job, |me| Lamport::new(me, site.nodes(), acks))
        }),
        entry!(mutex::raymond, TREE, &[], |site, job| {
            drive::mutex(site, job, |me| Raymond::new(me, site.towards_first(me)))
        }),
        entry!(mutex::ricart_agrawala, COMPLETE, &[], |site, job| {
            drive::mutex(site, job, |me| RicartAgrawala::new(me, site.nodes()))
        }),
        entry!(booking::reservation, COMPLETE, &[FORM], |site, job| {
            let form = form(site);
            drive::booking(site, job, form, |me| Reservation::new(me, site.nodes(), form))
        }),
        entry!(election::chang_roberts, RING, &[WAKE], |site, job| {
            let wake = wake(site);
            let make = |me| ChangRoberts::new(site.id(me), site.successor(me), wake);
            drive::election(site, job, wake.winner(), make)
        }),
    ]
});

fn acks(site: &Site) -> Acks {
    match site.choice("variant") {
        "lazy" => Acks::Lazy,
        _ => Acks::Eager,
    }
}

fn form(site: &Site) -> Form {
    match site.choice("variant") {
        "deny" => Form::Deny,
        _ => Form::Block,
    }
}

fn wake(site: &Site) -> Wake {
    match site.choice("wake") {
        "suppress" => Wake::Suppress,
        "relay" => Wake::Relay,
        _ => Wake::All,
    }
}

/// The algorithm with this name.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    TABLE.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Failure::unknown("algorithm", name, TABLE.iter().map(|entry| entry.name.as_str()))
    })
}

//! All specimens.

pub(crate) mod bookings;
pub(crate) mod consensus;
pub(crate) mod dictionaries;
pub(crate) mod elections;
pub(crate) mod overlays;
pub(crate) mod peers;
pub(crate) mod permissions;
pub(crate) mod placements;
pub(crate) mod queues;
pub(crate) mod rings;
pub(crate) mod selections;
pub(crate) mod tokens;

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::Protocol;
use konklave_catalog::election::Election;
use konklave_catalog::mutex::Mutex;
use konklave_catalog::refusal::Refusal;
use konklave_catalog::site::Site;
use konklave_catalog::specimen::Specimen;
use konklave_catalog::system::{System, erased_nodes};

use crate::{Flaw, Flawed};

/// All specimens: locks by permission, locks by token, booking, elections on rings, other
/// elections, overlays, dictionaries, queues, consensus, selections.
pub fn all() -> impl Iterator<Item = &'static Specimen> {
    let locks = [&permissions::ALL[..], &tokens::ALL, &bookings::ALL];
    let elections = [&rings::ALL[..], &elections::ALL];
    let dictionaries = [&dictionaries::ALL[..], &placements::ALL, &peers::ALL];
    let others = [&queues::ALL[..], &consensus::ALL, &selections::ALL];
    let groups = [&locks[..], &elections, &[&overlays::ALL], &dictionaries, &others].concat();
    groups.into_iter().flatten()
}

/// The specimen with this name.
pub fn find(name: &str) -> Option<&'static Specimen> {
    all().find(|specimen| specimen.name == name)
}

/// What a specimen builds.
type Built<'a> = Result<Box<dyn System + 'a>, Refusal>;

/// Nodes of a lock, each right but for a flaw.
fn lock<'a, P, F>(
    site: &'a Site,
    right: impl Fn(NodeId) -> P + 'a,
    flaw: impl Fn(NodeId) -> F + 'a,
) -> Built<'a>
where
    P: Protocol<Command = mutex::Command, Event = mutex::Event>,
    F: Flaw<P>,
{
    Ok(erased_nodes(Mutex, site, move |me| Flawed::new(right(me), flaw(me))))
}

/// Nodes of an election, each right but for a flaw, and the node that should win.
fn election<'a, P, F>(
    site: &'a Site,
    winner: Winner,
    right: impl Fn(NodeId) -> P + 'a,
    flaw: impl Fn(NodeId) -> F + 'a,
) -> Built<'a>
where
    P: Protocol<Command = election::Command, Event = election::Event>,
    F: Flaw<P>,
{
    Ok(erased_nodes(Election { winner }, site, move |me| Flawed::new(right(me), flaw(me))))
}

/// The nodes of a specimen that has none yet: every line of the tables replaces it.
fn nothing(site: &Site) -> Built<'_> {
    Err(Refusal::new(format!("{} has no nodes", site.entry().name)))
}

//! The self-stabilising queue.

use konklave::NodeId;
use konklave::batched::stabilising::{Repairs, Stabilising};
use konklave::overlay::place::sorted;
use konklave::queue::skueue::Fifo;

use super::{DEQUEUES, DUPLICATED, EMPTY, ENQUEUES, LEFT_OVER, Lined, MOST_HELD};
use crate::dictionary::{Peers, START as ANY_START};
use crate::object::Shared;
use crate::option::{Choice, MAX_DELAY as ANY_DELAY, Verb};
use crate::overlay::start::Family;
use crate::quantity::{Measures, Quantity};
use crate::refusal::Refusal;
use crate::site::Site;
use crate::system::{System, surveyed_nodes};

/// Whether the queue is self-stabilising.
pub(super) const STABILISING: Choice = Choice {
    draw: |_, _| None,
    ..Choice::new(
        "stabilising",
        &["no", "yes"],
        "Recovers from any state: on a Skip+ graph, with requests that leave traces",
    )
    .no_variants()
};
/// What processes know of each other at the beginning.
pub(super) const START: Choice = Choice { draw: |_, _| None, ..ANY_START.no_variants() };
/// After which delay nothing is in transit any more.
pub(super) const MAX_DELAY: Choice = Choice { draw: |_, _| None, ..ANY_DELAY.no_variants() };

pub(super) static RESETS: Quantity =
    Quantity::new("resets", "", "how often a process has begun a new epoch for all")
        .label("resets");
pub(super) static ANEW: Quantity =
    Quantity::new("inserted_anew", "", "number of elements that processes have inserted once more")
        .label("inserted anew");
pub(super) static HOLES: Quantity =
    Quantity::new("empty_elements", "", "number of dequeues that have found an empty element")
        .label("empty elements");
pub(super) static LOST: Quantity = Quantity::new(
    "lost",
    "",
    "number of enqueued elements that were neither dequeued nor are left, less those from nowhere",
)
.label("lost");

/// Whether a site asks for it.
///
/// # Errors
///
/// If it does not, but for what only it has.
pub(super) fn is_asked(site: &Site) -> Result<bool, Refusal> {
    let is_asked = site.choice(STABILISING.name) == "yes";
    let own = [START.name, MAX_DELAY.name].into_iter().find(|name| site.given(name).is_some());
    match own.filter(|_| !is_asked) {
        None => Ok(is_asked),
        Some(name) => Err(Refusal::new(format!(
            "--{name}: the queue in waves relies on neither; add --stabilising"
        ))),
    }
}

pub(super) fn system(site: &Site) -> Result<Box<dyn System + '_>, Refusal> {
    let peers = Peers::of(site)?;
    let (patience, is_legal) = (patience(site), peers.family == Family::Legal);
    let first = sorted(peers.mixer, NodeId::all(site.nodes())).first().copied();
    let make = move |me: NodeId| {
        Stabilising::<Fifo>::new(peers.member(me), patience, is_legal && Some(me) == first)
    };
    let problem = Shared::<Lined>::new(0).stabilising().recovering(is_legal);
    Ok(surveyed_nodes(problem, site, make, counted))
}

/// In how many turns a request or an element arrives, with all that follows from it: up to the
/// anchor, back, and to a key. In a search no turn comes before all messages have arrived.
fn patience(site: &Site) -> u32 {
    match site.verb() {
        Verb::Check => 1,
        _ => {
            let ways = 4 * (site.nodes().ilog2() + 2);
            site.number(MAX_DELAY.name).saturating_add(1).saturating_mul(ways)
        }
    }
}

fn counted(nodes: &[&Stabilising<Fifo>], ran: &Measures) -> Measures {
    let held: Vec<u64> = nodes.iter().map(|node| node.held() as u64).collect();
    let left: u64 = held.iter().sum();
    let repairs: Vec<Repairs> = nodes.iter().map(|node| node.repairs()).collect();
    let sum = |of: fn(&Repairs) -> u64| repairs.iter().map(of).sum::<u64>();
    let count = |quantity: &Quantity| ran.get(quantity.name).unwrap_or(0.0);
    let gone = count(&DEQUEUES) - count(&EMPTY) - count(&DUPLICATED);
    let lost = (count(&ENQUEUES) - gone - left as f64).max(0.0);
    Measures::default()
        .with(&LEFT_OVER, left)
        .with(&MOST_HELD, held.into_iter().max())
        .with(&RESETS, sum(|it| it.resets))
        .with(&ANEW, sum(|it| it.anew))
        .with(&HOLES, sum(|it| it.empty))
        .with(&LOST, lost)
}

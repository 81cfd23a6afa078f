//! What can be done with broken algorithms.

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::Protocol;
use konklave_stage::erased::AnyNode;

use super::{CheckPlan, Job, Outcome, speak};
use crate::failure::Failure;
use crate::site::Site;

/// Drives a broken algorithm of mutual exclusion.
pub fn broken_mutex<P>(
    site: &Site,
    job: Job<'_>,
    make: impl Fn(NodeId) -> P,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = mutex::Command, Event = mutex::Event>,
{
    let monitor = mutex::Monitor::new(site.nodes());
    speak(site, job, &|me| AnyNode::new(make(me)), CheckPlan::visitors, monitor)
}

/// Drives a broken election algorithm.
pub fn broken_election<P>(
    site: &Site,
    job: Job<'_>,
    winner: Winner,
    make: impl Fn(NodeId) -> P,
) -> Result<Outcome, Failure>
where
    P: Protocol<Command = election::Command, Event = election::Event>,
{
    let monitor = election::Monitor::new(site.ids().to_vec(), winner);
    speak(site, job, &|me| AnyNode::new(make(me)), CheckPlan::voters, monitor)
}

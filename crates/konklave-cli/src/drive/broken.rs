//! What can be done with broken algorithms.

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Monitor, Protocol};
use konklave_check::application::Application;

use super::{CheckPlan, Job, Outcome, check, replay_lines};
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
    let visitors = |plan: &CheckPlan| plan.visitors(site);
    drive_broken(site, job, make, visitors, mutex::Monitor::new(site.nodes()))
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
    let voters = |plan: &CheckPlan| plan.voters(site);
    drive_broken(site, job, make, voters, election::Monitor::new(site.ids().to_vec(), winner))
}

/// What can be done with a broken algorithm: it is checked, and what was found is replayed.
fn drive_broken<P, A, M>(
    site: &Site,
    job: Job<'_>,
    make: impl Fn(NodeId) -> P,
    applications: impl FnOnce(&CheckPlan) -> Result<Vec<A>, Failure>,
    monitor: M,
) -> Result<Outcome, Failure>
where
    P: Protocol,
    A: Application<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    if cfg!(test) {
        unreachable!("unit tests drive nothing");
    }
    match job {
        Job::Check { plan, go_on } => {
            let checked = check::check(make, applications(plan)?, monitor, plan, go_on);
            Ok(Outcome::Checked(Box::new(checked)))
        }
        Job::Replay { lines, show } => replay_lines(site, &make, monitor, lines, show),
        _ => Err(Failure::bad(format!(
            "{} is a broken specimen: konklave check --specimen shows it, replay what was found",
            site.entry().name
        ))),
    }
}

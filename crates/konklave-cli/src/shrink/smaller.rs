//! Looks for the same broken promise in a system with fewer nodes.

use std::time::Duration;

use konklave::protocol::Monitor;
use konklave::{booking, election, mutex};
use konklave_check::{Costs, Faults, Identity, Limits, Options, World};
use konklave_sim::workload::Members;
use serde_json::Value;

use crate::drive::{CheckPlan, Job, Outcome, Shorter, Told, carry_out};
use crate::setup::{Ids, Setup};
use crate::site::Site;

/// So many states of each smaller system are looked at.
const STATES: u64 = 200_000;
/// And for so long.
const TIME: Duration = Duration::from_secs(5);

/// What a schedule needs: how often each node asks, and how often something goes wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Needed {
    requests: Vec<u32>,
    faults: Faults,
}

/// The smallest system that breaks the same promise with as much as the schedule needs, and how.
pub(super) fn find(
    site: &Site,
    shorter: &Shorter,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(Site, Told)> {
    let setup = site.setup();
    let is_fixed = setup.graph.is_some() || matches!(setup.ids, Ids::List(_));
    if is_fixed || !setup.files.is_empty() {
        return None;
    }
    let needed = Needed::of(site.nodes(), &shorter.told.trace);
    (1..site.nodes()).find_map(|nodes| {
        let setup = Setup { nodes, ..setup.clone() };
        let smaller = Site::new(setup, site.entry()).ok().filter(|it| it.nodes() == nodes)?;
        let told = needed.budgets(nodes as usize).into_iter().find_map(|budget| {
            let mut plan = plan(&smaller, budget, needed.faults, shorter.world);
            plan.options.only = known(&shorter.broken.promise);
            let mut go_on = |_| go_on();
            let outcome = carry_out(&smaller, Job::Check { plan: &plan, go_on: &mut go_on });
            let Ok(Outcome::Checked(checked)) = outcome else { return None };
            let found = checked.counterexample?;
            let is_same = found.broken.promise == shorter.broken.promise;
            is_same.then_some(found.schedule)
        })?;
        Some((smaller, told))
    })
}

/// The promise with this name. Lemmas have none here: they are searched with everything else.
fn known(name: &str) -> Option<&'static str> {
    let promises =
        [mutex::Monitor::promises(), election::Monitor::promises(), booking::Monitor::promises()];
    promises.concat().into_iter().find(|promise| *promise == name)
}

fn plan(site: &Site, budget: Vec<u32>, faults: Faults, world: World) -> CheckPlan {
    let limits = Limits { states: Some(STATES), time: Some(TIME), ..Limits::default() };
    CheckPlan {
        options: Options {
            identity: Identity::Fingerprint,
            threads: 1,
            costs: Costs::Ignored,
            limits,
            only: None,
        },
        world: World { faults, perpetual: site.entry().needs.perpetual, ..world },
        entries: 0,
        initiators: Members::All,
        budget: Some(budget),
    }
}

impl Needed {
    /// What the lines of a trace need.
    fn of(nodes: u32, lines: &[String]) -> Self {
        let mut needed = Self { requests: vec![0; nodes as usize], ..Self::default() };
        for line in lines {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            let command = &line["step"]["input"]["command"];
            let is_request =
                command == "Acquire" || command == "Start" || !command["Reserve"].is_null();
            if let (true, Some(node)) = (is_request, line["step"]["node"].as_u64()) {
                needed.requests[node as usize] += 1;
            }
            let what = &line["fault"]["what"];
            let count = |counter: &mut u8, name: &str| {
                *counter = counter.saturating_add(u8::from(!what[name].is_null()));
            };
            count(&mut needed.faults.losses, "lost");
            count(&mut needed.faults.duplicates, "doubled");
            count(&mut needed.faults.crashes, "crash");
        }
        needed
    }
}

impl Needed {
    /// How often each of fewer nodes may ask: those that ask most often are the first, or the last,
    /// or all of them do, or all ask once more: fewer nodes are worth another request.
    fn budgets(&self, nodes: usize) -> Vec<Vec<u32>> {
        let mut first = self.requests.clone();
        first.sort_unstable_by(|a, b| b.cmp(a));
        let most = first.first().copied().unwrap_or(0);
        first.truncate(nodes);
        let last = first.iter().rev().copied().collect();
        let mut budgets = vec![first, last, vec![most; nodes], vec![most + 1; nodes]];
        budgets.dedup();
        budgets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_counted() {
        let lines = [
            r#"{"step":{"at":0,"node":1,"input":{"command":"Acquire"},"effects":[]}}"#,
            r#"{"step":{"at":0,"node":1,"input":{"command":"Release"},"effects":[]}}"#,
            r#"{"step":{"at":0,"node":2,"input":{"command":{"Reserve":{}}},"effects":[]}}"#,
            r#"{"fault":{"at":0,"what":{"lost":3}}}"#,
            r#"{"fault":{"at":0,"what":{"crash":0}}}"#,
            r#"{"fault":{"at":0,"what":{"missed":4}}}"#,
        ];
        let faults = Faults { losses: 1, duplicates: 0, crashes: 1 };
        let needed = Needed { requests: vec![0, 1, 1], faults };
        assert_eq!(Needed::of(3, &lines.map(str::to_owned)), needed);
        assert_eq!(needed.budgets(2), [[1, 1], [2, 2]]);
        let needed = Needed { requests: vec![0, 2, 1, 0], faults };
        assert_eq!(needed.budgets(3), [[2, 1, 0], [0, 1, 2], [2, 2, 2], [3, 3, 3]]);
    }
}

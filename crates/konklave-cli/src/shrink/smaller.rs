//! Looks for the same broken promise in a system with fewer nodes.

use std::time::Duration;

use konklave::protocol::Input;
use konklave::sense::Sense;
use konklave::trace::{Fault, Line, Step};
use konklave_catalog::ids::Ids;
use konklave_catalog::option::{IDS, Verb};
use konklave_catalog::problem::About;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Shorter};
use konklave_check::{Costs, Faults, Identity, Limits, Options, World};
use konklave_stage::erased::Erased;

use crate::quiet::quietly;
use crate::schedule::Schedule;

/// The maximum number of states to search in each smaller system.
const STATES: u64 = 200_000;
/// The time limit for each smaller system.
const TIME: Duration = Duration::from_secs(5);

/// The requests of each node and the faults that a schedule contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Needed {
    requests: Vec<u32>,
    faults: Faults,
}

/// The smallest system that breaks the same promise within these requests and faults, and a
/// schedule that does.
pub(super) fn find(
    site: &Site,
    shorter: &Shorter,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<(Site, Schedule)> {
    let (setup, problem) = (site.setup(), site.entry().problem);
    let is_fixed = setup.graph.is_some() || matches!(site.order_of_ids(), Ok(Ids::List(_)));
    if is_fixed || !setup.files.is_empty() {
        return None;
    }
    let needed = Needed::of(site.nodes(), &shorter.schedule, problem);
    (1..site.nodes()).find_map(|nodes| {
        let mut setup = Setup { nodes, ..setup.clone() };
        // Applications make only the requests of the schedule.
        let is_of_nodes = |name: &str| {
            let is_repetition = problem.repeats.is_some_and(|option| option.name == name);
            site.entry().choice(name).is_some() || name == IDS.name || is_repetition
        };
        setup.options.retain(|name, _| is_of_nodes(name));
        let smaller = Site::new(setup, site.entry(), Verb::Check);
        let smaller = smaller.ok().filter(|it| it.nodes() == nodes)?;
        let schedule = needed.budgets(nodes as usize).into_iter().find_map(|budget| {
            let mut plan = plan(&smaller, budget, needed.faults, shorter.world);
            let promises = (problem.promises)().iter().copied();
            // Lemmas are not promises: they are checked along with them.
            plan.options.only = promises.into_iter().find(|it| *it == shorter.broken.promise);
            let mut go_on = |_| go_on();
            let system = smaller.system().ok()?;
            let checked = quietly(|| system.check(&plan, &mut go_on)).ok()?;
            let found = checked.counterexample?;
            let is_same = found.broken.promise == shorter.broken.promise;
            is_same.then_some(found.schedule)
        })?;
        Some((smaller, schedule))
    })
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
        budget: Some(budget),
    }
}

impl Needed {
    /// Counts the requests and faults of a schedule of this problem.
    fn of(nodes: u32, schedule: &[Line<Erased>], problem: &About) -> Self {
        let mut needed = Self { requests: vec![0; nodes as usize], ..Self::default() };
        for line in schedule {
            match line {
                Line::Step(Step { node, input: Input::Command(command), .. }) => {
                    let command = serde_json::to_value(command).unwrap_or_default();
                    if let Sense::Ask(_) = (problem.senses.command)(&command) {
                        needed.requests[node.index()] += 1;
                    }
                }
                Line::Fault { what, .. } => needed.faults = and(needed.faults, what),
                _ => {}
            }
        }
        needed
    }
}

/// These faults and one more.
fn and(mut faults: Faults, fault: &Fault<Erased>) -> Faults {
    let count = match fault {
        Fault::Lost(_) => &mut faults.losses,
        Fault::Doubled(_) => &mut faults.duplicates,
        Fault::Crash(_) => &mut faults.crashes,
        _ => return faults,
    };
    *count = count.saturating_add(1);
    faults
}

impl Needed {
    /// Budgets of requests for fewer nodes: the largest budgets go to the first nodes, to the last,
    /// or to all of them; or every node gets one request more, to make up for the missing nodes.
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
            r#"{"step":{"at":0,"node":2,"input":{"command":"Acquire"},"effects":[]}}"#,
            r#"{"fault":{"at":0,"what":{"lost":3}}}"#,
            r#"{"fault":{"at":0,"what":{"crash":0}}}"#,
            r#"{"fault":{"at":0,"what":{"missed":4}}}"#,
        ];
        let schedule: Vec<Line<Erased>> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let faults = Faults { losses: 1, duplicates: 0, crashes: 1 };
        let needed = Needed { requests: vec![0, 1, 1], faults };
        let catalog = crate::catalog();
        let problem = catalog.find("central").unwrap().problem;
        assert_eq!(Needed::of(3, &schedule, problem), needed);
        assert_eq!(needed.budgets(2), [[1, 1], [2, 2]]);
        let needed = Needed { requests: vec![0, 2, 1, 0], faults };
        assert_eq!(needed.budgets(3), [[2, 1, 0], [0, 1, 2], [2, 2, 2], [3, 3, 3]]);
    }
}

//! Searches small systems for the same broken promise: only a search proves a schedule minimal.

use std::time::Duration;

use konklave::protocol::Input;
use konklave::sense::Sense;
use konklave::trace::{Fault, Line, Step};
use konklave_catalog::option::Verb;
use konklave_catalog::problem::About;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Shorter};
use konklave_check::shrink::Size;
use konklave_check::{Bound, Costs, Faults, Identity, Limits, Options, Order, Verdict, World};
use konklave_stage::erased::Erased;
use serde::Serialize;

use super::Broke;
use super::fewer::smaller_setup;
use crate::quiet::quietly;

/// The maximum number of states to search for each size and budget.
const STATES: u64 = 200_000;
/// The time limit for each of them.
const TIME: Duration = Duration::from_secs(5);

/// What a search of a system of this many nodes has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// The number of nodes.
    pub nodes: u32,
    /// The result.
    pub result: Extent,
    /// The limit that stopped the search, if one did.
    pub limit: Option<Bound>,
}

/// The result of a search for schedules that break the promise with as many requests and faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// No schedule ends.
    Exhausted,
    /// None was found before a limit was reached.
    Bounded,
    /// One was found, and none has fewer steps and faults.
    Shortest,
}

/// The requests of each node and the faults that a schedule contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needed {
    requests: Vec<u32>,
    faults: Faults,
    /// Whether a search knows all these faults.
    is_searchable: bool,
}

/// What the searches with one budget have shown.
struct Look {
    result: Extent,
    limit: Option<Bound>,
    found: Option<Shorter>,
}

/// The search for one broken promise.
pub(super) struct Search<'a> {
    /// The system of the original schedule.
    site: &'a Site,
    promise: String,
    needed: Needed,
    world: World,
    /// The results so far, of ascending sizes.
    pub(super) searched: Vec<Searched>,
}

impl<'a> Search<'a> {
    /// A search for what breaks the promise as this schedule of the site does.
    pub(super) fn new(site: &'a Site, shorter: &Shorter) -> Self {
        let needed = Needed::of(site.nodes(), &shorter.schedule, site.entry().problem);
        // Where the algorithm allows it, messages may overtake each other in shorter schedules.
        let order = match site.needs_fifo() {
            true => shorter.world.order,
            false => Order::Any,
        };
        let world =
            World { order, faults: needed.faults, perpetual: site.is_perpetual(), ..shorter.world };
        let promise = shorter.broken.promise.clone();
        Self { site, promise, needed, world, searched: Vec::new() }
    }

    /// The smallest system of these sizes that breaks the promise, with a shortest schedule.
    pub(super) fn smallest(
        &mut self,
        mut sizes: impl Iterator<Item = u32>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Broke> {
        sizes.find_map(|nodes| {
            let setup = smaller_setup(self.site, nodes);
            let smaller = match setup.graph {
                Some(_) => None, // A network from a file has the size it has.
                None => Site::new(setup, self.site.entry(), Verb::Check).ok(),
            };
            // Not every size has such a network.
            let smaller = smaller.filter(|it| it.nodes() == nodes)?;
            let budgets = self.needed.budgets(nodes as usize);
            let shorter = self.explore(&smaller, &budgets, go_on)?;
            Some(Broke { site: smaller, shorter })
        })
    }

    /// A shortest schedule of this system that breaks the promise with at most as many requests of
    /// any node, or else of each; none if a limit is reached before.
    pub(super) fn shortest(
        &mut self,
        broke: &Broke,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Shorter> {
        let (site, schedule) = (&broke.site, &broke.shorter.schedule);
        let needed = Needed::of(site.nodes(), schedule, site.entry().problem);
        self.world.faults = needed.faults;
        let most = needed.requests.iter().copied().max().unwrap_or(0);
        let budgets = [vec![most; needed.requests.len()], needed.requests.clone()];
        let shorter = self.explore(site, &budgets, go_on)?;
        // With more requests, it need not be the smallest system.
        let is_covered = self.needed.covers(&needed);
        if let (false, Some(last)) = (is_covered, self.searched.last_mut()) {
            last.result = Extent::Bounded;
        }
        Some(shorter)
    }

    /// Searches a system with each of these budgets, and notes what the first one has shown. The
    /// others may only find something, unless the first does not suit the algorithm.
    fn explore(
        &mut self,
        site: &Site,
        budgets: &[Vec<u32>],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Shorter> {
        if !self.needed.is_searchable {
            return None;
        }
        let nodes = site.nodes();
        let mut noted = Searched { nodes, result: Extent::Bounded, limit: None };
        let mut found = None;
        let looks = budgets.iter().filter_map(|budget| self.look(site, budget, go_on));
        for (look, is_first) in looks.zip([true, false, false, false]) {
            if is_first {
                (noted.result, noted.limit) = (look.result, look.limit);
            }
            found = look.found;
            if found.is_some() {
                break;
            }
        }
        self.searched.retain(|it| it.nodes != nodes);
        self.searched.push(noted);
        found
    }

    /// Searches a system with this budget, each crash with and without its restart; none if the
    /// budget does not suit the algorithm.
    fn look(&self, site: &Site, budget: &[u32], go_on: &mut dyn FnMut() -> bool) -> Option<Look> {
        let mut all = Look { result: Extent::Exhausted, limit: None, found: None };
        for world in without_restarts(self.world) {
            let plan = self.plan(world, budget.to_vec());
            let system = site.system().ok()?;
            let report = quietly(|| system.check(&plan, &mut |_| go_on())).ok()?;
            let mut broken = report.counterexamples.into_iter();
            let found = broken.find(|it| it.broken.promise == self.promise);
            // Every state was seen, and only schedules that end are shrunk.
            let is_decided = matches!(report.verdict, Verdict::Exhausted | Verdict::Undecided);
            if found.is_none() && !is_decided {
                all.result = Extent::Bounded;
            }
            all.limit = all.limit.or(report.bound);
            let found = found.map(|it| {
                let after = Size::of(&it.schedule);
                let (broken, schedule, before) = (it.broken, it.schedule, after);
                Shorter { broken, schedule, before, after, world, is_interrupted: false }
            });
            let length = |it: &Shorter| it.after.steps + it.after.faults;
            all.found = all.found.into_iter().chain(found).min_by_key(length);
        }
        if let (Some(_), Extent::Exhausted) = (&all.found, all.result) {
            all.result = Extent::Shortest;
        }
        Some(all)
    }

    fn plan(&self, world: World, budget: Vec<u32>) -> CheckPlan {
        let limits = Limits { states: Some(STATES), time: Some(TIME), ..Limits::default() };
        let promises = (self.site.entry().problem.promises)().iter().map(|it| it.name);
        CheckPlan {
            options: Options {
                identity: Identity::Fingerprint,
                threads: 1,
                costs: Costs::Ignored,
                limits,
                // Lemmas are not promises: they are checked along with them.
                promises: promises.filter(|it| *it == self.promise).map(str::to_owned).collect(),
                ..Options::default()
            },
            world,
            budget: Some(budget),
        }
    }
}

/// The worlds in which some of the nodes that crash and return stay away instead: what such a
/// schedule needs is part of what one with the restart needs, and some promises break only at rest.
fn without_restarts(world: World) -> impl Iterator<Item = World> {
    (0..=world.faults.restarts).map(move |fewer| {
        let Faults { crashes, restarts, .. } = world.faults;
        let crashes = crashes.saturating_add(fewer);
        world.faults(Faults { crashes, restarts: restarts - fewer, ..world.faults })
    })
}

impl Needed {
    /// Counts the requests and faults of a schedule of this problem.
    fn of(nodes: u32, schedule: &[Line<Erased>], problem: &About) -> Self {
        let requests = vec![0; nodes as usize];
        let mut needed = Self { requests, faults: Faults::default(), is_searchable: true };
        for line in schedule {
            match line {
                Line::Step(Step { node, input: Input::Command(command), .. }) => {
                    let command = serde_json::to_value(command).unwrap_or_default();
                    if let Sense::Ask(_) = (problem.senses.command)(&command) {
                        needed.requests[node.index()] += 1;
                    }
                }
                Line::Fault { what, .. } => needed.add(what),
                _ => {}
            }
        }
        needed
    }

    fn add(&mut self, fault: &Fault<Erased>) {
        let count = match fault {
            Fault::Lost(_) => &mut self.faults.losses,
            Fault::Doubled(_) => &mut self.faults.duplicates,
            Fault::Crash(_) => &mut self.faults.crashes,
            // It was counted as a crash for ever, and turns out to be none.
            Fault::Restart(_) => {
                self.faults.crashes = self.faults.crashes.saturating_sub(1);
                &mut self.faults.restarts
            }
            Fault::Garbage { .. } | Fault::Damage { .. } | Fault::Forged { .. } => {
                self.is_searchable = false;
                return;
            }
            // A consequence of a crash, or nothing but bad luck.
            Fault::Missed(_)
            | Fault::Pause(_)
            | Fault::Resume(_)
            | Fault::Partition(_)
            | Fault::Heal(_) => return,
        };
        *count = count.saturating_add(1);
    }

    /// Whether a search for this finds whatever needs only that.
    fn covers(&self, other: &Self) -> bool {
        let most = |needed: &Self| needed.requests.iter().copied().max();
        let faults = |it: &Self| {
            let Faults { losses, duplicates, crashes, restarts, partitions } = it.faults;
            // Each crash is searched with and without its restart.
            [losses, duplicates, crashes.saturating_add(restarts), restarts, partitions]
        };
        let (here, there) = (faults(self), faults(other));
        most(other) <= most(self) && here.iter().zip(there).all(|(here, there)| there <= *here)
    }

    /// Budgets of requests for fewer nodes: for each the most that any node makes; the largest go
    /// to the first nodes, or to the last; or every node gets one request more, to make up for the
    /// missing nodes.
    fn budgets(&self, nodes: usize) -> Vec<Vec<u32>> {
        let mut first = self.requests.clone();
        first.sort_unstable_by(|a, b| b.cmp(a));
        let most = first.first().copied().unwrap_or(0);
        first.truncate(nodes);
        let last = first.iter().rev().copied().collect();
        let mut budgets = vec![vec![most; nodes], first, last, vec![most + 1; nodes]];
        budgets.dedup();
        budgets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_takes_less_than_a_crash_with_a_restart() {
        let faults = Faults { losses: 3, crashes: 1, restarts: 2, ..Faults::NONE };
        let worlds = without_restarts(World::new().faults(faults));
        let outages: Vec<_> = worlds.map(|it| (it.faults.crashes, it.faults.restarts)).collect();
        assert_eq!(outages, [(1, 2), (2, 1), (3, 0)]);
    }

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
        let read = |line: &&str| serde_json::from_str(line).unwrap();
        let mut schedule: Vec<Line<Erased>> = lines.iter().map(read).collect();
        let faults = Faults { losses: 1, crashes: 1, ..Faults::default() };
        let needed = Needed { requests: vec![0, 1, 1], faults, is_searchable: true };
        let catalog = crate::catalog();
        let problem = catalog.find("central").unwrap().problem;
        assert_eq!(Needed::of(3, &schedule, problem), needed);
        assert_eq!(needed.budgets(2), [[1, 1], [2, 2]]);
        schedule.push(read(&r#"{"fault":{"at":0,"what":{"restart":0}}}"#));
        let faults_then = Faults { losses: 1, restarts: 1, ..Faults::default() };
        let returning = Needed::of(3, &schedule, problem);
        assert!(returning.is_searchable && returning.faults == faults_then);
        assert!(returning.covers(&needed) && !needed.covers(&returning));
        schedule.push(read(&r#"{"fault":{"at":0,"what":{"forged":{"from":0,"to":1}}}}"#));
        assert!(!Needed::of(3, &schedule, problem).is_searchable);
        let more = Needed { requests: vec![0, 2, 1, 0], faults, is_searchable: true };
        assert_eq!(more.budgets(3), [[2, 2, 2], [2, 1, 0], [0, 1, 2], [3, 3, 3]]);
        assert!(more.covers(&needed) && !needed.covers(&more));
    }
}

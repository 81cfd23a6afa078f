//! `check --faults`: what survives one fault of each kind, decided by a search for each.

mod report;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::disorder::{Claim, Disorder};
use konklave_catalog::entry::Entry;
use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_check::{Bound, COMES_TO_REST, Counterexample, Order, Property, Until};
use konklave_report::folder::Folder;
use konklave_stage::local::ASSERTIONS_HOLD;
use serde::Serialize;

use super::beyond::{option, survives};
use super::{CheckArgs, carry_out_check, plan, site_for};
use crate::Exit;
use crate::failure::Failure;
use crate::output::counted;
use crate::progress;
use crate::schedule::Schedule;

/// The faults of the table, in the order of its columns.
const FAULTS: [Disorder; 6] = [
    Disorder::Loss,
    Disorder::Duplication,
    Disorder::Overtaking,
    Disorder::Crash,
    Disorder::Restart,
    Disorder::Partition,
];

/// A search stops after this many states, unless the options say otherwise.
const STATES: u64 = 1_000_000;

/// How often each node asks, unless the options say otherwise: what a fault leaves behind of a
/// request often harms only the next.
const REQUESTS: &str = "2";

/// What becomes of all promises of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Fate {
    /// All of them hold.
    Survives,
    /// All of them hold until another promise is broken; no schedule was followed any further.
    Until,
    /// Some of them are broken.
    Breaks,
    /// The search ended before that was known.
    Undecided,
    /// The algorithm does not rely on this fault not to happen.
    Inapplicable,
}

/// An algorithm under one fault.
struct Cell {
    fault: Disorder,
    /// What the algorithm claims.
    claim: Claim,
    safety: Fate,
    liveness: Fate,
    /// The command that finds the same again.
    command: String,
    /// What is known about each promise; nothing, if there was nothing to search.
    decided: Vec<Decided>,
    /// How long the search took.
    seconds: f64,
}

/// The promises of a kind under a fault.
struct Kind {
    name: &'static str,
    /// Whether the algorithm claims that they hold.
    is_claimed: bool,
    fate: Fate,
}

/// A promise under a fault.
struct Decided {
    promise: String,
    /// Whether it holds in every schedule, if that is known.
    holds: Option<bool>,
    /// If it holds: the promises beyond whose breach no schedule was followed.
    until: Vec<String>,
    /// The limit that stopped the search, if one did.
    bound: Option<Bound>,
    /// A schedule that breaks it, if there is one.
    found: Option<Counterexample<Schedule>>,
}

/// All cells of an algorithm.
struct Row {
    site: Site,
    /// The system, in short: what holds here need not hold in a larger one.
    system: String,
    cells: Vec<Cell>,
}

/// The table.
struct Matrix {
    rows: Vec<Row>,
    left_out: Vec<String>,
    not_begun: Vec<String>,
}

impl Cell {
    /// Whether something breaks that is claimed to hold.
    fn is_contradicted(&self) -> bool {
        self.kinds().into_iter().any(|kind| kind.is_claimed && kind.fate == Fate::Breaks)
    }

    /// Whether schedules were not followed to their end.
    fn is_cut(&self) -> bool {
        [self.safety, self.liveness].contains(&Fate::Until)
    }

    fn is_undecided(&self) -> bool {
        [self.safety, self.liveness].contains(&Fate::Undecided)
    }

    fn kinds(&self) -> [Kind; 2] {
        let (is_safe, is_live) = match self.claim {
            Claim::Nothing => (false, false),
            Claim::Safety => (true, false),
            Claim::Everything => (true, true),
        };
        [
            Kind { name: "safety", is_claimed: is_safe, fate: self.safety },
            Kind { name: "liveness", is_claimed: is_live, fate: self.liveness },
        ]
    }

    /// The schedules behind each `no`, with the promises that they break.
    fn schedules(&self) -> impl Iterator<Item = &Counterexample<Schedule>> {
        self.decided.iter().filter_map(|decided| decided.found.as_ref())
    }

    /// The limit that left something undecided.
    fn bound(&self) -> Option<Bound> {
        self.decided.iter().find_map(|decided| decided.bound)
    }
}

/// Decides and prints the table of an algorithm or a problem.
pub(super) fn check_faults(args: &CheckArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let entries: Vec<&'static Entry> = match catalog.find_problem(&args.algorithm) {
        Ok(problem) => catalog.entries_of(problem).collect(),
        Err(_) => vec![catalog.find(&args.algorithm)?],
    };
    let mut matrix = Matrix { rows: Vec::new(), left_out: Vec::new(), not_begun: Vec::new() };
    let is_alone = entries.len() == 1;
    for entry in entries {
        if progress::is_interrupted() {
            matrix.not_begun.push(entry.name.clone());
            continue;
        }
        match row(args, entry, catalog) {
            Ok(row) => matrix.rows.push(row),
            Err(Failure::Bad(reason)) if !is_alone => matrix.left_out.push(reason),
            Err(failure) => return Err(failure),
        }
    }
    if matrix.rows.is_empty() {
        let reason = matrix.left_out.first().map_or("", String::as_str);
        return Err(Failure::bad(format!("no algorithm of the problem can be checked: {reason}")));
    }
    report::show(&matrix, args, folder)?;
    let mut cells = matrix.rows.iter().flat_map(|row| &row.cells);
    Ok(match cells.clone().any(Cell::is_contradicted) {
        true => Exit::Broken,
        false if cells.any(Cell::is_undecided) || !matrix.not_begun.is_empty() => {
            Exit::Inconclusive
        }
        false => Exit::Fine,
    })
}

fn row(args: &CheckArgs, entry: &'static Entry, catalog: &'static Catalog) -> Result<Row, Failure> {
    let args = &asking_again(args, entry);
    let site = site_for(args, entry, catalog)?;
    let cells: Result<Vec<_>, _> =
        FAULTS.map(|fault| cell(args, &site, fault)).into_iter().collect();
    Ok(Row { cells: cells?, system: system(args, &site), site })
}

/// The options, with the number of requests if they say nothing about it.
fn asking_again(args: &CheckArgs, entry: &Entry) -> CheckArgs {
    let mut args = args.clone();
    if args.budget.is_none() && !entry.needs.once {
        let name = entry.problem.how_often.name.to_owned();
        args.options.entry(name).or_insert_with(|| REQUESTS.to_owned());
    }
    args
}

/// The number of nodes and of their requests.
fn system(args: &CheckArgs, site: &Site) -> String {
    let how_often = site.entry().problem.how_often;
    let requests = match &args.budget {
        Some(budget) => format!("--budget {}", counts(budget)),
        None => {
            let count = site.get::<String>(how_often).unwrap_or_default();
            format!("--{} {count}", how_often.name)
        }
    };
    format!("{} with {requests}", counted(site.nodes().into(), "node", "nodes"))
}

fn counts(budget: &[u32]) -> String {
    budget.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn cell(args: &CheckArgs, site: &Site, fault: Disorder) -> Result<Cell, Failure> {
    let mut cell = Cell {
        fault,
        claim: claim(site, fault),
        safety: Fate::Inapplicable,
        liveness: Fate::Inapplicable,
        command: command(args, site, fault),
        decided: Vec::new(),
        seconds: 0.0,
    };
    if let Some(mut plan) = plan_for(args, site, fault) {
        plan.options.promises = promises(site, &plan)?;
        (cell.decided, cell.seconds) = decide(site, &plan)?;
        let is_live = |decided: &&Decided| is_liveness(site, &decided.promise);
        let (live, safe): (Vec<_>, Vec<_>) = cell.decided.iter().partition(is_live);
        (cell.safety, cell.liveness) = (fate(&safe), fate(&live));
    }
    Ok(cell)
}

/// What a search knows about each promise, and how long it took.
fn decide(site: &Site, plan: &CheckPlan) -> Result<(Vec<Decided>, f64), Failure> {
    let Checked { properties, mut counterexamples, bound, seconds, .. } =
        carry_out_check(site, plan)?;
    let decided = |Property { name, holds, until }| {
        let place = counterexamples.iter().position(|found| found.broken.promise == name);
        let found = place.map(|place| counterexamples.swap_remove(place));
        Decided { bound: bound.filter(|_| holds.is_none()), promise: name, holds, until, found }
    };
    Ok((properties.into_iter().map(decided).collect(), seconds))
}

/// The search that decides a cell; none if there is nothing to search.
fn plan_for(args: &CheckArgs, site: &Site, fault: Disorder) -> Option<CheckPlan> {
    let mut plan = plan(args, site);
    let faults = &mut plan.world.faults;
    match fault {
        Disorder::Loss => faults.losses = 1,
        Disorder::Duplication => faults.duplicates = 1,
        Disorder::Crash => faults.crashes = 1,
        Disorder::Restart => faults.restarts = 1,
        Disorder::Partition => faults.partitions = 1,
        Disorder::Overtaking if site.needs_fifo() => plan.world.order = Order::Any,
        Disorder::Overtaking | Disorder::Slowness => return None,
    }
    plan.options.until = Until::AllDecided;
    plan.options.limits.states = args.states.or(Some(STATES));
    Some(plan)
}

/// The promises that a search looks for. Lemmas are about runs that keep the assumptions.
fn promises(site: &Site, plan: &CheckPlan) -> Result<Vec<String>, Failure> {
    let own = (site.entry().problem.promises)();
    let mut names = site.system()?.promises(plan)?;
    names.retain(|name| {
        own.iter().any(|it| it.name == *name) || [ASSERTIONS_HOLD, COMES_TO_REST].contains(name)
    });
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn is_liveness(site: &Site, promise: &str) -> bool {
    promise == COMES_TO_REST || site.entry().problem.is_liveness(promise)
}

fn fate(decided: &[&Decided]) -> Fate {
    if decided.iter().any(|it| it.holds == Some(false)) {
        Fate::Breaks
    } else if decided.iter().any(|it| it.holds.is_none()) {
        Fate::Undecided
    } else if decided.iter().any(|it| !it.until.is_empty()) {
        Fate::Until
    } else {
        Fate::Survives
    }
}

/// What an algorithm claims to hold in this system.
fn claim(site: &Site, fault: Disorder) -> Claim {
    match fault {
        Disorder::Duplication if site.survives_duplicates() => Claim::Everything,
        // In a longer run, a duplicate outlives its round.
        Disorder::Duplication if site.entry().needs.duplicates => Claim::Nothing,
        Disorder::Crash if survives(site, 1) => Claim::Everything,
        fault => site.entry().needs.claim(fault),
    }
}

/// The command whose search finds the schedules of a cell.
fn command(args: &CheckArgs, site: &Site, fault: Disorder) -> String {
    let mut words = vec![format!("konklave check {}", site.entry().name)];
    let mut add = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name} {value}")));
    };
    add("nodes", args.nodes.map(|it| it.to_string()));
    add("topology", args.topology.clone());
    add("seed", Some(args.seed).filter(|seed| *seed != 1).map(|it| it.to_string()));
    add("budget", args.budget.as_deref().map(counts));
    for (name, value) in &args.options {
        add(name, Some(value.clone()));
    }
    for (flag, is_set) in
        [("--fifo", args.fifo), ("--reliable", args.reliable), ("--hasty", args.hasty)]
    {
        words.extend(is_set.then(|| flag.to_owned()));
    }
    words.push(option(fault).to_owned());
    words.push("--go-on".to_owned());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_claimed_can_be_contradicted() {
        let cell = |claim, safety, liveness| {
            let (fault, command, decided) = (Disorder::Loss, String::new(), Vec::new());
            let seconds = 0.0;
            Cell { fault, claim, safety, liveness, command, decided, seconds }.is_contradicted()
        };
        use Fate::{Breaks, Survives, Undecided};
        assert!(!cell(Claim::Nothing, Breaks, Breaks));
        assert!(!cell(Claim::Safety, Survives, Breaks));
        assert!(cell(Claim::Safety, Breaks, Survives));
        assert!(cell(Claim::Everything, Survives, Breaks));
        assert!(!cell(Claim::Everything, Survives, Undecided));
    }
}

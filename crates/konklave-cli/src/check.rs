//! `konklave check`: every schedule of a small system.

mod args;
mod beyond;
mod faults;
mod memory;
mod problem;
mod promises;
mod report;
mod verdicts;

use std::thread;

use konklave::graph::Topology;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::Verb;
use konklave_catalog::setup::{has_size, read_topology};
use konklave_catalog::site::Site;
use konklave_catalog::specimen::Tool;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_check::{
    CUT_NODES_MAX, Costs, Faults, Identity, Limits, NODES_MAX, Options, Order, Pace, Progress,
    Until, Verdict as Found, World,
};
use konklave_report::folder::Folder;
use konklave_report::junit::Suite;
use konklave_specimens::objects::BrokenObject;

use crate::Exit;
use crate::args::Format;
use crate::failure::Failure;
use crate::given::refuse_foreign;
use crate::output::{self, grouped};
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::setup::{Wish, no_restarts};
use crate::{out, schedule, specimens};
pub use args::CheckArgs;
use promises::narrowed;

/// Checks an algorithm, a problem or a specimen, and reports.
pub fn check(args: &CheckArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    if let Some(name) = &args.specimen {
        return check_specimen(args, name, catalog);
    }
    if args.faults {
        return faults::check_faults(args, catalog);
    }
    if let Ok(problem) = catalog.find_problem(&args.algorithm) {
        return problem::check_problem(args, problem, catalog);
    }
    if args.markdown {
        let example = catalog.problems().first().map_or("PROBLEM", |problem| problem.name);
        let problem = "--markdown prints the table of all algorithms of a problem";
        return Err(Failure::bad(format!("{problem}: konklave check {example} --markdown")));
    }
    let site = site_for(args, catalog.find(&args.algorithm)?, catalog)?;
    let plan = narrowed(args, &site, plan(args, &site))?;
    conclude(args, &site, &plan, &[])
}

/// Searches a specimen for a schedule that breaks its promise.
fn check_specimen(
    args: &CheckArgs,
    name: &str,
    catalog: &'static Catalog,
) -> Result<Exit, Failure> {
    if let Some(option) = args.options.keys().next() {
        return Err(Failure::bad(format!(
            "a specimen comes with its own system: leave --{option} out"
        )));
    }
    if let Some(object) = BrokenObject::find(name) {
        if args.go_on || !args.promises.is_empty() {
            return Err(Failure::bad(format!(
                "'{name}' is a shared object, without promises: leave --promise and --go-on out"
            )));
        }
        if args.trace.is_some() || args.worst.is_some() || args.out.is_some() {
            let no_steps = "a shared object has a history, not a schedule to write to a file";
            return Err(Failure::bad(format!(
                "'{name}': {no_steps}: leave --trace, --worst and --out out"
            )));
        }
        return specimens::objects::show(object, args.json);
    }
    let (entry, specimen) = specimens::find(name, catalog)?;
    let site = specimen.site(entry)?;
    if let Tool::Fuzz { seed } = specimen.found_by {
        return specimens::chance::show(args, specimen, &site, seed);
    }
    let has_timers = site.system()?.has_timers();
    let CheckPlan { options, .. } = plan(args, &site);
    let plan = CheckPlan { options, ..specimen.setting.plan(has_timers) };
    let plan = narrowed(args, &site, plan)?;
    let preface = [format!("{}: {}", specimen.of, specimen.flaw), String::new()];
    conclude(args, &site, &plan, &preface)
}

/// Checks, prints the report below the preface, and writes the files that the options name.
fn conclude(
    args: &CheckArgs,
    site: &Site,
    plan: &CheckPlan,
    preface: &[String],
) -> Result<Exit, Failure> {
    out::refuse_two_on_output("trace", args.trace.as_deref(), args.json)?;
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    for path in [&args.trace, &args.worst].into_iter().flatten() {
        out::ensure_writable("write the schedule", path)?;
    }
    let checked = carry_out_check(site, plan)?;
    let lines = [preface.to_vec(), report::for_people(&checked, plan, args, site)].concat();
    let written = match folder {
        Some(folder) => Some(report::write(&checked, plan, args, site, &lines, folder)?),
        None => None,
    };
    match (args.format, args.json) {
        (Some(Format::Junit), _) => {
            let cases = verdicts::cases(&checked, &site.entry().name);
            let suite = Suite { name: out::command(), seconds: checked.seconds, cases };
            output::text(&suite.xml())?;
        }
        (None, true) => output::json(&report::for_machines(&checked, plan, args, site)?)?,
        (None, false) => {
            let mut lines = lines;
            lines.extend(written.iter().map(|path| format!("\nreport: {path}")));
            output::report(&lines, args.trace.as_deref())?;
        }
    }
    // Last, so that the report is printed even if writing fails.
    write_schedules(args, site, &checked)?;
    let missing = args.worst.as_ref().filter(|_| checked.worst.is_none());
    if let Some(path) = missing {
        eprintln!("{} was not written: {}", path.display(), no_worst(&checked));
    }
    Ok(match checked.verdict {
        // The schedule for --worst is missing.
        Found::Exhausted if missing.is_some() => Exit::Inconclusive,
        Found::Exhausted => Exit::Fine,
        Found::Undecided | Found::Bounded => Exit::Inconclusive,
        Found::Violated => Exit::Broken,
    })
}

/// The system that the options describe.
fn site_for(
    args: &CheckArgs,
    entry: &'static Entry,
    catalog: &'static Catalog,
) -> Result<Site, Failure> {
    refuse_foreign(catalog, entry, &args.options, Verb::Check)?;
    refuse_two_budgets(args, entry)?;
    if args.reliable && args.restarts > 0 {
        return Err(no_restarts("--restarts"));
    }
    let mut setup = wish(args, entry)?.setup(entry)?;
    let most = args.budget.iter().flatten().copied().max();
    if let Some((option, most)) = entry.problem.repeats.zip(most.filter(|most| *most > 0)) {
        setup = setup.with(option.name, most);
    }
    let site = Site::new(setup, entry, Verb::Check)?;
    let nodes = site.nodes();
    if nodes as usize > NODES_MAX {
        return Err(Failure::bad(format!(
            "{nodes} nodes have too many schedules to check them all: the limit is {NODES_MAX}, \
             and few algorithms are feasible with more than 5; `run` and `fuzz` take larger systems"
        )));
    }
    if args.partitions > 0 && nodes as usize > CUT_NODES_MAX {
        return Err(Failure::bad(format!(
            "{nodes} nodes can be cut into two groups in too many ways: the limit with \
             --partitions is {CUT_NODES_MAX}; `run --partition` takes larger systems"
        )));
    }
    Ok(site)
}

fn carry_out_check(site: &Site, plan: &CheckPlan) -> Result<Checked, Failure> {
    let mut watch = Watch::new();
    let mut go_on = |progress: Progress| {
        watch.show(|seconds| {
            let Progress { unique, depth, is_retracing } = progress;
            let rate = unique as f64 / seconds / 1e6;
            let name = &site.entry().name;
            match is_retracing {
                false => {
                    format!("{name}: {} states, {rate:.1} M/s, depth {depth}", grouped(unique))
                }
                true => format!("{name}: {} states retraced for their costs", grouped(unique)),
            }
        })
    };
    let system = site.system()?;
    let outcome = quietly(|| system.check(plan, &mut go_on));
    watch.finish();
    Ok(outcome?)
}

/// The default number of nodes, small enough for an exhaustive search.
const NODES: u32 = 3;

fn wish<'a>(args: &'a CheckArgs, entry: &Entry) -> Result<Wish<'a>, Failure> {
    let topology = match &args.topology {
        Some(text) => read_topology(text)?,
        None => entry.needs.network.default_topology(),
    };
    let usual = match topology {
        _ if has_size(&topology) => None,
        Topology::Hypercube | Topology::DeBruijn => Some(4),
        _ => Some(NODES),
    };
    Ok(Wish {
        nodes: args.nodes.or(usual),
        topology: args.topology.as_deref(),
        seed: args.seed,
        options: &args.options,
        reliable: args.reliable.then_some(1),
    })
}

/// Refuses options that contradict `--budget`, which sets the number of requests of each node.
fn refuse_two_budgets(args: &CheckArgs, entry: &Entry) -> Result<(), Failure> {
    let is_budget = |name: &&String| entry.problem.option(name).is_some_and(|it| it.is_budget);
    match args.options.keys().find(is_budget).filter(|_| args.budget.is_some()) {
        Some(name) => Err(Failure::bad(format!(
            "--budget sets the number of requests of each node: leave --{name} out"
        ))),
        None => Ok(()),
    }
}

fn plan(args: &CheckArgs, site: &Site) -> CheckPlan {
    let order = match (args.fifo, args.any_order) {
        (true, _) => Some(Order::Fifo),
        (_, true) => Some(Order::Any),
        _ => None,
    };
    let pace = if args.hasty { Pace::Free } else { Pace::Patient };
    let CheckArgs { losses, duplicates, crashes, restarts, partitions, .. } = *args;
    let faults = Faults { losses, duplicates, crashes, restarts, partitions };
    let needed = if site.needs_fifo() { Order::Fifo } else { Order::Any };
    let world =
        World { order: order.unwrap_or(needed), pace, perpetual: site.is_perpetual(), faults };
    let usual = thread::available_parallelism().map_or(1, usize::from);
    CheckPlan {
        options: Options {
            identity: if args.exact { Identity::Exact } else { Identity::Fingerprint },
            threads: args.threads.map_or(usual, usize::from),
            costs: match (&args.worst, args.no_costs) {
                (Some(_), _) => Costs::Worst,
                (None, true) => Costs::Ignored,
                (None, false) => Costs::Exact,
            },
            limits: Limits {
                states: args.states,
                depth: args.depth,
                bytes: Some(memory::limit(args.memory)),
                time: args.seconds,
            },
            promises: Vec::new(),
            until: if args.go_on { Until::AllDecided } else { Until::FirstBroken },
        },
        world,
        budget: args.budget.clone(),
    }
}

/// Why there is no costliest schedule.
fn no_worst(checked: &Checked) -> String {
    match (checked.verdict, checked.bound, checked.messages) {
        (Found::Violated, ..) => {
            "the search ended at a broken promise, before the costs of all schedules were known"
        }
        (_, Some(bound), _) => {
            return format!("the search was stopped by {bound} before the costs were known");
        }
        (_, None, None) => "no schedule ends, so there is no costliest one",
        (_, None, Some(_)) => "schedules can contain cycles, so there is no costliest one",
    }
    .to_owned()
}

/// Writes the schedules of --trace and --worst.
fn write_schedules(args: &CheckArgs, site: &Site, checked: &Checked) -> Result<(), Failure> {
    let counterexample = checked.counterexample().map(|found| &found.schedule);
    for (path, told) in [(&args.trace, counterexample), (&args.worst, checked.worst.as_ref())] {
        if let (Some(path), Some(told)) = (path, told) {
            schedule::write(told, path, site)?;
        }
    }
    Ok(())
}

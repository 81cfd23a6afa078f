//! `konklave check`: every schedule of a small system.

mod args;
mod beyond;
mod family;
mod report;

use std::thread;

use konklave::graph::Topology;
use konklave_check::{
    Costs, Faults, Identity, Limits, NODES_MAX, Options, Order, Pace, Progress, Verdict as Found,
    World,
};
use konklave_report::folder::Folder;
use konklave_sim::workload::Members;
use konklave_specimens::Tool;
use konklave_specimens::objects::BrokenObject;

use crate::Verdict;
use crate::drive::{self, CheckPlan, Checked, Job, Outcome, carry_out};
use crate::entry::{Entry, Family};
use crate::failure::Failure;
use crate::out;
use crate::output::{self, grouped};
use crate::progress::Watch;
use crate::setup::{Setup, Wish, has_size, read_topology};
use crate::site::Site;
use crate::specimens;
use crate::table;
pub use args::CheckArgs;

/// Looks at every schedule and reports.
pub fn check(args: &CheckArgs) -> Result<Verdict, Failure> {
    if let Some(name) = &args.specimen {
        return check_specimen(args, name);
    }
    if let Ok(family) = Family::find(&args.algorithm) {
        return family::check_family(args, family);
    }
    if args.markdown {
        return Err(Failure::bad("--markdown is for a whole family: konklave check mutex"));
    }
    let site = site_for(args, table::find(&args.algorithm)?)?;
    let plan = plan(args, &site);
    conclude(args, &site, &plan, &[])
}

/// Shows how a broken algorithm breaks its promise.
fn check_specimen(args: &CheckArgs, name: &str) -> Result<Verdict, Failure> {
    if let Some(object) = BrokenObject::find(name) {
        if args.trace.is_some() || args.worst.is_some() || args.out.is_some() {
            let no_steps = "a shared object has a history, and no schedule to write to a file";
            return Err(Failure::bad(format!(
                "'{name}': {no_steps}: leave --trace, --worst and --out out"
            )));
        }
        return specimens::objects::show(object, args.json);
    }
    let (specimen, entry) = specimens::find(name)?;
    let site = specimens::site(specimen, entry)?;
    if let Tool::Fuzz { seed } = specimen.found_by {
        return specimens::chance::show(args, specimen, &site, seed);
    }
    let plan = specimens::plan(specimen, plan(args, &site));
    let preface = [format!("{}: {}", specimen.of, specimen.flaw), String::new()];
    conclude(args, &site, &plan, &preface)
}

/// Checks, prints what was found below the preface, and writes what the user wants to keep.
fn conclude(
    args: &CheckArgs,
    site: &Site,
    plan: &CheckPlan,
    preface: &[String],
) -> Result<Verdict, Failure> {
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
    match args.json {
        true => output::json(&report::for_machines(&checked, plan, args, site)?)?,
        false => {
            output::lines(&lines)?;
            output::lines(
                &written.iter().map(|path| format!("\nreport: {path}")).collect::<Vec<_>>(),
            )?;
        }
    }
    write_schedules(args, site, &checked)?; // At last: what was found is told in any case.
    let missing = args.worst.as_ref().filter(|_| checked.worst.is_none());
    if let Some(path) = missing {
        eprintln!("{} was not written: {}", path.display(), no_worst(&checked));
    }
    Ok(match checked.verdict {
        // What was asked for is not there.
        Found::Exhausted if missing.is_some() => Verdict::Inconclusive,
        Found::Exhausted => Verdict::Fine,
        Found::Bounded => Verdict::Inconclusive,
        Found::Violated => Verdict::Broken,
    })
}

/// The system that the user means.
fn site_for(args: &CheckArgs, entry: &'static Entry) -> Result<Site, Failure> {
    refuse_foreign_options(args, entry)?;
    let site = Site::new(Setup::new(&wish(args, entry)?, entry)?, entry)?;
    match site.nodes() as usize > NODES_MAX {
        false => Ok(site),
        true => Err(Failure::bad(format!(
            "{} nodes are too many for every schedule: at most {NODES_MAX} can be checked, and few \
             algorithms can be with more than 5; `run` simulates any number",
            site.nodes()
        ))),
    }
}

fn carry_out_check(site: &Site, plan: &CheckPlan) -> Result<Box<Checked>, Failure> {
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
    let outcome = carry_out(site, Job::Check { plan, go_on: &mut go_on });
    watch.finish();
    let Outcome::Checked(checked) = outcome? else { unreachable!("a check checks") };
    Ok(checked)
}

/// How many nodes there are if nobody says: few, or the search does not end.
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
        ids: args.ids.as_deref(),
        elections: args.elections.or(args.budget.iter().flatten().copied().max()),
        variant: &args.variant,
    })
}

/// An option that means nothing to this algorithm is a mistake, not a wish to be ignored.
fn refuse_foreign_options(args: &CheckArgs, entry: &Entry) -> Result<(), Failure> {
    let is_election = entry.family == Family::Election;
    let given = [
        (!is_election, "entries", args.entries.is_some()),
        (is_election, "ids", args.ids.is_some()),
        (is_election, "initiators", args.initiators.is_some()),
        (is_election, "elections", args.elections.is_some()),
    ];
    if let Some((_, option, _)) = given.iter().find(|(fits, _, given)| *given && !fits) {
        return Err(Failure::bad(format!(
            "--{option} means nothing to {}, which is of the family {}",
            entry.name, entry.family
        )));
    }
    let repeats = args.elections.is_some_and(|elections| elections > 1)
        || is_election && args.budget.iter().flatten().any(|&starts| starts > 1);
    match repeats && entry.needs.once {
        true => Err(Failure::bad(format!(
            "{} never knows that an election is over: none can follow",
            entry.name
        ))),
        false => Ok(()),
    }
}

fn plan(args: &CheckArgs, site: &Site) -> CheckPlan {
    let order = match (args.fifo, args.any_order) {
        (true, _) => Some(Order::Fifo),
        (_, true) => Some(Order::Any),
        _ => None,
    };
    let pace = if args.hasty { Pace::Free } else { Pace::Patient };
    let faults = Faults { losses: args.losses, duplicates: args.duplicates, crashes: args.crashes };
    let world = World { faults, ..drive::world(site, order, pace) };
    let initiators = match site.entry().needs.one_initiator {
        Some(_) => Members::Count(1),
        None => Members::All,
    };
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
                bytes: Some(args.memory.saturating_mul(1 << 20)),
                time: args.seconds,
            },
            only: None,
        },
        world,
        budget: args.budget.clone(),
        entries: args.entries.unwrap_or(1),
        initiators: args.initiators.clone().unwrap_or(initiators),
    }
}

/// Why there is no dearest schedule.
fn no_worst(checked: &Checked) -> String {
    match (checked.verdict, checked.bound, checked.messages) {
        (Found::Violated, ..) => {
            "the search ended at a broken promise, and not with the costs of all schedules"
        }
        (_, Some(bound), _) => {
            return format!("the search was stopped by {bound} before it knew the costs");
        }
        (_, None, None) => "no schedule ends, so none is the dearest",
        (_, None, Some(_)) => "schedules can go round in circles, so none is the dearest",
    }
    .to_owned()
}

/// Writes the schedules that the user wants to keep.
fn write_schedules(args: &CheckArgs, site: &Site, checked: &Checked) -> Result<(), Failure> {
    let counterexample = checked.counterexample.as_ref().map(|found| &found.schedule);
    for (path, told) in [(&args.trace, counterexample), (&args.worst, checked.worst.as_ref())] {
        if let (Some(path), Some(told)) = (path, told) {
            told.write(path, site)?;
        }
    }
    Ok(())
}

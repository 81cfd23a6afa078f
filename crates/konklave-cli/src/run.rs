//! `konklave run`: one simulation and its report.

mod folder;
mod report;

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use konklave::graph::Format;
use konklave::trace::{Header, VERSION};
use konklave_report::folder::Folder;
use konklave_sim::faults::Target;
use konklave_sim::metrics::Messages;
use konklave_sim::workload::mutex::Demand;
use konklave_sim::workload::{Members, numbers};
use konklave_sim::{Delay, Ended, Options, Violation, Waiting, write_line};
use serde::Serialize;

use crate::Verdict;
use crate::args::RunArgs;
use crate::drive::{ElectionPlan, Job, MutexPlan, Outcome, Problem, RunPlan, carry_out};
use crate::entry::{Entry, Family};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::setup::{Setup, Wish};
use crate::site::Site;
use crate::{output, table};

/// Simulates and reports.
pub fn run(args: &RunArgs) -> Result<Verdict, Failure> {
    let entry = table::find(&args.algorithm)?;
    refuse_foreign_options(args, entry)?;
    let site = Site::new(Setup::new(&wish(args), entry)?, entry)?;
    let plan = plan(args, &site)?;
    if let Some(path) = &args.save_graph {
        save_graph(path, &site)?;
    }
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let kept = || folder.as_ref().and_then(|folder| folder::trace_path(folder, &site));
    let trace_path = args.trace.clone().or_else(kept);
    let trace = trace_path.as_deref().map(|path| open_trace(path, &site)).transpose()?;
    let mut watch = Watch::new();
    let mut go_on = |progress| watch.look(progress);
    let job = Job::Run {
        plan: &plan,
        trace: trace.map(|out| (Box::new(out) as Box<dyn Write>, args.states)),
        go_on: &mut go_on,
    };
    let outcome = carry_out(&site, job);
    let wall_seconds = watch.seconds();
    watch.finish();
    let Outcome::Ran(report) = outcome? else { unreachable!("a run runs") };

    let verdict = match (report.violations.is_empty(), report.ended.is_early()) {
        (false, _) => Verdict::Broken,
        (true, true) => Verdict::Inconclusive,
        (true, false) => Verdict::Fine,
    };
    let report = RunReport {
        algorithm: &entry.name,
        family: entry.family,
        nodes: site.nodes(),
        topology: &site.setup().topology,
        seed: args.seed,
        digest: &report.digest,
        ended: report.ended,
        time: report.time,
        deliveries: report.deliveries,
        messages: &report.messages,
        causal_depth: report.causal_depth,
        verdict: if verdict == Verdict::Broken { "violated" } else { "ok" },
        violations: &report.violations,
        waiting: &report.waiting,
        wall_seconds,
        deliveries_per_second: report.deliveries as f64 / wall_seconds.max(1e-9),
        problem: &report.problem,
    };
    let mut lines = report::for_people(&report, args, &site);
    if let Some(folder) = folder {
        let path = folder::write(&report, args, &site, &lines, trace_path.as_deref(), folder)?;
        lines.extend([String::new(), format!("report: {path}")]);
    }
    match args.json {
        true => output::json(&report)?,
        false => output::lines(&lines)?,
    }
    Ok(verdict)
}

/// What `run` builds a system from.
pub(crate) fn wish(args: &RunArgs) -> Wish<'_> {
    Wish {
        nodes: args.nodes,
        topology: args.topology.as_deref(),
        seed: args.seed,
        ids: args.election.ids.as_deref(),
        elections: args.election.elections,
        variant: &args.variant,
    }
}

/// The report of a run, as JSON has it. The names of its fields do not change.
#[derive(Serialize)]
struct RunReport<'a> {
    algorithm: &'a str,
    family: Family,
    nodes: u32,
    topology: &'a str,
    seed: u64,
    digest: &'a str,
    ended: Ended,
    time: u64,
    deliveries: u64,
    messages: &'a Messages,
    causal_depth: u32,
    verdict: &'static str,
    violations: &'a [Violation],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    waiting: &'a [Waiting],
    wall_seconds: f64,
    deliveries_per_second: f64,
    #[serde(flatten)]
    problem: &'a Problem,
}

/// An option that means nothing to this algorithm is a mistake, not a wish to be ignored.
pub(crate) fn refuse_foreign_options(args: &RunArgs, entry: &Entry) -> Result<(), Failure> {
    let (mutex, election) = (&args.mutex, &args.election);
    // Booking takes the options of mutual exclusion.
    let entering = match entry.family {
        Family::Booking => Family::Booking,
        _ => Family::Mutex,
    };
    let given = [
        (entering, "entries", mutex.entries.is_some()),
        (entering, "load", mutex.load.is_some()),
        (entering, "cs", mutex.cs.is_some()),
        (entering, "think", mutex.think.is_some()),
        (Family::Mutex, "warmup", mutex.warmup.is_some()),
        (entering, "requesters", mutex.requesters.is_some()),
        (Family::Election, "ids", election.ids.is_some()),
        (Family::Election, "initiators", election.initiators.is_some()),
        (Family::Election, "start-within", election.start_within.is_some()),
        (Family::Election, "elections", election.elections.is_some()),
        (Family::Election, "notice", election.notice.is_some()),
    ];
    match given.iter().find(|(family, _, given)| *given && *family != entry.family) {
        Some((family, option, _)) => Err(Failure::bad(format!(
            "--{option} is an option of the family {family}, but {} is of the family {}",
            entry.name, entry.family
        ))),
        None if election.notice.is_some() && !entry.needs.notices => Err(Failure::bad(format!(
            "{} does not survive crashes, so nobody can notice them: leave --notice out",
            entry.name
        ))),
        None if election.elections.is_some_and(|elections| elections > 1) && entry.needs.once => {
            Err(Failure::bad(format!(
                "{} never knows that an election is over: none can follow, leave --elections out",
                entry.name
            )))
        }
        None => Ok(()),
    }
}

/// What `run` does with it.
pub(crate) fn plan(args: &RunArgs, site: &Site) -> Result<RunPlan, Failure> {
    let faults = args.faults.to_faults();
    if let Some(node) = faults.largest_node().filter(|node| node.0 >= site.nodes()) {
        return Err(Failure::bad(format!(
            "a fault is to hit node {node}, but {}",
            numbers(site.nodes())
        )));
    }
    if let Some(pause) = faults.pauses.iter().find(|pause| pause.to.is_none()) {
        return Err(Failure::bad(format!(
            "--pause {pause} never ends: write NODE@FROM..TO, or --crash {pause}"
        )));
    }
    let is_link = |from, to| site.graph().has_edge(from, to);
    for corruption in &faults.corruptions {
        if let Target::Channel(from, to) = corruption.target
            && !is_link(from, to)
        {
            return Err(Failure::bad(format!(
                "--corrupt {corruption}: there is no channel from node {from} to node {to}"
            )));
        }
    }
    let is_fifo = args.fifo || (site.needs_fifo() && !args.beyond);
    if is_fifo && args.faults.reorder.is_some() {
        return Err(Failure::bad(format!(
            "{} needs channels that keep the order of messages: leave --reorder out, \
             or write --beyond",
            site.entry().name
        )));
    }
    if let Some(problem) = unbounded(args.delay, site).filter(|_| !args.beyond) {
        return Err(Failure::bad(problem));
    }
    let initiators = match site.entry().needs.one_initiator {
        Some(_) => Members::Count(1),
        None => Members::All,
    };
    let five_units = (5.0 * args.delay.mean()).round() as u64;
    let mutex = &args.mutex;
    Ok(RunPlan {
        options: Options {
            seed: args.seed,
            delay: args.delay,
            fifo: is_fifo,
            faults,
            time_limit: args.time_limit,
            event_limit: args.event_limit,
            perpetual: site.entry().needs.perpetual,
        },
        mutex: MutexPlan {
            demand: mutex.load.unwrap_or(Demand::Heavy),
            entries: mutex.entries.unwrap_or(5),
            inside: mutex.cs.unwrap_or(five_units),
            think: mutex.think.unwrap_or(0),
            warmup: mutex.warmup.unwrap_or(0),
            requesters: mutex.requesters.clone().unwrap_or(Members::All),
        },
        election: ElectionPlan {
            initiators: args.election.initiators.clone().unwrap_or(initiators),
            within: args.election.start_within.unwrap_or(0),
            notice: notice(args, site),
        },
    })
}

/// How soon crashes are noticed. Where delays are bounded, not before the last words of a crashed
/// node have arrived, unless the user wants that.
fn notice(args: &RunArgs, site: &Site) -> Option<u64> {
    let needs = site.entry().needs;
    let usual = match needs.bounded {
        true => u64::from(site.number("max-delay")) + 1,
        false => args.delay.mean().ceil() as u64,
    };
    needs.notices.then(|| args.election.notice.unwrap_or(usual))
}

/// Why these delays are too long for the algorithm, if they are.
fn unbounded(delay: Delay, site: &Site) -> Option<String> {
    let entry = site.entry();
    let bound = entry.needs.bounded.then(|| u64::from(site.number("max-delay")))?;
    match delay.longest() {
        Some(longest) if longest <= bound => None,
        Some(longest) => Some(format!(
            "{} relies on delays up to --max-delay {bound}, but {delay} can take {longest}: \
             write --max-delay {longest}",
            entry.name
        )),
        None => Some(format!(
            "{} relies on a longest delay, but {delay} has none: write --delay uniform:1..{bound}",
            entry.name
        )),
    }
}

fn open_trace(path: &Path, site: &Site) -> Result<BufWriter<File>, Failure> {
    let unwritable = |error: io::Error| Failure::file("write the trace", path, &error);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).map_err(unwritable)?);
    let header = Header { konklave_trace: VERSION, setup: site.setup().clone() };
    write_line(&mut out, &header).map_err(unwritable)?;
    Ok(out)
}

/// Writes the network in the format in which a file of this name is read.
fn save_graph(path: &Path, site: &Site) -> Result<(), Failure> {
    let format = Format::guess(&path.to_string_lossy(), "graph {}");
    if format == Format::EdgeList {
        return Err(Failure::bad(format!(
            "{} would be read as a list of edges: graphs are saved as .dot or .graphml",
            path.display()
        )));
    }
    let unwritable = |error: io::Error| Failure::file("write the graph", path, &error);
    let file = File::create(path).map_err(unwritable)?;
    let mut out = Pieces { out: BufWriter::new(file), error: None };
    let written = match format {
        Format::GraphMl => site.graph().write_graphml(&mut out),
        Format::Dot | Format::EdgeList => site.graph().write_dot(&mut out),
    };
    let outcome = out.error.map_or_else(|| out.out.flush(), Err);
    outcome.map_err(unwritable)?;
    written.map_err(|error| unwritable(io::Error::other(error)))
}

/// Text that goes to a file piece by piece: a graph can be larger than memory.
struct Pieces<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W: Write> fmt::Write for Pieces<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

//! `konklave run`: one simulation and its report.

mod folder;
mod graph;
mod report;
mod summary;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::option::{MAX_DELAY, Verb};
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_catalog::system::{Description, Watch as Observers};
use konklave_report::folder::Folder;
use konklave_sim::faults::{Corruption, Target};
use konklave_sim::workload::numbers;
use konklave_sim::{Delay, Ended, Options, Recording, write_line};
use serde::Serialize;
use serde_json::Value;

use crate::Exit;
use crate::args::{FaultArgs, RunArgs};
use crate::failure::Failure;
use crate::fuzz::faults::provoked;
use crate::given::refuse_foreign;
use crate::progress::Watch;
use crate::quiet::quietly;
use crate::schedule::header;
use crate::seal::Sealing;
use crate::setup::{Wish, no_restarts, resend_period};
use crate::told::{Told, effective};
use crate::{out, output, specimens};
use graph::save_graph;
use summary::RunSummary;

/// Simulates and reports.
pub fn run(args: &RunArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let entry = match &args.specimen {
        Some(name) => specimens::find(name, catalog)?.0,
        None => catalog.find(&args.algorithm)?,
    };
    refuse_foreign(catalog, entry, &args.options, Verb::Run)?;
    let site = site(args, entry)?;
    let args = &provoked(args, &site);
    let options = options(args, &site)?;
    let system = site.system()?;
    refuse_shared_files(args)?;
    if args.history.is_some() && !system.has_history() {
        return Err(Failure::bad(format!(
            "--history is about operations on a shared object, and {} is not about one",
            entry.problem
        )));
    }
    if let Some(path) = &args.save_graph {
        save_graph(path, &site)?;
    }
    let folder = args.out.as_ref().map(Folder::create).transpose()?;
    let kept = || folder.as_ref().and_then(|folder| folder::trace_path(folder, &site));
    let trace_path = args.trace.clone().or_else(kept);
    let trace = trace_path.as_deref().map(|path| open_trace(path, &site)).transpose()?;
    let trace = trace.map(|out| Recording::new(out, args.states));
    let mut watch = Watch::new();
    let mut go_on = |progress| watch.look(progress);
    if let Some(path) = &args.history {
        out::ensure_writable(HISTORY, path)?;
    }
    if let Some(path) = &args.dump {
        out::ensure_writable(DUMP, path)?;
    }
    let observers = Observers {
        trace,
        coverage: None,
        history: args.history.is_some(),
        dump: args.dump.is_some(),
    };
    let outcome = quietly(|| system.run(&options, observers, &mut go_on));
    let wall_seconds = watch.seconds();
    watch.finish();
    let ran = outcome?;
    if let Some(path) = &args.history {
        let history = ran.problem.history.as_deref().unwrap_or_default();
        write(HISTORY, path, |out| out.write_all(history.as_bytes()))?;
    }
    if let Some(path) = &args.dump {
        let nodes = ran.problem.dump.as_deref().unwrap_or_default();
        let dump = Dump { setup: site.setup(), ended: ran.ended, time: ran.time, nodes };
        write(DUMP, path, |out| serde_json::to_writer(out, &dump).map_err(io::Error::from))?;
    }
    let report = RunSummary::new(&ran, &site, wall_seconds);
    let exit = report.verdict.exit();
    let mut lines = report::for_people(&report, args, &site);
    if let Some(folder) = folder {
        let path = folder::write(&report, args, &site, &lines, trace_path.as_deref(), folder)?;
        lines.extend([String::new(), format!("report: {path}")]);
    }
    match args.json {
        true => output::json(&told(&report, args, &site))?,
        false => output::report(&lines, on_output(args))?,
    }
    Ok(exit)
}

/// Each file that the run writes must be its own.
fn refuse_shared_files(args: &RunArgs) -> Result<(), Failure> {
    let files = [
        ("trace", args.trace.as_deref()),
        ("history", args.history.as_deref()),
        ("dump", args.dump.as_deref()),
        ("save-graph", args.save_graph.as_deref()),
    ];
    for (name, path) in files {
        out::refuse_two_on_output(name, path, args.json)?;
    }
    let folder = ("out", args.out.as_deref());
    out::refuse_shared(&files.into_iter().chain([folder]).collect::<Vec<_>>())
}

/// The report with the options that it was made with.
fn told<'a>(report: &'a RunSummary<'a>, args: &RunArgs, site: &Site) -> Told<&'a RunSummary<'a>> {
    // Those of a specimen may not be on the command line.
    let FaultArgs { duplicate, reorder, crash, .. } = &args.faults;
    let number = |value: Option<f64>| value.map(|it| it.to_string()).into();
    let own: [(&str, Value); 5] = [
        ("fifo", is_fifo(args, site).into()),
        ("beyond", args.beyond.into()),
        ("duplicate", number(*duplicate)),
        ("reorder", number(*reorder)),
        ("crash", crash.iter().map(ToString::to_string).collect()),
    ];
    let turns = report.rounds.iter().flat_map(|_| {
        let turns = args.turns;
        [
            ("tick", turns.period(args.delay).into()),
            ("stable", turns.stable_rounds().into()),
            ("round-limit", turns.round_limit(site.nodes()).into()),
        ]
    });
    let own = own.into_iter().chain(turns).map(|(name, value)| (name.to_owned(), value));
    Told::new(report, effective(site).into_iter().chain(own))
}

/// Whether channels are FIFO: on request, or because the algorithm needs it.
fn is_fifo(args: &RunArgs, site: &Site) -> bool {
    args.fifo || (site.needs_fifo() && !args.beyond)
}

/// The system that `run` simulates.
pub(crate) fn site(args: &RunArgs, entry: &'static Entry) -> Result<Site, Failure> {
    let RunArgs { nodes, topology, seed, options, .. } = args;
    let reliable = args.reliable.then(|| resend_period(args.delay));
    let topology = topology.as_deref();
    let wish = Wish { nodes: *nodes, topology, seed: *seed, options, reliable };
    Ok(Site::new(wish.setup(entry)?, entry, Verb::Run)?)
}

/// The verdict about the promises, up to the step where the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kept {
    /// Every promise was kept.
    Ok,
    /// A promise was broken.
    Violated,
}

impl Kept {
    /// `Violated` if a promise was broken, else `Ok`.
    pub(crate) fn unless(is_broken: bool) -> Self {
        if is_broken { Self::Violated } else { Self::Ok }
    }

    /// The name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Violated => "violated",
        }
    }
}

/// The verdict about a whole run: one that was stopped has kept its promises so far only, and those
/// about its end were not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunOutcome {
    /// Every promise was kept.
    Ok,
    /// A promise was broken.
    Violated,
    /// The run was stopped before a promise was broken.
    Inconclusive,
}

impl RunOutcome {
    pub(crate) fn new(is_broken: bool, ended: Ended) -> Self {
        match (is_broken, ended.is_early()) {
            (true, _) => Self::Violated,
            (false, true) => Self::Inconclusive,
            (false, false) => Self::Ok,
        }
    }

    /// The name in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Violated => "violated",
            Self::Inconclusive => "inconclusive",
        }
    }

    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Ok => Exit::Fine,
            Self::Violated => Exit::Broken,
            Self::Inconclusive => Exit::Inconclusive,
        }
    }
}

/// Refuses a damage that the algorithm has no name for.
fn refuse_unknown_damage(site: &Site, corruption: &Corruption) -> Result<(), Failure> {
    let Target::Named { problem, damage } = &corruption.target else { return Ok(()) };
    let (known, own) = (site.system()?.damages(), site.entry().problem.name);
    if problem == own && known.contains(&damage.as_str()) {
        return Ok(());
    }
    let names: Vec<String> = known.iter().map(|name| format!("{own}:{name}")).collect();
    let right = match names.is_empty() {
        true => "state:NODE@TIME or channel:FROM-TO@TIME".to_owned(),
        false => {
            format!("{} with @TIME, state:NODE@TIME or channel:FROM-TO@TIME", names.join(", "))
        }
    };
    Err(Failure::bad(format!(
        "--corrupt {corruption}: {} has no such damage; write {right}",
        site.entry().name
    )))
}

/// The options of the simulation, checked against the system and the algorithm.
pub(crate) fn options(args: &RunArgs, site: &Site) -> Result<Options, Failure> {
    let faults = args.faults.to_faults();
    if let Some(node) = faults.largest_node().filter(|node| node.0 >= site.nodes()) {
        return Err(Failure::bad(format!(
            "a fault is set for node {node}, but {}",
            numbers(site.nodes())
        )));
    }
    if let Some(pause) = faults.pauses.iter().find(|pause| pause.to.is_none()) {
        return Err(Failure::bad(format!(
            "--pause {pause} never ends: write NODE@FROM..TO, or --crash {pause}"
        )));
    }
    if let Some(crash) = faults.crashes.iter().find(|it| args.reliable && it.to.is_some()) {
        return Err(no_restarts(&format!("--crash {crash}")));
    }
    if args.reliable && faults.loss > 0.0 && !site.survives_losses() && !args.beyond {
        return Err(Failure::bad(format!(
            "{} relies on times, and reliable links take theirs to send a lost message again: \
             leave --loss out, or add --beyond",
            site.entry().name
        )));
    }
    let is_link = |from, to| site.graph().has_edge(from, to);
    for corruption in &faults.corruptions {
        refuse_unknown_damage(site, corruption)?;
        if let Target::Channel(from, to) = corruption.target
            && !is_link(from, to)
        {
            return Err(Failure::bad(format!(
                "--corrupt {corruption}: there is no channel from node {from} to node {to}"
            )));
        }
    }
    let is_fifo = is_fifo(args, site);
    if is_fifo && args.faults.reorder.is_some() {
        return Err(Failure::bad(format!(
            "{} needs FIFO channels, and --reorder breaks their order: leave --reorder out, \
             or add --beyond",
            site.entry().name
        )));
    }
    if let Some(problem) = unbounded(args.delay, site).filter(|_| !args.beyond) {
        return Err(Failure::bad(problem));
    }
    args.turns.refuse_if_foreign(site)?;
    let options = Options {
        seed: args.seed,
        delay: args.delay,
        fifo: is_fifo,
        faults,
        time_limit: args.time_limit,
        event_limit: args.event_limit,
        perpetual: site.is_perpetual(),
        ..Options::default()
    };
    Ok(args.turns.complete(site, options))
}

/// An error message if the delays exceed the maximum that the algorithm relies on.
fn unbounded(delay: Delay, site: &Site) -> Option<String> {
    let entry = site.entry();
    let bound = site.needs_bound().then(|| u64::from(site.number(MAX_DELAY.name)))?;
    match delay.longest() {
        Some(longest) if longest <= bound => None,
        Some(longest) => Some(format!(
            "{} relies on delays up to --max-delay {bound}, but {delay} can take {longest}: \
             write --max-delay {longest}",
            entry.name
        )),
        None => Some(format!(
            "{} relies on a maximum delay, but {delay} has no upper bound: \
             write --delay uniform:1..{bound}",
            entry.name
        )),
    }
}

const HISTORY: &str = "write the history";
const DUMP: &str = "write the nodes";

/// The file that is standard output, if one is: the report then goes to standard error.
fn on_output(args: &RunArgs) -> Option<&Path> {
    let files =
        [&args.trace, &args.dump, &args.save_graph].into_iter().filter_map(Option::as_deref);
    files.into_iter().find(|path| out::is_output(path))
}

/// The nodes as they are at the end of a run. The names of its fields are stable.
#[derive(Serialize)]
struct Dump<'a> {
    setup: &'a Setup,
    ended: Ended,
    time: u64,
    nodes: &'a [Description],
}

/// Writes a file that an option names.
fn write(
    doing: &str,
    path: &Path,
    content: impl FnOnce(&mut BufWriter<Box<dyn Write>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let written = out::create(path).and_then(|out| {
        let mut out = BufWriter::new(out);
        content(&mut out)?;
        out.flush()
    });
    written.map_err(|error| Failure::file(doing, path, &error))
}

fn open_trace(path: &Path, site: &Site) -> Result<Sealing<BufWriter<Box<dyn Write>>>, Failure> {
    let unwritable = |error: io::Error| Failure::file("write the trace", path, &error);
    let out = BufWriter::with_capacity(1 << 20, out::create(path).map_err(unwritable)?);
    let mut out = Sealing::new(out);
    write_line(&mut out, &header(site)).map_err(unwritable)?;
    Ok(out)
}

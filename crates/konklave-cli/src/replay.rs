//! `konklave replay`: replays a trace step by step.

use std::fmt::Write as _;
use std::io::{BufRead, Lines, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use konklave::trace::{self, Line};
use konklave_catalog::catalog::Catalog;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_report::show::sentence;
use konklave_stage::erased::Erased;
use serde_json::{Value, json};

use crate::Exit;
use crate::args::number_of_nodes;
use crate::failure::Failure;
use crate::out;
use crate::output;
use crate::quiet::quietly;
use crate::run::RunOutcome;
use crate::seal::Sealed;
use crate::told::Told;

/// Options of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave run raymond --nodes 5 --trace t.jsonl && konklave replay t.jsonl
  konklave run raymond --nodes 5 --trace - | konklave replay -

Exit codes: 0 the run kept its promises, 1 it broke one, 2 bad usage or input,
such as a trace whose replay differs from the recording, 3 inconclusive: the
run was stopped before its end.")]
pub struct ReplayArgs {
    /// The trace, as written by `run --trace`; - reads it from standard input
    pub file: PathBuf,
    /// Print only the verdict, not the steps
    #[arg(long, short)]
    pub quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Replays a trace and reports its verdict.
pub fn replay(args: &ReplayArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let Recorded { site, mut lines, in_file } = open(&args.file, catalog)?;
    let entry = site.entry();

    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut closed = None;
    let mut show = |line: &Line<Erased>| {
        if !args.quiet && !args.json && closed.is_none() {
            closed = writeln!(out, "{}", describe(line)).err();
        }
    };
    let system = site.system()?;
    let outcome = quietly(|| system.replay(&mut lines, &mut show));
    let outcome = outcome.map_err(|refusal| in_file(refusal.into()));
    out.flush()?;
    drop(out);
    if let Some(error) = closed {
        return Err(error.into());
    }
    let replayed = outcome?;
    let verdict = RunOutcome::new(replayed.broken.is_some(), replayed.end.ended);
    if args.json {
        output::json(&Told::plain(json!({
            "algorithm": entry.name,
            "family": entry.problem,
            "nodes": site.nodes(),
            "seed": site.setup().seed,
            "steps": replayed.end.steps,
            "messages": replayed.messages,
            "time": replayed.end.time,
            "ended": replayed.end.ended,
            "verdict": verdict,
            "violations": replayed.broken.iter().collect::<Vec<_>>(),
        })))?;
    } else {
        let mut lines = vec![String::new()];
        lines.push(format!(
            "{} on a {}, seed {}: {} steps and {} messages, exactly as recorded",
            output::bold(&entry.name),
            site.graph().describe(),
            site.setup().seed,
            replayed.end.steps,
            replayed.messages,
        ));
        lines.push(match &replayed.broken {
            Some(broken) => format!("{}  {broken}", output::red("violated")),
            None if verdict == RunOutcome::Inconclusive => {
                format!("ok so far, stopped by {}", replayed.end.ended)
            }
            None => format!("{}  ended by {}", output::green("ok"), replayed.end.ended),
        });
        output::lines(&lines)?;
    }
    Ok(verdict.exit())
}

/// A trace after its header.
pub(crate) struct Recorded<F> {
    /// The system, rebuilt from the header.
    pub(crate) site: Site,
    /// The lines after the header.
    pub(crate) lines: Sealed<Lines<Box<dyn BufRead>>>,
    /// Adds the file's name to an error.
    pub(crate) in_file: F,
}

/// Opens a trace and reads its header.
pub(crate) fn open<'a>(
    path: &'a Path,
    catalog: &'static Catalog,
) -> Result<Recorded<impl Fn(Failure) -> Failure + 'a>, Failure> {
    let unreadable = |error: std::io::Error| Failure::file("read the trace", path, &error);
    let in_file = |failure: Failure| match failure {
        Failure::Bad(problem) => Failure::bad(format!("{}: {problem}", path.display())),
        failure => failure,
    };
    let (trace, bytes) = out::open_trace(path)?;
    let mut lines = trace.lines();
    let header = lines.next().ok_or_else(|| {
        in_file(Failure::bad("the file is empty: record a trace with `run --trace`"))
    })?;
    let bad = |problem: String| in_file(Failure::bad(problem));
    let header = header.map_err(unreadable)?;
    let lines = Sealed::new(&header, lines);
    let header = read_header(&header).map_err(bad)?;
    let nodes = header.get("nodes").and_then(Value::as_u64).unwrap_or(1);
    refuse_nodes(nodes, bytes).map_err(bad)?;
    let site = rebuild(&header, catalog).map_err(in_file)?;
    let counted = site.setup().nodes;
    match site.nodes() {
        nodes if nodes == counted => Ok(Recorded { site, lines, in_file }),
        nodes => Err(in_file(Failure::bad(format!(
            "line 1: the header gives {counted} nodes, but its network has {nodes}: \
             the trace was changed"
        )))),
    }
}

/// Refuses a header with too many nodes before they are built: every node starts in a trace, and
/// that takes more than a byte.
pub(crate) fn refuse_nodes(nodes: u64, bytes: Option<u64>) -> Result<(), String> {
    let says = format!("line 1: the header gives {nodes} nodes");
    match number_of_nodes(&nodes.to_string()) {
        Err(problem) => Err(format!("{says}, but {problem}: the trace was changed")),
        Ok(_) if bytes.is_some_and(|bytes| bytes < nodes) => {
            Err(format!("{says}, but the trace is too short for that: it was changed or truncated"))
        }
        Ok(_) => Ok(()),
    }
}

/// The system that a header describes.
pub(crate) fn rebuild(header: &Value, catalog: &'static Catalog) -> Result<Site, Failure> {
    let name = header.get("algorithm").and_then(Value::as_str);
    let name = name.ok_or_else(|| Failure::bad("line 1: the header does not name an algorithm"))?;
    let entry = catalog.find(name)?;
    let setup = Setup::read(header, |option| entry.problem.option(option).is_some())
        .map_err(|error| Failure::bad(format!("line 1: {error}")))?;
    let verb = setup.verb;
    Ok(Site::new(setup, entry, verb)?)
}

/// The setup in the first line of a trace.
pub(crate) fn read_header(line: &str) -> Result<Value, String> {
    let header: Value = serde_json::from_str(line)
        .map_err(|_| "this is not a trace: its first line is not JSON".to_owned())?;
    match header.get("konklave_trace").and_then(Value::as_u64) {
        Some(version) if version == u64::from(trace::VERSION) => {}
        Some(version) => {
            let ours = trace::VERSION;
            return Err(format!(
                "the trace has version {version} of the format, but only {ours} can be read: \
                 record it again with `run --trace`"
            ));
        }
        None => {
            return Err(
                "this is not a trace: its first line has no field 'konklave_trace'".to_owned()
            );
        }
    }
    header.get("setup").cloned().ok_or_else(|| "line 1: the header has no field 'setup'".to_owned())
}

/// A line of a trace as text.
pub fn describe(line: &Line<Erased>) -> String {
    match line {
        Line::Step(step) => {
            let node = step.node;
            let mut text = format!("{:>8}  {}", step.at, sentence(line));
            for effect in &step.effects {
                let _ = write!(text, "\n          {node} {effect}");
            }
            if let Some(state) = &step.state {
                let _ = write!(text, "\n          {node} = {state}");
            }
            text
        }
        Line::Fault { at, .. } | Line::Loop { at } => format!("{at:>8}  {}", sentence(line)),
        Line::End(end) => format!("{:>8}  {}", end.time, sentence(line)),
    }
}

//! `konklave check-history`: is a history linearizable, or sequentially consistent?

use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use konklave_check::history::{
    self, BUDGET, Consistency, Finding, HistoryReport, Judgement, Method,
};

use crate::Exit;
use crate::failure::Failure;
use crate::input;
use crate::output;
use crate::told::Told;

/// Options of `check-history`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave check-history examples/histories/queue-witness.jsonl
  konklave check-history examples/histories/dictionary-stale.jsonl --consistency sequential
  konklave check-history - --json < examples/histories/queue-overtaken.jsonl

The file is JSON Lines. The first line names the object: register, dictionary,
ordered_set, queue, stack or heap. Each other line is an operation:
  {\"konklave_history\":1,\"object\":\"queue\"}
  {\"process\":0,\"seq\":0,\"op\":{\"enqueue\":5},\"invoked\":3,\"returned\":9}
  {\"process\":1,\"seq\":0,\"op\":\"dequeue\",\"result\":5,\"invoked\":4,\"returned\":12}
An operation without 'returned' is pending; a result of null means that there
was no value. If all completed operations have a 'witness', a list of numbers,
that order is checked, which is fast. Otherwise, or if the witness order fails,
the search looks for any valid order.

Several objects have names, and each operation says which it is about; each is
judged by itself, and then all together by one order:
  {\"konklave_history\":1,\"objects\":{\"q\":\"queue\",\"s\":\"ordered_set\"}}
  {\"object\":\"q\",\"process\":0,\"seq\":0,\"op\":{\"enqueue\":5},\"invoked\":3,\"returned\":9}

Operations of one process may overlap (pipelining). Sequential consistency
keeps the order in which it invoked them, its program order. Linearizability
keeps real time only, so it says nothing about the order of those that overlap,
and does not imply sequential consistency; then the check also says whether one
order keeps both: linearizable in program order.

Exit codes: 0 consistent, 1 violated, 2 bad usage or input,
3 inconclusive: the search hit its limit.")]
pub struct CheckHistoryArgs {
    /// The history; - is standard input
    pub file: PathBuf,
    /// The consistency to check [default: both]
    #[arg(long, value_name = "KIND")]
    pub consistency: Option<Kind>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Consistency conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The operations of each process take effect in program order
    Sequential,
    /// Every operation takes effect between its invocation and its return
    Linearizable,
    /// Both, by one order; differs from linearizable only if a process pipelines
    LinearizableInProgramOrder,
}

/// Checks a history, and explains the verdict.
pub fn check_history(args: &CheckHistoryArgs) -> Result<Exit, Failure> {
    let wanted = match args.consistency {
        Some(Kind::Sequential) => vec![Consistency::Sequential],
        Some(Kind::Linearizable) => vec![Consistency::Linearizable],
        Some(Kind::LinearizableInProgramOrder) => vec![Consistency::LinearizableInProgramOrder],
        None => vec![Consistency::Sequential, Consistency::Linearizable],
    };
    let path = &args.file;
    let judgement = history::check(open(path)?, &wanted, BUDGET)
        .map_err(|malformed| Failure::bad(format!("{}: {malformed}", path.display())))?;
    conclude(&judgement, args.json)
}

/// Prints the findings about each object, and about all together.
pub(crate) fn conclude(judgement: &Judgement, is_json: bool) -> Result<Exit, Failure> {
    let reports = || judgement.objects.iter().chain(&judgement.together);
    match (is_json, &judgement.objects[..]) {
        (true, [report]) if report.name.is_none() => output::json(&Told::plain(report))?,
        (true, _) => output::json(&Told::plain(judgement))?,
        (false, _) => {
            let described: Vec<_> = reports().map(describe).collect();
            output::lines(&described.join(&String::new()))?;
        }
    }
    let findings = || reports().flat_map(|report| &report.findings);
    let has = |verdict| findings().any(|finding| finding.verdict == verdict);
    Ok(match () {
        () if has(history::HistoryVerdict::Violated) => Exit::Broken,
        () if has(history::HistoryVerdict::Undecided) => Exit::Inconclusive,
        () => Exit::Fine,
    })
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(input::lined(io::stdin().lock())));
    }
    let file = File::open(path).map_err(|error| Failure::file("read the history", path, &error))?;
    Ok(Box::new(input::lined(file)))
}

/// The report as lines of text.
fn describe(report: &HistoryReport) -> Vec<String> {
    let pending = match report.pending {
        0 => String::new(),
        pending => format!(", {} of them pending", output::grouped(pending as u64)),
    };
    let name = match &report.name {
        Some(name) => format!("{} ({})", output::bold(name), report.object),
        None => output::bold(report.object),
    };
    let pipelining = match report.pipelining {
        0 => String::new(),
        1 if report.processes == 1 => ", which pipelines".to_owned(),
        1 => ", 1 of which pipelines".to_owned(),
        many => format!(", {} of which pipeline", output::grouped(many as u64)),
    };
    let mut lines = vec![format!(
        "{name}: {}{pending}, by {}{pipelining}",
        counted(report.operations, "operation"),
        counted(report.processes, "process"),
    )];
    let width = report.findings.iter().map(|it| it.consistency.to_string().len()).max();
    for finding in &report.findings {
        let consistency = finding.consistency.to_string();
        let width = width.unwrap_or(0);
        lines.push(format!("  {consistency:width$}  {}", verdict(finding)));
    }
    let is_about_time = |finding: &Finding| finding.consistency == Consistency::Linearizable;
    if report.pipelining > 0 && report.findings.iter().any(is_about_time) {
        lines.extend(PIPELINING.map(str::to_owned));
    }
    let broken = || report.conditions.iter().filter(|judged| !judged.holds);
    if broken().next().is_some() {
        lines
            .extend([String::new(), "Conditions that the witness order does not meet:".to_owned()]);
        lines.extend(broken().map(|judged| format!("  {}", judged.demand)));
    }
    let mut told: Option<&Finding> = None;
    for finding in &report.findings {
        let is_told = told.is_some_and(|told| {
            told.explanation.is_some()
                && told.explanation == finding.explanation
                && told.broken_witness == finding.broken_witness
        });
        match is_told {
            true => lines.push(format!("So they are not {}, either.", finding.consistency)),
            false => lines.extend(reasons(finding)),
        }
        told = Some(finding);
    }
    lines
}

/// Why a history can be linearizable without being sequentially consistent.
const PIPELINING: [&str; 4] = [
    "",
    "A process pipelines: it invokes an operation before the last one has returned. Sequential",
    "consistency keeps the program order of these operations. Linearizability keeps real time,",
    "which leaves their order open: so it does not imply sequential consistency here.",
];

fn counted(count: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    let ending = if count == 1 { "" } else { plural };
    format!("{} {what}{ending}", output::grouped(count as u64))
}

fn verdict(finding: &Finding) -> String {
    let (yes, no) = (output::green("yes"), output::red("no"));
    match (finding.verdict, finding.method) {
        (history::HistoryVerdict::Consistent, Method::Witness) => {
            format!("{yes}, by the witness order")
        }
        (history::HistoryVerdict::Consistent, Method::Search)
            if finding.broken_witness.is_some() =>
        {
            format!("{yes}, by an order that a search found; the witness order fails")
        }
        (history::HistoryVerdict::Consistent, Method::Search) => {
            format!("{yes}, by an order that a search found")
        }
        (history::HistoryVerdict::Consistent, Method::Sources) => {
            unreachable!("sources prove no order")
        }
        (history::HistoryVerdict::Consistent, Method::Objects) => {
            format!("{yes}, because each object is linearizable")
        }
        (history::HistoryVerdict::Violated, Method::Objects) => {
            format!("{no}, because an object alone is not")
        }
        (history::HistoryVerdict::Violated, Method::Sources) => {
            format!("{no}, a result has no source")
        }
        (history::HistoryVerdict::Violated, _) => format!("{no}, a search tried all orders"),
        (history::HistoryVerdict::Undecided, _) if finding.broken_witness.is_some() => {
            "unknown, the witness order fails, and the search for another hit its limit".to_owned()
        }
        (history::HistoryVerdict::Undecided, _) => {
            "unknown, the search hit its limit: record a witness, or a shorter history".to_owned()
        }
    }
}

/// Explains a finding other than a plain yes.
fn reasons(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(broken) = &finding.broken_witness {
        lines.push(String::new());
        lines.push(format!("The witness order is not {}:", finding.consistency));
        lines.push(format!("  {broken}"));
    }
    let Some(explanation) = &finding.explanation else { return lines };
    lines.push(String::new());
    lines.push(format!("These operations alone are not {}:", finding.consistency));
    let rows = explanation.core.iter().map(|it| {
        let returned = it.returned.map_or("pending".to_owned(), |returned| returned.to_string());
        vec![format!("  {it}"), format!("{}..{returned}", it.invoked)]
    });
    lines.extend(output::list(&rows.collect::<Vec<_>>()));
    let explained = explanation.explained.iter().map(|it| format!("  {it}"));
    lines.push(match explanation.explained.is_empty() {
        true => "None of them can come first:".to_owned(),
        false => "A longest valid prefix:".to_owned(),
    });
    lines.extend(explained);
    if !explanation.explained.is_empty() {
        lines.push("No other operation can come next:".to_owned());
    }
    lines.extend(explanation.stuck.iter().map(|(it, reason)| format!("  {it}: {reason}")));
    lines
}

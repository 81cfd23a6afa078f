//! `konklave draw` and `konklave export`: a trace as a picture, or in other formats.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use konklave_catalog::catalog::Catalog;
use konklave_catalog::site::Site;
use konklave_print::{self as print, Resolution};
use konklave_report::account::{Account, Recorded, Vocabulary, labels, read};
use konklave_report::export::{csv, perfetto, shiviz};
use konklave_report::spacetime::{self, Options};

use crate::args::{count, within};
use crate::failure::Failure;
use crate::output::{self, grouped};
use crate::progress::{Watch, is_interrupted};
use crate::replay::{rebuild, refuse_nodes};
use crate::{Exit, out};

/// Options of `draw`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave run raymond --nodes 5 --trace t.jsonl && konklave draw t.jsonl t.svg
  konklave draw t.jsonl part.svg --from 20 --to 60 --nodes-only 0,1,2
  konklave draw t.jsonl past.pdf --causal 57
  konklave draw t.jsonl - > t.svg
  konklave run raymond --nodes 5 --trace - | konklave draw - t.png
  konklave draw out/growth/growth.svg growth.pdf

The name of the picture says its format: .svg, .png or .pdf. The pictures of
reports can be converted the same way. A diagram that is wider than --width is
broken into rows, and scaled down if what cannot be broken is wider still.
Without --from, --to and --causal, a long trace is cut to a legible excerpt.
Steps are numbered from 0 in the order of the trace: --numbers writes the
numbers into the picture. In the trace of a search, the number of a step is its
time.")]
pub struct DrawArgs {
    /// The trace, as written by `run --trace`, `check --trace` or `fuzz --trace`; or a picture of a
    /// report, as SVG; - reads a trace from standard input
    pub file: PathBuf,
    /// The picture: a file that ends in .svg, .png or .pdf, or - for SVG on standard output
    /// [default: SVG beside the trace]
    pub picture: Option<PathBuf>,
    /// Leave out events before this tick
    #[arg(long, value_name = "TICK", value_parser = count::<u64>)]
    pub from: Option<u64>,
    /// Leave out events after this tick
    #[arg(long, value_name = "TICK", value_parser = count::<u64>)]
    pub to: Option<u64>,
    /// Show only these nodes
    #[arg(long, value_name = "NODES", value_delimiter = ',', value_parser = count::<usize>)]
    pub nodes_only: Option<Vec<usize>>,
    /// Show only the causal past of the step with this number
    #[arg(long, value_name = "STEP", value_parser = count::<usize>)]
    pub causal: Option<usize>,
    /// Write the number of each step beside it
    #[arg(long)]
    pub numbers: bool,
    /// Place events to scale by time, not evenly in order
    #[arg(long)]
    pub proportional: bool,
    /// Break the diagram into rows of at most this width [default: 1600]
    #[arg(
        long, value_name = "PIXELS", value_parser = |text: &str| within::<u32>(text, 300, 100_000)
    )]
    pub width: Option<u32>,
}

/// Options of `export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave export t.jsonl --to perfetto > t.json
  konklave export t.jsonl --to shiviz > t.log
  konklave export t.jsonl --to csv > t.csv
  konklave export t.jsonl --to dot | dot -Tsvg > network.svg

perfetto: the Trace Event Format, for ui.perfetto.dev and chrome://tracing.
shiviz: a log with vector clocks; its first line is the regular expression that
ShiViz asks for. dot, graphml: the network, for Graphviz, yEd, Gephi and
others, and for --topology file:PATH.")]
pub struct ExportArgs {
    /// The trace, as written by `run --trace`, `check --trace` or `fuzz --trace`
    pub file: PathBuf,
    /// The format to write
    #[arg(long)]
    pub to: Format,
}

/// The formats of `export`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    /// A log with vector clocks
    Shiviz,
    /// The Trace Event Format
    Perfetto,
    /// Comma-separated values, a line for each effect
    Csv,
    /// The network for Graphviz
    Dot,
    /// The network as GraphML
    Graphml,
}

/// Draws a trace.
pub fn draw(args: &DrawArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from > to
    {
        return Err(Failure::bad(format!(
            "--from {from} is after --to {to}: the interval is empty"
        )));
    }
    let target = Target::new(args)?;
    if is_picture(&args.file) {
        let svg = fs::read_to_string(&args.file)
            .map_err(|error| Failure::file("read the picture", &args.file, &error))?;
        return target.write(svg, None);
    }
    let recorded = open(&args.file)?;
    let in_file = |problem: String| Failure::bad(format!("{}: {problem}", args.file.display()));
    let account = account(&recorded, catalog).map_err(in_file)?;
    let options = Options {
        from: args.from,
        to: args.to,
        nodes_only: args.nodes_only.clone(),
        causal: args.causal,
        labels: names(&recorded, account.nodes, catalog),
        proportional: args.proportional,
        numbers: args.numbers,
        width: args.width,
    };
    let name = recorded.setup.get("algorithm").and_then(|name| name.as_str()).unwrap_or("a run");
    let title = site(&recorded, catalog).map_or_else(|_| name.to_owned(), |site| out::title(&site));
    let drawn = spacetime::picture(&title, &account, &options).map_err(in_file)?;
    target.write(drawn.svg, drawn.cut)
}

/// Where a picture goes.
enum Target {
    /// To standard output, as SVG.
    Output,
    File(PathBuf, print::Format, Resolution),
}

impl Target {
    /// The target that is asked for; it never replaces a trace.
    fn new(args: &DrawArgs) -> Result<Self, Failure> {
        let beside = || match out::is_output(&args.file) {
            true => args.file.clone(), // From standard input to standard output.
            false => args.file.with_extension("svg"),
        };
        let path = args.picture.clone().unwrap_or_else(beside);
        if path == Path::new("-") {
            return Ok(Self::Output);
        }
        let shown = path.display();
        let Some(format) = print::Format::of(&path) else {
            let right = path.with_extension("svg");
            return Err(Failure::bad(format!(
                "a picture is an SVG, PNG or PDF file, but {shown} does not end in .svg, .png or \
                 .pdf: use a name such as {}",
                right.display()
            )));
        };
        if begins(&path, b"{\"konklave_trace\"") {
            return Err(Failure::bad(format!(
                "{shown} is a trace, and the picture would replace it: give the picture another \
                 name"
            )));
        }
        // Who gives a width in pixels counts them in the file.
        let resolution = match args.width {
            Some(_) => Resolution::Exact,
            None => Resolution::Fine,
        };
        Ok(Self::File(path, format, resolution))
    }

    /// Writes the picture, and says where it is and what is not in it.
    fn write(self, svg: String, cut: Option<String>) -> Result<Exit, Failure> {
        match self {
            Self::Output => {
                output::text(&svg)?;
                cut.iter().for_each(|cut| eprintln!("{cut}"));
            }
            Self::File(path, format, resolution) => {
                // Nothing appears in print.
                let svg = match format {
                    print::Format::Svg => svg,
                    print::Format::Png | print::Format::Pdf => {
                        svg.replace(" (hover to see it)", "")
                    }
                };
                let bytes = print::print(svg, format, resolution)
                    .map_err(|error| Failure::bad(error.to_string()))?;
                fs::write(&path, bytes)
                    .map_err(|error| Failure::file("write the picture", &path, &error))?;
                let mut lines = vec![format!("picture: {}", path.display())];
                lines.extend(cut);
                output::lines(&lines)?;
            }
        }
        Ok(Exit::Fine)
    }
}

/// Whether a file is a picture of ours.
fn is_picture(path: &Path) -> bool {
    begins(path, b"<svg ")
}

/// Whether a file has this beginning. Its content is judged because one file can have several
/// names.
fn begins(path: &Path, beginning: &[u8]) -> bool {
    let mut found = vec![0; beginning.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut found));
    read.is_ok() && found == beginning
}

/// Writes a trace in another format to standard output.
pub fn export(args: &ExportArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let recorded = open(&args.file)?;
    let in_file = |problem: String| Failure::bad(format!("{}: {problem}", args.file.display()));
    let text = match args.to {
        Format::Csv => csv(&recorded.lines),
        Format::Dot => site(&recorded, catalog).map_err(in_file)?.graph().to_dot(),
        Format::Graphml => site(&recorded, catalog).map_err(in_file)?.graph().to_graphml(),
        Format::Shiviz => {
            let account = account(&recorded, catalog).map_err(in_file)?;
            return write_shiviz(&account);
        }
        Format::Perfetto => {
            let account = account(&recorded, catalog).map_err(in_file)?;
            perfetto(&account, &names(&recorded, account.nodes, catalog))
        }
    };
    output::lines(&[text.trim_end().to_owned()])?;
    Ok(Exit::Fine)
}

/// Writes a log with vector clocks, whose size is the product of events and nodes.
fn write_shiviz(account: &Account) -> Result<Exit, Failure> {
    if account.nodes > CLOCK_MAX {
        return Err(Failure::bad(format!(
            "every event of a ShiViz log has a clock with an entry for each node, and {} nodes are \
             too many: the limit is {CLOCK_MAX}; --to perfetto and --to csv take any trace",
            account.nodes
        )));
    }
    let mut watch = Watch::new();
    let all = account.events.len();
    let mut go_on = |done: usize| {
        // Asking for the time for each event would take longer than the event.
        !done.is_multiple_of(256)
            || watch.show(|_| {
                format!("{} of {} events written", grouped(done as u64), grouped(all as u64))
            })
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let written = shiviz(account, &mut out, &mut go_on);
    watch.finish();
    written?;
    Ok(if is_interrupted() { Exit::Interrupted } else { Exit::Fine })
}

/// The largest number of nodes whose vector clocks fit in memory; ShiViz shows far fewer.
const CLOCK_MAX: usize = 2000;

fn open(path: &Path) -> Result<Recorded, Failure> {
    let (trace, bytes) = out::open_trace(path)?;
    let in_file = |problem: String| Failure::bad(format!("{}: {problem}", path.display()));
    let recorded = read(trace).map_err(|error| in_file(error.to_string()))?;
    let nodes = recorded.nodes().unwrap_or(1) as u64;
    refuse_nodes(nodes, bytes).map_err(in_file)?;
    Ok(recorded)
}

fn account(recorded: &Recorded, catalog: &'static Catalog) -> Result<Account, String> {
    let nodes = recorded.nodes().ok_or("line 1: the header does not give the number of nodes")?;
    let vocabulary = vocabulary(recorded, catalog);
    Account::new(&recorded.lines, nodes, vocabulary).map_err(|error| error.to_string())
}

/// The meaning of commands and events; empty if the algorithm is unknown.
fn vocabulary(recorded: &Recorded, catalog: &'static Catalog) -> Vocabulary {
    let name = recorded.setup.get("algorithm").and_then(|name| name.as_str());
    let entry = name.and_then(|name| catalog.find(name).ok());
    entry.map(|entry| out::vocabulary(entry.problem)).unwrap_or_default()
}

/// The system that the header describes.
fn site(recorded: &Recorded, catalog: &'static Catalog) -> Result<Site, String> {
    rebuild(&recorded.setup, catalog).map_err(|error| error.to_string())
}

/// The names of nodes, with their ids if they have any.
fn names(recorded: &Recorded, nodes: usize, catalog: &'static Catalog) -> Vec<String> {
    match site(recorded, catalog) {
        Ok(site) if site.nodes() as usize == nodes => out::names(&site),
        _ => labels(nodes, None),
    }
}

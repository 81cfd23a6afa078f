//! `konklave lab`: a page in which systems are watched and steered.

use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use konklave_catalog::catalog::Catalog;
use konklave_catalog::site::Site;
use konklave_lab::{Door, Guard, Lab, Repertoire};
use konklave_sim::Options;

use crate::Exit;
use crate::args::{Verb, within};
use crate::failure::Failure;
use crate::fuzz::faults::provoked;
use crate::given::refuse_foreign;
use crate::quiet::silence;
use crate::{out, output, parse_from, replay, run};

/// Options of `lab`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  konklave lab                    choose from everything there is
  konklave lab raymond            begin with an algorithm
  konklave lab t.jsonl            begin with a trace
  konklave lab --port 8080 --open

The lab is for the person in front of this machine: it listens on the loopback
interface only, unless --bind says otherwise, answers its own page only, and
neither reads nor writes files on behalf of that page.")]
pub struct LabArgs {
    /// The algorithm or the trace to begin with
    pub what: Option<String>,
    /// The port to listen on; if it is in use, the next one that is not
    #[arg(long, default_value = "3000", value_parser = |text: &str| within::<u16>(text, 1, 65535))]
    pub port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// A name by which browsers may ask for this machine, beside localhost
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// Serves the lab until the process is stopped.
pub fn lab(args: &LabArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let shell = Shell { catalog };
    let begin = begin(args.what.as_deref(), &shell)?;
    let door = Door::open(args.bind, args.port).map_err(|error| {
        Failure::bad(format!("cannot listen on {} port {}: {error}", args.bind, args.port))
    })?;
    let address = door.address();
    let mut hosts = args.allow_host.clone();
    if !args.bind.is_loopback() {
        hosts.push(address.ip().to_string());
    }
    let guard = Guard { port: address.port(), hosts };
    let mut lab = Lab::new(&shell, guard);
    let fragment = match begin {
        Begin::Home => String::new(),
        Begin::Algorithm(name) => format!("#run/{name}"),
        Begin::Trace(trace) => format!("#trace/{}", lab.open(trace)),
    };
    let page = format!("http://{address}/{fragment}");
    let mut lines = vec![format!("the lab is open: {}", output::bold(&page))];
    if address.port() != args.port {
        lines.push(format!("port {} is in use, so it is port {}", args.port, address.port()));
    }
    if !args.bind.is_loopback() {
        lines.push(
            "it listens beyond this machine: let in only people whom you trust, because nobody has \
             to log in"
                .to_owned(),
        );
    }
    lines.push("press Ctrl+C to close it".to_owned());
    output::lines(&lines)?;
    if args.open {
        open_browser(&page);
    }
    silence();
    let served = door.serve(&mut lab);
    served.map_err(|error| Failure::bad(format!("cannot serve the lab: {error}")))?;
    Ok(Exit::Fine)
}

/// What is shown first.
enum Begin {
    Home,
    Algorithm(String),
    Trace(String),
}

fn begin(what: Option<&str>, shell: &Shell) -> Result<Begin, Failure> {
    let Some(what) = what else { return Ok(Begin::Home) };
    if !Path::new(what).is_file() && what != "-" {
        shell.catalog.find(what)?;
        return Ok(Begin::Algorithm(what.to_owned()));
    }
    let path = PathBuf::from(what);
    let (mut trace, _) = out::open_trace(&path)?;
    let mut text = String::new();
    let read = trace.by_ref().take(TRACE + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::file("read the trace", &path, &error))?;
    if text.len() as u64 > TRACE {
        let most = TRACE >> 20;
        return Err(Failure::bad(format!(
            "{what} is longer than {most} MiB: record a part of it with --time-limit or \
             --event-limit"
        )));
    }
    shell.recorded(text.lines().next().unwrap_or_default()).map_err(Failure::Bad)?;
    Ok(Begin::Trace(text))
}

/// The largest trace that is opened.
const TRACE: u64 = 64 << 20;

/// The command line, as the lab asks it.
struct Shell {
    catalog: &'static Catalog,
}

impl Repertoire for Shell {
    fn catalog(&self) -> &'static Catalog {
        self.catalog
    }

    fn run(&self, words: &[String]) -> Result<(Site, Options), String> {
        let all = ["konklave".to_owned()].into_iter().chain(words.iter().cloned());
        let cli =
            parse_from(all, self.catalog).map_err(|error| first_paragraph(&error.to_string()))?;
        let Verb::Run(args) = cli.verb else { return Err("only runs can be watched".to_owned()) };
        let prepared = || {
            let entry = self.catalog.find(&args.algorithm)?;
            refuse_foreign(
                self.catalog,
                entry,
                &args.options,
                konklave_catalog::option::Verb::Run,
            )?;
            let site = run::site(&args, entry)?;
            let options = run::options(&provoked(&args, &site), &site)?;
            Ok::<_, Failure>((site, options))
        };
        prepared().map_err(|failure| failure.to_string())
    }

    fn recorded(&self, header: &str) -> Result<Site, String> {
        let header = replay::read_header(header)?;
        replay::rebuild(&header, self.catalog).map_err(|failure| failure.to_string())
    }
}

/// What is wrong, without advice about the command line.
fn first_paragraph(error: &str) -> String {
    let text = error.split("\n\n").next().unwrap_or_default();
    text.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asks the desktop to open a page. If there is none, the address was printed.
fn open_browser(page: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = Command::new(opener).arg(page).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    drop(quiet);
}

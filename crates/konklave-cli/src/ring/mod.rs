//! `konklave ring`: repeated leader elections on a ring of worker threads.

mod choices;
mod config;
mod keys;
mod live;
mod log;
mod mode;
mod report;
mod settings;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use konklave::election::{Command, Event};
use konklave::protocol::Protocol;
use konklave_ring::{ElectionResults, Level, Ring, Setup, Signal, hold};

use crate::Exit;
use crate::failure::Failure;
use choices::Format;
pub use choices::{Choices, RingArgs};
use keys::Key;
use live::View;
use log::Log;
use mode::Mode;
use report::{Console, Reporter};
use settings::{ConfigLog, Settings};

/// Whether the command line asks for the help of `ring`, whatever its other arguments.
pub fn is_help_wanted(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut words = arguments.skip(1);
    words.next().is_some_and(|verb| verb == "ring")
        && words.any(|word| word == "--help" || word == "-h")
}

/// Runs elections.
pub fn ring(args: &RingArgs) -> Result<Exit, Failure> {
    let mut choices = args.choices.clone();
    if let Some(path) = &args.config {
        choices = choices.or(config::read(path)?);
    }
    let is_date_in_vain = choices.log_date && choices.log_file.is_none();
    let settings = Settings::new(choices)?;
    if is_date_in_vain {
        eprintln!("warning: --log-date has no effect without --log-file");
    }
    match settings.mode {
        Mode::Plain => vote(mode::plain(settings.parts.clone()), &settings),
        Mode::Numbered => {
            vote(mode::numbered(settings.parts.clone(), settings.patience), &settings)
        }
    }
}

fn vote<P>(setup: Setup<P>, settings: &Settings) -> Result<Exit, Failure>
where
    P: Protocol<Command = Command, Event = Event>,
{
    let reporter = Reporter::new(console(settings), log(settings)?);
    if settings.config_log == ConfigLog::Shown {
        reporter.configuration(Level::Debug, &settings.to_line());
    }
    reporter.begin(settings);
    let size = setup.ids.len();
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let results = Ring::open(setup, reporter.observer()).and_then(|ring| {
        reporter.connect(ring.signal());
        listen_to_signals(&ring, &is_interrupted);
        listen_to_keys(&ring, &reporter, settings.mode);
        hold(ring, &settings.plan)
    });
    keys::restore();
    reporter.end();
    let results = results.map_err(|error| {
        Failure::bad(format!("cannot start the threads of {size} workers: {error}"))
    })?;
    reporter.summarise(&results);
    reporter.check()?;
    Ok(verdict(&results, is_interrupted.load(Ordering::Relaxed)))
}

fn verdict(results: &ElectionResults, is_interrupted: bool) -> Exit {
    match results {
        ElectionResults { broken: Some(_), .. } => Exit::Broken,
        _ if is_interrupted => Exit::Interrupted,
        ElectionResults { abandoned: 1.., .. } => Exit::Inconclusive,
        _ => Exit::Fine,
    }
}

fn console(settings: &Settings) -> Console {
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    match settings.events {
        Some(Format::Json) => Console::Json,
        None if io::stdout().is_terminal() && !is_dumb => {
            let view = View::new(&settings.parts.ids, "Ctrl-C stops the ring", keys::size);
            Console::Live(settings.console, view)
        }
        None => Console::Plain(settings.console),
    }
}

fn log(settings: &Settings) -> Result<Option<Log>, Failure> {
    let Some((path, level, stamp)) = &settings.log_file else { return Ok(None) };
    Log::open(path, *level, *stamp).map(Some)
}

/// The first interrupt stops the ring, the second ends the program.
fn listen_to_signals<P>(ring: &Ring<P>, is_interrupted: &Arc<AtomicBool>)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let (signal, is_interrupted) = (ring.signal(), Arc::clone(is_interrupted));
    // Without a handler Ctrl-C ends the program at once, as it does anywhere else.
    let _ = ctrlc::set_handler(move || {
        if is_interrupted.swap(true, Ordering::Relaxed) {
            keys::restore();
            std::process::exit(130);
        }
        let _ = signal.send(Signal::Stop); // The receiver is gone if the ring is stopping already.
    });
}

fn listen_to_keys<P>(ring: &Ring<P>, reporter: &Reporter, mode: Mode)
where
    P: Protocol<Command = Command, Event = Event>,
{
    if !reporter.is_live() {
        return;
    }
    let (signal, view) = (ring.signal(), reporter.clone());
    let act = move |key| {
        let selected = view.with_view(|view| match key {
            Key::Left => view.select(-1),
            Key::Right => view.select(1),
            Key::Kill | Key::Revive if mode == Mode::Plain => {
                view.say("this needs --algorithm chang-roberts-numbered");
            }
            _ => {}
        });
        let wish = match (key, selected, mode) {
            (Key::Quit, ..) => Signal::Stop,
            (Key::Kill, Some(node), Mode::Numbered) => Signal::Kill(node),
            (Key::Revive, Some(node), Mode::Numbered) => Signal::Revive(node),
            _ => return,
        };
        let _ = signal.send(wish); // The receiver is gone if the ring is stopping already.
    };
    if keys::listen(act) {
        reporter.with_view(|view| view.say("arrows select   k kills   r revives   q quits"));
    }
}

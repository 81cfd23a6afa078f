//! Reports the events of the ring on the console, as lines, JSON or a picture, and in the log file.

use std::io::{self, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use konklave::NodeId;
use konklave_ring::{ElectionResults, Level, Notice, Signal, Summary, What};
use serde_json::json;

use super::live::View;
use super::log::Log;
use super::settings::Settings;
use crate::failure::Failure;
use crate::output;

/// The output on the console. The level is that of the log, if the console shows it; the main
/// events are always shown, and none is shown twice.
#[derive(Debug)]
pub(super) enum Console {
    /// One JSON object per event.
    Json,
    /// One line per event.
    Plain(Option<Level>),
    /// One line per event, and a picture of the ring below.
    Live(Option<Level>, View),
}

/// Reports the events of the ring.
#[derive(Clone, Debug)]
pub(super) struct Reporter(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    console: Console,
    log: Option<Log>,
    /// The error of the console, if there was one.
    error: Option<io::Error>,
    signal: Option<Sender<Signal>>,
}

impl Reporter {
    pub(super) fn new(console: Console, log: Option<Log>) -> Self {
        Self(Arc::new(Mutex::new(State { console, log, error: None, signal: None })))
    }

    /// The observer for the ring.
    pub(super) fn observer(&self) -> impl FnMut(&Notice) + Send + 'static {
        let reporter = self.clone();
        move |notice| reporter.state().tell(notice)
    }

    /// From now on, a closed output stops the ring.
    pub(super) fn connect(&self, signal: Sender<Signal>) {
        let mut state = self.state();
        if state.error.is_some() {
            let _ = signal.send(Signal::Stop);
        }
        state.signal = Some(signal);
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.state().console, Console::Live(..))
    }

    /// Changes the picture, if there is one; returns the worker selected in it.
    pub(super) fn with_view(&self, change: impl FnOnce(&mut View)) -> Option<NodeId> {
        let mut state = self.state();
        let Console::Live(_, view) = &mut state.console else { return None };
        change(view);
        let selected = view.selected();
        let drawn = view.redraw(&mut io::stdout());
        state.check(drawn);
        Some(selected)
    }

    /// The settings, for the log.
    pub(super) fn configuration(&self, level: Level, line: &str) {
        let mut state = self.state();
        if let Some(log) = &mut state.log {
            log.write(level, line);
        }
        if let Console::Plain(Some(shown)) | Console::Live(Some(shown), _) = state.console
            && level >= shown
        {
            state.line(line);
        }
    }

    /// Prints the algorithm and the seed, which reproduce the run.
    pub(super) fn begin(&self, settings: &Settings) {
        let mut state = self.state();
        let (algorithm, seed) = (settings.mode.to_string(), settings.parts.seed);
        match state.console {
            Console::Json => {
                let size = settings.parts.ids.len();
                let event = "configuration";
                let object =
                    json!({ "event": event, "algorithm": algorithm, "seed": seed, "size": size });
                state.line(&object.to_string());
            }
            _ => state.line(&format!("{algorithm}, seed {seed}")),
        }
    }

    /// Erases the picture.
    pub(super) fn end(&self) {
        let mut state = self.state();
        if let Console::Live(_, view) = &mut state.console {
            let cleared = view.clear(&mut io::stdout());
            state.check(cleared);
        }
        if let Console::Live(level, _) = state.console {
            state.console = Console::Plain(level);
        }
    }

    /// Prints the summary of all elections.
    pub(super) fn summarise(&self, results: &ElectionResults) {
        let mut state = self.state();
        if let Console::Json = state.console {
            let leader = |(id, times)| json!({ "leader": id, "elections": times });
            let leaders: Vec<_> = results.leaders.iter().map(leader).collect();
            let summary = json!({
                "event": "ring_summary",
                "elections": results.held,
                "abandoned": results.abandoned,
                "messages": results.messages,
                "suspicions": results.suspicions,
                "leaders": leaders,
                "broken": results.broken.as_ref().map(ToString::to_string),
            });
            state.line(&summary.to_string());
        } else {
            for line in summary(results) {
                state.line(&line);
            }
        }
    }

    /// Returns the first error of the output.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.state().error.take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tell(&mut self, notice: &Notice) {
        let is_shown = |level: Option<Level>| {
            notice.is_main() || level.is_some_and(|level| notice.level() >= level)
        };
        if let Some(log) = &mut self.log {
            log.write(notice.level(), &notice.to_string());
        }
        match &mut self.console {
            Console::Json => match serde_json::to_string(notice) {
                Ok(object) => self.line(&object),
                Err(error) => self.check(Err(error.into())),
            },
            Console::Plain(level) if is_shown(*level) => self.line(&painted(notice)),
            Console::Plain(_) => {}
            Console::Live(level, view) => {
                let line = is_shown(*level).then(|| painted(notice));
                let drawn = view.see(notice, line, &mut io::stdout());
                self.check(drawn);
            }
        }
    }

    fn line(&mut self, line: &str) {
        let mut out = io::stdout();
        let written = match &mut self.console {
            Console::Live(_, view) => view.print(line, &mut out),
            // Standard output is flushed at every line.
            _ => writeln!(out, "{line}"),
        };
        self.check(written);
    }

    fn check(&mut self, written: io::Result<()>) {
        if let Err(error) = written
            && self.error.is_none()
        {
            self.error = Some(error);
            if let Some(signal) = &self.signal {
                let _ = signal.send(Signal::Stop); // The ring may be gone.
            }
        }
    }
}

fn painted(notice: &Notice) -> String {
    let text = notice.to_string();
    match notice.what {
        What::ElectionStarted { .. } => output::bold(&text),
        What::Elected => output::green(&text),
        What::Suspected { .. } | What::Killed | What::Violated { .. } => output::red(&text),
        _ => text,
    }
}

/// The maximum number of elections that the summary lists.
const SHOWN: usize = 20;

fn summary(results: &ElectionResults) -> Vec<String> {
    let head = ["election", "messages", "2n+d", "3n-1", "proposals", "announcements"];
    let head = head.into_iter().chain(["discarded", "suspicions", "leader", "ms"]);
    let row = |summary: &Summary| {
        let text = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
        vec![
            summary.election.to_string(),
            summary.messages.to_string(),
            text(summary.expected.map(|expected| expected.to_string())),
            text(summary.expected.map(|_| summary.bound().to_string())),
            summary.proposals.to_string(),
            summary.announcements.to_string(),
            summary.discarded.to_string(),
            summary.suspicions.to_string(),
            text(summary.leader.map(|leader| leader.to_string())),
            summary.duration.to_string(),
        ]
    };
    let skipped = results.elections.len().saturating_sub(SHOWN);
    let rows = results.elections.iter().skip(skipped).map(row);
    let table: Vec<Vec<String>> =
        [head.map(str::to_owned).collect()].into_iter().chain(rows).collect();
    let mut lines = vec![String::new()];
    lines.extend(output::table(&table));
    let leader = |(id, times): (&konklave::election::Id, &u64)| {
        format!("{id} ({})", output::counted(*times, "time", "times"))
    };
    let leaders: Vec<_> = results.leaders.iter().map(leader).collect();
    let mean = results.messages as f64 / results.held.max(1) as f64;
    lines.push(String::new());
    lines.extend(output::fields(&[
        ("elections", format!("{}, {} abandoned", results.held, results.abandoned)),
        ("messages", format!("{}, {} per election", results.messages, output::short(mean))),
        ("leaders", if leaders.is_empty() { "none".to_owned() } else { leaders.join(", ") }),
        ("suspicions", results.suspicions.to_string()),
        (
            "promises",
            match &results.broken {
                None => output::green("kept"),
                Some(broken) => output::red(&broken.to_string()),
            },
        ),
    ]));
    lines
}

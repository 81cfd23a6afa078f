//! Shows the progress of long runs, which can be interrupted without losing the report.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use konklave_sim::Progress;

use crate::output::grouped;

/// The time after which progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the user has interrupted the process. A process has one signal handler, and so one flag
/// for all runs.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// Whether the user has pressed Ctrl-C since the first run began.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Shows the progress of a run, and tells whether the user interrupts it.
pub(crate) struct Watch {
    since: Instant,
    bar: Option<ProgressBar>,
}

impl Watch {
    /// Watches from now on. Ctrl-C ends the run from now on, and a second one ends the program.
    pub(crate) fn new() -> Self {
        LISTENING.call_once(|| {
            // Without a handler Ctrl-C ends the program at once, as it does anywhere else.
            let _ = ctrlc::set_handler(|| {
                if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            });
        });
        Self { since: Instant::now(), bar: None }
    }

    /// The elapsed time.
    pub(crate) fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }

    /// Shows the progress of a simulation; returns whether to go on.
    pub(crate) fn look(&mut self, progress: Progress) -> bool {
        self.show(|seconds| {
            format!(
                "{} messages delivered, {:.1} M/s, {} pending, time {}",
                grouped(progress.deliveries),
                progress.deliveries as f64 / seconds / 1e6,
                grouped(progress.pending),
                grouped(progress.time),
            )
        })
    }

    /// Shows the text for the elapsed seconds; returns whether to go on.
    pub(crate) fn show(&mut self, message: impl FnOnce(f64) -> String) -> bool {
        if self.bar.is_none() && self.since.elapsed() > PATIENCE {
            let bar = ProgressBar::new_spinner().with_elapsed(self.since.elapsed());
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(message(self.seconds()));
            bar.tick();
        }
        !is_interrupted()
    }

    /// Removes the progress line from the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

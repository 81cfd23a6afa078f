//! Carries the runs of a sweep out, and shows how far it is.

use std::thread;

use super::SweepArgs;
use super::estimate::Estimate;
use super::log::Writer;
use super::results::Results;
use super::runs::{Cell, Ended, Ran, Skipped, Task, Watcher, Why, run_all};
use crate::failure::Failure;
use crate::output::grouped;
use crate::progress::Watch;

/// Runs the tasks that the log does not contain yet; these runs it does.
pub(super) fn carry_out(
    args: &SweepArgs,
    todo: &[Task],
    ran: Vec<Ran>,
    file: Option<Writer>,
) -> Result<Results, Failure> {
    let usual = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(usual, usize::from).min(todo.len().max(1));
    let mut done = Done {
        results: Results::of(ran),
        file,
        watch: Watch::new(),
        estimate: Estimate::new(todo),
        count: (todo.len(), 0),
        threads,
    };
    let outcome = run_all(todo, threads, &mut done);
    done.watch.finish();
    outcome?;
    Ok(done.results.without_bias())
}

/// The progress of a sweep.
struct Done {
    results: Results,
    file: Option<Writer>,
    watch: Watch,
    estimate: Estimate,
    /// The number of runs, and of those that have ended.
    count: (usize, usize),
    threads: usize,
}

impl Watcher for Done {
    fn ended(&mut self, task: &Task, ended: Ended, seconds: f64) -> Result<(), Failure> {
        let was_run = !matches!(ended, Ended::Stopped);
        self.estimate.ended(&task.cell, was_run.then_some(seconds));
        self.count.1 += 1;
        let why = match ended {
            Ended::Whole(ran) => {
                if let Some(file) = &mut self.file {
                    file.ran(&ran)?;
                }
                self.results.ran.push(ran);
                return Ok(());
            }
            Ended::TooLong => {
                self.results.too_long(&task.cell);
                Why::EventLimit
            }
            Ended::Impossible(reason) => {
                self.results.impossible(&task.cell, task.args().seed, &reason);
                Why::Impossible(reason)
            }
            Ended::Stopped => return Ok(()),
        };
        if let Some(file) = &mut self.file {
            let (cell, seed) = task.key();
            file.skipped(&Skipped { cell, seed, left_out: why })?;
        }
        Ok(())
    }

    fn go_on(&mut self, under_way: &[(&Task, f64)]) -> bool {
        let (all, done) = self.count;
        let left = self.estimate.seconds_left();
        let spent: f64 = under_way.iter().map(|(_, seconds)| seconds).sum();
        let left = (left - spent).max(0.0) / self.threads as f64;
        let slowest = under_way.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        self.results.is_whole = self.watch.show(|seconds| {
            let share = seconds / (seconds + left).max(1e-9);
            let (done, all) = (grouped(done as u64), grouped(all as u64));
            let mut text = format!("{} {done} of {all} runs, {}", bar(share), in_words(left));
            if let Some((task, seconds)) = slowest.filter(|(_, seconds)| *seconds > SLOW) {
                let Cell { algorithm, nodes, .. } = &task.cell;
                text += &format!(
                    "; {algorithm} with {nodes} nodes has been running for {seconds:.0} s"
                );
            }
            text
        });
        self.results.is_whole
    }
}

/// A run that takes longer, in seconds, is named in the progress.
const SLOW: f64 = 3.0;

/// A bar of which this share is full.
fn bar(share: f64) -> String {
    const WIDTH: usize = 24;
    let full = ((share * WIDTH as f64) as usize).min(WIDTH);
    format!("[{}{}] {:2.0} %", "=".repeat(full), " ".repeat(WIDTH - full), share * 100.0)
}

fn in_words(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 100.0 => format!("about {seconds:.0} s left"),
        seconds => format!("about {:.0} min left", seconds / 60.0),
    }
}

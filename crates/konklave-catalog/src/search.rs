//! A check in two searches: promises that take many states to watch are looked at apart.

use std::time::Duration;

use konklave::protocol::Monitor;
use konklave_check::{
    Costs, Faults, Options, Progress, Property, Report, Schedule, Verdict, explore,
};
use konklave_stage::erased::AnyNode;

use crate::problem::Problem;
use crate::system::Explored;

type Node<X> = AnyNode<<X as Problem>::Command, <X as Problem>::Event>;
type Found<X> = Report<Schedule<Node<X>>>;

/// Searches with the plain monitor first, and then, if nothing is wrong and nothing may go wrong,
/// once more for each promise that only the monitor of the system watches.
pub(crate) fn search<X: Problem>(
    system: Explored<X>,
    plain: Option<X::Monitor>,
    options: Options,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Found<X> {
    let Some(plain) = plain else { return explore(system, options, go_on) };
    let is_apart =
        |promise: &&'static str| system.monitor.watches(promise) && !plain.watches(promise);
    let apart: Vec<_> = X::Monitor::promises().iter().copied().filter(is_apart).collect();
    if apart.is_empty() || options.only.is_some_and(|promise| apart.contains(&promise)) {
        return explore(system, options, go_on);
    }
    let mut report = explore(Explored::<X> { monitor: plain, ..system.clone() }, options, go_on);
    match report.verdict {
        // A schedule is judged by the whole monitor wherever it is shown: one of those promises may
        // break before.
        Verdict::Violated => {
            let whole = explore(system, options, go_on);
            if whole.verdict == Verdict::Violated { whole } else { report }
        }
        Verdict::Exhausted
            if options.only.is_none() && system.world.faults == Faults::default() =>
        {
            for promise in apart {
                let later = explore(system.clone(), after(&report, options, promise), go_on);
                add::<X>(&mut report, promise, later);
            }
            report
        }
        Verdict::Exhausted | Verdict::Bounded => report,
    }
}

/// A search for this promise in what time is left.
fn after<S>(report: &Report<S>, options: Options, promise: &'static str) -> Options {
    let mut limits = options.limits;
    let passed = Duration::from_secs_f64(report.seconds);
    limits.time = limits.time.map(|time| time.saturating_sub(passed));
    Options { costs: Costs::Ignored, only: Some(promise), limits, ..options }
}

/// Adds what was found about one more promise.
fn add<X: Problem>(report: &mut Found<X>, promise: &str, later: Found<X>) {
    let holds = match later.verdict {
        Verdict::Exhausted => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Bounded => None,
    };
    if report.verdict != Verdict::Violated && holds != Some(true) {
        report.verdict = later.verdict;
        report.bound = later.bound;
        report.counterexample = later.counterexample;
    }
    report.seconds += later.seconds;
    report.bytes = report.bytes.max(later.bytes);
    let place = X::Monitor::promises().iter().position(|other| *other == promise);
    let property = Property { name: promise.to_owned(), holds };
    report.properties.insert(place.unwrap_or_default(), property);
}

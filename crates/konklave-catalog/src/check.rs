//! A check in two searches: promises that take many states to watch are looked at apart.

use std::time::Duration;

use konklave::protocol::Monitor;
use konklave_check::{
    Costs, Faults, Options, Progress, Property, Schedule, SearchReport, Verdict, World, explore,
};
use konklave_stage::erased::AnyNode;

use crate::problem::Problem;
use crate::system::Explored;

type Node<X> = AnyNode<<X as Problem>::Command, <X as Problem>::Event>;
type Found<X> = SearchReport<Schedule<Node<X>>>;

/// Searches with the plain monitor first, and then, if nothing is wrong, once more for each promise
/// that only the monitor of the system watches. Such a promise is kept as long as nothing goes
/// wrong, so it is decided by the schedules without faults.
pub(crate) fn search<X: Problem>(
    system: Explored<X>,
    plain: Option<X::Monitor>,
    options: Options,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Found<X> {
    let Some(plain) = plain else { return explore(system, options, go_on) };
    let is_apart =
        |promise: &&'static str| system.monitor.watches(promise) && !plain.watches(promise);
    let mut apart: Vec<_> =
        X::Monitor::promises().iter().map(|it| it.name).filter(is_apart).collect();
    let is_wanted =
        |name: &&str| options.promises.is_empty() || options.promises.iter().any(|it| it == name);
    apart.retain(is_wanted);
    let mut rest = options.clone();
    rest.promises.retain(|name| !apart.contains(&name.as_str()));
    let are_all_apart = rest.promises.is_empty() && !options.promises.is_empty();
    if are_all_apart {
        return explore(system, options, go_on);
    }
    let mut report = explore(Explored::<X> { monitor: plain, ..system.clone() }, rest, go_on);
    match report.verdict {
        _ if apart.is_empty() => report,
        // A schedule is judged by the whole monitor wherever it is shown: one of those promises may
        // break before.
        Verdict::Violated => {
            let whole = explore(system, options, go_on);
            if whole.verdict == Verdict::Violated {
                return whole;
            }
            apart.iter().for_each(|promise| tell::<X>(&mut report, undecided(promise)));
            report
        }
        Verdict::Exhausted | Verdict::Undecided => {
            let world = World { faults: Faults::default(), ..system.world };
            let system = Explored::<X> { world, ..system };
            for promise in apart {
                let later = explore(system.clone(), after(&report, &options, promise), go_on);
                add::<X>(&mut report, promise, later);
            }
            report
        }
        Verdict::Bounded => {
            apart.iter().for_each(|promise| tell::<X>(&mut report, undecided(promise)));
            report
        }
    }
}

/// A search for this promise in what time is left.
fn after<S>(report: &SearchReport<S>, options: &Options, promise: &'static str) -> Options {
    let mut limits = options.limits;
    let passed = Duration::from_secs_f64(report.seconds);
    limits.time = limits.time.map(|time| time.saturating_sub(passed));
    let promises = vec![promise.to_owned()];
    Options { costs: Costs::Ignored, promises, limits, ..options.clone() }
}

/// Adds what was found about one more promise.
fn add<X: Problem>(report: &mut Found<X>, promise: &str, later: Found<X>) {
    let found = later.properties.into_iter().find(|property| property.name == promise);
    let found = found.unwrap_or_else(|| undecided(promise));
    let holds = found.holds;
    if report.verdict != Verdict::Violated && holds != Some(true) {
        // The search before has seen every state.
        report.verdict = match later.verdict {
            Verdict::Bounded => Verdict::Undecided,
            verdict => verdict,
        };
        report.bound = later.bound;
    }
    report.counterexamples.extend(later.counterexamples);
    let cuts = later.cuts.into_iter().filter(|name| !report.cuts.contains(name));
    let cuts: Vec<_> = cuts.collect();
    report.cuts.extend(cuts);
    report.seconds += later.seconds;
    report.bytes = report.bytes.max(later.bytes);
    tell::<X>(report, found);
}

fn undecided(promise: &str) -> Property {
    Property { name: promise.to_owned(), holds: None, until: Vec::new() }
}

/// Says of one more promise whether it holds, in the order of the promises.
fn tell<X: Problem>(report: &mut Found<X>, property: Property) {
    let promise = &property.name;
    let place = X::Monitor::promises().iter().position(|other| other.name == promise);
    let place = place.unwrap_or_default().min(report.properties.len());
    report.properties.insert(place, property);
}

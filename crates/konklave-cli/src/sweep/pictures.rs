//! The plots of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use konklave_draw::Axis;
use konklave_draw::chart::{Plot, Point, Stacked, samples};
use konklave_report::growth::{Fit, Growth};

use super::SweepArgs;
use super::runs::Cell;
use super::summary::{Group, Summary};
use super::x::{X, described};
use crate::out::{self, Picture};

/// What all curves have in common: the algorithm or the problem, options such as the load, the
/// delay and the seeds.
pub(super) fn title(args: &SweepArgs, summary: &Summary) -> String {
    let cells = || summary.groups.iter().map(|group| &group.cell);
    let mut parts = vec![args.algorithm.clone()];
    if let ([nodes], X::Option(_)) = (&args.nodes[..], &summary.x) {
        parts.push(format!("{nodes} nodes"));
    }
    for (name, value) in cells().next().into_iter().flat_map(|first| &first.options) {
        if cells().all(|cell| cell.options.get(name) == Some(value)) {
            parts.push(format!("{} {value}", name.replace('-', " ")));
        }
    }
    if let [delay] = &args.delay[..] {
        parts.push(format!("delay {delay}"));
    }
    parts.push(match args.seeds {
        1 => format!("seed {}", args.seed),
        seeds => format!("{seeds} seeds"),
    });
    parts.join(", ")
}

/// The plots of the page.
pub(super) fn pictures(title: &str, summary: &Summary) -> Vec<Picture> {
    let quantity = summary.quantity.words();
    let caption = match beside(summary) {
        Beside::Formula(..) => "means with 95 % confidence, and the formula",
        Beside::Fit(_) => "means with 95 % confidence, and the best fit",
        Beside::Nothing => "means with 95 % confidence",
    };
    let by = summary.x.words();
    let caption = format!("{quantity}, by {by}: {caption}.");
    let mut all = Vec::new();
    if has_axis(summary) {
        let svg = growth(title, summary).svg();
        all.push(Picture::new("growth.svg", out::capital(&caption), svg));
    }
    for other in summary.problem.quantities.iter().filter(|it| it.is_plotted) {
        let is_known = |group: &Group| group.measured.contains_key(other.name);
        if summary.groups.iter().any(is_known) && has_axis(summary) {
            let label = format!("{}, in {}", out::capital(&other.words()), other.unit);
            let caption = format!("{label}, by {by}.");
            let svg = plot(title, summary, other.name, &label).svg();
            all.push(Picture::new(&format!("{}.svg", other.name), caption, svg));
        }
    }
    let shown = shown_together(summary);
    if let Some(first) = shown.first() {
        let (at, per) = (summary.x.label(&first.cell), per(first).1);
        let is_alone = summary.is_one_series();
        let of = if is_alone { String::new() } else { format!(", with {at}") };
        let caption = format!(
            "Messages of each kind {per}{of}, over the whole run: a warm-up, which the means of \
             the table leave out, counts here."
        );
        all.push(Picture::new("kinds.svg", caption, kinds(title, summary, &shown).svg()));
        if !is_alone || !has_axis(summary) {
            let caption = format!("{quantity} with {at}, and the formula where there is one.");
            let svg = comparison(title, summary, &shown);
            all.push(Picture::new("comparison.svg", out::capital(&caption), svg));
        }
    }
    all
}

/// The reference curve of a plot.
enum Beside {
    Formula(Vec<(f64, f64)>),
    Fit(Fit),
    /// Curves of several algorithms would hide each other.
    Nothing,
}

/// The formula if it has values, else the fitted law.
fn beside(summary: &Summary) -> Beside {
    if !summary.is_one_series() {
        return Beside::Nothing;
    }
    let value =
        |group: &Group| Some((summary.x.of(&group.cell), group.expected.as_ref()?.value()?));
    let formula: Vec<_> = summary.groups.iter().filter_map(value).collect();
    let growth = summary.laws.first().and_then(|law| law.growth.as_ref());
    match growth.and_then(Growth::best) {
        _ if !formula.is_empty() && formula.len() == summary.groups.len() => {
            Beside::Formula(formula)
        }
        Some(fit) => Beside::Fit(fit),
        None => Beside::Nothing,
    }
}

/// The groups of a bar chart: all of the only series, or all series at the largest value of the
/// axis that they share.
fn shown_together(summary: &Summary) -> Vec<&Group> {
    let (is_alone, largest) = (summary.is_one_series(), summary.largest_common());
    let is_shown = |group: &&Group| is_alone || Some(summary.x.of(&group.cell)) == largest;
    summary.groups.iter().filter(is_shown).collect()
}

/// Whether there are several values to plot along the axis.
pub(super) fn has_axis(summary: &Summary) -> bool {
    summary.values().len() > 1
}

/// The parts of a series' name that distinguish it from the others.
pub(super) fn series(cell: &Cell, summary: &Summary) -> String {
    let cells = || summary.groups.iter().map(|group| summary.x.series(&group.cell));
    let cell = summary.x.series(cell);
    let mut parts = vec![cell.algorithm.clone()];
    if cells().any(|other| other.nodes != cell.nodes) {
        parts.push(format!("{} nodes", cell.nodes));
    }
    for (name, value) in &cell.options {
        if cells().any(|other| other.options.get(name) != Some(value)) {
            parts.push(described(name, value));
        }
    }
    if cells().any(|other| other.delay != cell.delay) {
        parts.push(cell.delay);
    }
    parts.join(", ")
}

fn by_series(summary: &Summary) -> BTreeMap<String, Vec<&Group>> {
    let mut all: BTreeMap<String, Vec<&Group>> = BTreeMap::new();
    for group in &summary.groups {
        all.entry(series(&group.cell, summary)).or_default().push(group);
    }
    all
}

/// A logarithmic axis for sizes that grow by factors, a linear one for those that grow by steps.
fn axis(summary: &Summary) -> Axis {
    let sizes = summary.values();
    let [first, .., last] = sizes[..] else { return Axis::Auto };
    let gaps = (sizes.len() - 1) as f64;
    // How far sizes are from equal distances on an axis of length one.
    let uneven = |place: &dyn Fn(f64) -> f64| -> f64 {
        let share = |size: f64| (place(size) - place(first)) / (place(last) - place(first));
        let off = |(at, size): (usize, &f64)| (share(*size) - at as f64 / gaps).abs();
        sizes.iter().enumerate().map(off).sum()
    };
    let is_geometric = uneven(&f64::ln) < uneven(&|size| size);
    if sizes.len() > 2 && first > 0.0 && is_geometric && last >= 5.0 * first {
        Axis::Log
    } else {
        Axis::Auto
    }
}

fn plot(title: &str, summary: &Summary, quantity: &str, label: &str) -> Plot {
    let mut plot = Plot::new(title).x(summary.x.name(), axis(summary)).y(label, Axis::Auto);
    for (name, mut groups) in by_series(summary) {
        groups.sort_by(|a, b| summary.x.of(&a.cell).total_cmp(&summary.x.of(&b.cell)));
        let points = groups.iter().filter_map(|group| {
            let found = group.measured.get(quantity)?;
            let x = summary.x.of(&group.cell);
            Some(Point::between(x, found.mean, found.low(), found.high()))
        });
        plot = plot.measured(name, points.collect::<Vec<_>>());
    }
    plot
}

/// The main quantity, with the formula if there is one, else with the fitted law.
pub(super) fn growth(title: &str, summary: &Summary) -> Plot {
    let plot = plot(title, summary, summary.quantity.name, &summary.quantity.words());
    let values = summary.values();
    let (from, to) = (values.first().copied(), values.last().copied());
    let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
    match beside(summary) {
        Beside::Formula(points) => {
            let expected = summary.groups.iter().find_map(|group| group.expected.as_ref());
            let name = expected.map_or("formula", |it| &it.formula);
            plot.formula(name, points)
        }
        Beside::Fit(fit) => plot.formula(fit.to_string(), samples(from, to, |n| fit.at(n))),
        Beside::Nothing => plot,
    }
}

/// The denominator for messages, requests or nodes, and its name.
fn per(group: &Group) -> (f64, String) {
    match group.requests {
        Some((requests, name)) => (requests as f64, format!("per {name}")),
        None => (f64::from(group.cell.nodes), "per node".to_owned()),
    }
}

fn kinds(title: &str, summary: &Summary, shown: &[&Group]) -> Stacked {
    let names: BTreeSet<_> = shown.iter().flat_map(|group| group.kinds.keys()).collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let is_alone = summary.is_one_series();
    let per_name = shown.first().map_or(String::new(), |group| per(group).1);
    let label = format!("messages {per_name}, over the whole run");
    let mut chart = Stacked::new(title, names.clone()).label(label);
    for group in shown {
        let name = match is_alone {
            true => summary.x.label(&group.cell),
            false => series(&group.cell, summary),
        };
        let count = |kind: &String| group.kinds.get(kind).copied().unwrap_or(0.0) / per(group).0;
        chart = chart.bar(name, names.iter().map(count).collect::<Vec<_>>());
    }
    chart
}

fn comparison(title: &str, summary: &Summary, shown: &[&Group]) -> String {
    let at = shown.first().map_or(String::new(), |group| summary.x.label(&group.cell));
    let title = format!("{title}, {at}");
    let rows = shown.iter().filter_map(|group| {
        let found = group.measured.get(summary.quantity.name)?;
        let measured = (found.low(), found.mean, found.high());
        Some((series(&group.cell, summary), measured, group.expected.as_ref()))
    });
    out::comparison(&title, &summary.quantity.words(), rows)
}

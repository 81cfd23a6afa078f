//! The plots of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use konklave_draw::Axis;
use konklave_draw::chart::{Plot, Point, Stacked, samples};

use super::runs::Cell;
use super::summary::{Group, Summary};
use crate::out::{self, Picture};

/// All pictures.
pub(super) fn pictures(title: &str, summary: &Summary) -> Vec<Picture> {
    let mut all = vec![Picture {
        name: "growth.svg".to_owned(),
        caption: format!(
            "{} by the number of nodes: means with 95 % confidence, and what the formula or the \
             best fit says.",
            words(summary.quantity)
        ),
        svg: growth(title, summary).svg(),
    }];
    let other =
        [("waiting", "Waiting time, in units of T"), ("time_to_elect", "Time to elect, in T")];
    for (quantity, label) in other {
        if summary.groups.iter().any(|group| group.measured.contains_key(quantity)) {
            all.push(Picture {
                name: format!("{quantity}.svg"),
                caption: format!("{label}, by the number of nodes."),
                svg: plot(title, summary, quantity, label).svg(),
            });
        }
    }
    all.push(Picture {
        name: "kinds.svg".to_owned(),
        caption: "Messages of each kind, per node.".to_owned(),
        svg: kinds(title, summary).svg(),
    });
    if summary.laws.len() > 1 {
        all.push(Picture {
            name: "comparison.svg".to_owned(),
            caption: "The largest size: measured, beside the formula where there is one."
                .to_owned(),
            svg: comparison(title, summary),
        });
    }
    all
}

/// The name of a quantity, for people.
pub(super) fn words(quantity: &str) -> String {
    quantity.replace('_', " ")
}

/// What distinguishes a series from the others.
fn series(cell: &Cell, summary: &Summary) -> String {
    let cells = || summary.groups.iter().map(|group| &group.cell);
    let several = |of: fn(&Cell) -> &String| cells().map(of).collect::<BTreeSet<_>>().len() > 1;
    let mut parts = vec![cell.algorithm.clone()];
    if several(|cell| &cell.load) {
        parts.push(cell.load.clone());
    }
    if several(|cell| &cell.delay) {
        parts.push(cell.delay.clone());
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

fn plot(title: &str, summary: &Summary, quantity: &str, label: &str) -> Plot {
    let mut plot = Plot::new(title).x("nodes", Axis::Auto).y(label, Axis::Auto);
    for (name, groups) in by_series(summary) {
        let points = groups.iter().filter_map(|group| {
            let found = group.measured.get(quantity)?;
            let x = f64::from(group.cell.nodes);
            Some(Point::between(x, found.mean, found.low(), found.high()))
        });
        plot = plot.measured(name, points.collect::<Vec<_>>());
    }
    plot
}

/// The main quantity, with the formula where there is one, and else with the fitted law.
pub(super) fn growth(title: &str, summary: &Summary) -> Plot {
    let mut plot = Plot::new(title).x("nodes", Axis::Auto).y(words(summary.quantity), Axis::Auto);
    for (name, groups) in by_series(summary) {
        let points: Vec<_> = groups
            .iter()
            .filter_map(|group| {
                let found = group.measured.get(summary.quantity)?;
                let x = f64::from(group.cell.nodes);
                Some(Point::between(x, found.mean, found.low(), found.high()))
            })
            .collect();
        let range = (points.first().map(|it| it.x), points.last().map(|it| it.x));
        plot = plot.measured(name.clone(), points);
        let formula: Vec<_> = groups
            .iter()
            .filter_map(|group| Some((f64::from(group.cell.nodes), group.expected.as_ref()?)))
            .filter(|(_, expected)| expected.high - expected.low <= 0.1 * expected.high)
            .map(|(nodes, expected)| (nodes, (expected.low + expected.high) / 2.0))
            .collect();
        let is_alone = summary.laws.len() == 1;
        let cell = &groups[0].cell;
        let law = summary.laws.iter().find(|law| {
            (&law.algorithm, &law.load, &law.delay) == (&cell.algorithm, &cell.load, &cell.delay)
        });
        let best = law.and_then(|law| law.growth.best());
        if formula.len() > 1 && is_alone {
            plot = plot.formula(format!("{name}: formula"), formula);
        } else if let (Some(fit), (Some(from), Some(to)), true) = (best, range, is_alone) {
            plot = plot.formula(format!("{fit}"), samples(from, to, |n| fit.at(n)));
        }
    }
    plot
}

fn kinds(title: &str, summary: &Summary) -> Stacked {
    let names: BTreeSet<_> = summary.groups.iter().flat_map(|group| group.kinds.keys()).collect();
    let names: Vec<String> = names.into_iter().cloned().collect();
    let largest = summary.groups.iter().map(|group| group.cell.nodes).max();
    let is_alone = summary.laws.len() == 1;
    let mut chart = Stacked::new(title, names.clone()).label("messages per node");
    for group in &summary.groups {
        let is_shown = is_alone || Some(group.cell.nodes) == largest;
        if is_shown {
            let name = match is_alone {
                true => format!("{} nodes", group.cell.nodes),
                false => series(&group.cell, summary),
            };
            let nodes = f64::from(group.cell.nodes);
            let count = |kind: &String| group.kinds.get(kind).copied().unwrap_or(0.0) / nodes;
            chart = chart.bar(name, names.iter().map(count).collect::<Vec<_>>());
        }
    }
    chart
}

fn comparison(title: &str, summary: &Summary) -> String {
    let largest = summary.groups.iter().map(|group| group.cell.nodes).max().unwrap_or(0);
    let title = format!("{title}, {largest} nodes");
    let groups = summary.groups.iter().filter(|group| group.cell.nodes == largest);
    let rows = groups.filter_map(|group| {
        let found = group.measured.get(summary.quantity)?;
        let measured = (found.low(), found.mean, found.high());
        Some((series(&group.cell, summary), measured, group.expected.as_ref()))
    });
    out::comparison(&title, &words(summary.quantity), rows)
}

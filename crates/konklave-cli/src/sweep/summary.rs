//! Means, comparisons and laws of growth over the runs of a sweep.

use std::collections::BTreeMap;

use konklave::graph::Form;
use konklave_catalog::expected::Expected;
use konklave_catalog::problem::About;
use konklave_catalog::quantity::Quantity;
use konklave_report::bound::Bound;
use konklave_report::growth::{Growth, Sample};
use konklave_report::statistics::{self, summary};

use super::bounds::{Judged, Judgement};
use super::runs::{Cell, Ran, RunVerdict, Task};
use super::x::X;
use crate::failure::Failure;

/// The runs that differ only in their seeds.
pub(super) struct Group {
    pub(super) cell: Cell,
    /// The network, without its size.
    pub(super) network: Form,
    /// The number of requests, and the name of a request, if the problem has one.
    pub(super) requests: Option<(u64, &'static str)>,
    /// The number of runs, and of those that broke a promise.
    pub(super) runs: usize,
    pub(super) runs_broken: usize,
    /// The measured quantities, by name.
    pub(super) measured: BTreeMap<String, statistics::Summary>,
    /// The mean number of messages of each kind.
    pub(super) kinds: BTreeMap<String, f64>,
    /// The value of the formula for the main quantity.
    pub(super) expected: Option<Expected>,
    /// Whether the measurement agrees with the formula, if they can be compared.
    pub(super) agrees: Option<bool>,
    /// The first broken promise, and its seed.
    pub(super) broken: Option<(String, u64)>,
}

/// How the main quantity grows, for one algorithm, load and delay.
pub(super) struct Law {
    /// The series that the law is about.
    pub(super) series: Cell,
    /// The fitted law; `None` if the sizes have networks of different shapes.
    pub(super) growth: Option<Growth>,
    /// The networks, if their shapes differ.
    networks: Vec<Form>,
}

impl Law {
    /// The networks, in words.
    pub(super) fn networks(&self) -> Vec<String> {
        self.networks.iter().map(Form::to_string).collect()
    }

    /// The law as a sentence.
    pub(super) fn words(&self, quantity: &str) -> String {
        match &self.growth {
            Some(growth) => growth.words(quantity),
            None => format!(
                "no law fits {quantity}: the shape of the network changes with its size ({}); \
                 name a --topology, or sizes such as 9, 16, 25",
                self.networks().join(", ")
            ),
        }
    }
}

/// The results of a sweep.
pub(super) struct Summary {
    /// The problem that the algorithms solve.
    pub(super) problem: &'static About,
    /// The quantity that formulas are about.
    pub(super) quantity: &'static Quantity,
    /// The axis along which groups are plotted.
    pub(super) x: X,
    pub(super) groups: Vec<Group>,
    /// How the main quantity grows, if groups are plotted by the number of nodes.
    pub(super) laws: Vec<Law>,
    pub(super) bounds: Vec<Judged>,
}

impl Summary {
    pub(super) fn new(
        firsts: &BTreeMap<Cell, Task>,
        ran: &[Ran],
        bounds: &[Bound],
        problem: &'static About,
        x: X,
    ) -> Result<Self, Failure> {
        let mut cells: BTreeMap<Cell, Vec<&Ran>> = BTreeMap::new();
        for one in ran {
            cells.entry(one.cell.clone()).or_default().push(one);
        }
        let quantity = problem.main_quantity();
        let mut groups = Vec::new();
        for (cell, mut ran) in cells {
            // Floating-point sums depend on the order, and runs end in any order.
            ran.sort_by_key(|one| one.seed);
            let task = firsts.get(&cell).expect("it was wanted");
            groups.push(group(task, &ran, quantity.name)?);
        }
        let laws = match x {
            X::Nodes => laws(&groups, quantity.name),
            X::Option(_) => Vec::new(),
        };
        let bounds = bounds.iter().map(|bound| Judged::new(bound, &groups)).collect();
        Ok(Self { problem, quantity, x, laws, groups, bounds })
    }

    /// Whether a promise or a bound was broken.
    pub(super) fn is_broken(&self) -> bool {
        let is_broken = |judged: &Judged| matches!(judged.verdict, Judgement::Broken(_));
        self.groups.iter().any(|group| group.broken.is_some()) || self.bounds.iter().any(is_broken)
    }

    /// Whether there is a verdict about every bound.
    pub(super) fn is_decided(&self) -> bool {
        !self.bounds.iter().any(|judged| matches!(judged.verdict, Judgement::Open(_)))
    }

    /// The largest value on the x axis at which most was measured: there all can be compared.
    pub(super) fn largest_common(&self) -> Option<f64> {
        let mut values = self.values();
        values.reverse();
        let at = |x: f64| self.groups.iter().filter(|group| self.x.of(&group.cell) == x).count();
        let most = values.iter().map(|&x| at(x)).max()?;
        values.into_iter().find(|&x| at(x) == most)
    }

    /// The values on the x axis, ascending.
    pub(super) fn values(&self) -> Vec<f64> {
        let mut values: Vec<_> = self.groups.iter().map(|group| self.x.of(&group.cell)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// Whether all groups belong to one series.
    pub(super) fn is_one_series(&self) -> bool {
        let mut series = self.groups.iter().map(|group| self.x.series(&group.cell));
        let first = series.next();
        series.all(|it| Some(it) == first)
    }
}

fn group(task: &Task, ran: &[&Ran], quantity: &str) -> Result<Group, Failure> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut kinds: BTreeMap<String, f64> = BTreeMap::new();
    // A run ends where it breaks a promise: what was measured until then is about part of a run.
    let whole: Vec<_> = ran.iter().filter(|one| one.verdict == RunVerdict::Kept).collect();
    for one in &whole {
        for (name, value) in &one.measured {
            values.entry(name.clone()).or_default().push(*value);
        }
        for (kind, count) in &one.kinds {
            *kinds.entry(kind.clone()).or_default() += *count as f64 / whole.len() as f64;
        }
    }
    let measured: BTreeMap<_, _> =
        values.into_iter().filter_map(|(name, values)| Some((name, summary(&values)?))).collect();
    let broken = ran.iter().filter_map(|one| match &one.verdict {
        RunVerdict::Kept => None,
        RunVerdict::Broken(promise) => Some((promise.clone(), one.seed)),
    });
    let broken = broken.min_by_key(|(_, seed)| *seed);
    let is_broken = |one: &&&Ran| one.verdict != RunVerdict::Kept;
    let (runs, runs_broken) = (ran.len(), ran.iter().filter(is_broken).count());
    let (site, options) = task.plan()?;
    let network = site.graph().form();
    // Formulas are about runs without faults.
    let expected = options.faults.is_none().then(|| site.expected(&options)).flatten();
    let agrees = expected.as_ref().zip(measured.get(quantity)).and_then(|it| agrees(it.0, it.1));
    let cell = task.cell.clone();
    let requests = (site.entry().problem.requests)(&site);
    Ok(Group {
        cell,
        network,
        requests,
        runs,
        runs_broken,
        measured,
        kinds,
        expected,
        agrees,
        broken,
    })
}

/// Whether a mean over runs agrees with a formula. A single run cannot be compared with a mean, and
/// bounds that are kept confirm nothing.
fn agrees(expected: &Expected, found: &statistics::Summary) -> Option<bool> {
    let is_open = expected.is_mean() && expected.low == expected.high && found.count < 2;
    if is_open {
        return None;
    }
    expected.clone().widen(found.tolerance()).agrees(found.mean)
}

/// The shape that networks of all sizes must share for a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// Grids of one column, the squarest ones for a prime number of nodes.
    Line,
    /// Grids that are nearly square.
    Square,
    /// Any other shape, which matches only itself.
    Only(Form),
}

impl Likeness {
    fn new(network: Form) -> Self {
        match network {
            Form::Grid { width: 1, .. } | Form::Torus { width: 1, .. } => Self::Line,
            Form::Grid { width, height } | Form::Torus { width, height }
                if height <= width.saturating_mul(3) =>
            {
                Self::Square
            }
            network => Self::Only(network),
        }
    }
}

fn laws(groups: &[Group], quantity: &str) -> Vec<Law> {
    let mut all: BTreeMap<Cell, Vec<&Group>> = BTreeMap::new();
    for group in groups.iter().filter(|group| group.measured.contains_key(quantity)) {
        all.entry(group.cell.series()).or_default().push(group);
    }
    let law = |(series, groups): (Cell, Vec<&Group>)| {
        let mut networks: Vec<_> = groups.iter().map(|group| group.network).collect();
        networks.dedup();
        let has_one_form =
            networks.iter().all(|it| Likeness::new(*it) == Likeness::new(networks[0]));
        let sample = |group: &&Group| {
            let found = &group.measured[quantity];
            let error = found.deviation / (found.count as f64).sqrt();
            Sample { n: f64::from(group.cell.nodes), mean: found.mean, error }
        };
        let samples: Vec<_> = groups.iter().map(sample).collect();
        Law { series, growth: has_one_form.then(|| Growth::new(&samples)), networks }
    };
    all.into_iter().map(law).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_one_form_if_they_are_square_or_lines() {
        let grid = |width, height| Likeness::new(Form::Grid { width, height });
        assert_eq!(grid(2, 5), Likeness::new(Form::Torus { width: 25, height: 40 }));
        assert_eq!(grid(1, 7), grid(1, 13));
        assert_ne!(grid(1, 7), grid(2, 5));
        assert_ne!(grid(3, 19), grid(7, 19));
        assert_eq!(Likeness::new(Form::Hypercube), Likeness::Only(Form::Hypercube));
    }

    #[test]
    fn one_run_says_nothing_about_a_mean() {
        let mean = Expected::mean("n", 10.0);
        let one = summary(&[12.0]).unwrap();
        assert_eq!(agrees(&mean, &one), None);
        assert_eq!(agrees(&Expected::exactly("n", 10.0), &one), Some(false));
        let some = summary(&[9.0, 10.0, 12.0]).unwrap();
        assert_eq!(agrees(&mean, &some), Some(true));
        assert_eq!(agrees(&Expected::mean("n", 20.0), &some), Some(false));
        assert_eq!(agrees(&Expected::between("0 to n", 0.0, 20.0), &some), None);
        let two = summary(&[9.9, 10.1]).unwrap();
        assert_eq!(agrees(&Expected::mean("n", 11.0), &two), Some(true), "in the interval");
    }
}

//! Estimates the remaining time of a sweep from the runs that have ended.

use std::collections::BTreeMap;

use super::runs::{Cell, Task};

/// The times of runs so far.
pub(super) struct Estimate {
    /// The number of runs left in each cell.
    left: BTreeMap<Cell, usize>,
    /// The number of runs that have ended in each cell, and their total time in seconds.
    done: BTreeMap<Cell, (usize, f64)>,
}

impl Estimate {
    pub(super) fn new(tasks: &[Task]) -> Self {
        let mut left = BTreeMap::new();
        for task in tasks {
            *left.entry(task.cell.clone()).or_insert(0) += 1;
        }
        Self { left, done: BTreeMap::new() }
    }

    /// Records a run that has ended, with its seconds, or one that was not begun, with `None`.
    pub(super) fn ended(&mut self, cell: &Cell, seconds: Option<f64>) {
        if let Some(left) = self.left.get_mut(cell) {
            *left = left.saturating_sub(1);
        }
        if let Some(seconds) = seconds {
            let (count, sum) = self.done.entry(cell.clone()).or_default();
            *count += 1;
            *sum += seconds;
        }
    }

    /// The processor time of all runs left, in seconds.
    pub(super) fn seconds_left(&self) -> f64 {
        let left = self.left.iter().filter(|(_, count)| **count > 0);
        left.map(|(cell, count)| *count as f64 * self.seconds_of(cell)).sum()
    }

    /// The expected time of a run: that of others in its cell; or extrapolated from the next
    /// smaller sizes of its series, at least linearly; or proportional to its size.
    fn seconds_of(&self, cell: &Cell) -> f64 {
        let mean = |(count, sum): &(usize, f64)| sum / *count as f64;
        let series = cell.series();
        let is_smaller = |other: &Cell| other.nodes <= cell.nodes && other.series() == series;
        let mut smaller = self.done.iter().filter(|(other, _)| is_smaller(other));
        match (smaller.next_back(), smaller.next_back()) {
            (Some((last, times)), _) if last == cell => mean(times),
            (Some((last, times)), before) => {
                let factor = f64::from(cell.nodes) / f64::from(last.nodes);
                let power = before.map_or(1.0, |(before, earlier)| {
                    let step = f64::from(last.nodes) / f64::from(before.nodes);
                    let growth = mean(times).max(1e-6) / mean(earlier).max(1e-6);
                    (growth.ln() / step.ln()).clamp(1.0, 2.5)
                });
                mean(times) * factor.powf(power)
            }
            (None, _) => {
                let of_all = self
                    .done
                    .iter()
                    .map(|(cell, (count, sum))| (*count as f64 * f64::from(cell.nodes), *sum));
                let (nodes, seconds) = of_all.fold((0.0, 0.0), |(n, s), (m, t)| (n + m, s + t));
                if nodes > 0.0 { seconds / nodes * f64::from(cell.nodes) } else { 0.0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(algorithm: &str, nodes: u32) -> Cell {
        let (algorithm, delay) = (algorithm.to_owned(), "exp:1".to_owned());
        Cell { algorithm, nodes, options: BTreeMap::new(), delay }
    }

    #[test]
    fn large_systems_are_expected_to_take_longer() {
        let left = [(cell("a", 10), 3), (cell("a", 100), 3), (cell("b", 100), 1)];
        let mut estimate = Estimate { left: left.into(), done: BTreeMap::new() };
        assert_eq!(estimate.seconds_left(), 0.0, "nothing is known");
        estimate.ended(&cell("a", 10), Some(1.0));
        // Two small ones, three of ten times the size, and one of which only the size is known.
        assert!((estimate.seconds_left() - (2.0 + 30.0 + 10.0)).abs() < 1e-9);
        estimate.ended(&cell("a", 100), Some(100.0));
        estimate.ended(&cell("a", 100), None);
        let b = 101.0 / 110.0 * 100.0;
        assert!((estimate.seconds_left() - (2.0 + 100.0 + b)).abs() < 1e-9);
        // What grows as n squared goes on to do so.
        estimate.left.insert(cell("a", 1000), 1);
        let more = estimate.seconds_left() - (2.0 + 100.0 + b);
        assert!((more - 10_000.0).abs() < 1e-6, "{more}");
    }
}

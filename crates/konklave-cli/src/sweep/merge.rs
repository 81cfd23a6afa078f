//! Merges the parts of a sweep, which `--shard` has written, into the whole.

use std::collections::{BTreeMap, BTreeSet};

use konklave_catalog::catalog::Catalog;

use super::SweepArgs;
use super::log::{Part, Written};
use super::results::Results;
use super::runs::{Skipped, Task, Why};
use crate::args::Verb;
use crate::failure::Failure;
use crate::output::counted;
use crate::parse_from;

/// The parts of one sweep.
pub(super) struct Parts(Vec<Written>);

impl Parts {
    /// Reads all parts, and refuses those of different sweeps.
    pub(super) fn read(args: &SweepArgs) -> Result<Self, Failure> {
        if let Some(name) = args.options.keys().next() {
            return Err(Failure::bad(format!(
                "--merge takes the options of the sweep from its parts: leave --{name} out"
            )));
        }
        let parts = args.merge.iter().map(|folder| Written::read(folder));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let first = &parts[0];
        if let Some(difference) = parts.iter().find_map(|other| first.difference(other)) {
            return Err(Failure::bad(format!("these are parts of different sweeps: {difference}")));
        }
        let mut known = BTreeMap::new();
        for part in &parts {
            if let Some(other) = known.insert(part.part.shard, &part.folder) {
                return Err(Failure::bad(format!(
                    "{} and {} both hold part {}",
                    other.display(),
                    part.folder.display(),
                    part.part.shard
                )));
            }
        }
        Ok(Self(parts))
    }

    /// The options of the whole sweep, with the output that this command asks for.
    pub(super) fn args(
        &self,
        output: &SweepArgs,
        catalog: &'static Catalog,
    ) -> Result<SweepArgs, Failure> {
        let Part { sweep, .. } = &self.0[0].part;
        let words = ["konklave", "sweep"].into_iter().chain(sweep.iter().map(String::as_str));
        let cli = parse_from(words, catalog).map_err(|error| {
            Failure::bad(format!("`sweep {}` cannot be asked for: {error}", sweep.join(" ")))
        })?;
        let Verb::Sweep(args) = cli.verb else {
            return Err(Failure::bad(format!("`{}` is not a sweep", sweep.join(" "))));
        };
        let SweepArgs { out, json, csv, format, merge, .. } = output.clone();
        Ok(SweepArgs { out, json, csv, format, merge, ..*args })
    }

    /// The results of all runs, and which are missing.
    pub(super) fn gather(self, tasks: &[Task]) -> Results {
        let shard = self.0[0].part.shard;
        let mut results = Results::default();
        let mut known = BTreeMap::new();
        let present: BTreeSet<_> = self.0.iter().map(|part| part.part.shard).collect();
        for Written { ran, skipped, .. } in self.0 {
            known.extend(ran.into_iter().map(|one| (one.key(), one)));
            for Skipped { cell, seed, left_out } in skipped {
                match left_out {
                    Why::EventLimit => results.too_long(&cell),
                    Why::Impossible(reason) => results.impossible(&cell, seed, &reason),
                }
            }
        }
        let mut missing: BTreeMap<_, u64> = BTreeMap::new();
        for (place, task) in tasks.iter().enumerate() {
            match known.remove(&task.key()) {
                Some(ran) => results.ran.push(ran),
                None if results.is_left_out(task) => {}
                None => {
                    let part = shard.all().find(|shard| shard.has(place));
                    *missing.entry(part.unwrap_or(shard)).or_default() += 1;
                }
            }
        }
        results.is_whole = missing.is_empty();
        results.missing = missing
            .into_iter()
            .map(|(shard, count)| match present.contains(&shard) {
                false => format!("part {shard} is missing: run it with --shard {shard}"),
                true => format!(
                    "part {shard} lacks {}: continue it with --shard {shard} --resume",
                    counted(count, "run", "runs")
                ),
            })
            .collect();
        results.without_bias()
    }
}

//! Merges the parts of a campaign, which `--shard` has written, into the whole.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use konklave_catalog::catalog::Catalog;
use konklave_catalog::disorder::Disorder;
use serde::Deserialize;

use super::FuzzArgs;
use super::draw::Space;
use super::faults::named;
use super::swarm::{Failures, Tally, Unfinished, broken};
use crate::args::Verb;
use crate::failure::Failure;
use crate::parse_from;
use crate::shard::Shard;

/// The report of a part, as far as it is merged.
#[derive(Deserialize)]
struct Part {
    #[serde(skip)]
    folder: PathBuf,
    shard: Shard,
    /// The arguments of the whole campaign.
    campaign: Vec<String>,
    schedules: u64,
    deliveries: u64,
    coverage: usize,
    seconds: f64,
    verdict: String,
    failures: Vec<Counted>,
    unfinished: Vec<Counted>,
}

/// Schedules with the same violated assumption: the first, and how many. The promise is known if
/// it was broken.
#[derive(Deserialize)]
struct Counted {
    seed: u64,
    #[serde(deserialize_with = "named")]
    fault: Option<Disorder>,
    count: u64,
    #[serde(default)]
    promise: String,
}

/// The name of the report in its folder.
const RESULTS: &str = "results.json";

impl Part {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(RESULTS);
        let text = fs::read_to_string(&path).map_err(|it| Failure::file("read", &path, &it))?;
        let part = serde_json::from_str::<Self>(&text).map_err(|_| {
            Failure::bad(format!(
                "{} does not hold a part of a campaign, which --shard writes",
                path.display()
            ))
        })?;
        Ok(Self { folder: folder.to_owned(), ..part })
    }
}

/// The parts of one campaign.
pub(super) struct Parts(Vec<Part>);

impl Parts {
    /// Reads all parts, and refuses those of different campaigns.
    pub(super) fn read(args: &FuzzArgs) -> Result<Self, Failure> {
        let parts = args.merge.iter().map(|folder| Part::read(folder));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let said = |part: &Part| {
            let (folder, words) = (part.folder.display(), part.campaign.join(" "));
            format!("{folder} is part {} of `fuzz {words}`", part.shard)
        };
        let mut known = BTreeSet::new();
        for part in &parts {
            let whole = |part: &Part| (part.shard.parts, part.campaign.clone());
            if whole(part) != whole(&parts[0]) {
                return Err(Failure::bad(format!(
                    "these are parts of different campaigns: {}, but {}",
                    said(&parts[0]),
                    said(part)
                )));
            }
            if !known.insert(part.shard) {
                let folder = part.folder.display();
                return Err(Failure::bad(format!(
                    "part {} is named twice, the second time by {folder}",
                    part.shard
                )));
            }
        }
        Ok(Self(parts))
    }

    /// The options of the whole campaign, with the output that this command asks for.
    pub(super) fn args(
        &self,
        output: &FuzzArgs,
        catalog: &'static Catalog,
    ) -> Result<FuzzArgs, Failure> {
        let campaign = &self.0[0].campaign;
        let words = ["konklave", "fuzz"].into_iter().chain(campaign.iter().map(String::as_str));
        let refused = |why: String| {
            Failure::bad(format!("`fuzz {}` cannot be asked for: {why}", campaign.join(" ")))
        };
        let cli = parse_from(words, catalog).map_err(|error| refused(error.to_string()))?;
        let Verb::Fuzz(args) = cli.verb else { return Err(refused("it is no campaign".into())) };
        let FuzzArgs { merge, trace, out, json, format, .. } = output.clone();
        Ok(FuzzArgs { merge, trace, out, json, format, ..*args })
    }

    /// The parts that were not named.
    pub(super) fn missing(&self) -> Vec<Shard> {
        let known: BTreeSet<_> = self.0.iter().map(|part| part.shard).collect();
        self.0[0].shard.all().filter(|shard| !known.contains(shard)).collect()
    }

    /// The totals over all parts. The promises that they broke are broken again.
    pub(super) fn tally(self, space: &Space, args: &FuzzArgs) -> Result<Tally, Failure> {
        let mut tally = Tally::default();
        for part in self.0 {
            tally.schedules += part.schedules;
            tally.deliveries += part.deliveries;
            tally.seconds += part.seconds;
            // Parts may have seen the same states.
            let (states, _) = tally.coverage;
            tally.coverage = (states.max(part.coverage), true);
            tally.is_interrupted |= part.verdict == "interrupted";
            for Counted { seed, fault, count, promise } in part.failures {
                let again = broken(space, seed)?.filter(|broken| broken.promise == promise);
                let Some(broken) = again else {
                    return Err(Failure::bad(format!(
                        "{}: seed {seed} does not break '{promise}' here: \
                         another version of konklave has written it",
                        part.folder.display()
                    )));
                };
                tally.note((fault, promise), Failures { count, seed, broken });
            }
            for Counted { seed, fault, count, .. } in part.unfinished {
                tally.give_up(fault, Unfinished { count, seed });
            }
        }
        if !args.beyond {
            tally.keep_first();
        }
        Ok(tally)
    }
}

//! What came of a run, for programs and for the report.

use konklave_catalog::problem::About;
use konklave_catalog::quantity::Measures;
use konklave_catalog::site::Site;
use konklave_sim::metrics::Messages;
use konklave_sim::{Ended, Round, RunReport, Stabilisation, Violation, Waiting};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::RunOutcome;

/// The JSON report of a run. The names of its fields are stable.
#[derive(Serialize)]
pub(super) struct RunSummary<'a> {
    pub(super) algorithm: &'a str,
    pub(super) family: &'static About,
    pub(super) nodes: u32,
    pub(super) topology: &'a str,
    pub(super) seed: u64,
    pub(super) digest: &'a str,
    pub(super) ended: Ended,
    pub(super) time: u64,
    pub(super) deliveries: u64,
    pub(super) messages: &'a Messages,
    pub(super) causal_depth: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rounds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stabilisation: Option<Stabilisation>,
    /// Shown as a picture and in a file of its own.
    #[serde(skip)]
    pub(super) course: &'a [Round],
    pub(super) verdict: RunOutcome,
    pub(super) violations: &'a [Violation],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) waiting: &'a [Waiting],
    pub(super) wall_seconds: f64,
    pub(super) deliveries_per_second: f64,
    #[serde(flatten)]
    pub(super) problem: Problem<'a>,
}

impl<'a> RunSummary<'a> {
    pub(super) fn new(ran: &'a RunReport<Measures>, site: &'a Site, wall_seconds: f64) -> Self {
        let (entry, setup) = (site.entry(), site.setup());
        Self {
            algorithm: &entry.name,
            family: entry.problem,
            nodes: site.nodes(),
            topology: &setup.topology,
            seed: setup.seed,
            digest: &ran.digest,
            ended: ran.ended,
            time: ran.time,
            deliveries: ran.deliveries,
            messages: &ran.messages,
            causal_depth: ran.causal_depth,
            rounds: Some(ran.rounds).filter(|rounds| *rounds > 0),
            stabilisation: ran.stabilisation,
            course: &ran.course,
            verdict: RunOutcome::new(!ran.violations.is_empty(), ran.ended),
            violations: &ran.violations,
            waiting: &ran.waiting,
            wall_seconds,
            deliveries_per_second: ran.deliveries as f64 / wall_seconds.max(1e-9),
            problem: Problem { name: entry.problem.name, measures: &ran.problem },
        }
    }
}

/// The quantities that the problem measures, in a field with the name of the problem.
pub(super) struct Problem<'a> {
    pub(super) name: &'static str,
    pub(super) measures: &'a Measures,
}

impl Serialize for Problem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.name, self.measures)?;
        map.end()
    }
}

//! Broken algorithms and objects, for `check --specimen` and `list --specimens`.

pub(crate) mod chance;
pub(crate) mod objects;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex;
use konklave::protocol::{Never, Protocol};
use konklave_check::{Faults, Order, Pace, World};
use konklave_specimens::objects::OBJECTS;
use konklave_specimens::{Flaw, Flawed, Ground, Setting, Specimen, Visit, visit};
use serde_json::json;

use crate::Verdict;
use crate::drive::{self, CheckPlan, Job, Outcome};
use crate::entry::{Entry, Needs};
use crate::failure::Failure;
use crate::output;
use crate::setup::{Ids, Setup};
use crate::site::Site;
use crate::table::TABLE;

/// An entry for each specimen: that of the right algorithm, but for its nodes.
pub(crate) static SPECIMENS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |specimen: &Specimen| {
        let right = TABLE.iter().find(|entry| entry.name == specimen.of)?;
        Some(Entry {
            name: specimen.name.to_owned(),
            family: right.family,
            // A forbidden setting is what some specimens are about.
            needs: Needs { one_initiator: None, ..right.needs },
            choices: right.choices,
            source: right.source,
            file: right.file,
            expected: right.expected,
            drive: drive_specimen,
        })
    };
    konklave_specimens::all().filter_map(entry).collect()
});

/// The specimen with this name, and its entry.
pub(crate) fn find(name: &str) -> Result<(&'static Specimen, &'static Entry), Failure> {
    let entry = SPECIMENS.iter().find(|entry| entry.name == name);
    let found = konklave_specimens::find(name).zip(entry);
    found.ok_or_else(|| {
        let algorithms = SPECIMENS.iter().map(|entry| entry.name.as_str());
        let names = algorithms.chain(OBJECTS.iter().map(|object| object.name));
        Failure::unknown("specimen", name, names)
    })
}

/// The smallest system in which a specimen breaks its promise.
pub(crate) fn site(specimen: &Specimen, entry: &'static Entry) -> Result<Site, Failure> {
    let Setting { topology, ids, .. } = specimen.setting;
    let setup = Setup {
        algorithm: specimen.name.to_owned(),
        nodes: specimen.setting.nodes(),
        topology: topology.to_owned(),
        graph: None,
        seed: 1,
        ids: Ids::List(ids.to_vec()),
        elections: specimen.setting.budget.iter().copied().max().unwrap_or(1).max(1),
        variant: BTreeMap::new(),
        files: BTreeMap::new(),
        command: crate::out::command(),
    };
    Site::new(setup, entry)
}

/// How it is checked there; the options of the search are the user's.
pub(crate) fn plan(specimen: &Specimen, usual: CheckPlan) -> CheckPlan {
    let Setting { fifo, budget, duplicates, crashes, perpetual, .. } = specimen.setting;
    // Without timers and crashes there is nothing to be impatient about, nor to be said about it.
    let has_timers = visit(specimen.name, &specimen.setting.ground(), HasTimers) == Some(true);
    CheckPlan {
        world: World {
            order: if fifo { Order::Fifo } else { Order::Any },
            pace: if has_timers || crashes > 0 { Pace::Free } else { Pace::Patient },
            perpetual,
            faults: Faults { duplicates, crashes, ..Faults::default() },
        },
        budget: Some(budget.to_vec()),
        ..usual
    }
}

/// Whether nodes set timers.
struct HasTimers;

impl HasTimers {
    fn answer<P: Protocol>() -> bool {
        TypeId::of::<P::Timer>() != TypeId::of::<Never>()
    }
}

impl Visit for HasTimers {
    type Out = bool;

    fn mutex<P, F>(self, _: impl Fn(NodeId) -> P, _: impl Fn(NodeId) -> F) -> bool
    where
        P: Protocol<Command = mutex::Command, Event = mutex::Event>,
        F: Flaw<P>,
    {
        Self::answer::<P>()
    }

    fn election<P, F>(self, _: Winner, _: impl Fn(NodeId) -> P, _: impl Fn(NodeId) -> F) -> bool
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        Self::answer::<P>()
    }
}

fn drive_specimen(site: &Site, job: Job<'_>) -> Result<Outcome, Failure> {
    let name = &site.entry().name;
    let ground = Ground::new(site.graph().clone(), site.ids().to_vec());
    let outcome = visit(name, &ground, Driver { site, job });
    outcome.unwrap_or_else(|| Err(Failure::bad(format!("there is no specimen '{name}'"))))
}

struct Driver<'a, 'b> {
    site: &'a Site,
    job: Job<'b>,
}

impl Visit for Driver<'_, '_> {
    type Out = Result<Outcome, Failure>;

    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Self::Out
    where
        P: Protocol<Command = mutex::Command, Event = mutex::Event>,
        F: Flaw<P>,
    {
        drive::broken_mutex(self.site, self.job, |me| Flawed::new(right(me), flaw(me)))
    }

    fn election<P, F>(
        self,
        winner: Winner,
        right: impl Fn(NodeId) -> P,
        flaw: impl Fn(NodeId) -> F,
    ) -> Self::Out
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        let make = |me| Flawed::new(right(me), flaw(me));
        drive::broken_election(self.site, self.job, winner, make)
    }
}

/// Prints all specimens.
pub(crate) fn list(is_json: bool) -> Result<Verdict, Failure> {
    if is_json {
        let all: Vec<_> = konklave_specimens::all().collect();
        output::json(&json!({ "specimens": all, "objects": OBJECTS }))?;
        return Ok(Verdict::Fine);
    }
    let mut lines = Vec::new();
    for specimen in konklave_specimens::all() {
        let heading = format!("{}: {}", specimen.name, specimen.finds);
        lines.push(output::bold(&heading));
        lines.push(format!("  {}", specimen.flaw));
    }
    lines.extend([
        String::new(),
        "Shared objects, with a history that is not sequentially consistent:".to_owned(),
    ]);
    for object in &OBJECTS {
        lines.push(output::bold(object.name));
        lines.push(format!("  {}", object.flaw));
    }
    lines.push(String::new());
    lines.push("konklave check --specimen NAME shows how it breaks its promise".to_owned());
    output::lines(&lines)?;
    Ok(Verdict::Fine)
}

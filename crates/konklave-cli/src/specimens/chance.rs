//! Specimens that break their promise only in systems that are too large for every schedule: random
//! ones, from the first seed on, until one breaks it. Then it is shortened.

use konklave::NodeId;
use konklave::election::{self, Winner};
use konklave::mutex::{Command, Event};
use konklave::protocol::Protocol;
use konklave_check::shrink::Size;
use konklave_specimens::chance::attempt;
use konklave_specimens::{Flaw, Flawed, Setting, Specimen, Visit, visit};
use konklave_stage::erased::AnyNode;
use serde_json::json;

use crate::Verdict;
use crate::check::CheckArgs;
use crate::drive::{Job, Outcome, Shorter, carry_out};
use crate::failure::Failure;
use crate::output;
use crate::progress::Watch;
use crate::site::Site;

/// Shows the first random schedule up to this seed that breaks the promise, as short as it gets.
pub(crate) fn show(
    args: &CheckArgs,
    specimen: &Specimen,
    site: &Site,
    seeds: u64,
) -> Result<Verdict, Failure> {
    if args.out.is_some() || args.worst.is_some() {
        return Err(Failure::bad(format!(
            "{} is found by chance, not among all schedules, of which --out and --worst tell: \
             --trace keeps the one that is found",
            specimen.name
        )));
    }
    let hunt = Hunt { setting: specimen.setting, seeds };
    let found = visit(specimen.name, &specimen.setting.ground(), hunt).flatten();
    let (seed, lines) = found.ok_or_else(|| {
        Failure::bad(format!("{} keeps its promise with seeds 1 to {seeds}", specimen.name))
    })?;
    let mut watch = Watch::new();
    let mut go_on = || watch.show(|_| format!("shortening seed {seed}"));
    let outcome = carry_out(site, Job::Shrink { lines: &lines, go_on: &mut go_on });
    watch.finish();
    let Outcome::Shrunk(shorter) = outcome? else { unreachable!("shrinking shrinks") };
    if let Some(path) = &args.trace {
        shorter.told.write(path, site)?;
    }
    match args.json {
        true => output::json(&json!({
            "algorithm": site.entry().name,
            "family": site.entry().family,
            "nodes": site.nodes(),
            "topology": site.setup().topology,
            "verdict": "violated",
            "violation": shorter.broken,
            "seed": seed,
            "minimal": shorter.is_minimal,
            "before": shorter.before,
            "after": shorter.after,
            "trace": shorter.told.to_json(site)?,
            "trace_file": args.trace,
        }))?,
        false => output::lines(&describe(args, specimen, site, seed, &shorter))?,
    }
    Ok(Verdict::Broken)
}

fn describe(
    args: &CheckArgs,
    specimen: &Specimen,
    site: &Site,
    seed: u64,
    shorter: &Shorter,
) -> Vec<String> {
    let order =
        if specimen.setting.fifo { "channels first in first out" } else { "messages in any order" };
    let mut lines = vec![
        format!("{}: {}", specimen.of, specimen.flaw),
        String::new(),
        format!("{} on a {}, {order}", output::bold(specimen.name), site.graph().describe()),
        String::new(),
        format!("Too many schedules to look at all: a random one, found with seed {seed},"),
        match shorter.is_minimal {
            true => "from which nothing more can be taken away:".to_owned(),
            false => "from which more might be taken away, had nobody stopped it:".to_owned(),
        },
    ];
    lines.extend(shorter.told.text_lines());
    lines.push(String::new());
    // Every node starts; that is no step that could be spared.
    let steps = |size: Size| size.steps - u64::from(site.nodes());
    let steps = format!("{}, of {} that were drawn", steps(shorter.after), steps(shorter.before));
    let verdict = format!("{}  {}", output::red("violated"), shorter.broken);
    lines.extend(output::fields(&[("verdict", verdict), ("steps", steps)]));
    if let Some(path) = &args.trace {
        lines.push(String::new());
        lines.push(format!("the schedule is in {}: konklave replay shows it", path.display()));
    }
    lines
}

/// Random schedules of the nodes of a specimen: the first seed that breaks a promise, and what
/// happens then.
struct Hunt {
    setting: Setting,
    seeds: u64,
}

impl Visit for Hunt {
    type Out = Option<(u64, Vec<String>)>;

    fn mutex<P, F>(self, right: impl Fn(NodeId) -> P, flaw: impl Fn(NodeId) -> F) -> Self::Out
    where
        P: Protocol<Command = Command, Event = Event>,
        F: Flaw<P>,
    {
        let make = |me| AnyNode::new(Flawed::new(right(me), flaw(me)));
        (1..=self.seeds).find_map(|seed| Some((seed, attempt(&self.setting, seed, &make)?.1)))
    }

    /// No election needs luck.
    fn election<P, F>(
        self,
        _: Winner,
        _: impl Fn(NodeId) -> P,
        _: impl Fn(NodeId) -> F,
    ) -> Self::Out
    where
        P: Protocol<Command = election::Command, Event = election::Event>,
        F: Flaw<P>,
    {
        None
    }
}

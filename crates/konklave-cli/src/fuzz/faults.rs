//! The faults of a random run: within the assumptions of the algorithm, or beyond them.

use konklave::NodeId;
use konklave_catalog::disorder::Disorder;
use konklave_catalog::entry::Entry;
use konklave_catalog::needs::{Network, Order};
use konklave_catalog::option::{MAX_DELAY, NOTICE};
use konklave_catalog::site::Site;
use konklave_sim::Delay;
use konklave_sim::faults::{Crossing, Outage, Partition};
use konklave_sim::random::Random;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};

use super::draw::{needs_fifo, one_in, random_of, relies_on_order};
use crate::args::{FaultArgs, RunArgs};

/// The name of a violated assumption; `none` if none is violated, so that every broken promise is
/// a bug.
pub(super) fn name(disorder: Option<Disorder>) -> &'static str {
    disorder.map_or(NONE, Disorder::name)
}

const NONE: &str = "none";

/// Reads such a name.
pub(super) fn named<'de, D: Deserializer<'de>>(name: D) -> Result<Option<Disorder>, D::Error> {
    match String::deserialize(name)? {
        name if name == NONE => Ok(None),
        name => Disorder::deserialize(name.into_deserializer()).map(Some),
    }
}

/// The disorders that this algorithm assumes not to happen, and none as the control.
pub(super) fn beyond(entry: &Entry) -> Vec<Option<Disorder>> {
    let all = [
        (true, Disorder::Loss),
        (!entry.needs.duplicates || is_repeated_by_order(entry), Disorder::Duplication),
        (!entry.needs.notices || entry.needs.registry, Disorder::Crash),
        (relies_on_order(entry), Disorder::Overtaking),
        (entry.needs.bounded, Disorder::Slowness),
    ];
    let fitting = all.into_iter().filter(|(fits, _)| *fits).map(|(_, disorder)| Some(disorder));
    std::iter::once(None).chain(fitting).collect()
}

/// What has to happen for a specimen of a forbidden setting to break its promise; nothing for all
/// other algorithms, and for variants that survive it.
fn of_specimen(site: &Site) -> Option<Disorder> {
    let setting = site.entry().flaw.filter(|it| it.is_forbidden_setting)?.setting;
    match setting {
        _ if setting.crashes > 0 => Some(Disorder::Crash),
        _ if setting.duplicates > 0 => Some(Disorder::Duplication),
        _ if !setting.fifo && site.needs_fifo() => Some(Disorder::Overtaking),
        _ => None,
    }
}

/// Whether `run` refuses it unless it is told to go beyond the assumptions.
fn is_refused(disorder: Option<Disorder>) -> bool {
    matches!(disorder, Some(Disorder::Overtaking | Disorder::Slowness))
}

/// Whether only the order of messages separates one round of the problem from the next.
fn is_repeated_by_order(entry: &Entry) -> bool {
    entry.needs.order == Order::FifoToRepeat
}

/// Faults occur before this tick.
const HORIZON: u64 = 400;

/// The options of a run, with the faults without which its specimen breaks nothing, unless they
/// name any themselves.
pub(crate) fn provoked(args: &RunArgs, site: &Site) -> RunArgs {
    let mut args = args.clone();
    let is_silent = args.faults == FaultArgs::default() && !args.fifo && !args.beyond;
    if is_silent {
        let disorder = of_specimen(site);
        args.beyond = is_refused(disorder);
        inject(&mut random_of(args.seed), &mut args, site, disorder);
    }
    args
}

/// Draws the faults of a run.
pub(super) fn draw_faults(
    random: &mut Random,
    args: &mut RunArgs,
    site: &Site,
    disorder: Option<Disorder>,
) {
    let needs = site.entry().needs;
    let disorder = disorder.or_else(|| of_specimen(site));
    args.beyond = is_refused(disorder);
    args.fifo = !args.beyond && one_in(random, 4);
    // A node that waits longer than the maximum delay takes silent nodes for dead.
    if !site.needs_bound() {
        hold_up(random, args, site);
    }
    if needs.notices {
        let crashes = noticed_crashes(random, args, site);
        args.faults.crash = crashes;
    }
    if disorder.is_none() {
        // Few: each may cost another round.
        let are_drawn = site.survives_duplicates() && one_in(random, 5);
        args.faults.duplicate = are_drawn.then(|| percent(random, 10));
    }
    inject(random, args, site, disorder);
    // Last, so that what is drawn before does not depend on it.
    if disorder.is_none() {
        draw_reliable_links(random, args, site);
    }
}

/// Draws reliable links, and the losses and duplicates that they hide.
fn draw_reliable_links(random: &mut Random, args: &mut RunArgs, site: &Site) {
    let needs = site.entry().needs;
    let is_hurried = needs.bounded || needs.patient;
    let are_drawn = one_in(random, 16) && !is_hurried && !site.graph().is_directed();
    if !args.reliable && !are_drawn {
        return;
    }
    args.reliable = true;
    // A message that was lost is not sent again by a node that has crashed.
    args.faults.crash.clear();
    args.faults.loss = (!is_hurried).then(|| percent(random, 30));
    args.faults.duplicate = Some(percent(random, 30));
}

/// Draws how often, or when, this happens.
fn inject(random: &mut Random, args: &mut RunArgs, site: &Site, disorder: Option<Disorder>) {
    match disorder {
        // Nobody draws the others: `run` has them, but no algorithm survives them.
        None | Some(Disorder::Restart | Disorder::Partition) => {}
        Some(Disorder::Loss) => args.faults.loss = Some(percent(random, 30)),
        Some(Disorder::Duplication) => args.faults.duplicate = Some(percent(random, 50)),
        Some(Disorder::Crash) => args.faults.crash = vec![crash(random, site)],
        Some(Disorder::Overtaking) => args.faults.reorder = Some(percent(random, 50)),
        Some(Disorder::Slowness) => args.delay = Delay::Exponential(random.between(10, 40)),
    }
}

/// Draws a probability from one percent to this many.
fn percent(random: &mut Random, most: u64) -> f64 {
    random.between(1, most) as f64 / 100.0
}

/// Faults that lose nothing, but delay messages.
fn hold_up(random: &mut Random, args: &mut RunArgs, site: &Site) {
    let nodes = site.nodes();
    if !needs_fifo(args, site) && one_in(random, 3) {
        args.faults.reorder = Some(percent(random, 50));
    }
    while one_in(random, 3) {
        let node = NodeId(random.below(nodes.into()) as u32);
        let from = random.below(HORIZON / 4);
        let to = Some(from + random.between(1, HORIZON / 4));
        args.faults.pause.push(Outage { node, from, to });
    }
    if nodes > 1 && one_in(random, 3) {
        let last = NodeId(random.below(u64::from(nodes) - 1) as u32);
        let from = random.below(HORIZON / 4);
        let to = Some(from + random.between(1, HORIZON / 4));
        let groups = vec![vec![(NodeId(0), last)], vec![(NodeId(last.0 + 1), NodeId(nodes - 1))]];
        args.faults.partition = vec![Partition { groups, crossing: Crossing::Held, from, to }];
    }
}

/// Draws a crash, with or without a restart.
fn crash(random: &mut Random, site: &Site) -> Outage {
    let is_of_registry = site.entry().needs.registry;
    let node = match is_of_registry {
        true => NodeId(0),
        false => NodeId(random.below(site.nodes().into()) as u32),
    };
    let from = random.below(HORIZON / 4);
    let returns = is_of_registry || one_in(random, 3);
    Outage { node, from, to: returns.then(|| from + random.between(1, HORIZON)) }
}

/// Crashes that an algorithm survives if they are detected, and the delay of the detection.
fn noticed_crashes(random: &mut Random, args: &mut RunArgs, site: &Site) -> Vec<Outage> {
    let needs = site.entry().needs;
    // Where delays are bounded, the last messages of a crashed node have arrived by then.
    let least = if needs.bounded { u64::from(site.number(MAX_DELAY.name)) + 1 } else { 1 };
    let notice = least + random.below(30);
    args.options.insert(NOTICE.name.to_owned(), notice.to_string());
    match needs.overlapping {
        true if one_in(random, 2) => outages_in_turn(random, site, notice),
        is_final => outages_at_once(random, site, notice, is_final),
    }
}

/// Crashes of any nodes at any times; unless they are final, most nodes return, and some of these
/// crash again.
fn outages_at_once(random: &mut Random, site: &Site, notice: u64, is_final: bool) -> Vec<Outage> {
    let forgets = |node| site.entry().needs.registry && node == NodeId(0);
    let mut crashes = Vec::new();
    for node in NodeId::all(site.nodes()) {
        let mut next = soon(random, HORIZON);
        while one_in(random, 3) {
            let from = next;
            let returns = !is_final && !forgets(node) && !one_in(random, 3);
            // A node that restarts before its crash is detected would be declared dead falsely.
            let to = returns.then(|| from + notice + 1 + soon(random, HORIZON));
            crashes.push(Outage { node, from, to });
            if parts(&crashes, site) {
                crashes.pop();
            }
            match to {
                Some(to) => next = to + 1 + soon(random, HORIZON),
                None => break,
            }
        }
    }
    crashes
}

/// The longest election after a crash or a return takes less than this many times the notice.
const CALM: u64 = 40;

/// Crashes one after the other, and returns, each after the elections that the last has caused.
fn outages_in_turn(random: &mut Random, site: &Site, notice: u64) -> Vec<Outage> {
    let mut crashes: Vec<Outage> = Vec::new();
    let mut next = random.below(HORIZON);
    for _ in 0..random.between(1, 4) {
        let node = NodeId(random.below(site.nodes().into()) as u32);
        if crashes.iter().any(|it| it.node == node && it.to.is_none()) {
            continue;
        }
        let from = next + CALM * notice;
        let to = (!one_in(random, 4)).then(|| from + CALM * notice + random.below(HORIZON));
        crashes.push(Outage { node, from, to });
        next = to.unwrap_or(from) + random.below(HORIZON);
    }
    crashes
}

/// Draws a time before this one, half of the time a short one.
fn soon(random: &mut Random, horizon: u64) -> u64 {
    match one_in(random, 2) {
        true => random.below(horizon / 10),
        false => random.below(horizon),
    }
}

/// Whether at some time the nodes that are up are disconnected.
pub(crate) fn parts(crashes: &[Outage], site: &Site) -> bool {
    if site.entry().needs.network != Network::Connected {
        return false; // Rings close the gap, and complete networks stay connected.
    }
    let is_out =
        |outage: &Outage, time| outage.from <= time && outage.to.is_none_or(|to| time < to);
    let is_connected = |time: u64| {
        let is_up = |node: &NodeId| !crashes.iter().any(|it| it.node == *node && is_out(it, time));
        let up: Vec<_> = NodeId::all(site.nodes()).filter(is_up).collect();
        let mut reached: Vec<_> = up.iter().copied().take(1).collect();
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            let others = site.graph().neighbours(node).filter(is_up);
            let news: Vec<_> = others.filter(|other| !reached.contains(other)).collect();
            reached.extend(news);
            next += 1;
        }
        reached.len() == up.len()
    };
    let mut times = crashes.iter().flat_map(|outage| [Some(outage.from), outage.to]).flatten();
    !times.all(is_connected)
}

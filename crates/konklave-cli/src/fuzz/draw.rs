//! The run that a seed draws, as the options of its command line.

use konklave_catalog::disorder::Disorder;
use konklave_catalog::entry::Entry;
use konklave_catalog::needs::{Network, Order};
use konklave_catalog::option::Draw;
use konklave_catalog::setup::{has_size, read_topology};
use konklave_catalog::site::Site;
use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Options};

use super::faults::{beyond, draw_faults};
use super::{FuzzArgs, Sizes};
use crate::args::{FaultArgs, RunArgs, TurnArgs};
use crate::failure::Failure;
use crate::given::Given;
use crate::run;

/// Everything that seeds can draw.
#[derive(Clone)]
pub struct Space {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The networks that the algorithm supports, and their sizes.
    places: Vec<(String, u32)>,
    /// The assumptions that may be violated; empty without `--beyond`.
    beyond: Vec<Option<Disorder>>,
    event_limit: Option<u64>,
    /// Whether links are always reliable.
    reliable: bool,
    /// The turns of nodes that act by themselves; none if they never do.
    turns: Option<TurnArgs>,
}

/// A run that a seed has drawn.
pub struct Drawn {
    /// The options of the command line.
    pub args: RunArgs,
    /// The assumption that the run violates.
    pub disorder: Option<Disorder>,
    /// The system.
    pub site: Site,
    /// The options of the simulation.
    pub options: Options,
}

impl Space {
    /// The space that the options describe.
    ///
    /// # Errors
    ///
    /// If no network of these sizes suits the algorithm.
    pub fn new(args: &FuzzArgs, entry: &'static Entry) -> Result<Self, Failure> {
        let topologies: Vec<&str> = match &args.topology {
            Some(topology) => vec![topology],
            None => topologies(entry.needs.network).to_vec(),
        };
        let mut places = Vec::new();
        let (mut problem, mut turns) = (None, None);
        for topology in topologies {
            // A network that fixes its size takes no --nodes.
            let is_sized = args.nodes.is_none() && has_size(&read_topology(topology)?);
            let Sizes { least, most } = args.nodes.unwrap_or_default();
            let sizes = match is_sized {
                true => vec![None],
                false => (least..=most).map(Some).collect(),
            };
            for nodes in sizes {
                let plain = RunArgs { reliable: args.reliable, ..plain(entry, topology, nodes) };
                match run::site(&plain, entry) {
                    Ok(site) => {
                        args.turns.refuse_if_foreign(&site)?;
                        if site.system()?.takes_turns() {
                            turns = Some(args.turns);
                        }
                        places.push((topology.to_owned(), nodes.unwrap_or(site.nodes())));
                    }
                    Err(failure) => problem = Some(failure),
                }
            }
        }
        match problem {
            Some(problem) if places.is_empty() => Err(problem),
            _ => {
                let beyond = if args.beyond { beyond(entry) } else { Vec::new() };
                let (event_limit, reliable) = (args.event_limit, args.reliable);
                Ok(Self { entry, places, beyond, event_limit, reliable, turns })
            }
        }
    }

    /// The range of the number of nodes.
    pub fn sizes(&self) -> Sizes {
        let sizes = || self.places.iter().map(|(_, nodes)| *nodes);
        let (least, most) = (sizes().min(), sizes().max());
        Sizes { least: least.unwrap_or(0), most: most.unwrap_or(0) }
    }

    /// The run that this seed draws.
    ///
    /// # Errors
    ///
    /// If it cannot be built, which is a bug.
    pub fn draw(&self, seed: u64) -> Result<Drawn, Failure> {
        let entry = self.entry;
        let mut random = random_of(seed);
        let (topology, nodes) = pick(&mut random, &self.places);
        let disorder = match self.beyond.is_empty() {
            true => None,
            false => *pick(&mut random, &self.beyond),
        };
        let mut args = plain(entry, topology, Some(*nodes));
        args.seed = seed;
        args.reliable = self.reliable;
        args.delay = delay(&mut random, entry);
        args.options = given(&mut random, entry, *nodes);
        // What needs a maximum delay does not happen where delays have none.
        if let Some(option) = entry.needs.bounded_with.filter(|_| args.delay.longest().is_none()) {
            args.options.remove(option);
        }
        let site = run::site(&args, entry)?;
        // What the drawn variant tolerates violates no assumption.
        let disorder = match disorder {
            Some(Disorder::Overtaking) if !site.needs_fifo() => None,
            Some(Disorder::Duplication) if site.survives_duplicates() => None,
            Some(Disorder::Loss) if site.survives_losses() => None,
            disorder => disorder,
        };
        draw_faults(&mut random, &mut args, &site, disorder);
        // Nodes that act by themselves go on while applications wait.
        let often = if self.turns.is_some() { TURNS } else { 1 };
        let enough = || (enough_steps(&args, &site) * often).min(STEPS_MAX);
        args.event_limit = Some(self.event_limit.unwrap_or_else(enough));
        if let Some(turns) = self.turns {
            let most = (2.0 * args.delay.mean()) as u64;
            let tick = turns.tick.or_else(|| Some(random.between(1, most.max(2))));
            args.turns = TurnArgs { tick, ..turns };
        }
        // How soon crashes are noticed was drawn with them.
        let is_same = args.options == site.setup().options && args.reliable == site.is_reliable();
        let site = if is_same { site } else { run::site(&args, entry)? };
        let options = run::options(&args, &site)?;
        Ok(Drawn { args, disorder, site, options })
    }
}

/// Networks of this kind.
fn topologies(network: Network) -> &'static [&'static str] {
    match network {
        Network::Ring => &["ring", "directed-ring"],
        Network::TwoWayRing => &["ring"],
        Network::Tree => &["tree:2", "line", "star", "random-tree"],
        Network::Complete => &["complete"],
        Network::Connected => {
            &["grid", "ring", "line", "complete", "star", "tree:2", "random-tree", "gnp:0.7"]
        }
    }
}

/// An event limit that is enough for a small system.
pub(super) const STEPS: u64 = 50_000;
/// How many times as many steps there are if nodes act by themselves.
const TURNS: u64 = 20;
/// The largest event limit, which takes minutes.
const STEPS_MAX: u64 = 100_000_000;

/// The default event limit: requests, and the recovery from crashes, take a few messages over each
/// link and between each pair of nodes.
fn enough_steps(args: &RunArgs, site: &Site) -> u64 {
    let nodes = u64::from(site.nodes());
    let requests = (site.entry().problem.requests)(site).map(|(count, _)| count);
    let requests = requests.unwrap_or(nodes * u64::from(site.repeats()));
    let occasions = requests + args.faults.crash.len() as u64;
    let ways = 2 * site.graph().edges() + nodes;
    let per_way = if args.reliable { 128 } else { 16 };
    occasions.saturating_mul(ways).saturating_mul(per_way).clamp(STEPS, STEPS_MAX)
}

/// A run with default options.
fn plain(entry: &Entry, topology: &str, nodes: Option<u32>) -> RunArgs {
    RunArgs {
        algorithm: entry.name.clone(),
        specimen: None,
        nodes,
        topology: Some(topology.to_owned()),
        seed: 1,
        delay: Delay::Constant(1),
        fifo: false,
        reliable: false,
        beyond: false,
        options: Given::new(),
        faults: FaultArgs::default(),
        turns: TurnArgs::default(),
        time_limit: None,
        event_limit: None,
        trace: None,
        states: false,
        history: None,
        dump: None,
        out: None,
        save_graph: None,
        json: false,
    }
}

/// A stream of its own, independent of what the simulator draws from the same seed.
pub(super) fn random_of(seed: u64) -> Random {
    Random::new(seed ^ 0x66_75_7a_7a, Stream::Network)
}

pub(super) fn pick<'a, T>(random: &mut Random, items: &'a [T]) -> &'a T {
    &items[random.below(items.len() as u64) as usize]
}

/// Draws true in one of this many cases.
pub(super) fn one_in(random: &mut Random, cases: u64) -> bool {
    random.below(cases) == 0
}

fn delay(random: &mut Random, entry: &Entry) -> Delay {
    let longest = random.between(2, 20);
    match random.below(6) {
        0 => Delay::Constant(random.between(1, 5)),
        1 => Delay::PerLink(1, longest),
        2 => Delay::Asymmetric(1, longest),
        3 if !entry.needs.bounded => Delay::Exponential(random.between(2, 10)),
        _ => Delay::Uniform(1, longest),
    }
}

/// Draws the options of the algorithm and of its problem.
fn given(random: &mut Random, entry: &Entry, nodes: u32) -> Given {
    let mut draw = Draw { random, needs: &entry.needs, nodes };
    let mut given = Given::new();
    for choice in entry.choices {
        given.extend((choice.draw)(&mut draw, choice).map(|it| (choice.name.to_owned(), it)));
    }
    for option in entry.problem.options {
        given.extend((option.draw)(&mut draw).map(|it| (option.name.to_owned(), it)));
    }
    given
}

/// Whether the run needs FIFO channels.
pub(super) fn needs_fifo(args: &RunArgs, site: &Site) -> bool {
    args.fifo || (site.needs_fifo() && !args.beyond)
}

/// Whether some variant of the algorithm needs FIFO channels.
pub(super) fn relies_on_order(entry: &Entry) -> bool {
    entry.needs.order != Order::Any
}

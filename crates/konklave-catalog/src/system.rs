//! A system of nodes of one algorithm: run, check, replay, play and shrink.

mod cast;
mod shorter;

use std::any::{Any, TypeId};
use std::io;

use konklave::NodeId;
use konklave::protocol::{Never, Protocol};
use konklave::trace::Line;
use konklave_check::shrink;
use konklave_check::{Coverage, World};
use konklave_sim::{Options, Progress, Recording, RunReport};
use konklave_stage::Stage;
use konklave_stage::erased::{AnyNode, Erased};
use konklave_stage::replay::Replayed;
use konklave_stage::script::Script;
use serde_json::{Map, Value as Json};

use crate::check::search;
use crate::problem::Problem;
use crate::quantity::Measures;
use crate::refusal::Refusal;
use crate::site::Site;
use crate::stage::AnyStage;
use cast::{Cast, Hall, Typed, Untyped, typed};
pub use shorter::Shorter;
use shorter::shorten;

/// Nodes of one algorithm at one site, as an entry of the catalogue builds them.
pub trait System {
    /// Simulates a run. `go_on` is called from time to time and can stop it.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site, or the trace cannot be written.
    fn run(
        &self,
        options: &Options,
        watch: Watch<'_>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<RunReport<Measures>, Refusal>;

    /// Checks every schedule.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site.
    fn check(
        &self,
        plan: &CheckPlan,
        go_on: &mut dyn FnMut(konklave_check::Progress) -> bool,
    ) -> Result<Checked, Refusal>;

    /// The names of the promises and lemmas that such a check decides.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site.
    fn promises(&self, plan: &CheckPlan) -> Result<Vec<&'static str>, Refusal>;

    /// Replays the lines of a trace after its header; `show` receives each of them.
    ///
    /// # Errors
    ///
    /// If a step differs from the recording.
    fn replay(
        &self,
        lines: &mut dyn Iterator<Item = io::Result<String>>,
        show: &mut dyn FnMut(&Line<Erased>),
    ) -> Result<Replayed, Refusal>;

    /// Plays a golden script, and returns its text with the actions of the nodes.
    ///
    /// # Errors
    ///
    /// If a command of the script cannot be carried out.
    fn play(&self, script: &Script) -> Result<String, Refusal>;

    /// Shrinks a schedule until nothing more can be removed and the same promise breaks. If a node
    /// is `gone`, the schedule is of a system that has this node, too.
    ///
    /// # Errors
    ///
    /// If the schedule breaks no promise, cannot be replayed, or does not break the promise without
    /// the node.
    fn shrink(
        &self,
        lines: &[String],
        gone: Option<NodeId>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Shorter, Refusal>;

    /// The system that a check explores first, an [`Explored`] of its problem, for callers that
    /// know it.
    ///
    /// # Errors
    ///
    /// If the options do not suit the site.
    fn explored(&self, plan: &CheckPlan) -> Result<Box<dyn Any>, Refusal>;

    /// The system before anything has happened, to be stepped action by action.
    ///
    /// # Errors
    ///
    /// If what was asked of the applications cannot be done here.
    fn stage(&self, plan: &CheckPlan) -> Result<Box<dyn AnyStage>, Refusal>;

    /// Whether its nodes set timers.
    fn has_timers(&self) -> bool;

    /// Whether its runs have histories.
    fn has_history(&self) -> bool;

    /// Whether its nodes act by themselves.
    fn takes_turns(&self) -> bool;

    /// The damages that its algorithm has names for.
    fn damages(&self) -> &'static [&'static str];

    /// Whether it is self-stabilising: then some states are legal.
    fn is_self_stabilising(&self) -> bool;
}

/// The system that a check of this problem explores: nodes, clients and a monitor.
pub type Explored<X> = konklave_check::System<
    AnyNode<<X as Problem>::Command, <X as Problem>::Event>,
    <X as Problem>::Client,
    <X as Problem>::Monitor,
>;

/// The observers of a simulation.
#[derive(Default)]
pub struct Watch<'a> {
    /// Records every step.
    pub trace: Option<Recording<'a>>,
    /// Counts the states of the monitor.
    pub coverage: Option<&'a Coverage>,
    /// Whether all operations are kept, for a history.
    pub history: bool,
    /// Whether the nodes are described in the end.
    pub dump: bool,
}

/// The plan of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckPlan {
    /// The search.
    pub options: konklave_check::Options,
    /// The assumptions about order, timers and faults.
    pub world: World,
    /// The number of commands of each node's application, if given.
    pub budget: Option<Vec<u32>>,
}

/// The result of a check; schedules are the lines of a trace.
pub type Checked = konklave_check::SearchReport<Vec<Line<Erased>>>;

/// A problem, a site and the nodes there. Their type is erased, so that this is compiled once for
/// each problem.
struct Nodes<'a, X> {
    problem: X,
    site: &'a Site,
    nodes: Box<dyn Cast<X> + 'a>,
    has_timers: bool,
}

/// What a node has come to, as the fields of a JSON object. A number that may be larger than 2^53
/// is written as text: other programs would round it.
pub type Description = Map<String, Json>;

/// The system of nodes that `make` builds at a site.
pub fn nodes<'a, X, P>(
    problem: X,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
) -> Box<dyn System + 'a>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    surveyed_nodes(problem, site, make, |_, _| Measures::default())
}

/// The system of nodes that `make` builds, which are measured at the end of a run.
pub fn surveyed_nodes<'a, X, P>(
    problem: X,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
    survey: impl Fn(&[&P], &Measures) -> Measures + 'a,
) -> Box<dyn System + 'a>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    described_nodes(problem, site, make, survey, |node: &P| {
        Map::from_iter([("state".to_owned(), format!("{node:?}").into())])
    })
}

/// The same, which are also described at the end of a run, if that is asked for.
pub fn described_nodes<'a, X, P>(
    problem: X,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
    survey: impl Fn(&[&P], &Measures) -> Measures + 'a,
    describe: impl Fn(&P) -> Description + 'a,
) -> Box<dyn System + 'a>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    let (survey, describe) = (Box::new(survey), Box::new(describe));
    let typed = Typed { make: Box::new(make), survey, describe };
    Box::new(Nodes { problem, site, nodes: Box::new(typed), has_timers: has_timers::<P>() })
}

/// The system of nodes that `make` builds, type-erased in simulations, too: these take longer, but
/// no code is compiled for the algorithm alone.
pub fn erased_nodes<'a, X, P>(
    problem: X,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
) -> Box<dyn System + 'a>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    surveyed_erased_nodes(problem, site, make, |_: &[&P], _| Measures::default())
}

/// The same, which are measured at the end of a run.
pub fn surveyed_erased_nodes<'a, X, P>(
    problem: X,
    site: &'a Site,
    make: impl Fn(NodeId) -> P + 'a,
    survey: impl Fn(&[&P], &Measures) -> Measures + 'a,
) -> Box<dyn System + 'a>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    let survey = move |nodes: &[&AnyNode<X::Command, X::Event>], so_far: &Measures| {
        survey(&typed(nodes), so_far)
    };
    let make = Box::new(move |me| AnyNode::new(make(me)));
    let nodes = Box::new(Untyped { make, survey: Box::new(survey) });
    Box::new(Nodes { problem, site, nodes, has_timers: has_timers::<P>() })
}

fn has_timers<P: Protocol>() -> bool {
    TypeId::of::<P::Timer>() != TypeId::of::<Never>()
}

/// Simulations must be fast, and are compiled for each algorithm, unless links are reliable.
/// Everything else uses type-erased nodes.
impl<X: Problem> System for Nodes<'_, X> {
    fn run(
        &self,
        options: &Options,
        watch: Watch<'_>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<RunReport<Measures>, Refusal> {
        let mut hall = Hall { problem: &self.problem, site: self.site, options, watch, go_on };
        match self.site.is_reliable() {
            false => self.nodes.simulate(&mut hall),
            true => hall.simulate(&|me| self.erased(me), &|nodes, so_far, dumps| {
                self.nodes.look(nodes, so_far, dumps)
            }),
        }
    }

    fn check(
        &self,
        plan: &CheckPlan,
        go_on: &mut dyn FnMut(konklave_check::Progress) -> bool,
    ) -> Result<Checked, Refusal> {
        let explored = explored(&self.problem, self.site, &|me| self.erased(me), plan)?;
        let plain = self.problem.plain_monitor(self.site);
        let report = search::<X>(explored, plain, plan.options.clone(), go_on);
        Ok(report.map(|lines| lines.iter().map(AnyNode::erase).collect()))
    }

    fn promises(&self, plan: &CheckPlan) -> Result<Vec<&'static str>, Refusal> {
        Ok(explored(&self.problem, self.site, &|me| self.erased(me), plan)?.promises())
    }

    fn stage(&self, plan: &CheckPlan) -> Result<Box<dyn AnyStage>, Refusal> {
        let clients = self.problem.clients(self.site, plan.budget.as_deref())?;
        let nodes: Vec<_> = NodeId::all(clients.len() as u32).map(|me| self.erased(me)).collect();
        let invariants = nodes.first().map_or_else(Vec::new, |node| node.invariants());
        let stage = Stage::new(nodes, clients, self.problem.monitor(self.site));
        let stage = stage.ruled(plan.world.order, plan.world.pace);
        Ok(Box::new(stage.watched(invariants)))
    }

    fn explored(&self, plan: &CheckPlan) -> Result<Box<dyn Any>, Refusal> {
        let explored = explored(&self.problem, self.site, &|me| self.erased(me), plan)?;
        Ok(Box::new(match self.problem.plain_monitor(self.site) {
            Some(plain) => Explored::<X> { monitor: plain, ..explored },
            None => explored,
        }))
    }

    fn replay(
        &self,
        lines: &mut dyn Iterator<Item = io::Result<String>>,
        show: &mut dyn FnMut(&Line<Erased>),
    ) -> Result<Replayed, Refusal> {
        let monitor = self.problem.monitor(self.site);
        konklave_stage::replay::replay(
            lines,
            self.site.nodes(),
            &|me| self.erased(me),
            monitor,
            show,
        )
        .map_err(|error| Refusal::new(error.to_string()))
    }

    fn play(&self, script: &Script) -> Result<String, Refusal> {
        let nodes = NodeId::all(self.site.nodes()).map(|me| self.erased(me)).collect();
        let played = script.play(nodes, self.problem.monitor(self.site));
        played.map_err(|error| Refusal::new(error.to_string()))
    }

    fn shrink(
        &self,
        lines: &[String],
        gone: Option<NodeId>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Shorter, Refusal> {
        let make = |me| self.erased(me);
        let (nodes, monitor) = (self.site.nodes(), self.problem.monitor(self.site));
        shorten(&make, lines, |lines| {
            shrink::shrink::<_, X::Client, _>(make, nodes, monitor, gone, lines, go_on)
        })
    }

    fn has_timers(&self) -> bool {
        self.has_timers || self.site.is_reliable()
    }

    fn has_history(&self) -> bool {
        X::HAS_HISTORY
    }

    fn takes_turns(&self) -> bool {
        self.nodes.erased(NodeId(0)).ticks()
    }

    fn damages(&self) -> &'static [&'static str] {
        self.nodes.erased(NodeId(0)).damages()
    }

    fn is_self_stabilising(&self) -> bool {
        self.nodes.erased(NodeId(0)).legality().is_some()
    }
}

impl<X: Problem> Nodes<'_, X> {
    fn erased(&self, me: NodeId) -> AnyNode<X::Command, X::Event> {
        let node = self.nodes.erased(me);
        let node = match self.site.reliable_links() {
            Some((order, period)) => node.reliable(order, period),
            None => node,
        };
        match self.site.entry().needs.shortcuts || self.site.graph().is_complete() {
            true => node,
            false => node.among(self.site.graph().neighbours(me)),
        }
    }
}

/// Builds a type-erased node.
type Make<'a, X> = &'a dyn Fn(NodeId) -> AnyNode<<X as Problem>::Command, <X as Problem>::Event>;

fn explored<X: Problem>(
    problem: &X,
    site: &Site,
    make: Make<'_, X>,
    plan: &CheckPlan,
) -> Result<Explored<X>, Refusal> {
    let clients = problem.clients(site, plan.budget.as_deref())?;
    Ok(konklave_check::System::new(make, clients, problem.monitor(site), plan.world))
}

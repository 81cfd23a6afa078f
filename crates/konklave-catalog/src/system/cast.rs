//! The nodes of a system, and their simulation: the only thing that is compiled for each algorithm.

use konklave::NodeId;
use konklave::protocol::Protocol;
use konklave_check::Noted;
use konklave_sim::{Options, Progress, RunReport, Simulation};
use konklave_stage::erased::AnyNode;

use super::{Description, Watch};
use crate::problem::Problem;
use crate::quantity::Measures;
use crate::refusal::Refusal;
use crate::site::Site;

/// A node whose type is erased, of an algorithm for this problem.
type Any<X> = AnyNode<<X as Problem>::Command, <X as Problem>::Event>;

/// Nodes of one algorithm for a problem: what needs their type.
pub(super) trait Cast<X: Problem> {
    /// Builds a node and erases its type.
    fn erased(&self, me: NodeId) -> Any<X>;

    /// Simulates the nodes, without reliable links.
    fn simulate(&self, hall: &mut Hall<'_, X>) -> Result<RunReport<Measures>, Refusal>;

    /// Measures erased nodes at the end of a run, and describes them if that was asked for.
    fn look(&self, nodes: &[&Any<X>], so_far: Measures, dumps: bool) -> Measures;
}

/// Nodes that are simulated as what they are.
pub(super) struct Typed<'a, P> {
    pub(super) make: Box<dyn Fn(NodeId) -> P + 'a>,
    /// Measures the nodes at the end of a run; it is told what else was measured.
    pub(super) survey: Box<Survey<'a, P>>,
    /// Describes a node at the end of a run.
    pub(super) describe: Box<Describe<'a, P>>,
}

type Survey<'a, P> = dyn Fn(&[&P], &Measures) -> Measures + 'a;
type Describe<'a, P> = dyn Fn(&P) -> Description + 'a;

impl<X, P> Cast<X> for Typed<'_, P>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    fn erased(&self, me: NodeId) -> Any<X> {
        AnyNode::new((self.make)(me))
    }

    fn simulate(&self, hall: &mut Hall<'_, X>) -> Result<RunReport<Measures>, Refusal> {
        hall.simulate(&self.make, &|nodes, so_far, dumps| self.look(nodes, so_far, dumps))
    }

    fn look(&self, nodes: &[&Any<X>], so_far: Measures, dumps: bool) -> Measures {
        self.look(&typed(nodes), so_far, dumps)
    }
}

/// Erased nodes as what they are.
pub(super) fn typed<'n, P: Protocol>(nodes: &[&'n AnyNode<P::Command, P::Event>]) -> Vec<&'n P> {
    let typed = nodes.iter().map(|node| node.get().expect("the nodes of a system have one type"));
    typed.collect()
}

impl<P> Typed<'_, P> {
    fn look(&self, nodes: &[&P], so_far: Measures, dumps: bool) -> Measures {
        let surveyed = (self.survey)(nodes, &so_far);
        let mut measures = so_far.and(surveyed);
        measures.dump = dumps.then(|| dump(nodes.iter().map(|node| (self.describe)(node))));
        measures
    }
}

/// Nodes that are simulated without their type: that takes longer, but is compiled once for each
/// problem.
pub(super) struct Untyped<'a, X: Problem> {
    pub(super) make: Box<dyn Fn(NodeId) -> Any<X> + 'a>,
    pub(super) survey: Box<Survey<'a, Any<X>>>,
}

impl<X: Problem> Cast<X> for Untyped<'_, X> {
    fn erased(&self, me: NodeId) -> Any<X> {
        (self.make)(me)
    }

    fn simulate(&self, hall: &mut Hall<'_, X>) -> Result<RunReport<Measures>, Refusal> {
        hall.simulate(&self.make, &|nodes, so_far, dumps| self.look(nodes, so_far, dumps))
    }

    fn look(&self, nodes: &[&Any<X>], so_far: Measures, dumps: bool) -> Measures {
        let state = |node: &&Any<X>| ("state".to_owned(), format!("{node:?}").into());
        let described = || nodes.iter().map(|node| [state(node)].into_iter().collect());
        let surveyed = (self.survey)(nodes, &so_far);
        let mut measures = so_far.and(surveyed);
        measures.dump = dumps.then(|| dump(described()));
        measures
    }
}

fn dump(described: impl Iterator<Item = Description>) -> Vec<Description> {
    let id = |node: u32| ("id".to_owned(), node.into());
    (0..).zip(described).map(|(node, it)| [id(node)].into_iter().chain(it).collect()).collect()
}

/// Where nodes are simulated, and how.
pub(super) struct Hall<'a, X> {
    pub(super) problem: &'a X,
    pub(super) site: &'a Site,
    pub(super) options: &'a Options,
    pub(super) watch: Watch<'a>,
    pub(super) go_on: &'a mut dyn FnMut(Progress) -> bool,
}

/// Adds to what was measured what can be seen of the nodes, and describes them if asked to.
type Look<'a, Q> = &'a dyn Fn(&[&Q], Measures, bool) -> Measures;

impl<X: Problem> Hall<'_, X> {
    /// Simulates the nodes that `make` builds, and looks at them in the end.
    pub(super) fn simulate<Q: Protocol<Command = X::Command, Event = X::Event>>(
        &mut self,
        make: &dyn Fn(NodeId) -> Q,
        look: Look<'_, Q>,
    ) -> Result<RunReport<Measures>, Refusal> {
        let nodes = self.site.nodes();
        let mut workload = self.problem.workload(self.site, self.options)?;
        if self.watch.history {
            X::keep_history(&mut workload);
        }
        let monitor = Noted::new(self.problem.monitor(self.site), self.watch.coverage.cloned());
        let mut simulation = Simulation::new(self.options.clone(), nodes, make, workload, monitor);
        if !self.site.entry().needs.shortcuts {
            simulation.connect(self.site.graph());
        }
        if let Some(trace) = self.watch.trace.take() {
            simulation.record(trace);
        }
        let report = simulation.run(self.go_on).map_err(|error| {
            Refusal::new(format!("cannot write the trace: {error}; it is incomplete"))
        })?;
        let last: Vec<&Q> = NodeId::all(nodes).map(|node| simulation.node(node)).collect();
        Ok(report.map(|measured| look(&last, X::measures(measured, nodes), self.watch.dump)))
    }
}

//! Simulates the nodes of a system, bare or with reliable links, and looks at them in the end.

use konklave::NodeId;
use konklave::protocol::{Data, Protocol};
use konklave_check::Noted;
use konklave_sim::{Options, Progress, RunReport, Simulation};
use konklave_stage::erased::AnyNode;

use super::{Description, Nodes, Watch};
use crate::problem::Problem;
use crate::quantity::Measures;
use crate::refusal::Refusal;

impl<X, P> Nodes<'_, X, P>
where
    X: Problem,
    P: Protocol<Command = X::Command, Event = X::Event>,
{
    /// Simulates nodes that `make` builds, each of them around one of this system's.
    pub(super) fn simulate<Q: Protocol<Command = X::Command, Event = X::Event>>(
        &self,
        make: impl Fn(NodeId) -> Q,
        inside: fn(&Q) -> &P,
        options: &Options,
        watch: Watch<'_>,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<RunReport<Measures>, Refusal> {
        let nodes = self.site.nodes();
        let mut workload = self.problem.workload(self.site, options)?;
        if watch.history {
            X::keep_history(&mut workload);
        }
        let monitor = Noted::new(self.problem.monitor(self.site), watch.coverage.cloned());
        let mut simulation = Simulation::new(options.clone(), nodes, make, workload, monitor);
        if !self.site.entry().needs.shortcuts {
            simulation.connect(self.site.graph());
        }
        if let Some(trace) = watch.trace {
            simulation.record(trace);
        }
        let report = simulation.run(go_on).map_err(|error| {
            Refusal::new(format!("cannot write the trace: {error}; it is incomplete"))
        })?;
        let last: Vec<&P> = NodeId::all(nodes).map(|node| inside(simulation.node(node))).collect();
        Ok(report.map(|measured| {
            let measures = X::measures(measured, nodes);
            let surveyed = (self.survey)(&last, &measures);
            let mut measures = measures.and(surveyed);
            measures.dump = watch.dump.then(|| self.dump(&last));
            measures
        }))
    }

    fn dump(&self, nodes: &[&P]) -> Vec<Description> {
        let id = |node: u32| ("id".to_owned(), node.into());
        let described = nodes.iter().map(|node| (self.describe)(node));
        (0..).zip(described).map(|(node, it)| [id(node)].into_iter().chain(it).collect()).collect()
    }
}

/// The node before it was erased.
pub(super) fn unerased<C: Data, E: Data, P: 'static>(node: &AnyNode<C, E>) -> &P {
    node.get().expect("the nodes of a system have one type")
}

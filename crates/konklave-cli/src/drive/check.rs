//! Looks at every schedule of a system. What algorithms differ in ends here: reports are the same
//! for all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use konklave::NodeId;
use konklave::booking::Interval;
use konklave::protocol::{Data, Monitor};
use konklave::trace::{Header, Line, VERSION};
use konklave_check::application::{Application, Guest, Visitor, Voter};
use konklave_check::{Options, Order, Pace, Progress, Report, System, World, explore};
use konklave_sim::workload::Members;
use konklave_sim::write_line;
use konklave_stage::erased::AnyNode;
use serde_json::Value;

use super::{members, refuse_rivals};
use crate::failure::Failure;
use crate::output::counted;
use crate::replay::describe;
use crate::setup::Setup;
use crate::site::Site;

/// How a system is to be checked.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// The search.
    pub options: Options,
    /// The world around the nodes.
    pub world: World,
    /// How many commands each node's application has, if the user says so for each.
    pub budget: Option<Vec<u32>>,
    /// How often each node enters, or tries to.
    pub entries: u32,
    /// Who starts elections.
    pub initiators: Members,
}

/// What came of a check.
pub type Checked = Report<Told>;

/// A schedule in both forms.
#[derive(Clone, Debug)]
pub struct Told {
    /// As the lines of a trace, without its header.
    pub trace: Vec<String>,
    /// For people.
    pub text: Vec<String>,
}

impl Told {
    pub(super) fn new<C: Data, E: Data>(lines: &[Line<AnyNode<C, E>>]) -> Self {
        let words: Vec<_> = lines.iter().map(AnyNode::erase).collect();
        let json = |line| serde_json::to_string(line).expect("what is in a trace can be written");
        Self { trace: words.iter().map(json).collect(), text: words.iter().map(describe).collect() }
    }

    /// Writes it as a trace of a system that was built at this site.
    pub(crate) fn write(&self, path: &Path, site: &Site) -> Result<(), Failure> {
        let write = || {
            let mut out = BufWriter::new(File::create(path)?);
            write_line(&mut out, &header(site))?;
            for line in &self.trace {
                writeln!(out, "{line}")?;
            }
            out.flush()
        };
        write().map_err(|error| Failure::file("write the schedule", path, &error))
    }

    /// The lines of that trace.
    pub(crate) fn to_json(&self, site: &Site) -> io::Result<Vec<Value>> {
        let mut lines = vec![serde_json::to_value(header(site))?];
        for line in &self.trace {
            lines.push(serde_json::from_str(line)?);
        }
        Ok(lines)
    }

    /// For people, a line each.
    pub(crate) fn text_lines(&self) -> impl Iterator<Item = String> + '_ {
        self.text.iter().flat_map(|text| text.lines()).map(str::to_owned)
    }
}

fn header(site: &Site) -> Header<Setup> {
    Header { konklave_trace: VERSION, setup: site.setup().clone() }
}

/// Looks at every schedule of these nodes.
pub(super) fn check<A, M>(
    make: &dyn Fn(NodeId) -> AnyNode<M::Command, M::Event>,
    applications: Vec<A>,
    monitor: M,
    plan: &CheckPlan,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Checked
where
    A: Application<Command = M::Command, Event = M::Event>,
    M: Monitor,
{
    let system = System::new(make, applications, monitor, plan.world);
    explore(system, plan.options, go_on).map(|lines| Told::new(&lines))
}

impl CheckPlan {
    /// How many commands each node's application has.
    fn budgets(&self, site: &Site, usual: impl Fn(u32) -> u32) -> Result<Vec<u32>, Failure> {
        let budgets = match &self.budget {
            None => (0..site.nodes()).map(usual).collect(),
            Some(budget) if budget.len() == site.nodes() as usize => budget.clone(),
            Some(budget) => {
                return Err(Failure::bad(format!(
                    "--budget has {} for {}: write one for each",
                    counted(budget.len() as u64, "number", "numbers"),
                    counted(site.nodes().into(), "node", "nodes")
                )));
            }
        };
        match budgets.iter().all(|&budget| budget == 0) {
            true => Err(Failure::bad("nobody asks for anything, so there is nothing to check")),
            false => Ok(budgets),
        }
    }

    pub(super) fn visitors(&self, site: &Site) -> Result<Vec<Visitor>, Failure> {
        let budgets = self.budgets(site, |_| self.entries)?;
        Ok(budgets.into_iter().map(Visitor::new).collect())
    }

    /// Each node books intervals that overlap those of its neighbours and no others.
    pub(super) fn guests(&self, site: &Site) -> Result<Vec<Guest>, Failure> {
        let budgets = self.budgets(site, |_| self.entries)?.into_iter().zip(0..);
        let wishes = |(count, node): (u32, u32)| {
            let interval = Interval { start: node, end: node + 2 };
            Guest::new(vec![interval; count as usize])
        };
        Ok(budgets.map(wishes).collect())
    }

    pub(super) fn voters(&self, site: &Site) -> Result<Vec<Voter>, Failure> {
        let initiators = members("--initiators", &self.initiators, site)?;
        let elections = site.setup().elections;
        let usual = |node| match initiators.iter().any(|initiator| initiator.0 == node) {
            true => elections,
            false => 0,
        };
        let budgets = self.budgets(site, usual)?;
        refuse_rivals(budgets.iter().filter(|budget| **budget > 0).count(), site)?;
        let mut voters: Vec<_> = budgets.into_iter().map(Voter::new).collect();
        if self.budget.is_none() {
            voters = voters.into_iter().map(Voter::content).collect();
        }
        if site.entry().needs.notices {
            voters = voters.into_iter().map(Voter::noticing).collect();
        }
        Ok(voters)
    }
}

/// A world for the algorithm of this site, without faults.
pub fn world(site: &Site, order: Option<Order>, pace: Pace) -> World {
    let needed = if site.needs_fifo() { Order::Fifo } else { Order::Any };
    World {
        order: order.unwrap_or(needed),
        pace,
        perpetual: site.entry().needs.perpetual,
        ..World::new()
    }
}

//! Removes nodes from a schedule, one after the other.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::trace::{Fault, Line, Step};
use konklave_catalog::option::{IDS, Verb};
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_stage::erased::Erased;

use super::Broke;
use crate::quiet::quietly;

/// The schedule in as few nodes as possible: as long as the promise still breaks without one of
/// them, that node is removed with all that happens there, and the rest is repaired.
pub(super) fn remove_nodes(mut broke: Broke, go_on: &mut dyn FnMut() -> bool) -> Broke {
    while !broke.shorter.is_interrupted {
        let least_first = by_involvement(broke.site.nodes(), &broke.shorter.schedule);
        let lines = broke.shorter.schedule.iter().map(serde_json::to_string);
        let Ok(lines) = lines.collect::<Result<Vec<_>, _>>() else { break };
        let fewer = least_first.into_iter().find_map(|gone| {
            sites_without(&broke.site, gone).into_iter().find_map(|site| {
                let system = site.system().ok()?;
                let shorter = quietly(|| system.shrink(&lines, Some(gone), go_on)).ok()?;
                drop(system);
                Some(Broke { site, shorter })
            })
        });
        match fewer {
            Some(fewer) => broke = fewer,
            None => break,
        }
    }
    broke
}

/// The nodes, those at which the least happens first; of equals, the last first, because the first
/// nodes often have special tasks.
fn by_involvement(nodes: u32, schedule: &[Line<Erased>]) -> Vec<NodeId> {
    let mut involved = vec![0_u32; nodes as usize];
    for line in schedule {
        match line {
            Line::Step(Step { node, .. })
            | Line::Fault { what: Fault::Crash(node) | Fault::Restart(node), .. } => {
                involved[node.index()] += 1;
            }
            _ => {}
        }
    }
    let mut all: Vec<_> = NodeId::all(nodes).collect();
    all.sort_by_key(|node| (involved[node.index()], u32::MAX - node.0));
    all
}

/// The options of a smaller system: those that are about its nodes. Applications make only the
/// requests of the schedule. What a file says about a node cannot be said about fewer.
pub(super) fn smaller_setup(site: &Site, nodes: u32) -> Setup {
    let (entry, problem) = (site.entry(), site.entry().problem);
    let mut setup = Setup { nodes, ..site.setup().clone() };
    let files = std::mem::take(&mut setup.files);
    setup.options.retain(|name, _| {
        let is_repetition = problem.repeats.is_some_and(|option| option.name == name);
        let is_of_nodes = entry.choice(name).is_some() || name == IDS.name || is_repetition;
        is_of_nodes && !files.contains_key(name)
    });
    setup
}

/// The systems that could be this one without a node: the same topology with a node less, or what
/// is left of the network. The others keep their ids.
fn sites_without(site: &Site, gone: NodeId) -> Vec<Site> {
    let nodes = site.nodes() - 1;
    if nodes == 0 {
        return Vec::new();
    }
    let mut setup = smaller_setup(site, nodes);
    if !site.ids().is_empty() {
        let others = NodeId::all(site.nodes()).filter(|node| *node != gone);
        let ids: Vec<_> = others.map(|node| site.id(node).to_string()).collect();
        setup = setup.with(IDS.name, format!("list:{}", ids.join(",")));
    }
    let rest = rest_of_network(site, gone).map(|graph| Setup {
        graph: Some(graph),
        topology: String::new(),
        ..setup.clone()
    });
    let same = setup.graph.is_none().then_some(setup);
    let sites = same.into_iter().chain(rest);
    let sites = sites.filter_map(|setup| Site::new(setup, site.entry(), Verb::Check).ok());
    sites.filter(|smaller| smaller.nodes() == nodes).collect()
}

/// The network without a node, as DOT; none if it is complete, which the topology says better, or
/// falls apart.
fn rest_of_network(site: &Site, gone: NodeId) -> Option<String> {
    let graph = site.graph();
    if graph.is_complete() || graph.is_directed() {
        return None;
    }
    let others = || NodeId::all(graph.nodes()).filter(|node| *node != gone);
    let mut reached: BTreeSet<_> = others().take(1).collect();
    let mut next: Vec<_> = reached.iter().copied().collect();
    while let Some(node) = next.pop() {
        let more = graph.neighbours(node).filter(|it| *it != gone);
        next.extend(more.filter(|it| reached.insert(*it)));
    }
    if reached.len() + 1 != graph.nodes() as usize {
        return None;
    }
    let name = |node: NodeId| if node > gone { node.0 - 1 } else { node.0 };
    let nodes = others().map(|node| format!("{};", name(node)));
    let edges = graph.iter_edges().filter(|(from, to)| *from != gone && *to != gone);
    let edges = edges.map(|(from, to)| format!("{} -- {};", name(from), name(to)));
    Some(format!("graph {{ {} }}", nodes.chain(edges).collect::<Vec<_>>().join(" ")))
}

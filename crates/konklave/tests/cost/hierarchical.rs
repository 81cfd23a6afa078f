//! Clusters: three messages within one, and what their representatives take, shared by a batch.

use konklave::NodeId;
use konklave::mutex::hierarchical::Hierarchical;
use konklave::mutex::naimi_trehel::NaimiTrehel;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::{Delay, Options};

use super::chang_roberts::harmonic;
use super::lock::{ROUNDS, assert_saturated, plan, run, saturated};
use super::turns::{Turn, assert_mean, mean_costs, schedules, turns, uniform};

const BOUND: u32 = 4;

fn naimi_trehel(clusters: u32) -> impl Fn(NodeId) -> Hierarchical<NaimiTrehel> + Copy {
    move |me| Hierarchical::new(me, clusters, BOUND, |me| NaimiTrehel::new(me, NodeId(0)))
}

fn ricart_agrawala(clusters: u32) -> impl Fn(NodeId) -> Hierarchical<RicartAgrawala> + Copy {
    move |me| Hierarchical::new(me, clusters, BOUND, |me| RicartAgrawala::new(me, clusters))
}

/// Representatives on a line.
fn raymond(clusters: u32) -> impl Fn(NodeId) -> Hierarchical<Raymond> + Copy {
    move |me| {
        let holder = |me: NodeId| NodeId(me.0.saturating_sub(1));
        let line = |me| Raymond::new(me, holder(me), Variant::Plain);
        Hierarchical::new(me, clusters, BOUND, line)
    }
}

const SIZES: [(u32, u32); 5] = [(1, 1), (4, 2), (9, 3), (13, 3), (20, 5)];

/// The turns of the representatives alone.
fn representatives(order: &[NodeId], clusters: u32) -> Vec<NodeId> {
    order.iter().map(|node| NodeId(node.0 % clusters)).collect()
}

#[test]
fn an_entry_costs_three_messages_in_the_cluster_and_a_turn_of_its_representative() {
    for (nodes, clusters) in SIZES {
        for options in schedules() {
            let order = uniform(nodes, 50, options.seed);
            let above = representatives(&order, clusters);
            let check = |name: &str, played: Vec<Turn>, alone: Vec<Turn>| {
                for (turn, alone) in played.iter().zip(alone) {
                    let is_client = turn.node.0 >= clusters;
                    let (messages, wait) = if is_client { (3, 2) } else { (0, 0) };
                    let context = format!("{name}, {nodes}, {clusters}, {turn:?}, {options:?}");
                    assert_eq!(turn.messages, messages + alone.messages, "{context}");
                    if options.delay == Delay::Constant(1) {
                        assert_eq!(turn.waited, wait + alone.waited, "{context}");
                    }
                }
            };
            check(
                "naimi-trehel",
                turns(&options, nodes, &order, naimi_trehel(clusters)),
                turns(&options, clusters, &above, |me| NaimiTrehel::new(me, NodeId(0))),
            );
            check(
                "ricart-agrawala",
                turns(&options, nodes, &order, ricart_agrawala(clusters)),
                turns(&options, clusters, &above, |me| RicartAgrawala::new(me, clusters)),
            );
            let line =
                |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
            check(
                "raymond",
                turns(&options, nodes, &order, raymond(clusters)),
                turns(&options, clusters, &above, line),
            );
        }
    }
}

#[test]
fn the_mean_is_that_of_clients_and_of_representatives() {
    // Clusters of one size, so that each representative is as likely as any other.
    for (nodes, clusters) in [(6, 2), (12, 3), (20, 4), (30, 5)] {
        let clients = 3.0 * f64::from(nodes - clusters) / f64::from(nodes);
        let context = format!("{nodes} nodes, {clusters} clusters");
        let costs = mean_costs(40, 200, |seed| {
            let order = uniform(nodes, 1200, seed);
            turns(&Options::default(), nodes, &order, naimi_trehel(clusters))
        });
        assert_mean(&costs, clients + harmonic(clusters - 1), &context);
        let costs = mean_costs(40, 200, |seed| {
            let order = uniform(nodes, 1200, seed);
            turns(&Options::default(), nodes, &order, raymond(clusters))
        });
        // Two representatives on a line are (m+1)/3 (m-1)/m apart, one place in m being the same.
        let m = f64::from(clusters);
        assert_mean(&costs, clients + 2.0 * (m + 1.0) / 3.0 * (m - 1.0) / m, &context);
    }
}

#[test]
fn under_heavy_load_a_batch_shares_the_cost_of_its_representative() {
    for clusters in [2, 3, 4, 5] {
        let nodes = 4 * clusters;
        let m = f64::from(clusters);
        let batch = f64::from(BOUND);
        // Of four nodes in a cluster three are clients.
        let (clients, hand_over) = (3.0 * 0.75, 2.0 * 0.75);
        let (path, hop) = ((4.0 * m - 2.0) / (m + 1.0), 1.0);
        let context = format!("{clusters} clusters");
        let messages = clients + path / batch;
        let make = naimi_trehel(clusters);
        assert_saturated(nodes, messages, hand_over + hop / batch, &context, make);
        let messages = clients + 2.0 * (m - 1.0) / batch;
        let make = ricart_agrawala(clusters);
        assert_saturated(nodes, messages, hand_over + hop / batch, &context, make);
        let (walk, steps) = (4.0 * (m - 1.0) / m, 2.0 * (m - 1.0) / m);
        let make = raymond(clusters);
        let messages = clients + walk / batch;
        assert_saturated(nodes, messages, hand_over + steps / batch, &context, make);
    }
}

#[test]
fn thirteen_nodes_in_three_clusters_cost_what_the_dossier_says() {
    // mutex.md 7: 3.8 under light load, 2.9 under heavy load.
    let costs = mean_costs(20, 200, |seed| {
        turns(&Options::default(), 13, &uniform(13, 1200, seed), naimi_trehel(3))
    });
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    assert!((mean / 3.8 - 1.0).abs() < 0.03, "{mean}");
    // Each cluster has its turn as often as the others, with four, three and three clients of five,
    // four and four nodes. In the end the cluster of five is alone.
    let options = Options::default();
    let plan = plan(&options, 13, Demand::Heavy, 200);
    let entries = run(&options, 13, plan, naimi_trehel(3)).problem.entries;
    let rounds = 5 * 4 * 4 * 2;
    let (first, last) = (entries[120], entries[120 + 3 * rounds]);
    let clients = 3.0 * (0.8 + 0.75 + 0.75) / 3.0;
    let measured = (last.messages - first.messages) as f64 / (3 * rounds) as f64;
    assert!((measured - (clients + 2.5 / 4.0)).abs() < 0.01, "{measured}");
    assert!((measured - 2.9).abs() < 0.05, "{measured}");
    let delay = saturated(13, ROUNDS, naimi_trehel(3)).coordination_delay.unwrap();
    assert_eq!(delay.max, 3.0, "2T and that between representatives");
}

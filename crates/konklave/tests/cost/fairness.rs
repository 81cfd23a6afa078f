//! How fair Raymond's algorithm is: what local queues promise, and what they do not.
//!
//! A request is registered when queue entries lead from its node to where the token is.

use std::collections::BTreeSet;

use konklave::NodeId;
use konklave::mutex::Phase;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::protocol::Protocol;
use konklave_sim::random::{Random, Stream};

use super::schedules::{Step, System};
use super::tree::Tree;

fn system(tree: &Tree, variant: Variant, wanted: u32) -> System<Raymond> {
    let wanted = vec![wanted; tree.nodes() as usize];
    System::new(&wanted, false, |me| Raymond::new(me, tree.towards(me, NodeId(0)), variant))
}

/// Whether the request of a waiting node is known all the way to the token.
fn is_registered(system: &System<Raymond>, node: NodeId) -> bool {
    let mut node = node;
    while !system.nodes[node.index()].has_token() {
        let Some(holder) = system.nodes[node.index()].waits_for().iter().next() else {
            return false;
        };
        // Neither may the request be under way, nor the token.
        if system.channels.contains_key(&(node, holder))
            || system.channels.contains_key(&(holder, node))
        {
            return false;
        }
        node = holder;
    }
    true
}

/// The entries of others that a registered request sees, in a random schedule of slow and quick
/// channels: all of them, or each other node once.
fn overtakings(tree: &Tree, variant: Variant, seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed, Stream::Network);
    let mut system = system(tree, variant, 6);
    let nodes = tree.nodes();
    let mut seen: Vec<Option<Vec<NodeId>>> = vec![None; nodes as usize];
    let slow: Vec<bool> = (0..nodes * nodes).map(|_| random.below(3) == 0).collect();
    let (mut all, mut different) = (0, 0);
    loop {
        let steps = system.steps();
        let Some(last) = (steps.len() as u64).checked_sub(1) else { return (all, different) };
        let step = steps[random.below(last + 1) as usize];
        if let Step::Deliver(from, to, _) = step
            && slow[(from.0 * nodes + to.0) as usize]
            && random.below(20) > 0
        {
            continue;
        }
        let before = system.phases.clone();
        system.take(step);
        for node in NodeId::all(nodes) {
            let place = node.index();
            if system.phases[place] == Phase::Inside && before[place] != Phase::Inside {
                let overtaken = seen[place].take().unwrap_or_default();
                all = all.max(overtaken.len());
                different = different.max(overtaken.iter().collect::<BTreeSet<_>>().len());
                seen.iter_mut().flatten().for_each(|others| others.push(node));
            }
        }
        for node in NodeId::all(nodes) {
            let place = node.index();
            let is_waiting = system.phases[place] == Phase::Waiting;
            if is_waiting && seen[place].is_none() && is_registered(&system, node) {
                seen[place] = Some(Vec::new());
            }
        }
    }
}

fn trees() -> Vec<Tree> {
    let forms = [("line", 4), ("line", 6), ("star", 4), ("star", 6), ("tree:2", 7)];
    forms.map(|(form, nodes)| Tree::new(form, nodes, 1)).into()
}

/// The most of 400 random schedules.
fn most(tree: &Tree, variant: Variant) -> (usize, usize) {
    let all = (1..=400).map(|seed| overtakings(tree, variant, seed));
    all.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).unwrap()
}

#[test]
fn with_combined_messages_at_most_n_minus_2_others_go_first() {
    for tree in trees() {
        let bound = tree.nodes() as usize - 2;
        let (all, different) = most(&tree, Variant::Combined);
        assert!(all <= bound, "{}: {all}", tree.name);
        assert_eq!(all, different, "{}: nobody twice", tree.name);
    }
    assert_eq!(most(&Tree::new("star", 6, 1), Variant::Combined).0, 4, "the bound is reached");
}

#[test]
fn an_elevator_lets_at_most_twice_as_many_go_first() {
    for tree in trees() {
        let bound = 2 * (tree.nodes() as usize - 2);
        let (all, _) = most(&tree, Variant::Greedy);
        assert!(all <= bound, "{}: {all}", tree.name);
    }
    let (all, different) = most(&Tree::new("line", 6, 1), Variant::Greedy);
    assert!(all > 4 && different <= 5, "more than n-2 without the elevator: {all}, {different}");
}

#[test]
fn a_request_behind_the_token_can_be_late_as_often_as_it_likes() {
    // A star: node 0 has the token and both others in its queue. The token goes to node 1, which
    // enters again and again, while the request behind the token is under way.
    let mut system = system(&Tree::new("star", 3, 1), Variant::Plain, 50);
    let [hub, quick, slow] = [0, 1, 2].map(NodeId);
    let steps = [
        Step::Acquire(hub),
        Step::Acquire(quick),
        Step::Acquire(slow),
        Step::Deliver(quick, hub, 0),
        Step::Deliver(slow, hub, 0),
    ];
    for step in steps {
        system.take(step);
    }
    assert!(is_registered(&system, slow));
    system.take(Step::Release(hub));
    system.take(Step::Deliver(hub, quick, 0));
    for entries in 1..50 {
        assert_eq!(system.phases, [Phase::Idle, Phase::Inside, Phase::Waiting], "{entries}");
        system.take(Step::Release(quick));
        system.take(Step::Acquire(quick));
    }
}

/// Lets everything in flight arrive, and everybody inside leave: who enters, in order.
fn finish(system: &mut System<Raymond>) -> Vec<u32> {
    let mut order = Vec::new();
    loop {
        let inside = system.phases.iter().position(|&phase| phase == Phase::Inside);
        let deliver =
            system.steps().into_iter().find(|step| matches!(step, Step::Deliver(_, _, 0)));
        match (deliver, inside) {
            (Some(step), _) => _ = system.take(step),
            (None, Some(node)) => {
                order.push(node as u32);
                system.take(Step::Release(NodeId(node as u32)));
            }
            (None, None) => return order,
        }
    }
}

#[test]
fn local_queues_do_not_make_a_global_one() {
    // Node 2 asks first, but node 1 is on its way and queues itself before it hears of that.
    let mut system = system(&Tree::new("line", 3, 1), Variant::Combined, 1);
    for node in [0, 2, 1] {
        system.take(Step::Acquire(NodeId(node)));
    }
    assert_eq!(finish(&mut system), [0, 1, 2]);
}

#[test]
fn a_request_that_merges_with_an_older_one_inherits_its_place() {
    // Nodes 3 and 4 are below node 1, node 2 is elsewhere. 3 asks, then 2, then 4.
    let mut system = system(&Tree::new("tree:2", 5, 1), Variant::Combined, 1);
    system.take(Step::Acquire(NodeId(0)));
    for (node, way) in [(3, &[(3, 1), (1, 0)][..]), (2, &[(2, 0)]), (4, &[(4, 1)])] {
        system.take(Step::Acquire(NodeId(node)));
        for &(from, to) in way {
            system.take(Step::Deliver(NodeId(from), NodeId(to), 0));
        }
        assert!(is_registered(&system, NodeId(node)));
    }
    assert!(system.channels.is_empty(), "node 1 has asked already");
    assert_eq!(finish(&mut system), [0, 3, 4, 2], "4 before 2, which asked before it");
}

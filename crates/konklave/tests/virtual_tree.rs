//! The virtual tree is a tree at every moment, whatever is in transit and whoever crashes.

mod virtual_tree {
    mod slide;
    mod world;

    use std::time::Duration;

    use konklave::NodeId;
    use konklave::election::Command;
    use konklave::election::Id;
    use konklave::election::virtual_tree::{Msg, Seq, VirtualTree};
    use konklave::graph::Topology;
    use konklave_sim::random::{Random, Stream};

    use slide::Slide;
    use world::{InTree, World};

    const STEPS_MAX: u32 = 20_000;

    /// How many random schedules each test goes through.
    const SCHEDULES: u64 = 3000;

    impl InTree for VirtualTree {
        fn parent(&self) -> Option<NodeId> {
            self.parent()
        }
    }

    fn neighbours(topology: &str, nodes: u32, seed: u64) -> Vec<Vec<NodeId>> {
        let mut random = Random::new(seed, Stream::Graph);
        let topology: Topology = topology.parse().unwrap();
        let graph = topology.build(nodes, &mut || random.word()).unwrap();
        NodeId::all(nodes).map(|node| graph.neighbours(node).collect()).collect()
    }

    fn fresh(node: NodeId, neighbours: &[Vec<NodeId>]) -> VirtualTree {
        let links = neighbours[node.index()].clone();
        VirtualTree::new(node, Id(node.0), links, NodeId(0), Duration::from_secs(1))
    }

    /// The world that `seed` draws. Some of its nodes start.
    fn draw(seed: u64) -> World<VirtualTree> {
        let mut random = Random::new(seed, Stream::Workload);
        let nodes = 1 + random.below(8) as u32;
        let forms = ["line", "ring", "grid", "complete", "star", "random-tree", "gnp:0.5"];
        let form = forms[random.below(forms.len() as u64) as usize];
        let links = neighbours(form, nodes, seed);
        let all = NodeId::all(nodes).map(|node| fresh(node, &links)).collect();
        let count = 1 + random.below(nodes.into()) as u32;
        let starters = random.sample(count, nodes);
        let mut world = World::new(links, all, random);
        starters.into_iter().for_each(|node| world.command(NodeId(node), Command::Start));
        world
    }

    /// Sometimes a node crashes or comes back, if everybody has noticed what was before, and those
    /// that are up stay connected. The registry does not come back.
    fn disturb(world: &mut World<VirtualTree>) {
        if world.draw(30) > 0 || !world.is_noticed() {
            return;
        }
        let node = NodeId(world.draw(world.nodes.len() as u64) as u32);
        let links = world.neighbours.clone();
        let is_up = world.node(node).is_some();
        let back = (!is_up).then(|| fresh(node, &links));
        if !world.would_be_connected(node, back.clone()) {
            return;
        }
        match back {
            None => world.crash(node),
            Some(back) if node != NodeId(0) => world.restart(node, back),
            Some(_) => {}
        }
    }

    /// What holds at every moment.
    fn check(world: &World<VirtualTree>, seed: u64) {
        assert_eq!(world.cycle(), None, "seed {seed}: a cycle");
        assert!(world.leaders.len() <= 1, "seed {seed}: {:?} lead", world.leaders);
        for (node, parent) in world.up().filter_map(|node| {
            let parent = world.node(node)?.parent().filter(|&parent| parent != node)?;
            Some((node, world.node(parent)?)).map(|(node, parent)| (node, parent.label()))
        }) {
            let label = world.node(node).unwrap().label();
            assert!(parent > label, "seed {seed}: node {node} at {label:?} below {parent:?}");
        }
    }

    fn settle(world: &mut World<VirtualTree>, seed: u64) {
        let mut steps = 0;
        while world.step() {
            check(world, seed);
            steps += 1;
            assert!(steps < STEPS_MAX, "seed {seed}: it does not come to rest");
        }
    }

    /// After a run: everybody is in the tree of one root, or nobody has ever heard of any.
    fn root_at_rest(world: &World<VirtualTree>, seed: u64) -> Option<NodeId> {
        let Some(root) = world.leaders.iter().next() else {
            let mut parents = world.up().filter_map(|node| world.node(node)?.parent());
            assert_eq!(parents.next(), None, "seed {seed}");
            return None;
        };
        for node in world.up() {
            let parent = world.node(node).unwrap().parent();
            let parent = parent.unwrap_or_else(|| panic!("seed {seed}: node {node} is detached"));
            assert_eq!(parent == node, root == node, "seed {seed}");
            let is_child = |child: &NodeId| world.node(*child).unwrap().parent() == Some(node);
            let children = world.up().filter(|&child| child != node).filter(is_child);
            assert!(world.node(node).unwrap().children().eq(children), "seed {seed}, node {node}");
        }
        Some(root)
    }

    #[test]
    fn there_is_no_cycle_at_any_moment_and_in_the_end_everybody_is_in_the_tree() {
        let (mut moved, mut rootless) = (0, 0);
        for seed in 0..SCHEDULES {
            let mut world = draw(seed);
            let disturbances = world.draw(300);
            for _ in 0..disturbances {
                disturb(&mut world);
                world.step();
                check(&world, seed);
            }
            settle(&mut world, seed);
            match root_at_rest(&world, seed) {
                Some(root) => moved += u64::from(world.node(root).unwrap().label().seq.term > 0),
                None => rootless += 1,
            }
        }
        assert!(moved > SCHEDULES / 10, "only {moved} runs had to elect another root");
        assert!(rootless < SCHEDULES / 4, "{rootless} runs never began");
    }

    #[test]
    fn after_one_tick_of_the_root_levels_are_distances() {
        for seed in 0..SCHEDULES {
            let mut world = draw(seed);
            for _ in 0..world.draw(200) {
                disturb(&mut world);
                world.step();
            }
            settle(&mut world, seed);
            let Some(root) = root_at_rest(&world, seed) else { continue };
            let label = world.node(root).unwrap().label();
            let distances = world.distances(root);
            let Some((&neighbour, _)) = distances.iter().find(|(_, dist)| **dist == 1) else {
                continue;
            };
            let seq = Seq { tick: label.seq.tick + 1, ..label.seq };
            world.send(neighbour, root, Msg::Refresh(seq));
            settle(&mut world, seed);
            for (node, dist) in distances {
                let label = world.node(node).unwrap().label();
                assert_eq!((label.seq, label.dist.0), (seq, dist), "seed {seed}, node {node}");
            }
        }
    }

    /// Path R - A - B: A loses R.
    const PATH: [u32; 3] = [0, 1, 2];

    #[test]
    fn who_takes_any_neighbour_for_its_parent_hangs_on_itself() {
        let [root, a, b] = PATH.map(NodeId);
        let links = neighbours("line", 3, 0);
        let all = PATH.map(|node| Slide::new(NodeId(node), &links[node as usize]));
        let mut world = World::new(links, all.into(), Random::new(0, Stream::Workload));
        world.command(root, Command::Start);
        while world.step() {}
        assert_eq!([a, b].map(|node| world.node(node).unwrap().parent()), [Some(root), Some(a)]);
        world.cut(root, a);
        while world.cycle().is_none() {
            assert!(world.step(), "it came to rest without a cycle");
        }
        assert_eq!(world.node(a).unwrap().parent(), Some(b), "its own child");
    }

    #[test]
    fn who_takes_only_better_ones_does_not() {
        let [root, a, b] = PATH.map(NodeId);
        for seed in 0..100 {
            let links = neighbours("line", 3, 0);
            let all = PATH.map(|node| fresh(NodeId(node), &links)).into();
            let mut world = World::new(links, all, Random::new(seed, Stream::Workload));
            world.command(root, Command::Start);
            while world.step() {}
            assert_eq!(world.node(b).unwrap().parent(), Some(a));
            world.cut(root, a);
            while world.step() {
                assert_eq!(world.cycle(), None, "seed {seed}");
            }
            let parents = [a, b].map(|node| world.node(node).unwrap().parent());
            assert!([[Some(a), Some(a)], [Some(b), Some(b)]].contains(&parents), "{parents:?}");
        }
    }
}

//! Elections: every order of ids, every set of initiators, every small graph, every schedule.
//!
//! What takes long without optimisation is left to `cargo test --release -- --ignored`.

mod elections {
    mod graphs;
    mod rings;

    use konklave::NodeId;
    use konklave::election::{Command, Event, Id, Monitor, Winner};
    use konklave::protocol::Protocol;
    use konklave_catalog::election::client::Voter;
    use konklave_check::{Options, System, Verdict, World, explore};

    /// One instance: ids by node, and how many elections each node calls.
    #[derive(Clone, Debug)]
    pub(crate) struct Instance {
        pub(crate) ids: Vec<Id>,
        pub(crate) starts: Vec<u32>,
        pub(crate) world: World,
    }

    impl Instance {
        pub(crate) fn id(&self, me: NodeId) -> Id {
            self.ids[me.index()]
        }
    }

    /// Every schedule keeps every promise; how many states there are.
    pub(crate) fn fine<P>(instance: &Instance, winner: Winner, make: impl Fn(NodeId) -> P) -> u64
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        let voters = instance.starts.iter().copied().map(Voter::new).collect();
        let monitor = Monitor::new(instance.ids.clone(), winner);
        let system = System::new(make, voters, monitor, instance.world);
        let report = explore(system, Options { threads: 2, ..Options::default() }, &mut |_| true);
        assert_eq!(report.verdict, Verdict::Exhausted, "{instance:?}: {report:#?}");
        assert!(report.reached.served, "{instance:?}");
        report.unique
    }

    /// All orders of the ids 1 to `nodes` whose first is `nodes`, or any.
    pub(crate) fn orders(nodes: u32, is_circular: bool) -> Vec<Vec<Id>> {
        let mut orders = vec![Vec::new()];
        for id in 1..=nodes {
            orders = orders
                .into_iter()
                .flat_map(|order: Vec<Id>| {
                    (0..=order.len()).map(move |place| {
                        let mut order = order.clone();
                        order.insert(place, Id(id));
                        order
                    })
                })
                .collect();
        }
        orders.retain(|order| !is_circular || order[0] == Id(nodes));
        orders
    }

    /// All sets of initiators but the empty one, each calling one election.
    pub(crate) fn initiators(nodes: u32) -> impl Iterator<Item = Vec<u32>> {
        (1_u32..1 << nodes).map(move |set| (0..nodes).map(|node| set >> node & 1).collect())
    }

    pub(crate) fn both_orders() -> [World; 2] {
        [World::new(), World::new().fifo()]
    }

    /// Every instance on these worlds.
    pub(crate) fn instances(
        nodes: u32,
        is_circular: bool,
        worlds: &[World],
    ) -> impl Iterator<Item = Instance> {
        let worlds = worlds.to_vec();
        orders(nodes, is_circular).into_iter().flat_map(move |ids| {
            let worlds = worlds.clone();
            initiators(nodes).flat_map(move |starts| {
                let (ids, starts) = (ids.clone(), starts.clone());
                worlds.clone().into_iter().map(move |world| Instance {
                    ids: ids.clone(),
                    starts: starts.clone(),
                    world,
                })
            })
        })
    }
}

//! Every algorithm through three explorers: ours, the crate `stateright` with the semantics written
//! down a second time, and the stage that is stepped by hand. They must agree on every state and
//! every verdict.

mod oracle {
    mod data;
    mod elections;
    mod erased;
    mod faults;
    mod locks;
    mod model;
    mod specimens;
    mod stage;

    use konklave::protocol::{Monitor, Protocol};
    use konklave_check::application::Application;
    use konklave_check::{Identity, Options, System, Verdict, explore};
    use konklave_stage::erased::AnyNode;
    use stateright::{Checker, Model};

    use erased::AnyModel;

    /// The stage is slow.
    const STATES_BY_HAND: u64 = 3_000;

    /// All explorers agree: the number of different states, and whether every promise is kept.
    /// For ours, it makes no difference whether the type of nodes is erased.
    fn agree<P, A, M>(name: &str, system: System<P, A, M>) -> (u64, Verdict)
    where
        P: Protocol,
        A: Application<Command = P::Command, Event = P::Event>,
        M: Monitor<Command = P::Command, Event = P::Event>,
    {
        let theirs = AnyModel::new(system.clone()).checker().spawn_bfs().join();
        let is_good = theirs.discoveries().is_empty();
        let erased = System {
            nodes: system.nodes.iter().cloned().map(AnyNode::new).collect(),
            applications: system.applications.clone(),
            monitor: system.monitor.clone(),
            world: system.world,
        };
        let identities = [(Identity::Fingerprint, 1), (Identity::Exact, 1), (Identity::Exact, 2)];
        let reports = identities.map(|(identity, threads)| {
            let options = Options { identity, threads, ..Options::default() };
            explore(erased.clone(), options, &mut |_| true)
        });
        let first = explore(system, Options::default(), &mut |_| true);
        assert_eq!(first.verdict == Verdict::Exhausted, is_good, "{name}: {first:?}");
        for report in &reports {
            assert_eq!(report.verdict, first.verdict, "{name}");
            assert_eq!(report.unique, first.unique, "{name}");
            assert_eq!(report.messages, first.messages, "{name}");
            assert_eq!(report.properties, first.properties, "{name}");
        }
        if is_good {
            // None of them stops early then.
            assert_eq!(first.unique, theirs.unique_state_count() as u64, "{name}");
            if first.unique < STATES_BY_HAND {
                assert_eq!(first.unique, stage::states(name, &erased), "{name}");
            }
        }
        (first.unique, first.verdict)
    }
}

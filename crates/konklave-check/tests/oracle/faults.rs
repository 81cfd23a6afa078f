//! What goes wrong is explored in the same way by both.

use konklave::NodeId;
use konklave::mutex::central::Central;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::{self, Protocol};
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{Faults, System, Verdict, World};

use super::agree;
use super::locks::locks;

#[test]
fn faults_break_what_assumes_that_there_are_none() {
    let [loss, duplicate, crash] = [
        Faults { losses: 1, ..Faults::default() },
        Faults { duplicates: 1, ..Faults::default() },
        Faults { crashes: 1, ..Faults::default() },
    ];
    for world in [World::new(), World::new().fifo()] {
        for faults in [loss, crash] {
            let make = |me| RicartAgrawala::new(me, 2);
            let found = agree("ricart-agrawala", locks(&[1, 1], world.faults(faults), make));
            assert_eq!(found.1, Verdict::Violated, "{faults:?}");
        }
        // Sequence numbers make duplicate requests harmless, and a duplicate token is not a second
        // one.
        let make = |me| SuzukiKasami::new(me, 2);
        let found = agree("suzuki-kasami", locks(&[1, 1], world.faults(duplicate), make));
        assert_eq!(found.1, Verdict::Exhausted);
    }
}

#[test]
fn a_crash_that_does_no_harm_is_explored_to_the_end() {
    let faults = Faults { crashes: 1, ..Faults::default() };
    let make = |me| Central::new(me, NodeId(2));
    let (_, verdict) = agree("central", locks(&[1, 0, 0], World::new().faults(faults), make));
    assert_eq!(verdict, Verdict::Violated, "the coordinator may be the one");
    let make = |me| Central::new(me, me);
    let (unique, verdict) = agree("alone", locks(&[2], World::new().faults(faults), make));
    assert_eq!((unique, verdict), (7, Verdict::Exhausted));
}

/// The number of states with a restart, with a partition, and with one of each.
fn counts<P>(name: &str, budget: &[u32], make: impl Fn(NodeId) -> P + Copy) -> [u64; 3]
where
    P: Protocol<Command = Command, Event = Event>,
{
    let restart = Faults { restarts: 1, ..Faults::NONE };
    let partition = Faults { partitions: 1, ..Faults::NONE };
    let both = Faults { restarts: 1, partitions: 1, ..Faults::NONE };
    [restart, partition, both].map(|faults| {
        let (unique, verdict) = agree(name, locks(budget, World::new().faults(faults), make));
        assert_eq!(verdict, Verdict::Exhausted, "{name}, {faults:?}");
        unique
    })
}

#[test]
fn restarts_and_partitions_that_do_no_harm_are_explored_to_the_end() {
    let alone = counts("alone", &[2], |me| Central::new(me, me));
    assert_eq!(alone, [14, 6, 14]);
    // The coordinator enters, the others are bystanders.
    let coordinator = counts("central", &[2, 0], |me| Central::new(me, NodeId(0)));
    assert_eq!(coordinator, [20, 17, 56]);
}

#[test]
fn restarts_and_partitions_break_what_assumes_that_there_are_none() {
    let restart = Faults { restarts: 1, ..Faults::NONE };
    let partition = Faults { partitions: 1, ..Faults::NONE };
    for world in [World::new(), World::new().fifo()] {
        for faults in [restart, partition] {
            let make = |me| RicartAgrawala::new(me, 2);
            let found = agree("ricart-agrawala", locks(&[1, 1], world.faults(faults), make));
            assert_eq!(found.1, Verdict::Violated, "{faults:?}");
        }
    }
}

/// Does not mind if nodes wait for ever, so that searches go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SafetyOnly(Monitor);

impl protocol::Monitor for SafetyOnly {
    type Command = Command;
    type Event = Event;

    fn on_command(&mut self, node: NodeId, command: &Command) -> Result<(), protocol::Broken> {
        self.0.on_command(node, command)
    }

    fn on_event(&mut self, node: NodeId, event: &Event) -> Result<(), protocol::Broken> {
        self.0.on_event(node, event)
    }

    fn on_crash(&mut self, node: NodeId) -> Result<(), protocol::Broken> {
        self.0.on_crash(node)
    }

    fn at_rest(&self) -> Result<(), protocol::Broken> {
        Ok(())
    }
}

#[test]
fn messages_across_a_cut_are_lost_by_all_explorers_alike() {
    fn count<P>(name: &str, world: World, budget: &[u32], make: impl Fn(NodeId) -> P) -> u64
    where
        P: Protocol<Command = Command, Event = Event>,
    {
        let visitors = budget.iter().copied().map(Visitor::new).collect();
        let monitor = SafetyOnly(Monitor::new(budget.len() as u32));
        let (unique, verdict) = agree(name, System::new(make, visitors, monitor, world));
        assert_eq!(verdict, Verdict::Exhausted, "{name}");
        unique
    }
    let cut = Faults { partitions: 1, ..Faults::NONE };
    let counts = [World::new(), World::new().fifo()].map(|world| {
        let world = world.faults(cut);
        let pair = count("ricart-agrawala", world, &[1, 1], |me| RicartAgrawala::new(me, 2));
        let line = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
        (pair, count("raymond", world, &[1, 0, 1], line))
    });
    assert_eq!(counts, [(148, 235), (136, 225)]);
}

//! What becomes of a search that takes two states for one.

use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{Command, Event, Monitor};
use konklave::protocol::Protocol;

use super::{Costs, Options, explore};
use crate::fingerprint::narrow;
use crate::report::{Bound, Verdict};
use crate::seen::Identity;
use crate::system::{Faults, System, World};
use konklave_catalog::mutex::client::Visitor;

type Locks<P> = System<P, Visitor, Monitor>;

fn locks<P>(world: World, make: impl Fn(NodeId) -> P) -> Locks<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    System::new(make, vec![Visitor::new(1); 3], Monitor::new(3), world)
}

/// The verdict and how many states there are, if only these bits of fingerprints are looked at.
fn look<P>(system: &Locks<P>, identity: Identity, mask: u64) -> (Verdict, Option<Bound>, u64)
where
    P: Protocol<Command = Command, Event = Event>,
{
    narrow::MASK.set(mask);
    let options = Options { identity, costs: Costs::Worst, ..Options::default() };
    let report = explore(system.clone(), options, &mut |_| true);
    narrow::MASK.set(u64::MAX);
    (report.verdict, report.bound, report.unique)
}

/// How often a collision is noticed, over narrow fingerprints of all kinds.
fn collisions<P>(system: &Locks<P>) -> usize
where
    P: Protocol<Command = Command, Event = Event>,
{
    let right = look(system, Identity::Exact, u64::MAX);
    let mut count = 0;
    for (bits, shift) in (4..24).flat_map(|bits| (0..40).step_by(5).map(move |it| (bits, it))) {
        let mask = ((1 << bits) - 1) << shift;
        assert_eq!(look(system, Identity::Exact, mask), right, "mask {mask:x}");
        let (verdict, bound, unique) = look(system, Identity::Fingerprint, mask);
        assert!(unique <= right.2, "mask {mask:x}");
        match verdict {
            Verdict::Bounded => assert_eq!(bound, Some(Bound::Collision), "mask {mask:x}"),
            Verdict::Exhausted | Verdict::Undecided | Verdict::Violated => {}
        }
        count += usize::from(bound == Some(Bound::Collision));
    }
    println!("noticed {count} times");
    count
}

#[test]
fn a_collision_that_is_noticed_is_no_verdict_and_no_panic() {
    let raymond = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1)), Variant::Plain);
    assert!(collisions(&locks(World::new(), raymond)) > 0);
    let loss = World::new().faults(Faults { losses: 1, ..Faults::default() });
    assert!(collisions(&locks(loss, |me| RicartAgrawala::new(me, 3))) > 0);
    let beside = |me: NodeId| (NodeId((me.0 + 2) % 3), NodeId((me.0 + 1) % 3));
    let perpetuum = |me| Perpetuum::new(me, beside(me), NodeId(0), Duration::ZERO);
    let world = World { perpetual: true, ..World::new() };
    assert!(collisions(&locks(world, perpetuum)) > 0);
}

#[test]
fn a_collision_is_as_likely_as_the_birthday_paradox_says() {
    let probability = |states| Identity::Fingerprint.collision_probability(states);
    assert!((probability(1_000_000_000) - 0.0271).abs() < 0.0001);
    assert!((probability(10_000_000) - 2.71e-6).abs() < 1e-8);
    assert_eq!(Identity::Exact.collision_probability(1_000_000_000), 0.0);
}

//! What goes wrong is explored in the same way by both.

use konklave::NodeId;
use konklave::mutex::central::Central;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::suzuki_kasami::SuzukiKasami;
use konklave_check::{Faults, Verdict, World};

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
        // Sequence numbers make doubled requests harmless, and a doubled token is no second one.
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

//! What a search that is stopped says.

use konklave::mutex::Monitor;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave_check::application::Visitor;
use konklave_check::{Faults, Options, System, Verdict, World, explore};

#[test]
fn a_violation_is_kept_if_there_is_no_time_to_find_it_again() {
    let visitors = vec![Visitor::new(1); 3];
    let faults = Faults { losses: 1, ..Faults::default() };
    let make = |me| RicartAgrawala::new(me, 3);
    let system = System::new(make, visitors, Monitor::new(3), World::new().faults(faults));
    for threads in [1, 2] {
        // The second search begins where the first did: with no step at all.
        let mut deepest = 0;
        let mut only_once = |progress: konklave_check::Progress| {
            deepest = deepest.max(progress.depth);
            progress.depth == deepest
        };
        let options = Options { threads, ..Options::default() };
        let report = explore(system.clone(), options, &mut only_once);
        assert_eq!((report.verdict, report.bound), (Verdict::Violated, None), "{threads} threads");
        assert!(report.counterexample.is_some());
    }
}

//! Random schedules find the specimens whose systems are too large to look at every schedule.

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_specimens::{Specimen, Tool, all};

/// How many schedules the right algorithm goes through at least.
const SCHEDULES: u64 = 200;

/// The first seed that breaks the promise, and what is left of its schedule, if that is not what
/// the specimen says.
fn complaint(specimen: &'static Specimen, broken: &'static Entry) -> Option<String> {
    let Specimen { name, setting, promise, .. } = specimen;
    let Tool::Fuzz { seed: expected } = specimen.found_by else { panic!("{name} needs no luck") };
    let site = setting.site(broken).unwrap();
    let Some((seed, lines)) = specimen.hunt(&site, expected).unwrap() else {
        return Some(format!("{name}: not with any seed up to {expected}"));
    };
    let shorter = site.system().unwrap().shrink(&lines, None, &mut || true).unwrap();
    assert!(!shorter.is_interrupted);
    // Every node starts, and that is not a step that could be spared.
    let steps = shorter.after.steps as usize - setting.nodes() as usize;
    let found = (seed, shorter.broken.promise.as_str(), steps);
    (found != (expected, *promise, specimen.steps))
        .then(|| format!("{name}: seed {seed} breaks {} in {steps} steps", found.1))
}

#[test]
fn the_first_seed_and_what_is_left_of_its_schedule() {
    let catalog = Catalog::standard().with_specimens(all()).leak();
    let by_chance: Vec<_> = all().filter(|specimen| specimen.found_by != Tool::Check).collect();
    assert!(by_chance.len() >= 3);
    let complaints = by_chance.iter().filter_map(|specimen| {
        complaint(specimen, catalog.find_specimen(specimen.name).unwrap().0)
    });
    let complaints: Vec<_> = complaints.collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn the_right_algorithm_goes_through_the_same_schedules() {
    let catalog = Catalog::standard().leak();
    for specimen in all() {
        let Tool::Fuzz { seed } = specimen.found_by else { continue };
        let site = specimen.setting.site(catalog.find(specimen.of).unwrap()).unwrap();
        for seed in 1..=seed.max(SCHEDULES) {
            let broken = specimen.setting.attempt(&site, seed).unwrap().map(|(promise, _)| promise);
            assert_eq!(broken, None, "{}, seed {seed}", specimen.of);
        }
    }
}

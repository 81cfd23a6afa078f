//! Positions, arcs and hash functions.

use super::*;

/// The first outputs of SplitMix64 from seed 0, as its author published them.
#[test]
fn the_finaliser_is_that_of_splitmix64() {
    let outputs = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
    for (n, output) in (1..).zip(outputs) {
        assert_eq!(finalise(GOLDEN.wrapping_mul(n)), output);
    }
}

/// Every number has a preimage, since every step of the function can be undone.
#[test]
fn the_functions_are_bijective() {
    let undo_shift = |x: u64, by: u32| (0..64 / by).fold(x, |y, _| x ^ (y >> by));
    let inverse =
        |odd: u64| (0..6).fold(odd, |y, _| y.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(y))));
    let undo = |x: u64| {
        let x = undo_shift(x, 31).wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
        let x = undo_shift(x, 27).wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
        undo_shift(x, 30)
    };
    for x in (0..1000).chain(u64::MAX - 1000..=u64::MAX) {
        assert_eq!(undo(finalise(x)), x);
        let key = finalise(7_u64.wrapping_add(GOLDEN.wrapping_mul(2)));
        let back = (undo(Mixer::new(7).key(x).0) ^ key).wrapping_mul(inverse(GOLDEN));
        assert_eq!(back.wrapping_sub(1), x);
    }
}

#[test]
fn positions_survive_json_and_say_where_they_are() {
    let point = Point(0x8000_0000_0000_0001);
    let json = serde_json::to_string(&point).unwrap();
    assert_eq!(json, "\"8000000000000001\"");
    assert_eq!(serde_json::from_str::<Point>(&json).unwrap(), point);
    assert!(serde_json::from_str::<Point>("\"80\"").is_err());
    assert_eq!((point.fraction(), point.cell(8), point.before().cell(2)), (0.5, 4, 1));
    assert_eq!(Point(u64::MAX).cell(u32::MAX), u32::MAX - 1);
}

/// A circle of twelve positions, each a twelfth of the real one, where arcs can be listed.
#[test]
fn arcs_are_sets_of_positions() {
    const HOURS: u64 = 12;
    let hour = |n: u64| Point((u128::from(n % HOURS) * POSITIONS / u128::from(HOURS)) as u64);
    let arc = |first: u64, hours: u64| Arc::up_to(hour(first), hour(first + hours));
    let set = |arc: Arc| (0..HOURS).filter(|n| arc.contains(hour(*n))).collect::<Vec<_>>();
    let listed = |first: u64, hours: u64| {
        let mut hours: Vec<u64> = (first..first + hours).map(|n| n % HOURS).collect();
        hours.sort_unstable();
        hours
    };
    let arcs = || (0..HOURS).flat_map(|first| (1..=HOURS).map(move |hours| (first, hours)));
    for (first, hours) in arcs() {
        let (one, its) = (arc(first, hours), listed(first, hours));
        assert_eq!(set(one), its);
        assert!((one.share() - hours as f64 / HOURS as f64).abs() < 1e-9);
        for (start, length) in arcs() {
            let (other, theirs) = (arc(start, length), listed(start, length));
            assert_eq!(one.meets(other), its.iter().any(|n| theirs.contains(n)));
            let covers = theirs.iter().all(|n| its.contains(n));
            assert_eq!(one.covers(other), covers, "{one:?} {other:?}");
            let mut both: Vec<u64> = one.common(other).flat_map(set).collect();
            both.sort_unstable();
            let expected = its.iter().filter(|n| theirs.contains(n));
            assert_eq!(both, expected.copied().collect::<Vec<_>>(), "{one:?} {other:?}");
            if one.covers(other) {
                let mut rest: Vec<u64> = one.without(other).flat_map(set).collect();
                rest.sort_unstable();
                let left = its.iter().filter(|n| !theirs.contains(n));
                assert_eq!(rest, left.copied().collect::<Vec<_>>());
            }
        }
    }
}

/// Eight parts of the circle, added and removed in any order: the set is what a list says.
#[test]
fn sets_of_arcs_are_equal_if_they_hold_the_same() {
    let part = |n: u64| Arc::new(Point(n << 61), Point(((n + 1) << 61).wrapping_sub(1)));
    for start in 0..1000 {
        let (mut arcs, mut list) = (Arcs::default(), [false; 8]);
        for step in 0..40 {
            let n = Mixer::new(start).mix(step, Salt(9)) % 8;
            let was_there = list[n as usize];
            list[n as usize] = !was_there;
            match was_there {
                true => arcs.remove(part(n)),
                false => arcs.add(part(n)),
            }
            let is_in = |n: u64| arcs.contains(part(n).first()) && arcs.covers(part(n));
            assert_eq!((0..8).map(is_in).collect::<Vec<_>>(), list);
            let edges = (0..8).filter(|n| list[*n] && !list[(n + 7) % 8]).count();
            let is_whole = list.iter().all(|it| *it);
            assert_eq!(arcs.iter().count(), edges + usize::from(is_whole));
            assert_eq!(arcs.is_only(Arc::WHOLE), is_whole);
        }
    }
}

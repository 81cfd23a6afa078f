use super::*;

fn capacities(seed: u64, n: u32) -> Capacities {
    let draw = |node| 200 + (Mixer::new(seed).mix(node, Salt(7)) % 2000) as u32;
    (1..=n).map(|node| (NodeId(node), draw(node.into()))).collect()
}

#[test]
fn the_logarithm_is_exact_to_its_last_bit() {
    let unit = 2.0_f64.powi(BITS as i32);
    assert_eq!(minus_log2(u64::MAX), 0);
    assert_eq!(minus_log2(0), 64 << BITS);
    assert_eq!(minus_log2((1 << 63) - 1), 1 << BITS);
    let mut last = u64::MAX;
    for step in 0..64 {
        let x = (1_u64 << step) | (1 << step >> 3);
        let exact = 64.0 - (x as f64 + 1.0).log2();
        let rounded = minus_log2(x) as f64 / unit;
        assert!((rounded - exact).abs() < 1e-9, "{rounded} for {exact}");
        assert!(minus_log2(x) <= last, "it falls");
        last = minus_log2(x);
    }
}

/// Every decision as by the formula, in floating point.
#[test]
fn the_nearest_member_stores_a_key() {
    let cone = Cone::new(Mixer::new(4), capacities(4, 20));
    for key in 0..2000 {
        let distance = |&(node, capacity): &(NodeId, u32)| {
            let hash = cone.mixer.mix_pair(key, node.0.into(), VALUE);
            let u = 1.0 - (hash as f64 + 1.0) / 2.0_f64.powi(64);
            -(-u).ln_1p() / f64::from(capacity)
        };
        let nearest = cone.members.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        assert_eq!(cone.place(key), nearest.unwrap().0, "key {key}");
    }
}

/// The number of keys of each member is binomial with its share: so their sum of squares over the
/// variances is 20 on average. With 40 hash functions it is within four standard errors.
#[test]
fn members_store_exactly_their_shares() {
    const KEYS: u64 = 2000;
    let (mut sum, mut first) = (0.0, 0.0);
    for seed in 0..40 {
        let cone = Cone::new(Mixer::new(seed), capacities(1, 20));
        let mut loads = [0.0; 21];
        (0..KEYS).for_each(|key| loads[cone.place(key).index()] += 1.0);
        for (node, capacity) in cone.members.iter() {
            let share = f64::from(capacity) / cone.members.total() as f64;
            let expected = share * KEYS as f64;
            let deviation = loads[node.index()] - expected;
            sum += deviation.powi(2) / (expected * (1.0 - share));
            first += deviation / (expected * (1.0 - share)).sqrt();
        }
    }
    assert!((sum / 800.0 - 1.0).abs() < 4.0 * (2.0 / 800.0_f64).sqrt(), "{}", sum / 800.0);
    assert!((first / 800.0).abs() < 4.0 / 800.0_f64.sqrt(), "{}", first / 800.0);
}

/// If one member grows, keys move to it only; the optimum moves, whatever the change.
#[test]
fn only_what_has_to_moves() {
    const KEYS: u64 = 4000;
    let (mut moved, mut least) = (0.0, 0.0);
    for seed in 0..20 {
        let old = capacities(seed, 32);
        let mut new = old.clone();
        new.set(NodeId(5), 2 * old.of(NodeId(5)));
        let (before, after) = (Cone::new(Mixer::new(seed), old), Cone::new(Mixer::new(seed), new));
        least += after.members.least_move(&before.members) as f64 / 2.0_f64.powi(32);
        for key in 0..KEYS {
            let (from, to) = (before.place(key), after.place(key));
            assert!(from == to || to == NodeId(5), "key {key} moves from {from} to {to}");
            moved += f64::from(u8::from(from != to)) / KEYS as f64;
        }
    }
    // About 20·4000/33 keys move: a standard deviation is 2 %.
    assert!((moved / least - 1.0).abs() < 0.08, "{}", moved / least);
}

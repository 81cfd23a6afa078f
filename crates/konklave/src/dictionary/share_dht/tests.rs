use super::*;

const ONE: u64 = 1 << 32;

fn rule(seed: u64, stretch: f64, stage: Stage) -> Rule {
    Rule { mixer: Mixer::new(seed), stretch: (stretch * ONE as f64) as u64, stage }
}

/// Capacities between 0.2 and 2.2, and a sixteenth of the members has eight times as much.
fn skewed(seed: u64, n: u32) -> Capacities {
    let draw = |node| 200 + (Mixer::new(seed).mix(node, Salt(7)) % 2000) as u32;
    let scale = |node| if node <= n / 16 { 8 } else { 1 };
    (1..=n).map(|node| (NodeId(node), scale(node) * draw(node.into()))).collect()
}

/// The place of a key by the definition alone: every member's arc, no table.
fn definition(share: &Share, key: u64) -> NodeId {
    let nodes = share.members.iter().map(|(node, _)| node);
    let copies: Vec<Entry> = nodes
        .flat_map(|node| (0..share.claim(key, node) as u32).map(move |copy| (node, copy)))
        .collect();
    let point = share.rule.mixer.key(key);
    let next = share.members.iter().map(|(node, _)| node);
    let next = next.min_by_key(|node| point.distance_to(share.rule.mixer.node(*node)));
    share.pick(key, &copies).or(next).unwrap()
}

#[test]
fn the_table_agrees_with_the_definition() {
    for seed in 0..60 {
        for (n, stretch) in [(1, 1.0), (2, 0.5), (3, 4.4), (16, 1.3), (40, 9.0)] {
            for stage in [Stage::Rendezvous, Stage::Consistent] {
                let share = Share::new(rule(seed, stretch, stage), skewed(seed, n));
                assert!(share.parts.len() <= 2 * n as usize + 1, "{} multisets", share.parts.len());
                for key in 0..100 {
                    assert_eq!(share.place(key), definition(&share, key), "seed {seed}, n {n}");
                }
                let covered: u128 = (0..share.parts.len())
                    .map(|part| {
                        let end = share.begins.get(part + 1).copied().unwrap_or(Point(0));
                        let arc = Arc::up_to(share.begins[part], end);
                        arc.length() * share.parts[part].len() as u128
                    })
                    .sum();
                let whole: u128 = share.whole.iter().map(|(_, times)| u128::from(*times)).sum();
                let expected = u128::from(share.rule.stretch) << 32;
                let length = covered + (whole << 64);
                assert!(expected - length <= n.into(), "arcs have the length s in all");
            }
        }
    }
}

/// The lecture's multiset: member 2 has two points of five, so it is picked twice as often.
#[test]
fn a_member_is_picked_as_often_as_it_is_listed() {
    let copies = [(2, 0), (2, 1), (3, 0), (6, 0), (7, 0)].map(|(node, copy)| (NodeId(node), copy));
    let share = Share::new(rule(3, 1.0, Stage::Rendezvous), skewed(3, 7));
    let keys = 50_000;
    let picked = (0..keys).filter(|key| share.pick(*key, &copies) == Some(NodeId(2))).count();
    let sigma = (keys as f64 * 0.4 * 0.6).sqrt();
    assert!((picked as f64 - 0.4 * keys as f64).abs() < 4.0 * sigma, "{picked} of {keys}");
    // By consistent hashing this is so for an average choice of hash functions only.
    let mut picked = Vec::new();
    for seed in 0..2000 {
        let share = Share::new(rule(seed, 1.0, Stage::Consistent), skewed(3, 7));
        picked.push(f64::from(u8::from(share.pick(0, &copies) == Some(NodeId(2)))));
    }
    let mean = picked.iter().sum::<f64>() / 2000.0;
    assert!((mean - 0.4).abs() < 4.0 * (0.24 / 2000.0_f64).sqrt(), "{mean}");
}

/// What each member stores, over its share of the capacity, if there are very many keys.
fn loads(share: &Share) -> Vec<f64> {
    let total = share.members.total() as f64;
    let mut loads = vec![0.0; 1 + share.members.count()];
    for part in 0..share.parts.len() {
        let end = share.begins.get(part + 1).copied().unwrap_or(Point(0));
        let length = Arc::up_to(share.begins[part], end).share();
        let copies = share.multiset(share.begins[part]);
        match copies.len() {
            0 => loads[share.next_member(share.begins[part]).index()] += length,
            count => copies.iter().for_each(|it| loads[it.0.index()] += length / count as f64),
        }
    }
    share.members.iter().map(|(node, it)| loads[node.index()] / (f64::from(it) / total)).collect()
}

/// Theorem 6.3, fairness: with stretch 4 ln n the loads of 64 members deviate from their shares by
/// at most 1/√s, in the mean over 200 hash functions; half as much stretch, larger deviations.
#[test]
fn members_store_their_shares() {
    let mut deviations = [Vec::new(), Vec::new()];
    for seed in 0..200 {
        for (deviations, a) in deviations.iter_mut().zip([1.0, 4.0]) {
            let rule = rule(seed, a * 64.0_f64.ln(), Stage::Rendezvous);
            let loads = loads(&Share::new(rule, skewed(1, 64)));
            let square = loads.iter().map(|it| (it - 1.0).powi(2)).sum::<f64>() / 64.0;
            deviations.push(square.sqrt());
        }
    }
    let [short, long] = deviations.map(|all| all.iter().sum::<f64>() / all.len() as f64);
    let [short_bound, long_bound] = [1.0, 4.0].map(|a| 1.0 / (a * 64.0_f64.ln()).sqrt());
    assert!(short > 0.7 * short_bound && short < 1.2 * short_bound, "{short} for {short_bound}");
    assert!(long > 0.5 * long_bound && long < long_bound, "{long} for {long_bound}");
}

/// An arc of average length is missed with probability 1 - s·c_v, all of them with about e^-s.
#[test]
fn the_uncovered_part_vanishes_exponentially() {
    for stretch in [0.5, 1.0, 2.0] {
        let equal: Capacities = (1..=100).map(|node| (NodeId(node), 1)).collect();
        let uncovered =
            |seed| Share::new(rule(seed, stretch, Stage::Rendezvous), equal.clone()).uncovered();
        let sample: Vec<f64> = (0..400).map(uncovered).collect();
        let mean = sample.iter().sum::<f64>() / 400.0;
        let square = sample.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 400.0;
        let exact = (1.0 - stretch / 100.0_f64).powi(100);
        let error = (square / 400.0).sqrt();
        assert!((mean - exact).abs() < 4.0 * error, "{mean} for {exact} ± {error}");
    }
}

/// Theorem 6.3, adaptivity: a twentieth of the members doubles its capacity. At most twice as much
/// moves as has to.
#[test]
fn a_change_moves_at_most_twice_what_it_has_to() {
    let (mut moved, mut least) = (0.0, 0.0);
    for seed in 0..20 {
        let old = skewed(seed, 64);
        let mut new = old.clone();
        (20..=23).for_each(|node| new.set(NodeId(node), 2 * old.of(NodeId(node))));
        least += new.least_move(&old) as f64 / ONE as f64;
        let rule = rule(seed, 4.0 * 64.0_f64.ln(), Stage::Rendezvous);
        let (before, after) = (Share::new(rule, old), Share::new(rule, new));
        let keys = (0..4000).filter(|key| before.place(*key) != after.place(*key));
        moved += keys.count() as f64 / 4000.0;
    }
    let ratio = moved / least;
    assert!((1.7..=2.0).contains(&ratio), "{ratio}");
}

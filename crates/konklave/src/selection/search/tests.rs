use super::*;
use crate::rounds::Inquiry;
use crate::selection::candidates::{Candidates, Questions};

/// Processes that reply at once.
struct Processes(Vec<(Vec<Key>, Candidates)>);

impl Processes {
    fn new(mut elements: Vec<Vec<Key>>) -> Self {
        elements.iter_mut().for_each(|own| own.sort_unstable());
        Self(elements.into_iter().map(|own| (own, Candidates::default())).collect())
    }

    /// So many elements, all drawn, at processes that `place` draws from the number of a process
    /// drawn evenly. Priorities are few, so that some are equal.
    fn drawn(n: u32, m: u64, draw: Mixer, place: impl Fn(u64, u64) -> u64) -> Self {
        let mut elements = vec![Vec::new(); n as usize];
        for id in 0..m {
            let priority = draw.mix(id, Salt(50)) % (2 * m);
            let any = draw.mix(id, Salt(51)) % u64::from(n);
            elements[place(id, any) as usize].push(Key { priority, id });
        }
        Self::new(elements)
    }

    fn evenly(n: u32, m: u64, draw: Mixer) -> Self {
        Self::drawn(n, m, draw, |_, any| any)
    }

    fn sorted(&self) -> Vec<Key> {
        let mut all: Vec<Key> = self.0.iter().flat_map(|(own, _)| own.iter().copied()).collect();
        all.sort_unstable();
        all
    }

    fn ask(&mut self, ask: &Ask) -> Reply {
        let replies = self.0.iter_mut().map(|(own, active)| active.reply(own, ask));
        let combined = replies.reduce(|mut all, next| {
            Questions::combine(&mut all, &next);
            all
        });
        combined.expect("there are processes")
    }

    /// A whole selection; after every step the wanted element is active (lemma 6.7).
    fn select(&mut self, plan: Plan, rank: u64) -> (Key, Account) {
        let sorted = self.sorted();
        let wanted = sorted[rank as usize - 1];
        assert_eq!(self.ask(&Ask::Activate), Reply::Number(sorted.len() as u64));
        let mut search = Search::new(plan, rank, sorted.len() as u64);
        let mut choose = |_| 0;
        let mut ask = search.ask(&mut choose);
        loop {
            let reply = self.ask(&ask);
            let holds = |(own, active): &(Vec<Key>, Candidates)| active.of(own).contains(&wanted);
            assert!(self.0.iter().any(holds), "{ask:?} has cut off {wanted:?}");
            match search.next(reply, &mut choose) {
                Step::Ask(next) => ask = next,
                Step::Found(found) => return (found.unwrap(), search.account().clone()),
            }
        }
    }
}

fn plan(processes: u32, seed: u64) -> Plan {
    Plan { processes, splitters: Splitters::Adaptive, sample: None, mixer: Mixer::new(seed) }
}

fn is_falling(candidates: &[u64]) -> bool {
    candidates.windows(2).all(|pair| pair[1] <= pair[0])
}

/// 4000 cases against sorting, a third of them with nearly all elements at one process.
#[test]
fn every_selection_is_that_of_the_sorted_list() {
    for seed in 0..4000 {
        let draw = Mixer::new(seed);
        let n = 1 + draw.mix(0, Salt(60)) as u32 % 12;
        let m = 1 + draw.mix(1, Salt(60)) % 120;
        let place = |id, any| match seed % 3 {
            0 if !draw.mix(id, Salt(61)).is_multiple_of(5) => 0,
            1 if id % 2 == 0 => any / 2,
            _ => any,
        };
        let mut processes = Processes::drawn(n, m, draw, place);
        let sorted = processes.sorted();
        let any = 1 + draw.mix(2, Salt(60)) % m;
        let few = Plan { sample: Some(1 + seed % 7), ..plan(n, seed) };
        for rank in [1, m, any] {
            for plan in [plan(n, seed), few] {
                let (found, account) = processes.select(plan, rank);
                assert_eq!(found, sorted[rank as usize - 1], "seed {seed}, rank {rank}");
                assert!(is_falling(&account.candidates), "seed {seed}: {account:?}");
            }
        }
    }
}

#[test]
fn every_rank_of_a_few_elements_is_found() {
    for (n, m) in [(1, 9), (3, 6), (5, 3), (4, 60)] {
        let mut processes = Processes::evenly(n, m, Mixer::new(7));
        let sorted = processes.sorted();
        for rank in 1..=m {
            let few = Plan { sample: Some(2), ..plan(n, rank) };
            assert_eq!(processes.select(few, rank).0, sorted[rank as usize - 1]);
        }
    }
}

/// Phase 1 cuts ⌈log₂ q⌉ + 1 times if there are n^q elements.
#[test]
fn the_number_of_cuts_is_that_of_the_lemma() {
    let cuts = |n, m| plan(n, 0).cuts(m);
    // q = 1/2, 1, 2, 2.5, 4, 20, 64.
    assert_eq!([cuts(16, 4), cuts(16, 16), cuts(16, 256)], [1, 1, 2]);
    assert_eq!([cuts(16, 1024), cuts(16, 65_536)], [3, 3]);
    assert_eq!([cuts(2, 1 << 20), cuts(2, u64::MAX), cuts(1, 99)], [6, 7, 0]);
}

/// Lemma 6.8: a cut of m elements leaves O(√(n m log n)) of them, and the end of phase 1 is at
/// O(n^3/2 log n). The constants were at most 2.2 and 1.1 in 120 runs.
#[test]
fn phase_one_leaves_few() {
    for seed in 0..20 {
        for (n, m) in [(16, 1 << 12), (64, 1 << 14), (64, 1 << 15)] {
            let mut processes = Processes::evenly(n, m, Mixer::new(seed));
            let (_, account) = processes.select(plan(n, seed), m / 2);
            let root = |m: u64| (u64::from(n) * m * u64::from(n.ilog2())).isqrt();
            let phase1 = &account.candidates[..=account.phase1 as usize];
            for pair in phase1.windows(2) {
                assert!(pair[1] <= 3 * root(pair[0]), "n = {n}, seed {seed}: {phase1:?}");
            }
            let last = *phase1.last().unwrap();
            let bound = 2 * u64::from(n) * u64::from(n).isqrt() * u64::from(n.ilog2());
            assert!(last <= bound, "n = {n}, seed {seed}: {phase1:?} above {bound}");
        }
    }
}

/// Lemma 6.9: a sample nearly always holds the element between its limits, and leaves a share of
/// the candidates that falls with n^1/4. In 200 runs, 2 of 556 samples failed for 64 processes,
/// which left 0.31 of the candidates on average, and 3 of 576 for 256, which left 0.20.
#[test]
fn phase_two_fails_rarely_and_cuts_much() {
    let mut shares = Vec::new();
    for n in [64, 256] {
        let (mut samples, mut failed, mut left) = (0, 0, Vec::new());
        for seed in 0..60 {
            let mut processes = Processes::evenly(n, 1 << 13, Mixer::new(seed));
            let (_, account) = processes.select(plan(n, seed), 1 << 12);
            samples += account.iterations;
            failed += account.failed;
            assert!(account.iterations <= 8, "seed {seed}: {account:?}");
            let phase2 = &account.candidates[account.phase1 as usize..];
            left.extend(phase2.windows(2).map(|pair| pair[1] as f64 / pair[0] as f64));
        }
        assert!(failed * 20 <= samples, "{failed} of {samples} samples failed");
        shares.push(left.iter().sum::<f64>() / left.len() as f64);
    }
    assert!((0.2..0.4).contains(&shares[0]) && shares[1] < 0.8 * shares[0], "{shares:?}");
}

/// In systems of this size, the classical limits are nearly as far apart as all splitters, so that
/// few samples cut anything. The anchor gives up, and the element is found all the same.
#[test]
fn the_classical_form_hardly_cuts_in_small_systems() {
    for seed in 0..10 {
        let mut processes = Processes::evenly(64, 4096, Mixer::new(seed));
        let sorted = processes.sorted();
        let classical = Plan { splitters: Splitters::Classical, ..plan(64, seed) };
        let (found, account) = processes.select(classical, 2048);
        assert_eq!((found, account.iterations), (sorted[2047], MOST), "seed {seed}");
        let (found, account) = processes.select(plan(64, seed), 2048);
        assert_eq!(found, sorted[2047]);
        assert!(account.iterations < 10, "seed {seed}: {account:?}");
    }
}

#[test]
fn replies_that_contradict_each_other_find_nothing_and_break_nothing() {
    let all = Between { from: Limit::Below, to: Limit::Above };
    let key = Key { priority: 1, id: 1 };
    let replies = [
        Reply::Number(u64::MAX),
        Reply::Between(all),
        Reply::Outside { below: u64::MAX, above: 0 },
        Reply::Outside { below: 0, above: 90 },
        Reply::Keys(Vec::new()),
        Reply::Keys(vec![key; 3]),
    ];
    for seed in 0..2000 {
        let draw = Mixer::new(seed);
        let mut search = Search::new(Plan { sample: Some(2), ..plan(3, 0) }, 50, 100);
        search.ask(&mut |_| 0);
        for step in 0..20 {
            let reply = replies[draw.mix(step, Salt(70)) as usize % replies.len()].clone();
            if let Step::Found(_) = search.next(reply, &mut |_| 0) {
                break;
            }
        }
    }
}

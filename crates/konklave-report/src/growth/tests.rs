use konklave_sim::random::{Random, Stream};

use super::*;

const SIZES: [f64; 5] = [10.0, 30.0, 100.0, 1000.0, 10_000.0];

fn exact(n: f64, mean: f64) -> Sample {
    Sample { n, mean, error: 0.0 }
}

fn growth(mut formula: impl FnMut(f64) -> f64) -> Growth {
    Growth::new(&SIZES.map(|n| exact(n, formula(n))))
}

#[test]
fn every_law_is_recognised_with_its_constant_through_noise() {
    let seed = 11;
    println!("seed {seed}");
    let mut random = Random::new(seed, Stream::Faults);
    for _ in 0..200 {
        for model in Model::ALL {
            let constant = 0.1 + random.below(1000) as f64 / 100.0;
            // From 0.95 to 1.05: a standard deviation of 0.029.
            let mut noisy = |n: f64| {
                let mean = constant * model.at(n) * (0.95 + 0.1 * random.below(1001) as f64 / 1e3);
                Sample { n, mean, error: 0.029 * mean }
            };
            let growth = Growth::new(&SIZES.map(&mut noisy));
            let best = growth.best().unwrap();
            assert_eq!((best.model, best.lower), (model, None), "{growth:?}");
            assert!((best.constant / constant - 1.0).abs() < 0.05, "{best:?}, not {constant}");
            assert!(best.error < 0.06, "{best:?}");
        }
    }
}

fn harmonic(n: f64) -> f64 {
    (1..=n as u64).map(|k| 1.0 / k as f64).sum()
}

#[test]
fn formulas_of_papers_are_named() {
    let words = |formula: &dyn Fn(f64) -> f64| growth(formula).words("messages");
    assert_eq!(words(&|n| 3.0 * n - 2.0), "messages grow as 3 n - 2, exactly");
    assert_eq!(words(&|n| 3.0 * (n - 1.0)), "messages grow as 3 n - 3, exactly");
    assert_eq!(words(&|n| n * (n + 1.0) / 2.0), "messages grow as 0.5 n^2 + 0.5 n, exactly");
    assert_eq!(words(&|n| 2.0 * n.sqrt()), "messages grow as 2 sqrt n, exactly");
    assert_eq!(words(&|_| 3.0), "messages stay at 3, exactly");
    assert_eq!(words(&|n| 3.0 * (n - 1.0) / n), "messages stay at 3 - 3/n, exactly");
    let logarithm = |n: f64| 2.0 * libm::log2(n) - 3.0;
    assert_eq!(words(&logarithm), "messages grow as 2.89 ln n - 3, exactly");
    // The third term of n H_n, 1/2, is the rest.
    let chang_roberts = growth(|n| n * harmonic(n)).best().unwrap();
    assert_eq!(chang_roberts.model, Model::LinearLog);
    assert!((chang_roberts.constant - 1.0).abs() < 0.01, "{chang_roberts}");
    assert!(chang_roberts.error < 0.003, "{chang_roberts:?}");
    assert_eq!(
        growth(|n| 0.69 * n * libm::log(n)).words("time"),
        "time grows as 0.69 n ln n, exactly"
    );
}

#[test]
fn formulas_of_papers_are_named_at_three_sizes_and_through_noise() {
    let three = |formula: &dyn Fn(f64) -> f64| {
        Growth::new(&[10.0, 100.0, 1000.0].map(|n| exact(n, formula(n))))
            .best()
            .unwrap()
            .to_string()
    };
    assert_eq!(three(&|n| 3.0 * n - 2.0), "3 n - 2");
    assert_eq!(three(&|n| n * n), "n^2");
    let seed = 5;
    println!("seed {seed}");
    let mut random = Random::new(seed, Stream::Faults);
    for _ in 0..200 {
        let mut noisy = |n: f64, mean: f64| {
            let mean = mean * (0.99 + 0.02 * random.below(1001) as f64 / 1e3);
            Sample { n, mean, error: 0.006 * mean }
        };
        let sizes = [7.0, 15.0, 31.0, 63.0, 127.0, 255.0, 511.0];
        let of = |growth: Growth| growth.best().unwrap().model;
        let tree = sizes.map(|n| noisy(n, 4.0 * libm::log2(n) - 6.0));
        assert_eq!(of(Growth::new(&tree)), Model::Log, "{tree:?}");
        let ring = SIZES.map(|n| noisy(n, n * harmonic(n)));
        assert_eq!(of(Growth::new(&ring)), Model::LinearLog, "{ring:?}");
        let line = SIZES.map(|n| noisy(n, 3.0 * n - 2.0));
        assert_eq!(of(Growth::new(&line)), Model::Linear, "{line:?}");
    }
}

#[test]
fn twice_the_mean_distance_in_a_tree_is_logarithmic() {
    // Of all pairs of nodes of a complete binary tree, the edges on the way.
    let distance = |n: u32| {
        let way = |mut a: u32, mut b: u32| {
            let mut steps = 0;
            while a != b {
                if a > b {
                    a /= 2
                } else {
                    b /= 2
                }
                steps += 1;
            }
            f64::from(steps)
        };
        let pairs = (1..=n).flat_map(|a| (1..=n).map(move |b| way(a, b)));
        2.0 * pairs.sum::<f64>() / f64::from(n * n)
    };
    let samples = [7, 15, 31, 63, 127, 255, 511].map(|n| exact(f64::from(n), distance(n)));
    let growth = Growth::new(&samples);
    assert_eq!(growth.best().unwrap().model, Model::Log, "{growth:?}");
}

#[test]
fn what_the_sizes_do_not_decide_is_said() {
    let narrow = [100.0, 101.0, 102.0].map(|n: f64| exact(n, n * libm::log(n)));
    let words = Growth::new(&narrow).words("messages");
    assert!(words.starts_with("messages grow as n ln n, exactly; "), "{words}");
    assert!(words.contains(" n (off by 0.1") && words.ends_with("nearly as well"), "{words}");
    assert!(growth(|n| n * libm::log(n)).close_calls().is_empty());
}

#[test]
fn one_and_many_are_told_apart_by_the_first_word() {
    let words = |quantity: &str| growth(|n| n * n).words(quantity);
    assert_eq!(words("messages to elect"), "messages to elect grow as n^2, exactly");
    assert_eq!(words("time of losses"), "time of losses grows as n^2, exactly");
}

#[test]
fn what_is_no_law_is_not_named() {
    let odd = growth(|n| n * n * n);
    assert_eq!(odd.best(), None);
    assert!(odd.words("messages").starts_with("messages grow by none of the laws: "));
    assert_eq!(growth(|_| 0.0).words("losses"), "losses are always 0");
    let few = [(10.0, 1.0), (10.0, 2.0), (1.0, 5.0), (20.0, 1.0)];
    let few = Growth::new(&few.map(|(n, mean)| exact(n, mean)));
    assert_eq!(few, Growth::Unknown);
    let nothing = [(2.0, 1.0), (3.0, f64::NAN), (4.0, 1.0)].map(|(n, mean)| exact(n, mean));
    assert_eq!(Growth::new(&nothing), Growth::Unknown);
    assert!(few.words("time").contains("too few sizes"));
}

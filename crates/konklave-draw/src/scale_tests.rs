use super::*;

fn labels(scale: &Scale) -> Vec<&str> {
    scale.ticks.iter().filter_map(|tick| tick.label.as_deref()).collect()
}

fn linear(values: &[f64]) -> Scale {
    Scale::new(Axis::Linear, values, false, 6)
}

fn log(values: &[f64]) -> Scale {
    Scale::new(Axis::Log, values, false, 6)
}

#[test]
fn linear_ticks_are_round() {
    assert_eq!(labels(&linear(&[3.0, 97.0])), ["0", "20", "40", "60", "80", "100"]);
    assert_eq!(labels(&linear(&[0.0, 0.9])), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    assert_eq!(labels(&linear(&[100.0, 50_000.0])), ["0", "10k", "20k", "30k", "40k", "50k"]);
    assert_eq!(labels(&linear(&[-2.0, 2.0])), ["-2", "-1", "0", "1", "2"]);
    assert_eq!(
        labels(&linear(&[1000.0, 1000.5])),
        ["1000", "1000.1", "1000.2", "1000.3", "1000.4", "1000.5"]
    );
}

#[test]
fn logarithmic_ticks_are_powers_of_ten() {
    assert_eq!(labels(&log(&[10.0, 1e6])), ["10", "100", "1k", "10k", "100k", "1M"]);
    assert_eq!(labels(&log(&[7.0, 31.0])), ["5", "10", "20", "50"]);
    let minor = log(&[10.0, 1e4]);
    assert_eq!(minor.ticks.len(), 28, "three decades of nine ticks, and the end");
}

#[test]
fn few_of_many_decades_have_labels() {
    let scale = log(&[1e-12, 1e12]);
    assert!(labels(&scale).len() <= 9, "{:?}", labels(&scale));
    assert!(labels(&scale).len() >= 4, "{:?}", labels(&scale));
}

#[test]
fn ticks_rise_and_cover_whatever_is_given() {
    let mut state = 9_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for round in 0..3000 {
        let size = power((random() * 40.0) as i32 - 20);
        let values: Vec<_> = (0..1 + round % 5).map(|_| random() * size).collect();
        for axis in [Axis::Linear, Axis::Log] {
            let scale = Scale::new(axis, &values, false, 6).between(0.0, 100.0);
            let ticks: Vec<_> = scale.ticks.iter().map(|tick| tick.value).collect();
            assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}: {ticks:?}");
            assert!(ticks.len() <= 90, "{values:?}: {} ticks", ticks.len());
            let labels = labels(&scale);
            assert!((2..=14).contains(&labels.len()), "{values:?}: {labels:?}");
            for &value in &values {
                let slack = value.abs() * 1e-6;
                assert!(ticks[0] <= value + slack, "{values:?}: {ticks:?}");
                assert!(ticks[ticks.len() - 1] >= value - slack, "{values:?}: {ticks:?}");
            }
            for pair in labels.windows(2) {
                assert_ne!(pair[0], pair[1], "{values:?}");
            }
        }
    }
}

#[test]
fn places_keep_the_order_and_the_ends() {
    for scale in [linear(&[0.0, 10.0]), log(&[1.0, 1e5])] {
        let scale = scale.between(300.0, 20.0);
        let places: Vec<_> = scale.ticks.iter().map(|tick| scale.place(tick.value)).collect();
        assert_eq!((places[0], places[places.len() - 1]), (300.0, 20.0));
        assert!(places.windows(2).all(|pair| pair[0] > pair[1]));
    }
    let decades = log(&[1.0, 1e4]).between(0.0, 4.0);
    assert!((decades.place(100.0) - 2.0).abs() < 1e-12);
}

#[test]
fn odd_values_do_no_harm() {
    let odd: [&[f64]; 6] =
        [&[], &[0.0], &[5.0, 5.0], &[-3.0], &[f64::NAN, f64::INFINITY], &[-1e300, 1e300]];
    for values in odd {
        for axis in [Axis::Linear, Axis::Log, Axis::Auto] {
            for zero in [false, true] {
                let scale = Scale::new(axis, values, zero, 6).between(0.0, 100.0);
                assert!(scale.ticks.len() >= 2, "{values:?}");
                for &value in values.iter().filter(|value| scale.shows(**value)) {
                    assert!((0.0..=100.0).contains(&scale.place(value)), "{values:?} {axis:?}");
                }
            }
        }
    }
}

#[test]
fn log_is_chosen_beyond_two_decades_of_positive_values() {
    assert!(log_helps([1.0, 100.0]));
    assert!(log_helps([1.0, f64::NAN, 1000.0]));
    assert!(!log_helps([1.0, 99.0]));
    assert!(!log_helps([0.0, 1000.0]));
    assert!(!log_helps([]));
}

//! `konklave experiment` as a user meets it.

mod user;

use user::{fine, json, refused};

#[test]
fn records_agree_with_their_exact_values() {
    let report = json("experiment records --samples 100000 --ring 20000 --seed 2 --json");
    assert_eq!((&report["seed"], &report["samples"]), (&2.into(), &100_000.into()));
    let mut findings = 0;
    for chapter in report["chapters"].as_array().unwrap() {
        for finding in chapter["findings"].as_array().unwrap() {
            let number = |field: &str| finding[field].as_f64().unwrap();
            // Margins are of 2.576 standard errors; among so many, four are hardly ever exceeded.
            let margin = number("margin") * 4.0 / 2.576;
            assert!((number("measured") - number("exact")).abs() <= margin, "{finding}");
            findings += 1;
        }
    }
    assert!(findings > 40);
    let means: Vec<f64> =
        serde_json::from_value(report["means_of_1000_samples_with_n_1000"].clone()).unwrap();
    assert_eq!(means.len(), 6);
    // A standard error of sqrt 2: six means that all lie close together would be wrong.
    let spread = means.iter().copied().fold(f64::MIN, f64::max)
        - means.iter().copied().fold(f64::MAX, f64::min);
    assert!(spread > 0.5, "{means:?}");
}

#[test]
fn the_report_says_why_the_mean_converges_so_slowly() {
    let shown = fine("experiment records --samples 1000 --ring 1000");
    for part in ["seed 1", "sqrt 2", "8.484", "31.511", "5.230", "7.492", "23.38", "2n/e^2"] {
        assert!(shown.contains(part), "'{part}' is missing: {shown}");
    }
    assert_eq!(fine("experiment records --samples 1000 --ring 1000"), shown, "the same seed");
    assert_ne!(fine("experiment records --samples 1000 --ring 1000 --seed 2"), shown);
    for size in 1..5 {
        fine(&format!("experiment records --samples 100 --ring {size}"));
    }
}

#[test]
fn bad_input_is_refused() {
    for arguments in ["--samples 0", "--samples many", "--ring 0", "--ring 99999999", "--seed x"] {
        refused(&format!("experiment records {arguments}"));
    }
    refused("experiment fish");
    assert!(fine("experiment records --help").contains("Examples:"));
}

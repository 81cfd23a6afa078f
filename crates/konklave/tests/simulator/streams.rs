//! One seed, many streams: one more draw in one of them does not shift the others.

use konklave_sim::random::{Random, Stream};
use konklave_sim::{Delay, Faults, Options};

use super::puppet::{Act, Order, Script, play, play_script, send};

/// A hundred messages, one per tick.
fn traffic() -> Vec<Order> {
    (1..=100).map(|time| (time, 0, send(1, time as u32))).collect()
}

fn choices(count: u64, bound: u32) -> Vec<Order> {
    (1..=count).map(|time| (time, 0, Act::Choose(bound))).collect()
}

fn jittery(seed: u64) -> Options {
    Options { seed, delay: Delay::Uniform(1, 1000), ..Options::default() }
}

/// The part of the log in which this happens.
fn only(what: &str, log: &[String]) -> Vec<String> {
    log.iter().filter(|line| line.contains(what)).cloned().collect()
}

#[test]
fn choices_come_from_their_own_stream_in_order() {
    for seed in [0, 1, 2, u64::MAX] {
        for bound in [1, 2, 6, 1000, u32::MAX] {
            let log = play(jittery(seed), 1, &choices(50, bound)).problem;
            let mut stream = Random::new(seed, Stream::Choices);
            let expected: Vec<_> = (1..=50)
                .map(|time| format!("{time}: 0 chooses {}", stream.below(bound.into())))
                .collect();
            assert_eq!(log, expected, "seed {seed}, bound {bound}");
        }
    }
}

#[test]
fn every_number_below_the_bound_is_chosen_and_no_other() {
    let log = play(jittery(1), 1, &choices(600, 6)).problem;
    let chosen = log.iter().map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
    let mut counts = [0; 6];
    chosen.for_each(|value| counts[value] += 1);
    // Mean 100, standard deviation 9.1.
    assert!(counts.iter().all(|count| (64..=136).contains(count)), "{counts:?}");
}

#[test]
fn more_choices_do_not_change_delays() {
    for seed in 1..=10 {
        let few = play(jittery(seed), 2, &traffic()).problem;
        let mut orders = traffic();
        orders.extend(choices(60, 10));
        let many = play(jittery(seed), 2, &orders).problem;
        assert_eq!(only("chooses", &many).len(), 60);
        assert_eq!(only("gets", &many), few, "seed {seed}");
    }
}

#[test]
fn more_messages_do_not_change_choices() {
    for seed in 1..=10 {
        let quiet = play(jittery(seed), 2, &choices(60, 1000)).problem;
        let mut orders = choices(60, 1000);
        orders.extend(traffic());
        let faults = Faults { loss: 0.2, duplicate: 0.2, reorder: 0.2, ..Faults::default() };
        let busy = play(Options { faults, ..jittery(seed) }, 2, &orders).problem;
        assert_eq!(only("chooses", &busy), quiet, "seed {seed}");
    }
}

#[test]
fn more_draws_of_the_workload_change_neither_delays_nor_choices() {
    let mut orders = traffic();
    orders.extend(choices(60, 1000));
    for seed in 1..=10 {
        let frugal = play(jittery(seed), 2, &orders).problem;
        let wasteful = play_script(jittery(seed), 2, Script::new(&orders).drawing(77)).problem;
        assert_eq!(frugal, wasteful, "seed {seed}");
    }
}

#[test]
fn what_is_lost_does_not_change_when_the_others_arrive() {
    for seed in 1..=10 {
        let run = |loss| {
            let faults = Faults { loss, ..Faults::default() };
            play(Options { faults, ..jittery(seed) }, 2, &traffic()).problem
        };
        let (some, many) = (run(0.1), run(0.6));
        let both: Vec<_> = many.iter().filter(|line| some.contains(line)).collect();
        let number = |line: &String| line.split(' ').nth(3).map(str::to_owned);
        let known: Vec<_> = some.iter().map(number).collect();
        let same = many.iter().filter(|line| known.contains(&number(line))).count();
        assert!(same > 10, "seed {seed}: {same} of {} and {}", some.len(), many.len());
        assert_eq!(both.len(), same, "seed {seed}: a survivor of both arrives at the same time");
    }
}

#[test]
fn streams_and_seeds_differ() {
    let streams = [
        Stream::Network,
        Stream::Choices,
        Stream::Workload,
        Stream::Ids,
        Stream::Graph,
        Stream::Faults,
    ];
    let mut firsts: Vec<_> =
        (0..50).flat_map(|seed| streams.map(|stream| Random::new(seed, stream).word())).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 50 * streams.len());
}

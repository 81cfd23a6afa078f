//! Channels: order, loss, duplication, partitions, and messages to nobody.

use konklave::NodeId;
use konklave_sim::{Delay, Ended, Faults, Options};

use super::puppet::{Act, Order, Script, play, send};

/// Node 0 sends 1, 2, 3, ... to node 1, one per tick from tick 1 on.
fn one_per_tick(count: u32) -> Vec<Order> {
    (1..=count).map(|number| (number.into(), 0, send(1, number))).collect()
}

/// The numbers in the order in which they were got, and when.
fn arrivals(log: &[String]) -> Vec<(u64, u32)> {
    let got = log.iter().filter(|line| line.contains("gets"));
    let words = got.map(|line| line.split([':', ' ']).collect::<Vec<_>>());
    words.map(|words| (words[0].parse().unwrap(), words[4].parse().unwrap())).collect()
}

fn with_faults(faults: Faults) -> Options {
    Options { faults, ..Options::default() }
}

#[test]
fn everyone_starts_before_anything_else_happens() {
    let mut theatre = super::puppet::theatre(
        Options::default(),
        3,
        Script::new(&[(0, 2, send(0, 5)), (0, 0, send(2, 6))]),
    );
    let report = theatre.run(&mut |_| true).unwrap();
    let expected =
        ["0: 0 starts", "0: 1 starts", "0: 2 starts", "1: 0 gets 5 from 2", "1: 2 gets 6 from 0"];
    assert_eq!(report.problem, expected);
}

#[test]
fn a_message_takes_as_long_as_the_delay_says() {
    for delay in [1, 7, 1000, 100_000] {
        let options = Options { delay: Delay::Constant(delay), ..Options::default() };
        let report = play(options, 2, &[(2, 0, send(1, 5))]);
        assert_eq!(report.problem, [format!("{}: 1 gets 5 from 0", 2 + delay)]);
    }
}

#[test]
fn a_message_to_oneself_travels_too() {
    assert_eq!(play(Options::default(), 1, &[(2, 0, send(0, 5))]).problem, ["3: 0 gets 5 from 0"]);
}

#[test]
fn fifo_channels_keep_the_order_and_others_do_not() {
    for seed in 1..=20 {
        for (fifo, delay) in [(true, Delay::Uniform(1, 50)), (false, Delay::Uniform(1, 50))] {
            let options = Options { seed, fifo, delay, ..Options::default() };
            let got = arrivals(&play(options, 2, &one_per_tick(100)).problem);
            assert_eq!(got.len(), 100, "seed {seed}");
            let in_order = got.is_sorted_by_key(|&(_, number)| number);
            assert_eq!(in_order, fifo, "seed {seed}: {got:?}");
        }
    }
}

#[test]
fn a_message_to_a_node_that_does_not_exist_breaks_a_promise() {
    for (fifo, to) in [(false, 2), (false, u32::MAX), (true, 2), (true, u32::MAX)] {
        let options = Options { fifo, delay: Delay::Uniform(1, 3), ..Options::default() };
        let report = play(options, 2, &[(1, 0, send(to, 5)), (9, 0, send(1, 6))]);
        assert_eq!((report.ended, report.time, report.messages.total), (Ended::Violation, 1, 1));
        let broken = &report.violations[0].broken;
        let expected = format!("node 0 sends a message to node {to}, which does not exist");
        assert_eq!((&broken.promise[..], &broken.detail), ("sends to neighbours", &expected));
        assert_eq!(broken.node, Some(NodeId(0)));
    }
}

#[test]
fn with_loss_one_nothing_arrives() {
    let report = play(with_faults(Faults { loss: 1.0, ..Faults::default() }), 2, &one_per_tick(50));
    assert_eq!((report.messages.total, report.deliveries), (50, 0));
    assert_eq!((report.ended, report.messages.in_flight_peak), (Ended::Quiescence, 0));
}

#[test]
fn with_some_loss_some_arrive() {
    let mut received = 0;
    for seed in 1..=40 {
        let options = Options { seed, ..with_faults(Faults { loss: 0.25, ..Faults::default() }) };
        received += play(options, 2, &one_per_tick(100)).deliveries;
    }
    // 4000 trials with success 3/4: mean 3000, standard deviation 27.4.
    assert!((2880..=3120).contains(&received), "{received}, seeds 1 to 40");
}

#[test]
fn with_duplication_one_everything_arrives_twice() {
    for fifo in [false, true] {
        let faults = Faults { duplicate: 1.0, ..Faults::default() };
        let options = Options { fifo, delay: Delay::Uniform(1, 9), ..with_faults(faults) };
        let report = play(options, 2, &one_per_tick(50));
        assert_eq!((report.messages.total, report.deliveries), (50, 100));
        let mut numbers: Vec<_> = arrivals(&report.problem).iter().map(|got| got.1).collect();
        assert_eq!(numbers.is_sorted(), fifo, "{numbers:?}");
        numbers.sort_unstable();
        assert!(numbers.chunks(2).zip(1..).all(|(pair, number)| pair == [number, number]));
    }
}

#[test]
fn reordering_holds_messages_up_for_at_most_ten_delays() {
    let faults = Faults { reorder: 0.5, ..Faults::default() };
    let options = Options { delay: Delay::Constant(3), ..with_faults(faults) };
    let got = arrivals(&play(options, 2, &one_per_tick(400)).problem);
    let extra: Vec<_> = got.iter().map(|&(time, number)| time - u64::from(number) - 3).collect();
    assert_eq!((extra.iter().min(), extra.iter().max()), (Some(&0), Some(&30)), "{extra:?}");
    let held_up = extra.iter().filter(|&&extra| extra > 0).count();
    assert!((160..=240).contains(&held_up), "{held_up} of 400"); // Four standard deviations: 40.
    assert!(!got.is_sorted_by_key(|&(_, number)| number));
}

#[test]
fn a_partition_loses_what_is_sent_across_it_while_it_lasts() {
    let partitions = vec!["0/1@10..20".parse().unwrap()];
    let options = with_faults(Faults { partitions, ..Faults::default() });
    let mut orders = one_per_tick(30);
    orders.push((15, 0, send(0, 99)));
    let expected = (1..=30_u64)
        .filter(|sent| !(10..20).contains(sent))
        .map(|sent| (sent + 1, sent as u32))
        .chain([(16, 99)]) // Within the group.
        .collect();
    let mut got = arrivals(&play(options, 2, &orders).problem);
    let mut expected: Vec<_> = expected;
    got.sort_unstable();
    expected.sort_unstable();
    assert_eq!(got, expected, "what was sent at 9 crosses at 10: it was under way");
}

#[test]
fn a_partition_that_holds_lets_everything_through_when_it_heals() {
    let partitions = vec!["hold:0/1@10..20".parse().unwrap()];
    let options = with_faults(Faults { partitions, ..Faults::default() });
    let got = arrivals(&play(options, 2, &one_per_tick(30)).problem);
    let expected: Vec<_> = (1..=30_u64)
        .map(|sent| (if (10..20).contains(&sent) { 21 } else { sent + 1 }, sent as u32))
        .collect();
    assert_eq!(got, expected, "at 20 plus the delay, in the order in which they were sent");
}

#[test]
fn a_partition_lets_groups_talk_among_themselves_and_the_rest_is_a_group() {
    let partitions = vec!["0-1/2@0".parse().unwrap()];
    let options = with_faults(Faults { partitions, ..Faults::default() });
    let pairs = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
    let orders: Vec<_> = pairs.map(|(from, to)| (1, from, send(to, 10 * from + to))).collect();
    let got = arrivals(&play(options, 5, &orders).problem);
    let got: Vec<_> = got.into_iter().map(|(_, number)| number).collect();
    assert_eq!(got, [0, 1, 10, 11, 22, 33, 34, 43, 44]);
}

#[test]
fn the_causal_depth_is_the_longest_chain() {
    let third = Act::Send(0, 3, vec![]);
    let second = Act::Send(2, 2, vec![third]);
    let orders = [(1, 0, Act::Send(1, 1, vec![second])), (50, 1, send(2, 9))];
    let report = play(Options::default(), 3, &orders);
    assert_eq!(report.causal_depth, 3, "0 -> 1 -> 2 -> 0; the last one is no longer than 1 -> 2");
}

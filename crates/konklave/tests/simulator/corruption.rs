//! Garbage in states and channels: it shows, and the same seed gives the same garbage.

use konklave::NodeId;
use konklave_sim::{Faults, Options};

use super::puppet::{Order, Script, send, theatre};

struct Observed {
    log: Vec<String>,
    /// What node 1 believes to have got.
    got: Vec<u32>,
    deliveries: u64,
    messages: u64,
}

/// Node 0 sends 1001, 1002, ... to node 1 until time 5, and one more at 50.
fn run(seed: u64, corruption: Option<&str>, crash: Option<&str>) -> Observed {
    let mut orders: Vec<Order> =
        (1..=5).map(|time| (time, 0, send(1, 1000 + time as u32))).collect();
    orders.push((50, 0, send(1, 1050)));
    let corruptions = corruption.iter().map(|text| text.parse().unwrap()).collect();
    let crashes = crash.iter().map(|text| text.parse().unwrap()).collect();
    let faults = Faults { corruptions, crashes, ..Faults::default() };
    let mut theatre =
        theatre(Options { seed, faults, ..Options::default() }, 2, Script::new(&orders));
    let report = theatre.run(&mut |_| true).unwrap();
    Observed {
        log: report.problem,
        got: theatre.node(NodeId(1)).got.clone(),
        deliveries: report.deliveries,
        messages: report.messages.total,
    }
}

#[test]
fn a_spoilt_state_is_another_state_and_nothing_of_it_gets_out() {
    let clean = run(1, None, None);
    for seed in 1..=20 {
        let spoilt = run(seed, Some("state:1@20"), None);
        assert_ne!(spoilt.got, clean.got, "seed {seed}");
        assert_eq!(spoilt.got[..5], clean.got[..5], "seed {seed}: what was before is untouched");
        assert_eq!(spoilt.got.last(), Some(&1050), "seed {seed}: it goes on afterwards");
        assert_eq!(spoilt.log, clean.log, "seed {seed}: its application is not told");
        assert_eq!((spoilt.deliveries, spoilt.messages), (6, 6), "seed {seed}");
    }
}

#[test]
fn a_spoilt_channel_delivers_what_nobody_sent() {
    let clean = run(1, None, None);
    for seed in 1..=20 {
        let mut spoilt = run(seed, Some("channel:0-1@20"), None);
        assert_eq!((spoilt.deliveries, spoilt.messages), (7, 6), "seed {seed}: one was not sent");
        let forged = spoilt.log.remove(clean.log.len() - 1);
        let from_zero = forged.starts_with("21: 1 gets ") && forged.ends_with(" from 0");
        assert!(from_zero, "seed {seed}: {forged}");
        assert_eq!(spoilt.log, clean.log, "seed {seed}: everything else is as before");
    }
}

#[test]
fn the_forger_answers_for_the_sender() {
    let log = run(1, Some("channel:1-0@20"), None).log;
    let forged: Vec<_> = log.iter().filter(|line| line.contains(" from 1")).collect();
    assert!(matches!(&forged[..], [line] if line.starts_with("21: 0 gets ")), "{log:?}");
}

#[test]
fn garbage_is_often_new_but_always_the_same_for_the_same_seed() {
    let mut unheard_of = 0;
    for seed in 1..=40 {
        for corruption in ["state:1@20", "channel:0-1@20"] {
            let (one, other) =
                (run(seed, Some(corruption), None), run(seed, Some(corruption), None));
            assert_eq!((&one.got, &one.log), (&other.got, &other.log), "seed {seed}, {corruption}");
            let sent = |number: &u32| (1001..=1005).contains(number) || *number == 1050;
            unheard_of += u32::from(!one.got.iter().all(sent));
        }
    }
    assert!(unheard_of >= 20, "{unheard_of} of 80 runs know numbers that were never sent");
    let differ = (2..=20).any(|seed| {
        run(seed, Some("state:1@20"), None).got != run(1, Some("state:1@20"), None).got
    });
    assert!(differ, "seeds 1 to 20 all give the same garbage");
}

/// The first message is sent at 1 and arrives at 2.
#[test]
fn garbage_is_made_of_messages_so_it_waits_for_the_first() {
    let clean = run(1, None, None);
    let spoilt = run(1, Some("state:1@0"), None);
    assert_eq!(spoilt.got[0], 1001, "no garbage before it");
    assert_eq!(spoilt.got.len(), clean.got.len() + 5);
    assert_eq!(spoilt.log, clean.log, "nothing of it gets out");
    let forged = run(1, Some("channel:0-1@0"), None);
    let new: Vec<_> = forged.log.iter().filter(|line| !clean.log.contains(line)).collect();
    assert!(matches!(&new[..], [line] if line.starts_with("3: 1 gets ")), "{:?}", forged.log);
}

#[test]
fn a_crashed_node_has_no_state_to_be_spoilt() {
    let clean = run(1, None, Some("1@10..30"));
    let spoilt = run(1, Some("state:1@20"), Some("1@10..30"));
    assert_eq!((&clean.got, clean.log), (&spoilt.got, spoilt.log));
    assert_eq!(clean.got, [1050]);
}

//! What went wrong with the program that this one replaces (election.md 10.5): each situation
//! again, and how it goes now. The first two are about mailboxes and tested there.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::{Diary, LONG, numbered, plain, plan};
use konklave::NodeId;
use konklave::election::{Command, Event, Id};
use konklave::protocol::Protocol;
use konklave_ring::{
    ElectionPlan, ElectionResults, Ended, Initiator, Moment, Ring, Setup, Signal, What, hold,
};

const MS: Duration = Duration::from_millis(1);
/// How long to wait for a dead neighbour where one is expected: longer than a living one can be
/// held up by a busy machine.
const ACK: Duration = Duration::from_millis(500);

fn run<P>(setup: Setup<P>, plan: &ElectionPlan) -> (ElectionResults, Diary)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let diary = Diary::default();
    let ring = Ring::open(setup, diary.observer()).unwrap();
    let results = hold(ring, plan).unwrap();
    assert_eq!(results.broken, None);
    (results, diary)
}

fn all_finished(results: &ElectionResults, leader: u32) {
    for summary in &results.elections {
        assert_eq!(summary.ended, Ended::Finished, "{summary}");
        assert_eq!(summary.leader, Some(Id(leader)), "{summary}");
    }
}

/// Defect 3, the circular wait: all send at once, and all would wait for each other to take.
#[test]
fn when_all_send_at_once_nobody_is_suspected() {
    let ids = [27, 4, 42, 15, 63, 9];
    // The limit is far longer than a hop, so that only a circle can exceed it.
    let limit = Duration::from_secs(2);
    let plan = plan(5, Initiator::All);
    let (results, diary) = run(plain(&ids, MS, limit), &plan);
    all_finished(&results, 63);
    assert_eq!(diary.suspicions(), []);
    let (results, diary) = run(numbered(&ids, MS, limit, LONG), &plan);
    all_finished(&results, 63);
    assert_eq!(diary.suspicions(), []);
}

/// Defect 4, the lost message: what a dead neighbour did not take goes to the next at once. The
/// plain algorithm knows nothing of it: the driver alone must save the message.
#[test]
fn what_a_dead_neighbour_did_not_take_goes_to_the_next() {
    let plan = ElectionPlan {
        kills: vec![
            Moment { election: 1, node: NodeId(1) },
            Moment { election: 1, node: NodeId(2) },
        ],
        timeout: Duration::from_secs(20),
        ..plan(2, Initiator::At(NodeId(0)))
    };
    let (results, diary) = run(plain(&[3, 1, 2, 8, 5], Duration::ZERO, ACK), &plan);
    all_finished(&results, 8);
    assert_eq!(diary.suspicions(), [(0, 1), (0, 2)], "once each, and by the neighbour only");
    assert_eq!(results.elections[0].messages, 7, "n = 3, d = 1");
    assert_eq!(results.elections[1].messages, 7);
}

/// A ring in which worker 1 has died with a proposal that it had not handed over: its successor
/// was dead already, so it was still waiting. How the election ends, and the next.
fn lose_a_proposal<P>(setup: Setup<P>, timeout: Duration) -> ElectionResults
where
    P: Protocol<Command = Command, Event = Event>,
{
    let diary = Diary::default();
    let mut ring = Ring::open(setup, diary.observer()).unwrap();
    ring.kill(NodeId(2));
    let signal = ring.signal();
    let plan = ElectionPlan { timeout, ..plan(2, Initiator::At(NodeId(0))) };
    thread::scope(|scope| {
        let elections = scope.spawn(|| hold(ring, &plan).unwrap());
        diary.until(1, |what| matches!(what, What::Sent { to: NodeId(2), .. }));
        signal.send(Signal::Kill(NodeId(1))).unwrap();
        elections.join().unwrap()
    })
}

/// Defect 5, stale flags: after a lost proposal those who take part would block every election.
#[test]
fn a_lost_proposal_does_not_block_later_elections() {
    let ids = [5, 3, 4, 8, 7];
    let results = lose_a_proposal(numbered(&ids, Duration::ZERO, ACK, 2 * ACK), LONG);
    assert_eq!(results.broken, None);
    all_finished(&results, 8);

    // Without numbers it does, which shows that the situation is the one that is meant: worker 0
    // still takes part in the first election and starts no other.
    let results = lose_a_proposal(plain(&ids, Duration::ZERO, ACK), 2 * ACK);
    assert!(results.elections.iter().all(|summary| summary.leader.is_none()));
}

/// How often the proposal of worker 0, the largest, is passed on if its owner dies as soon as it is
/// on its way, and what became of the election.
fn outlive_a_proposal<P>(setup: Setup<P>, timeout: Duration) -> (usize, ElectionResults)
where
    P: Protocol<Command = Command, Event = Event>,
{
    let diary = Diary::default();
    let ring = Ring::open(setup, diary.observer()).unwrap();
    let signal = ring.signal();
    let plan = ElectionPlan { timeout, ..plan(1, Initiator::At(NodeId(0))) };
    let results = thread::scope(|scope| {
        let elections = scope.spawn(|| hold(ring, &plan).unwrap());
        diary.until(1, |what| matches!(what, What::Forwarded { .. }));
        signal.send(Signal::Kill(NodeId(0))).unwrap();
        elections.join().unwrap()
    });
    let forwarded = diary.workers(|what| match what {
        What::Forwarded { vote, .. } => vote.candidate == Id(9),
        _ => false,
    });
    (forwarded.len(), results)
}

/// Defect 6, immortal messages: the proposal of a dead worker would circle for ever.
#[test]
fn the_proposal_of_a_dead_worker_does_not_circle_for_ever() {
    let ids = [9, 3, 4, 7];
    let (times, results) = outlive_a_proposal(numbered(&ids, 20 * MS, ACK, 4 * ACK), LONG);
    assert_eq!(results.broken, None);
    all_finished(&results, 7);
    assert!(times <= 6, "it was passed on {times} times");

    // Without numbers it does.
    let (times, results) = outlive_a_proposal(plain(&ids, 20 * MS, ACK), 3 * ACK);
    assert_eq!(results.elections[0].ended, Ended::Abandoned);
    assert!(times > 6, "it was passed on {times} times only");
}

/// Defect 7, always the worst case: it depends on who starts, and random ones do differ.
#[test]
fn the_cost_depends_on_who_starts() {
    // Election.md 11.2.
    let ids = [27, 4, 42, 15, 63, 9];
    for (start, messages) in (0..).zip([16, 15, 14, 13, 12, 17]) {
        let plan = plan(2, Initiator::At(NodeId(start)));
        for results in [
            run(plain(&ids, Duration::ZERO, LONG), &plan).0,
            run(numbered(&ids, Duration::ZERO, LONG, LONG), &plan).0,
        ] {
            all_finished(&results, 63);
            for summary in &results.elections {
                assert_eq!(summary.messages, messages, "started by worker {start}");
                assert_eq!(summary.expected, Some(messages));
                assert_eq!(summary.announcements, 6);
                assert_eq!(summary.bound(), 17);
            }
        }
    }
    let (results, _) = run(plain(&ids, Duration::ZERO, LONG), &plan(20, Initiator::Random));
    let costs = results.elections.iter().map(|summary| summary.messages);
    assert!(costs.clone().min() < costs.max(), "twenty elections, all started by the same one");
    assert!(results.elections.iter().all(|one| Some(one.messages) == one.expected));
}

/// Defect 8, overlapping elections: the pause begins when the election is over.
#[test]
fn the_pause_begins_when_the_election_is_over() {
    // Every election takes at least 12 hops of 5 ms, three times the pause.
    let plan = ElectionPlan { pause: 20 * MS, ..plan(4, Initiator::At(NodeId(0))) };
    let (results, diary) = run(plain(&[1, 2, 3, 4, 5, 6], 5 * MS, LONG), &plan);
    all_finished(&results, 6);
    let notices = diary.notices();
    let times = |is_meant: fn(&What) -> bool| {
        notices.iter().filter(move |notice| is_meant(&notice.what)).map(|notice| notice.t)
    };
    let finished = times(|what| matches!(what, What::Finished));
    let started = times(|what| matches!(what, What::ElectionStarted { .. }));
    let gaps: Vec<_> =
        finished.zip(started.skip(1)).map(|(end, start)| start as i64 - end as i64).collect();
    assert_eq!(gaps.len(), 3);
    assert!(gaps.iter().all(|&gap| gap >= 19), "{gaps:?}"); // Both times are rounded down.
}

/// Defect 9, the end: those who still run would suspect those who have stopped.
#[test]
fn nobody_is_suspected_when_the_ring_stops() {
    let diary = Diary::default();
    let ring = Ring::open(plain(&[4, 9, 2, 7], 20 * MS, ACK), diary.observer()).unwrap();
    let signal = ring.signal();
    let results = thread::scope(|scope| {
        let elections = scope.spawn(|| hold(ring, &plan(9, Initiator::All)).unwrap());
        diary.until(1, |what| matches!(what, What::Taken { .. }));
        signal.send(Signal::Stop).unwrap(); // In the middle of an election.
        elections.join().unwrap()
    });
    assert_eq!(results.elections.back().map(|summary| summary.ended), Some(Ended::Interrupted));
    assert_eq!(diary.suspicions(), []);
    assert_eq!(diary.workers(|what| matches!(what, What::WorkerStopped)).len(), 4);
    assert!(matches!(diary.notices().last().unwrap().what, What::RingStopped));
}

/// Also when one waits for a dead neighbour, for much longer than anyone would.
#[test]
fn the_ring_stops_at_once_while_somebody_waits_for_a_dead_one() {
    let diary = Diary::default();
    let mut ring = Ring::open(plain(&[4, 9, 2], Duration::ZERO, LONG), diary.observer()).unwrap();
    ring.kill(NodeId(1));
    ring.start(&[NodeId(0)]);
    diary.until(0, |what| matches!(what, What::Sent { .. }));
    let since = Instant::now();
    ring.close();
    assert!(since.elapsed() < LONG / 2);
    assert_eq!(diary.suspicions(), []);
}

/// Defect 10, the leader that only the leader knows: everyone learns its id.
#[test]
fn everyone_knows_the_leader() {
    let (_, diary) = run(plain(&[4, 9, 2, 7], Duration::ZERO, LONG), &plan(1, Initiator::All));
    let mut knowing = diary.workers(|what| matches!(what, What::LeaderKnown { leader: Id(9) }));
    knowing.sort_unstable();
    assert_eq!(knowing, [0, 1, 2, 3]);
}

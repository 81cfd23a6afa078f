//! Rings that vote, lose workers and get them back.

mod common;

use std::time::{Duration, Instant};

use common::{Diary, LONG, numbered, plain, plan};
use konklave::NodeId;
use konklave::election::Id;
use konklave_ring::{
    ElectionPlan, ElectionResults, Ended, Initiator, Kind, Moment, Ring, Vote, What, hold,
};

const ACK: Duration = Duration::from_millis(400);

fn moment(node: u32, election: u64) -> Moment {
    Moment { election, node: NodeId(node) }
}

fn leaders(results: &ElectionResults) -> Vec<u32> {
    assert_eq!(results.broken, None);
    let leader = |summary: &konklave_ring::Summary| {
        assert_eq!(summary.ended, Ended::Finished, "{summary}");
        summary.leader.map_or(u32::MAX, |Id(id)| id)
    };
    results.elections.iter().map(leader).collect()
}

#[test]
fn rings_of_all_small_sizes_vote_again_and_again() {
    for size in 1..=9 {
        let ids: Vec<u32> = (0..size).map(|place| place * 7 % 10).collect(); // 0 is a legal id.
        let largest = ids.iter().copied().max().unwrap();
        for initiator in [Initiator::Random, Initiator::All, Initiator::At(NodeId(size - 1))] {
            let plan = plan(3, initiator);
            let diary = Diary::default();
            let ring = Ring::open(plain(&ids, Duration::ZERO, LONG), diary.observer()).unwrap();
            assert_eq!(leaders(&hold(ring, &plan).unwrap()), [largest; 3], "{ids:?}");
            let resigned = diary.workers(|what| matches!(what, What::SteppedDown));
            assert_eq!(resigned.len(), 2, "the leader makes way for each further election");
            let setup = numbered(&ids, Duration::ZERO, LONG, LONG);
            let ring = Ring::open(setup, |_| ()).unwrap();
            assert_eq!(leaders(&hold(ring, &plan).unwrap()), [largest; 3], "{ids:?}");
        }
    }
}

#[test]
fn leaders_die_and_come_back() {
    let plan = ElectionPlan {
        kills: vec![moment(2, 2), moment(4, 3), moment(0, 3)],
        revivals: vec![moment(4, 4), moment(2, 5)],
        ..plan(5, Initiator::At(NodeId(0)))
    };
    let diary = Diary::default();
    let setup = numbered(&[5, 1, 9, 3, 8, 2], Duration::ZERO, ACK, 5 * ACK);
    let ring = Ring::open(setup, diary.observer()).unwrap();
    let results = hold(ring, &plan).unwrap();
    assert_eq!(leaders(&results), [9, 8, 3, 8, 9]);
    assert_eq!(results.elections[0].expected, Some(14));
    assert_eq!(results.elections[1].expected, None, "somebody died");
    assert_eq!(results.elections[4].workers, 5);
    let suspicions = diary.suspicions();
    assert!(suspicions.contains(&(1, 2)) && suspicions.contains(&(3, 4)), "{suspicions:?}");
}

#[test]
fn who_died_unnoticed_can_come_back() {
    let diary = Diary::default();
    // Longer waits than the test takes: it must not depend on any of them.
    let setup = numbered(&[5, 1, 9, 3], Duration::ZERO, 2 * LONG, 2 * LONG);
    let mut ring = Ring::open(setup, diary.observer()).unwrap();
    let rest = |ring: &Ring<_>| {
        let since = Instant::now();
        while !ring.is_at_rest() {
            assert!(since.elapsed() < LONG, "no rest: {:#?}", diary.notices());
            std::thread::yield_now();
        }
    };
    ring.start(&[NodeId(0)]);
    rest(&ring);
    ring.kill(NodeId(2));
    ring.revive(NodeId(2)).unwrap();
    rest(&ring);
    assert_eq!(ring.broken(), None);
    let knowing = diary.workers(|what| matches!(what, What::LeaderKnown { leader: Id(9) }));
    assert!((0..4).all(|node| knowing.iter().filter(|&&other| other == node).count() >= 2));
    ring.close();
}

#[test]
fn the_last_one_leads_itself() {
    let plan =
        ElectionPlan { kills: vec![moment(0, 2), moment(1, 2)], ..plan(3, Initiator::Random) };
    let setup = numbered(&[5, 9, 1], Duration::ZERO, ACK, 5 * ACK);
    let ring = Ring::open(setup, |_| ()).unwrap();
    assert_eq!(leaders(&hold(ring, &plan).unwrap()), [9, 1, 1]);
}

/// What the monitor is for: a worker that votes under another id than its own is found out.
#[test]
fn a_broken_promise_ends_the_run() {
    let mut setup = plain(&[4, 9, 2, 7], Duration::ZERO, LONG);
    setup.make = plain(&[4, 6, 2, 7], Duration::ZERO, LONG).make; // The owner of 9 says 6.
    let diary = Diary::default();
    let ring = Ring::open(setup, diary.observer()).unwrap();
    let results = hold(ring, &plan(9, Initiator::All)).unwrap();
    assert_eq!(results.broken.unwrap().promise, "the right leader");
    assert!(results.elections.len() < 9);
    assert!(diary.notices().iter().any(|notice| matches!(notice.what, What::Violated { .. })));
}

#[test]
fn a_worker_that_fails_is_a_broken_promise() {
    let mut setup = plain(&[4, 9, 2], Duration::ZERO, LONG);
    setup.read = |_| panic!("unreadable");
    let ring = Ring::open(setup, |_| ()).unwrap();
    let results = hold(ring, &plan(1, Initiator::At(NodeId(0)))).unwrap();
    assert_eq!(results.broken.unwrap().to_string(), "assertions hold: unreadable");
}

#[test]
fn the_story_of_a_small_election() {
    let diary = Diary::default();
    let ring = Ring::open(plain(&[4, 9], Duration::ZERO, LONG), diary.observer()).unwrap();
    hold(ring, &plan(1, Initiator::At(NodeId(0)))).unwrap();
    let story: Vec<_> = diary
        .notices()
        .iter()
        .filter(|notice| {
            !matches!(notice.what, What::Sent { .. } | What::WorkerStarted | What::WorkerStopped)
        })
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        story,
        [
            "a ring of 2 workers, ids 4, 9",
            "election 1 begins at worker 0",
            "worker 0 (id 4) starts an election",
            "worker 0 (id 4) joins the election",
            "worker 0 (id 4) proposes itself to worker 1",
            "worker 1 (id 9) takes the proposal of 4 from worker 0",
            "worker 1 (id 9) joins the election",
            "worker 1 (id 9) proposes itself to worker 0",
            "worker 0 (id 4) takes the proposal of 9 from worker 1",
            "worker 0 (id 4) forwards the proposal of 9 to worker 1",
            "worker 1 (id 9) takes the proposal of 9 from worker 0",
            "worker 1 (id 9) is elected",
            "worker 1 (id 9) knows the leader: 9",
            "worker 1 (id 9) leaves the election",
            "worker 1 (id 9) announces the election of 9 to worker 0",
            "worker 0 (id 4) takes the election of 9 from worker 1",
            "worker 0 (id 4) knows the leader: 9",
            "worker 0 (id 4) leaves the election",
            "worker 0 (id 4) announces the election of 9 to worker 1",
            "worker 1 (id 9) takes the election of 9 from worker 0",
            "worker 1 (id 9) has its announcement back: all workers know",
            "election 1 finished, 5 messages (2n+d = 5, at most 5), leader 9",
            "the ring has stopped",
        ]
    );
    let vote = Vote { message: Kind::Proposal, round: Some(3), candidate: Id(9) };
    assert_eq!(vote.to_string(), "the proposal of 9 in round 3");
}

//! Rings for tests, with everything that happens to them written down.

#![allow(dead_code)] // Not every test uses all of it.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::chang_roberts::{self, ChangRoberts, Wake};
use konklave::election::chang_roberts_numbered::{self, ChangRobertsNumbered};
use konklave_ring::{ElectionPlan, Initiator, Kind, Notice, Setup, Vote, What};

/// Longer than any machine needs. Nobody waits for it unless a test fails.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// The parity mode of the voting ring.
pub(crate) fn plain(ids: &[u32], pause: Duration, ack_timeout: Duration) -> Setup<ChangRoberts> {
    let ids: Vec<_> = ids.iter().copied().map(Id).collect();
    let size = ids.len() as u32;
    let of = ids.clone();
    let make = move |me: NodeId| {
        let next = NodeId((me.0 + 1) % size);
        ChangRoberts::new(of[me.index()], next, Wake::Suppress).ready_again()
    };
    let read = |msg: &chang_roberts::Msg| match *msg {
        chang_roberts::Msg::Propose(id) => vote(Kind::Proposal, None, id),
        chang_roberts::Msg::Elected(id) => vote(Kind::Elected, None, id),
    };
    Setup { ids, make: Box::new(make), read, pause, ack_timeout, seed: 1 }
}

/// Its robust mode, in which a round is given up after `patience`.
pub(crate) fn numbered(
    ids: &[u32],
    pause: Duration,
    ack_timeout: Duration,
    patience: Duration,
) -> Setup<ChangRobertsNumbered> {
    let ids: Vec<_> = ids.iter().copied().map(Id).collect();
    let size = ids.len() as u32;
    let of = ids.clone();
    let make = move |me: NodeId| {
        let successors = (1..size).map(|step| NodeId((me.0 + step) % size)).collect();
        ChangRobertsNumbered::new(of[me.index()], me, successors, patience)
    };
    let read = |msg: &chang_roberts_numbered::Msg| match *msg {
        chang_roberts_numbered::Msg::Propose(round, id) => vote(Kind::Proposal, Some(round), id),
        chang_roberts_numbered::Msg::Elected(round, id) => vote(Kind::Elected, Some(round), id),
    };
    Setup { ids, make: Box::new(make), read, pause, ack_timeout, seed: 1 }
}

fn vote(message: Kind, round: Option<u32>, candidate: Id) -> Vote {
    Vote { message, round, candidate }
}

/// So many elections, one right after the other, all started by this one.
pub(crate) fn plan(elections: u64, initiator: Initiator) -> ElectionPlan {
    ElectionPlan {
        elections: Some(elections),
        pause: Duration::ZERO,
        timeout: LONG,
        initiator,
        kills: Vec::new(),
        revivals: Vec::new(),
        seed: 1,
    }
}

/// Everything that has happened.
#[derive(Clone, Default)]
pub(crate) struct Diary(Arc<(Mutex<Vec<Notice>>, Condvar)>);

impl Diary {
    /// Who writes it.
    pub(crate) fn observer(&self) -> impl FnMut(&Notice) + Send + 'static {
        let diary = self.clone();
        move |notice| {
            diary.0.0.lock().unwrap().push(notice.clone());
            diary.0.1.notify_all();
        }
    }

    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.0.0.lock().unwrap().clone()
    }

    /// The workers to whom such a thing has happened.
    pub(crate) fn workers(&self, is_meant: impl Fn(&What) -> bool) -> Vec<u32> {
        let notices = self.notices();
        let meant = notices.iter().filter(|notice| is_meant(&notice.what));
        meant.filter_map(|notice| Some(notice.worker?.0)).collect()
    }

    pub(crate) fn suspicions(&self) -> Vec<(u32, u32)> {
        let notices = self.notices();
        let suspicion = |notice: &Notice| match notice.what {
            What::Suspected { neighbour } => Some((notice.worker?.0, neighbour.0)),
            _ => None,
        };
        notices.iter().filter_map(suspicion).collect()
    }

    /// Waits until such a thing happens to this worker.
    pub(crate) fn until(&self, worker: u32, is_meant: impl Fn(&What) -> bool) {
        let has_happened = |notices: &Vec<Notice>| {
            let is_it = |one: &Notice| one.worker == Some(NodeId(worker)) && is_meant(&one.what);
            notices.iter().any(is_it)
        };
        let notices = self.0.0.lock().unwrap();
        let (notices, _) =
            self.0.1.wait_timeout_while(notices, LONG, |notices| !has_happened(notices)).unwrap();
        assert!(has_happened(&notices), "it did not happen: {notices:#?}");
    }
}

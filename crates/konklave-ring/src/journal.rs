//! The journal: all notices in a total order, checked by the monitor as they are written.

use std::fmt;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use konklave::election::{Event, Id, Monitor, Winner};
use konklave::protocol::{Broken, Monitor as _};
use konklave::{NodeId, NodeSet};

use crate::Signal;
use crate::notice::{Kind, Notice, Vote, What};

/// The journal of a ring, shared by all its threads.
pub(crate) struct Journal {
    since: Instant,
    ids: Vec<Id>,
    page: Mutex<Page>,
}

struct Page {
    seq: u64,
    monitor: Monitor,
    observer: Box<dyn FnMut(&Notice) + Send>,
    tally: Tally,
    /// The workers that take part in the election.
    voting: NodeSet,
    broken: Option<Broken>,
    signal: Sender<Signal>,
}

/// The cost of the current election so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) proposals: u64,
    pub(crate) announcements: u64,
    pub(crate) discarded: u64,
    pub(crate) suspicions: u64,
    /// The number of crashes and restarts.
    pub(crate) disturbances: u64,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("ids", &self.ids).finish_non_exhaustive()
    }
}

impl Journal {
    /// `observer` receives every notice; `signal` receives [`Signal::Stop`] on a violation.
    pub(crate) fn new(
        ids: Vec<Id>,
        observer: Box<dyn FnMut(&Notice) + Send>,
        signal: Sender<Signal>,
    ) -> Self {
        let page = Page {
            seq: 0,
            monitor: Monitor::new(ids.clone(), Winner::Largest),
            observer,
            tally: Tally::default(),
            voting: NodeSet::new(),
            broken: None,
            signal,
        };
        Self { since: Instant::now(), ids, page: Mutex::new(page) }
    }

    /// Writes a notice about the ring.
    pub(crate) fn note_ring(&self, what: What) {
        self.write(&mut self.page(), None, what);
    }

    /// Writes a notice about a worker, and counts it.
    pub(crate) fn note(&self, worker: NodeId, what: What) {
        let mut page = self.page();
        match &what {
            What::Suspected { .. } => page.tally.suspicions += 1,
            What::Discarded { .. } => page.tally.discarded += 1,
            _ => {}
        }
        self.write(&mut page, Some(worker), what);
    }

    /// A worker's node reports an event; the monitor checks it.
    pub(crate) fn event(&self, worker: NodeId, event: Event) {
        let page = &mut self.page();
        let what = match event {
            Event::Started => What::Started,
            Event::Elected => What::Elected,
            Event::Knows(leader) | Event::Presumes(leader) => What::LeaderKnown { leader },
            Event::SteppedDown => What::SteppedDown,
        };
        let is_known = matches!(what, What::LeaderKnown { .. });
        self.write(page, Some(worker), what);
        if is_known && page.voting.remove(worker) {
            self.write(page, Some(worker), What::Left);
        }
        let verdict = page.monitor.on_event(worker, &event);
        self.judge(page, verdict);
    }

    /// A worker's node sends a message, which is counted.
    pub(crate) fn sends(&self, worker: NodeId, to: NodeId, vote: Vote) {
        let page = &mut self.page();
        let what = match vote.message {
            Kind::Proposal if vote.candidate == self.ids[worker.index()] => {
                What::Proposed { to, vote }
            }
            Kind::Proposal => What::Forwarded { to, vote },
            Kind::Elected => What::Announced { to, vote },
        };
        match vote.message {
            Kind::Proposal => page.tally.proposals += 1,
            Kind::Elected => page.tally.announcements += 1,
        }
        if vote.message == Kind::Proposal && page.voting.insert(worker) {
            self.write(page, Some(worker), What::Entered);
        }
        self.write(page, Some(worker), what);
    }

    /// A worker takes a message and sends none in return.
    pub(crate) fn ends(&self, worker: NodeId, vote: Vote) {
        let is_own = vote.candidate == self.ids[worker.index()];
        let is_leader = self.page().monitor.leader() == Some(worker);
        let what = match vote.message {
            Kind::Elected if is_own && is_leader => What::Finished,
            _ => What::Discarded { vote },
        };
        self.note(worker, what);
    }

    /// A worker has crashed.
    pub(crate) fn died(&self, worker: NodeId) {
        let page = &mut self.page();
        page.tally.disturbances += 1;
        page.voting.remove(worker);
        self.write(page, Some(worker), What::Killed);
        let verdict = page.monitor.on_crash(worker);
        self.judge(page, verdict);
    }

    /// A worker is about to restart.
    pub(crate) fn revived(&self, worker: NodeId) {
        let page = &mut self.page();
        page.tally.disturbances += 1;
        self.write(page, Some(worker), What::Revived);
        let verdict = page.monitor.on_restart(worker);
        self.judge(page, verdict);
    }

    /// The ring has come to rest after an election.
    pub(crate) fn rested(&self) {
        let page = &mut self.page();
        let verdict = page.monitor.at_rest();
        self.judge(page, verdict);
    }

    /// Records a violation that the monitor does not detect, such as a panic.
    pub(crate) fn breach(&self, verdict: Result<(), Broken>) {
        self.judge(&mut self.page(), verdict);
    }

    /// The id of the leader in office.
    pub(crate) fn leader(&self) -> Option<Id> {
        self.page().monitor.leader().map(|leader| self.ids[leader.index()])
    }

    /// Returns the counts since the last call, and resets them.
    pub(crate) fn take_tally(&self) -> Tally {
        std::mem::take(&mut self.page().tally)
    }

    /// The first violation, if any.
    pub(crate) fn broken(&self) -> Option<Broken> {
        self.page().broken.clone()
    }

    fn judge(&self, page: &mut Page, verdict: Result<(), Broken>) {
        if let Err(broken) = verdict
            && page.broken.is_none()
        {
            let Broken { promise, detail, .. } = broken.clone();
            page.broken = Some(broken);
            self.write(page, None, What::Violated { promise, detail });
            let _ = page.signal.send(Signal::Stop); // The receiver may be gone.
        }
    }

    fn write(&self, page: &mut Page, worker: Option<NodeId>, what: What) {
        let id = worker.map(|worker| self.ids[worker.index()]);
        let t = self.since.elapsed().as_millis() as u64;
        (page.observer)(&Notice { t, seq: page.seq, worker, id, what });
        page.seq += 1;
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

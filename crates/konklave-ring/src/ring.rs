//! The ring of workers: starts, stops, kills and restarts their threads.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use konklave::NodeId;
use konklave::election::{Command, Event, Id};
use konklave::protocol::{Broken, Protocol};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Signal;
use crate::courier::Courier;
use crate::journal::Journal;
use crate::mailbox::Mailbox;
use crate::notice::{Notice, Vote, What};
use crate::rest::Rest;
use crate::worker::{Desk, Post, Worker};

/// The threads only pass messages, so a small stack is enough.
const STACK_BYTES: usize = 256 * 1024;

/// The configuration of a ring.
pub struct Setup<P: Protocol> {
    /// The unique ids of the workers, in ring order.
    pub ids: Vec<Id>,
    /// Builds the node of a worker.
    pub make: Box<dyn Fn(NodeId) -> P + Send>,
    /// Extracts the vote from a message, for the journal.
    pub read: fn(&P::Msg) -> Vote,
    /// How long a message stays in a mailbox before it is taken.
    pub pause: Duration,
    /// How long a courier waits until its message is taken, before it suspects the receiver.
    pub ack_timeout: Duration,
    /// The seed of the nodes' random choices.
    pub seed: u64,
}

/// The state shared by all threads of a ring.
pub(crate) struct Shared<P: Protocol> {
    mailboxes: RwLock<Vec<Arc<Mailbox<Post<P>>>>>,
    /// Every transition holds it for reading; a simultaneous start holds it for writing.
    pub(crate) gate: RwLock<()>,
    pub(crate) journal: Journal,
    pub(crate) rest: Rest,
    pub(crate) read: fn(&P::Msg) -> Vote,
    pub(crate) pause: Duration,
    pub(crate) ack_timeout: Duration,
}

impl<P: Protocol> Shared<P> {
    pub(crate) fn with_mailbox<T>(
        &self,
        node: NodeId,
        look: impl FnOnce(&Arc<Mailbox<Post<P>>>) -> T,
    ) -> T {
        look(&self.mailboxes.read().unwrap_or_else(PoisonError::into_inner)[node.index()])
    }

    pub(crate) fn mailbox(&self, node: NodeId) -> Arc<Mailbox<Post<P>>> {
        self.with_mailbox(node, Arc::clone)
    }

    /// The next worker on the ring.
    pub(crate) fn after(&self, node: NodeId) -> NodeId {
        let size = self.mailboxes.read().unwrap_or_else(PoisonError::into_inner).len();
        NodeId(((node.index() + 1) % size) as u32)
    }

    pub(crate) fn vote(&self, post: &Post<P>) -> Option<Vote> {
        match post {
            Post::Letter { msg, .. } => Some((self.read)(msg)),
            Post::Order(..) | Post::Stop | Post::Die => None,
        }
    }
}

/// A running ring of workers.
pub struct Ring<P: Protocol> {
    shared: Arc<Shared<P>>,
    make: Box<dyn Fn(NodeId) -> P + Send>,
    ids: Vec<Id>,
    seed: u64,
    /// The thread of each worker that is up.
    workers: Vec<Option<JoinHandle<()>>>,
    couriers: Vec<JoinHandle<()>>,
    signal: Sender<Signal>,
    signals: Receiver<Signal>,
}

impl<P> Ring<P>
where
    P: Protocol<Command = Command, Event = Event>,
{
    /// Starts all workers. `observer` receives every notice of the journal.
    pub fn open(
        setup: Setup<P>,
        observer: impl FnMut(&Notice) + Send + 'static,
    ) -> io::Result<Self> {
        let Setup { ids, make, read, pause, ack_timeout, seed } = setup;
        let (signal, signals) = mpsc::channel();
        let mailboxes = ids.iter().map(|_| Arc::default()).collect();
        let shared = Arc::new(Shared {
            mailboxes: RwLock::new(mailboxes),
            gate: RwLock::new(()),
            journal: Journal::new(ids.clone(), Box::new(observer), signal.clone()),
            rest: Rest::new(signal.clone()),
            read,
            pause,
            ack_timeout,
        });
        shared.journal.note_ring(What::RingStarted { size: ids.len() as u32, ids: ids.clone() });
        let workers = ids.iter().map(|_| None).collect();
        let mut ring =
            Self { shared, make, ids, seed, workers, couriers: Vec::new(), signal, signals };
        for node in ring.all() {
            if let Err(error) = ring.employ(node) {
                ring.close();
                return Err(error);
            }
        }
        Ok(ring)
    }

    /// A sender of signals that stop the ring, or kill and restart workers, while it runs.
    pub fn signal(&self) -> Sender<Signal> {
        self.signal.clone()
    }

    /// The number of workers, including crashed ones.
    pub fn size(&self) -> u32 {
        self.ids.len() as u32
    }

    /// The id of a worker.
    pub fn id(&self, node: NodeId) -> Id {
        self.ids[node.index()]
    }

    /// Whether a worker is up.
    pub fn is_up(&self, node: NodeId) -> bool {
        self.workers[node.index()].is_some()
    }

    /// The workers that are up, in ring order.
    pub fn up(&self) -> Vec<NodeId> {
        self.all().filter(|&node| self.is_up(node)).collect()
    }

    /// Whether the ring is at rest: no message is in transit and no timer is set.
    pub fn is_at_rest(&self) -> bool {
        self.shared.rest.is_at_rest()
    }

    /// The first violation, if any.
    pub fn broken(&self) -> Option<Broken> {
        self.shared.journal.broken()
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// Asks these workers, which are up, to start an election.
    ///
    /// A single worker gets a letter. Several are told atomically: while the gate is closed no
    /// worker performs a transition. Otherwise the election of the first could end before the last
    /// one is told, which would start another.
    pub fn start(&self, nodes: &[NodeId]) {
        if let [node] = nodes {
            let order = Post::Order(Command::Start, self.shared.rest.busy());
            let _ = self.shared.mailbox(*node).send(order); // A crashed worker does not start.
            return;
        }
        let _closed = self.shared.gate.write().unwrap_or_else(PoisonError::into_inner);
        nodes.iter().for_each(|&node| self.tell(node, Command::Start));
    }

    /// A worker crashes: its state and its undelivered messages are lost. No other worker is told.
    pub fn kill(&mut self, node: NodeId) {
        if let Some(worker) = self.workers[node.index()].take() {
            self.shared.mailbox(node).tell(Post::Die);
            let _ = worker.join(); // A panic was recorded.
        }
    }

    /// A crashed worker restarts in its initial state, with a new mailbox, and starts an election.
    ///
    /// The others are told that it was lost, in case they have not noticed, and then that it is
    /// found; it is told which workers are down.
    pub fn revive(&mut self, node: NodeId) -> io::Result<()> {
        if self.is_up(node) {
            return Ok(());
        }
        let _busy = self.shared.rest.busy();
        self.shared.journal.revived(node);
        let fresh = Arc::default();
        let mut mailboxes = self.shared.mailboxes.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut mailboxes[node.index()], fresh);
        drop(mailboxes);
        old.close();
        for other in self.all().filter(|&other| other != node) {
            if self.is_up(other) {
                self.tell(other, Command::Lost(node));
                self.tell(other, Command::Found(node));
            } else {
                self.tell(node, Command::Lost(other));
            }
        }
        self.tell(node, Command::Start); // Not through the slot, for which others already wait.
        self.employ(node)
    }

    /// Waits for a signal; none if the time is up first.
    pub fn wait(&self, until: Option<Instant>) -> Option<Signal> {
        let Some(until) = until else { return self.signals.recv().ok() };
        self.signals.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    /// Stops all workers at once and joins their threads. No worker is suspected because of that.
    pub fn close(mut self) {
        for node in self.all() {
            let mailbox = self.shared.mailbox(node);
            match self.is_up(node) {
                true => mailbox.tell(Post::Stop),
                false => mailbox.close(),
            }
        }
        let workers = std::mem::take(&mut self.workers).into_iter().flatten();
        for thread in workers.chain(std::mem::take(&mut self.couriers)) {
            let _ = thread.join(); // A panic was recorded.
        }
        self.shared.journal.note_ring(What::RingStopped);
    }

    fn all(&self) -> impl Iterator<Item = NodeId> + use<P> {
        NodeId::all(self.size())
    }

    fn tell(&self, node: NodeId, command: Command) {
        self.shared.mailbox(node).tell(Post::Order(command, self.shared.rest.busy()));
    }

    /// Starts the two threads of a worker.
    fn employ(&mut self, me: NodeId) -> io::Result<()> {
        let mailbox = self.shared.mailbox(me);
        let (outbox, to_deliver) = mpsc::channel();
        let desk = Desk {
            me,
            shared: Arc::clone(&self.shared),
            outbox,
            random: Xoshiro256PlusPlus::seed_from_u64(self.seed ^ u64::from(me.0) << 32),
            sent: Vec::new(),
            timers: Default::default(),
        };
        let courier = Courier {
            me,
            own: Arc::clone(&mailbox),
            shared: Arc::clone(&self.shared),
            suspects: Vec::new(),
        };
        let worker = Worker { me, node: (self.make)(me), mailbox, desk, at_hand: None };
        let builder = |name: &str| {
            thread::Builder::new().name(format!("{name} {me}")).stack_size(STACK_BYTES)
        };
        self.couriers.push(builder("courier").spawn(move || courier.run(&to_deliver))?);
        let thread = builder("worker").spawn(move || worker.run())?;
        self.workers[me.index()] = Some(thread);
        Ok(())
    }
}

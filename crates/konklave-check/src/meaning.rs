//! What the numbers of a search mean. The search itself knows numbers only, so it exists once for
//! all algorithms.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, MutexGuard};

use konklave::NodeId;
use konklave::protocol::Broken;
use konklave_stage::Status;

use crate::application::Standing;
use crate::code::{Codes, Packet};
use crate::fingerprint::MixHasher;
use crate::system::World;

/// Knows what the numbers mean.
pub(crate) trait Meaning: Send {
    /// How many nodes there are.
    fn nodes(&self) -> usize;

    /// How messages and inputs are packed.
    fn codes(&self) -> Codes;

    /// The assumptions about order, timers and faults.
    fn world(&self) -> World;

    /// Whether applications take turns.
    fn takes_turns(&self) -> bool;

    /// About the local with this number.
    fn traits(&self, local: u32) -> Traits;

    /// What can become of `node` in state `local` by the input with this code.
    fn step(&mut self, node: NodeId, local: u32, code: u32) -> &[Transition];

    /// What the monitor says to these news: its next state, unless a promise is broken.
    fn judge(&mut self, monitor: u32, news: u32) -> Result<u32, &Broken>;

    /// What becomes of all nodes, and what is heard, when one crashes.
    fn crash(&mut self, node: NodeId, locals: &[u32], outage: Outage) -> (Vec<u32>, u32);

    /// What becomes of all nodes when one returns; it is about to start.
    fn restart(&mut self, node: NodeId, locals: &[u32]) -> Vec<u32>;

    /// What is heard when a node returns and its start gives these news.
    fn news_of_restart(&mut self, node: NodeId, start: u32) -> u32;

    /// What the monitor says if nothing more happens.
    fn at_rest(&self, monitor: u32) -> Result<(), Broken>;

    /// The promises that would be broken if nothing more happened in some state that was seen: what
    /// a cycle can break is among them.
    fn open_promises(&self) -> BTreeSet<String>;

    /// Whether there are any.
    fn has_invariants(&self) -> bool;

    /// The invariants that do not hold for these nodes and messages.
    fn broken_invariants(&self, locals: &[u32], packets: &[Packet]) -> Vec<Broken>;

    /// Whether the nodes repair themselves, so that every state is legal or not.
    fn stabilises(&self) -> bool;

    /// Whether they become legal by chance, and not in every fair schedule.
    fn converges_by_chance(&self) -> bool;

    /// Why these nodes and messages are not connected, if they are not.
    fn disconnection(&self, locals: &[u32], packets: &[Packet]) -> Option<Broken>;

    /// Why they are not legal, if they are not.
    fn illegality(&self, locals: &[u32], packets: &[Packet]) -> Option<Broken>;

    /// The code of a message that comes back to its sender.
    fn returned(&mut self, packet: Packet) -> u32;

    /// A number for this input of this node, if fairness demands that it eventually happens:
    /// messages arrive, timers expire, a node that is inside leaves. No node has to make a request.
    fn duty(&mut self, node: NodeId, local: u32, code: u32) -> Option<u32>;

    /// The duties that are put off by this reaction of a node to an input: timers that begin anew.
    fn restarted(&mut self, node: NodeId, local: u32, code: u32, reaction: usize) -> Vec<u32>;

    /// Roughly how many bytes all values take.
    fn bytes(&self) -> usize;
}

/// For how long a node is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Outage {
    /// For ever.
    Final,
    /// Until it returns.
    Passing,
}

/// What all threads share.
pub(crate) type Shared = Mutex<dyn Meaning>;

/// Locks the meaning. A thread must not lock it twice at a time.
pub(crate) fn ask(shared: &Shared) -> MutexGuard<'_, dyn Meaning + 'static> {
    shared.lock().expect("no step panics while it is taken")
}

/// What a search has to know about a local.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    pub(crate) status: Status,
    pub(crate) standing: Standing,
    /// Whether it excludes other nodes that want the same.
    pub(crate) contends: bool,
    /// How many inputs of its own it can get at any time.
    pub(crate) free: u32,
    /// How many of these are wishes, which come first: they need not happen.
    pub(crate) wishes: u32,
    /// How many crashes and returns of others it can be told of after that.
    pub(crate) notices: u32,
    /// How many timers can run out after that.
    pub(crate) timers: u32,
    /// One if it is its turn to act by itself, and that would change something.
    pub(crate) turns: u32,
}

/// What becomes of a node.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) local: u32,
    pub(crate) sends: Vec<Packet>,
    pub(crate) news: u32,
}

impl Transition {
    /// How many bytes it takes, with what an allocator adds to each of two pieces.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.sends.capacity() * size_of::<Packet>() + 32
    }
}

/// The news of a step that the monitor is not shown.
pub(crate) const NO_NEWS: u32 = 0;
/// Added to news if no message was in transit before.
pub(crate) const IN_SILENCE: u32 = 1 << 31;
/// Added to news if a message was lost or duplicated.
pub(crate) const AT_FAULT: u32 = 1 << 30;

/// A map from numbers that were put together from others.
pub(crate) type NumberMap<V> = HashMap<u64, V, BuildHasherDefault<MixHasher>>;

pub(crate) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// How many bytes the table of such a map takes. It is never full, and has a byte more per place.
pub(crate) fn bytes_of<V>(map: &NumberMap<V>) -> usize {
    map.capacity() * 8 / 7 * (size_of::<(u64, V)>() + 1)
}

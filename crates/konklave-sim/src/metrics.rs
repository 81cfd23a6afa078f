//! What a run costs, counted in constant time per message.

use std::any::Any;
use std::collections::BTreeMap;

use konklave_stage::kind::Kind;
use serde::Serialize;

use crate::rounds::Cause;
use konklave_stage::erased::Value;
use konklave_stage::size::size_on_wire;

/// The cost of the messages of a run.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// Counts of kinds, each found at once by its key.
    frequent: [(Kind, u64); 1 << KIND_BITS],
    /// Counts of kinds whose place is taken by another.
    others: Vec<(Kind, u64)>,
    bytes: u64,
    in_flight_peak: u64,
    /// How many messages descend from the turns of nodes.
    of_turns: u64,
}

/// The number of bits by which places of kinds are found: most algorithms have fewer kinds.
const KIND_BITS: u32 = 5;

#[inline]
fn place(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b1) >> (u32::BITS - KIND_BITS)) as usize
}

/// What one node has to do with messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// How many it has sent and received.
    pub messages: u32,
    /// The length of the longest chain of messages, each caused by the one before, that ends here.
    pub depth: u32,
}

impl Load {
    /// The depth of a node that has left: a mark that is at hand when a message arrives.
    const GONE: u32 = u32::MAX;

    /// The node leaves for good; what it has come to is for the caller to remember.
    pub(crate) fn leave(&mut self) -> u32 {
        std::mem::replace(&mut self.depth, Self::GONE)
    }

    /// Whether the node has left for good.
    #[inline(always)]
    pub(crate) fn has_left(self) -> bool {
        self.depth == Self::GONE
    }
}

impl Metrics {
    /// A message was sent.
    #[inline]
    pub fn on_send<T: Serialize + 'static>(&mut self, message: &T) {
        // An erased message knows what it was. For any other type, this is decided when it is
        // compiled.
        if let Some(erased) = (message as &dyn Any).downcast_ref::<Value>() {
            let (kind, bytes) = erased.weight();
            self.bytes += bytes;
            return self.on_rare_kind(kind);
        }
        let key = Kind::of(message).key();
        let (known, count) = &mut self.frequent[place(key)];
        match known.key() == key {
            true => *count += 1,
            false => self.on_rare_kind(Kind::of(message)), // Only here its names are needed.
        }
        // A message that does not fit the wire format has no size there; none of ours is one.
        self.bytes += size_on_wire(message).unwrap_or(0);
    }

    /// Counts a message whose kind has no place yet, or shares it.
    #[cold]
    #[inline(never)]
    fn on_rare_kind(&mut self, kind: Kind) {
        let place = &mut self.frequent[place(kind.key())];
        if place.1 == 0 || place.0.key() == kind.key() {
            *place = (kind, place.1 + 1);
            return;
        }
        match self.others.iter_mut().find(|(known, _)| known.key() == kind.key()) {
            Some((_, count)) => *count += 1,
            None => self.others.push((kind, 1)),
        }
    }

    fn kinds(&self) -> impl Iterator<Item = &(Kind, u64)> {
        self.frequent.iter().chain(&self.others).filter(|(_, count)| *count > 0)
    }

    /// A message descends from this.
    #[inline]
    pub(crate) fn on_cause(&mut self, cause: Cause) {
        self.of_turns += u64::from(cause == Cause::Turn);
    }

    /// Ends a tick with this many messages in transit.
    #[inline]
    pub fn on_tick(&mut self, in_flight: u64) {
        self.in_flight_peak = self.in_flight_peak.max(in_flight);
    }

    /// How many messages were sent.
    pub fn total(&self) -> u64 {
        self.kinds().map(|(_, count)| count).sum()
    }

    /// The counts by name, which kinds of different layers may share.
    fn by_kind(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (kind, count) in self.kinds() {
            *counts.entry(kind.to_string()).or_default() += count;
        }
        counts
    }

    /// The counts as a report has them, with the messages of each node.
    pub fn summary(&self, loads: Vec<u32>) -> Messages {
        let total: u64 = loads.iter().map(|&load| u64::from(load)).sum();
        let max = loads.iter().copied().max().unwrap_or(0);
        Messages {
            total: self.total(),
            by_kind: self.by_kind(),
            bytes: self.bytes,
            max_per_node: max,
            mean_per_node: total as f64 / loads.len().max(1) as f64,
            gini: gini(&loads, max, total),
            per_node: loads,
            in_flight_peak: self.in_flight_peak,
            by_cause: (self.of_turns > 0)
                .then(|| ByCause { command: self.total() - self.of_turns, tick: self.of_turns }),
        }
    }
}

/// How unevenly loads are spread: 0 if all are equal, towards 1 if one has all.
///
/// Loads count with their ranks. They are counted, not sorted, if there are more of them than
/// values: then those of one value are a row of ranks.
pub fn gini(loads: &[u32], max: u32, total: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let count = loads.len() as f64;
    let weighted = match loads.len() <= max as usize {
        true => ranked(loads),
        false => ranked_by_counting(loads, max),
    };
    2.0 * weighted / (count * total as f64) - (count + 1.0) / count
}

/// The sum of all loads, each times its rank.
fn ranked(loads: &[u32]) -> f64 {
    let mut loads = loads.to_vec();
    loads.sort_unstable();
    (1..).zip(loads).map(|(rank, load)| f64::from(rank) * f64::from(load)).sum()
}

/// The same for loads up to `max`.
fn ranked_by_counting(loads: &[u32], max: u32) -> f64 {
    let mut counts = vec![0_u32; max as usize + 1];
    loads.iter().for_each(|&load| counts[load as usize] += 1);
    let mut before = 0.0;
    let weighted = (0..).zip(counts).map(|(load, count)| {
        let (load, count) = (f64::from(load), f64::from(count));
        let ranks = count * before + count * (count + 1.0) / 2.0;
        before += count;
        load * ranks
    });
    weighted.sum()
}

/// The messages of a run, summed up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Messages {
    /// How many were sent.
    pub total: u64,
    /// How many of each kind.
    pub by_kind: BTreeMap<String, u64>,
    /// Their size on a wire.
    pub bytes: u64,
    /// Sent and received by the busiest node.
    pub max_per_node: u32,
    /// Sent and received by each node.
    #[serde(skip)]
    pub per_node: Vec<u32>,
    /// Sent and received by a node on average.
    pub mean_per_node: f64,
    /// How unevenly nodes are loaded: 0 all alike, 1 one does everything.
    pub gini: f64,
    /// The largest number of messages in transit at the end of a tick.
    pub in_flight_peak: u64,
    /// What they descend from, if nodes act by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_cause: Option<ByCause>,
}

/// How many messages descend from what applications ask for, and how many from what nodes do by
/// themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ByCause {
    /// From a command, the start of a node, or a timer.
    pub command: u64,
    /// From a turn of a node.
    pub tick: u64,
}

impl Messages {
    /// How many messages have a kind whose innermost variant is called `name`.
    pub fn called(&self, name: &str) -> u64 {
        let is_called = |kind: &str| kind.rsplit('.').next() == Some(name);
        self.by_kind.iter().filter(|(kind, _)| is_called(kind)).map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    enum Msg {
        Ask(u32),
        Tell,
    }

    #[test]
    fn counts_kinds_and_bytes() {
        let mut metrics = Metrics::default();
        metrics.on_send(&Msg::Ask(5));
        metrics.on_send(&Msg::Ask(300));
        metrics.on_send(&Msg::Tell);
        let messages = metrics.summary(vec![3]);
        assert_eq!(messages.total, 3);
        assert_eq!(messages.by_kind["Ask"], 2);
        // One byte for the variant; 5 takes one byte more, 300 two.
        assert_eq!(messages.bytes, 2 + 3 + 1);
        assert_eq!(messages.called("Tell"), 1);
    }

    #[test]
    fn the_peak_remembers_the_fullest_moment() {
        let mut metrics = Metrics::default();
        [2, 5, 3].into_iter().for_each(|in_flight| metrics.on_tick(in_flight));
        assert_eq!(metrics.summary(Vec::new()).in_flight_peak, 5);
    }

    #[test]
    fn ranks_are_the_same_whether_sorted_or_counted() {
        for loads in [vec![900, 3, 3], vec![2, 0, 1, 2], vec![5], vec![0, 0, 7]] {
            let max = loads.iter().copied().max().unwrap();
            assert_eq!(ranked(&loads), ranked_by_counting(&loads, max), "{loads:?}");
        }
        assert_eq!(ranked(&[900, 3, 3]), f64::from(3 + 2 * 3 + 3 * 900));
    }

    #[test]
    fn gini_of_known_distributions() {
        assert_eq!(gini(&[4, 4, 4, 4], 4, 16), 0.0);
        assert_eq!(gini(&[0, 8, 0, 0], 8, 8), 0.75, "(n-1)/n if one node does everything");
        assert_eq!(gini(&[3, 1], 3, 4), 0.25);
    }
}

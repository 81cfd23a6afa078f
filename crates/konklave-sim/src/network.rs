//! Channels: when a message arrives, if it does.

use konklave::NodeId;

use crate::delay::Delay;
use crate::faults::{Crossing, Faults};
use crate::random::{Random, Stream};

/// All channels of a run.
#[derive(Debug)]
pub(crate) struct Network {
    delay: Delay,
    /// The shortest delay and the number of delays, if all of them are equally likely.
    even: Option<(u64, u64)>,
    delays: Random,
    /// Decides the fixed delays of links.
    links: u64,
    order: Order,
    is_plain: bool,
    faulty: Option<Box<(Faults, Random)>>,
}

/// What is known about the order of messages on a channel.
#[derive(Debug)]
enum Order {
    /// Nothing is demanded, or the delays keep it anyhow.
    Free,
    /// First in, first out: per sender and receiver, when the latest message arrives.
    Fifo(Vec<Vec<(NodeId, u64)>>),
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It arrives at this time.
    Once(u64),
    /// It arrives at both times.
    Twice(u64, u64),
    /// It never arrives.
    Lost,
}

impl Network {
    /// The channels between `nodes` nodes.
    pub(crate) fn new(seed: u64, nodes: u32, delay: Delay, fifo: bool, faults: &Faults) -> Self {
        let mut delays = Random::new(seed, Stream::Network);
        let links = delays.word();
        let touched = faults.touch_messages();
        let order = match fifo && (touched || !delay.keeps_order()) {
            true => Order::Fifo(vec![Vec::new(); nodes as usize]),
            false => Order::Free,
        };
        let faulty = touched.then(|| Box::new((faults.clone(), Random::new(seed, Stream::Faults))));
        let is_plain = matches!(order, Order::Free) && faulty.is_none();
        let even = match delay {
            Delay::Uniform(low, high) => Some((low, (high - low).saturating_add(1))),
            _ => None,
        };
        Self { delay, even, delays, links, order, is_plain, faulty }
    }

    /// Whether a message's delay is all there is to its fate.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// When a message that is sent now arrives, if nothing interferes.
    #[inline(always)]
    pub(crate) fn arrival(&mut self, from: NodeId, to: NodeId, now: u64) -> u64 {
        let delay = match self.even {
            Some((shortest, count)) => shortest + self.delays.below(count),
            None => self.delay.draw(from, to, self.links, &mut self.delays),
        };
        now.saturating_add(delay)
    }

    /// Decides what becomes of a message that is sent now.
    pub(crate) fn send(&mut self, from: NodeId, to: NodeId, now: u64) -> Fate {
        if self.faulty.is_some() {
            return self.send_faulty(from, to, now);
        }
        let arrival = self.arrival(from, to, now);
        Fate::Once(self.in_order(from, to, arrival))
    }

    fn send_faulty(&mut self, from: NodeId, to: NodeId, now: u64) -> Fate {
        let mut arrival = self.arrival(from, to, now);
        let copy = self.arrival(from, to, now);
        let mut shift = 0;
        let twice = {
            let Some(faulty) = &mut self.faulty else { return Fate::Once(arrival) };
            let (faults, random) = &mut **faulty;
            if random.happens(faults.loss) {
                return Fate::Lost;
            }
            if random.happens(faults.reorder) {
                let held = random.between(1, (10.0 * self.delay.mean()) as u64);
                arrival = arrival.saturating_add(held);
            }
            for partition in &faults.partitions {
                if partition.separates(from, to, now) {
                    match (partition.crossing, partition.to) {
                        (Crossing::Held, Some(healed)) => shift = shift.max(healed - now),
                        _ => return Fate::Lost,
                    }
                }
            }
            random.happens(faults.duplicate)
        };
        let first = self.in_order(from, to, arrival.saturating_add(shift));
        match twice {
            true => Fate::Twice(first, self.in_order(from, to, copy.saturating_add(shift))),
            false => Fate::Once(first),
        }
    }

    /// The arrival time, put off until all earlier messages of the channel have arrived.
    fn in_order(&mut self, from: NodeId, to: NodeId, arrival: u64) -> u64 {
        let Order::Fifo(channels) = &mut self.order else { return arrival };
        let channels = &mut channels[from.index()];
        match channels.binary_search_by_key(&to, |&(receiver, _)| receiver) {
            Ok(place) => {
                let latest = &mut channels[place].1;
                *latest = arrival.max(*latest);
                *latest
            }
            Err(place) => {
                channels.insert(place, (to, arrival));
                arrival
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(network: &mut Network, messages: u64) -> Vec<Fate> {
        (0..messages).map(|now| network.send(NodeId(0), NodeId(1), now)).collect()
    }

    fn arrivals(fates: &[Fate]) -> Vec<u64> {
        let arrivals = fates.iter().flat_map(|fate| match *fate {
            Fate::Once(time) => vec![time],
            Fate::Twice(first, second) => vec![first, second],
            Fate::Lost => vec![],
        });
        arrivals.collect()
    }

    #[test]
    fn fifo_keeps_the_order_and_otherwise_messages_overtake() {
        for (fifo, delay) in [(true, Delay::Exponential(20)), (false, Delay::Exponential(20))] {
            let mut network = Network::new(1, 2, delay, fifo, &Faults::default());
            assert_eq!(arrivals(&fates(&mut network, 1000)).is_sorted(), fifo);
        }
    }

    #[test]
    fn fifo_holds_for_copies_and_held_messages_too() {
        let partition = "hold:0/1@100..200".parse().unwrap();
        let faults = Faults { duplicate: 0.5, partitions: vec![partition], ..Faults::default() };
        let mut network = Network::new(1, 2, Delay::Uniform(1, 30), true, &faults);
        let fates = fates(&mut network, 400);
        let arrivals = arrivals(&fates);
        assert!(arrivals.is_sorted());
        assert!(arrivals.len() > 550 && arrivals.len() < 650, "{}", arrivals.len());
        assert!(!arrivals.iter().any(|time| (140..200).contains(time)));
    }

    #[test]
    fn messages_are_lost_as_often_as_asked() {
        let faults = Faults { loss: 0.2, ..Faults::default() };
        let mut network = Network::new(1, 2, Delay::Constant(1), false, &faults);
        let lost = fates(&mut network, 10_000).iter().filter(|&&fate| fate == Fate::Lost).count();
        assert!((1850..2150).contains(&lost), "{lost}"); // Four standard errors: 160.
    }

    #[test]
    fn a_partition_loses_what_crosses_it_while_it_lasts() {
        let partition = "0/1@10..20".parse().unwrap();
        let faults = Faults { partitions: vec![partition], ..Faults::default() };
        let mut network = Network::new(1, 2, Delay::Constant(1), false, &faults);
        for (now, fate) in (0..).zip(fates(&mut network, 30)) {
            assert_eq!(fate == Fate::Lost, (10..20).contains(&now), "at {now}");
        }
    }

    #[test]
    fn reordering_makes_constant_delays_overtake() {
        let faults = Faults { reorder: 0.1, ..Faults::default() };
        let mut network = Network::new(1, 2, Delay::Constant(1), false, &faults);
        assert!(!arrivals(&fates(&mut network, 1000)).is_sorted());
    }
}

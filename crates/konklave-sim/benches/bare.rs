//! Chang-Roberts without the simulator: the yardstick.
//!
//! Flat arrays, the same wheel and delays, a look-ahead, and nothing else: no trait, no faults, no
//! metrics, no monitor, no workload.

use konklave::NodeId;
use konklave_sim::Delay;
use konklave_sim::memory::{Pages, Shelf};
use konklave_sim::random::{Random, Stream};
use konklave_sim::wheel::Wheel;

struct Node {
    id: u32,
    next: u32,
    is_leader: bool,
}

struct Message {
    to: u32,
    id: u32,
    is_announcement: bool,
}

/// Elects among nodes with these ids and returns the number of deliveries.
pub(crate) fn elect(ids: &[u32], delay: Delay, seed: u64) -> u64 {
    let mut nodes: Vec<Node> = (0..ids.len()).map(|place| node(ids, place)).collect();
    elect_among(&mut nodes, delay, seed)
}

/// The same on large pages, as the simulator's nodes are.
pub(crate) fn elect_on_large_pages(ids: &[u32], delay: Delay, seed: u64) -> u64 {
    let mut nodes = Pages::new(ids.len(), |place| node(ids, place));
    elect_among(&mut nodes, delay, seed)
}

fn node(ids: &[u32], place: usize) -> Node {
    Node { id: ids[place], next: ((place + 1) % ids.len()) as u32, is_leader: false }
}

fn elect_among(nodes: &mut [Node], delay: Delay, seed: u64) -> u64 {
    let shelf = Shelf::of(nodes);
    let mut random = Random::new(seed, Stream::Network);
    let mut wheel = Wheel::default();
    let mut deliveries = 0;
    for node in &*nodes {
        let ticks = delay.draw(NodeId(0), NodeId(node.next), 0, &mut random);
        wheel.push(ticks, Message { to: node.next, id: node.id, is_announcement: false });
    }
    while let Some((now, mut batch)) = wheel.pop() {
        while let Some(Message { to, id, is_announcement }) = batch.next() {
            if let Some(ahead) = batch.ahead(12) {
                shelf.prefetch(ahead.to as usize);
            }
            deliveries += 1;
            let node = &mut nodes[to as usize];
            let is_announcement = match (is_announcement, id == node.id) {
                (false, true) => {
                    node.is_leader = true;
                    true
                }
                (true, true) => continue,
                (false, false) if id < node.id => continue,
                (kind, false) => kind,
            };
            let ticks = delay.draw(NodeId(to), NodeId(node.next), 0, &mut random);
            wheel.push(now + ticks, Message { to: node.next, id, is_announcement });
        }
        wheel.recycle(batch);
    }
    assert_eq!(nodes.iter().filter(|node| node.is_leader).count(), 1);
    deliveries
}

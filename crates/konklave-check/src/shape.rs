//! A state as a row of integers: the numbers of all locals, of the monitor, what may still go
//! wrong, the present cut of the network if there can be any, and the messages in transit.
//!
//! Messages are sorted by their channels; within a channel they stand in the order of sending if
//! that order is kept, and else in the order of their numbers. So equal states are equal rows.

use crate::code::{Codes, Packet};
use crate::fingerprint::part;
use crate::system::{Faults, Order, World};

/// How rows are laid out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) nodes: usize,
    pub(crate) codes: Codes,
    pub(crate) order: Order,
    /// Where the messages begin.
    pub(crate) head: usize,
}

/// The nodes that are cut off from node 0, a bit for each; none if the network is whole.
pub(crate) type Side = u16;

impl Shape {
    pub(crate) fn new(nodes: usize, codes: Codes, world: World) -> Self {
        let head = nodes + 2 + usize::from(world.faults.partitions > 0);
        Self { nodes, codes, order: world.order, head }
    }

    pub(crate) fn locals(self, row: &[u32]) -> &[u32] {
        &row[..self.nodes]
    }

    pub(crate) fn monitor(self, row: &[u32]) -> u32 {
        row[self.nodes]
    }

    pub(crate) fn faults(self, row: &[u32]) -> Faults {
        let [losses, duplicates, crashes, restarts] = row[self.nodes + 1].to_le_bytes();
        Faults { losses, duplicates, crashes, restarts, partitions: self.partitions(row) }
    }

    /// How many more cuts there may be.
    fn partitions(self, row: &[u32]) -> u8 {
        match self.head == self.nodes + 2 {
            true => 0,
            false => row[self.nodes + 2].to_le_bytes()[3],
        }
    }

    /// The present cut.
    pub(crate) fn side(self, row: &[u32]) -> Side {
        match self.head == self.nodes + 2 {
            true => 0,
            false => row[self.nodes + 2] as Side,
        }
    }

    /// The present cut and how many more there may be, as a number.
    pub(crate) fn cut(side: Side, partitions: u8) -> u32 {
        let [low, high] = side.to_le_bytes();
        u32::from_le_bytes([low, high, 0, partitions])
    }

    /// Whether a message that is sent now is lost at this cut.
    pub(crate) fn crosses(self, side: Side, packet: Packet) -> bool {
        let beyond = |node: usize| side >> node & 1;
        let (from, to) = (self.codes.sender(packet), self.codes.receiver(packet));
        side != 0 && beyond(from.index()) != beyond(to.index())
    }

    pub(crate) fn packets(self, row: &[u32]) -> &[Packet] {
        &row[self.head..]
    }

    /// What may still go wrong, but for cuts, as a number.
    pub(crate) fn budget(faults: Faults) -> u32 {
        let Faults { losses, duplicates, crashes, restarts, .. } = faults;
        u32::from_le_bytes([losses, duplicates, crashes, restarts])
    }

    /// The numbers of what may go wrong.
    pub(crate) fn weather(self, faults: Faults, side: Side) -> impl Iterator<Item = u32> {
        let cut = Self::cut(side, faults.partitions);
        [Self::budget(faults), cut].into_iter().take(self.head - self.nodes - 1)
    }

    /// The fingerprint of what stands before the messages at this place of a row.
    pub(crate) fn print_at(place: usize, value: u32) -> u64 {
        part(place as u32, value)
    }

    /// The fingerprint of a message with this many others before it in its channel.
    fn print_of(self, packet: Packet, before: usize) -> u64 {
        let before = match self.order {
            Order::Any => 0,
            Order::Fifo => before,
        };
        part((self.head + before) as u32, packet)
    }

    /// The fingerprint of a whole row.
    pub(crate) fn print(self, row: &[u32]) -> u64 {
        let (before, packets) = row.split_at(self.head);
        let fixed = before.iter().enumerate().map(|(place, value)| Self::print_at(place, *value));
        let moving = packets.iter().enumerate().map(|(place, &packet)| {
            self.print_of(packet, self.count_in(&packets[..place], packet))
        });
        fixed.chain(moving).fold(0, u64::wrapping_add)
    }

    /// How many of these messages are in the same channel as this one.
    fn count_in(self, packets: &[Packet], packet: Packet) -> usize {
        let channel = self.codes.channel(packet);
        packets.iter().filter(|&&other| self.codes.channel(other) == channel).count()
    }

    /// The places of messages that can arrive: one of those that are equal.
    pub(crate) fn deliverable(self, packets: &[Packet]) -> impl Iterator<Item = usize> + '_ {
        (0..packets.len()).filter(move |&place| {
            place == 0
                || match self.order {
                    Order::Any => packets[place - 1] != packets[place],
                    Order::Fifo => {
                        let channel = |place: usize| self.codes.channel(packets[place]);
                        channel(place - 1) != channel(place)
                    }
                }
        })
    }

    /// How the fingerprint changes if the message at this place is taken out.
    pub(crate) fn taken(self, packets: &[Packet], place: usize) -> u64 {
        let packet = packets[place];
        let mut change = self.print_of(packet, 0).wrapping_neg();
        if self.order == Order::Fifo {
            let channel = self.codes.channel(packet);
            let behind = packets[place + 1..].iter();
            let behind = behind.take_while(|&&other| self.codes.channel(other) == channel);
            for (before, &other) in behind.enumerate() {
                change = change
                    .wrapping_add(self.print_of(other, before))
                    .wrapping_sub(self.print_of(other, before + 1));
            }
        }
        change
    }

    /// How the fingerprint changes if these messages are sent, when one was taken out before.
    pub(crate) fn sent(
        self,
        packets: &[Packet],
        taken: Option<Packet>,
        sends: impl Iterator<Item = Packet> + Clone,
    ) -> u64 {
        let mut change = 0_u64;
        for (place, packet) in sends.clone().enumerate() {
            let before = match self.order {
                Order::Any => 0,
                Order::Fifo => {
                    let channel = self.codes.channel(packet);
                    let is_same = |other: &Packet| self.codes.channel(*other) == channel;
                    let earlier = sends.clone().take(place).filter(is_same).count();
                    let gone = usize::from(taken.as_ref().is_some_and(is_same));
                    self.count_in(packets, packet) + earlier - gone
                }
            };
            change = change.wrapping_add(self.print_of(packet, before));
        }
        change
    }

    /// Puts a message where it belongs, in a row that begins at `start` of `data` and ends with it.
    pub(crate) fn insert(self, data: &mut Vec<u32>, start: usize, packet: Packet) {
        let first = start + self.head;
        let place = data[first..].partition_point(|&other| match self.order {
            Order::Any => other <= packet,
            Order::Fifo => self.codes.channel(other) <= self.codes.channel(packet),
        });
        data.insert(first + place, packet);
    }
}

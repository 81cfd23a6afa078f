//! Messages and inputs as single integers: the channel in the high bits, what is in it in the low
//! ones.

use konklave::NodeId;

/// A message in transit: its channel and its content.
pub(crate) type Packet = u32;

/// Packs and unpacks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes {
    nodes: u32,
    shift: u32,
}

impl Codes {
    pub(crate) fn new(nodes: u32) -> Self {
        // Every pair of nodes is a channel, and every node has one more for what comes from within.
        let channels = nodes * (nodes + 1);
        Self { nodes, shift: channels.leading_zeros() }
    }

    /// How many different messages there is room for.
    pub(crate) fn room(self) -> u32 {
        1 << self.shift
    }

    pub(crate) fn packet(self, from: NodeId, to: NodeId, msg: u32) -> Packet {
        (from.0 * self.nodes + to.0) << self.shift | msg
    }

    /// What comes from within: the input with this number.
    pub(crate) fn own(self, node: NodeId, index: u32) -> u32 {
        (self.nodes * self.nodes + node.0) << self.shift | index
    }

    /// What comes back: the message with this number among those that ever did.
    pub(crate) fn returned(self, node: NodeId, number: u32) -> u32 {
        self.own(node, self.room() / 2 + number)
    }

    /// Which of the messages that came back a code from within stands for, if it does.
    pub(crate) fn as_returned(self, code: u32) -> Option<u32> {
        self.content(code).checked_sub(self.room() / 2)
    }

    pub(crate) fn channel(self, packet: Packet) -> u32 {
        packet >> self.shift
    }

    pub(crate) fn receiver(self, packet: Packet) -> NodeId {
        NodeId(self.channel(packet) % self.nodes)
    }

    pub(crate) fn sender(self, packet: Packet) -> NodeId {
        NodeId(self.channel(packet) / self.nodes)
    }

    pub(crate) fn content(self, code: u32) -> u32 {
        code & (self.room() - 1)
    }

    /// Whether a code stands for something that comes from within, and not for a message.
    pub(crate) fn is_own(self, code: u32) -> bool {
        self.channel(code) >= self.nodes * self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_can_be_taken_apart() {
        for nodes in [1, 2, 3, 7, 60] {
            let codes = Codes::new(nodes);
            for from in NodeId::all(nodes) {
                for to in NodeId::all(nodes) {
                    for msg in [0, 1, codes.room() - 1] {
                        let packet = codes.packet(from, to, msg);
                        let taken = (codes.sender(packet), codes.receiver(packet));
                        assert_eq!((taken, codes.content(packet)), ((from, to), msg));
                        assert!(!codes.is_own(packet));
                    }
                }
                let own = codes.own(from, 5);
                assert!(codes.is_own(own) && codes.content(own) == 5);
                assert_eq!(codes.as_returned(own), None);
                let returned = codes.returned(from, 7);
                assert!(codes.is_own(returned) && codes.as_returned(returned) == Some(7));
            }
        }
        assert!(Codes::new(60).room() > 1_000_000);
    }
}

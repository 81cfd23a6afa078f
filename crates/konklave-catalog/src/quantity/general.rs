//! The quantities of every run, whatever its problem.

use konklave_sim::RunReport;

use super::{Measures, Quantity};

/// A quantity of every run, whatever its problem, and where it stands in the report of one.
pub struct General {
    /// The quantity.
    pub quantity: Quantity,
    /// Its value in a run; none if the run has none.
    pub read: fn(&RunReport<Measures>) -> Option<f64>,
}

impl General {
    const fn new(quantity: Quantity, read: fn(&RunReport<Measures>) -> Option<f64>) -> Self {
        Self { quantity, read }
    }
}

/// The quantities of every run, by their names in JSON. The last three are those of algorithms that
/// are self-stabilising.
pub static GENERAL: &[General] = &[
    General::new(Quantity::new("messages", "messages", "all messages that were sent"), |it| {
        Some(it.messages.total as f64)
    }),
    General::new(Quantity::new("bytes", "bytes", "the size of all messages on the wire"), |it| {
        Some(it.messages.bytes as f64)
    }),
    General::new(Quantity::new("time", "ticks", "from the start to the end of the run"), |it| {
        Some(it.time as f64)
    }),
    General::new(
        Quantity::new("causal_depth", "messages", "the longest causal chain of messages"),
        |it| Some(f64::from(it.causal_depth)),
    ),
    General::new(
        Quantity::new("max_per_node", "messages", "sent and received by the busiest node"),
        |it| Some(f64::from(it.messages.max_per_node)),
    ),
    General::new(
        Quantity::new("mean_per_node", "messages", "sent and received by a node, on average"),
        |it| Some(it.messages.mean_per_node),
    ),
    General::new(Quantity::new("gini", "", "how unequal the load of nodes is: 0 is even"), |it| {
        Some(it.messages.gini)
    }),
    General::new(
        Quantity::new("stabilisation_rounds", "rounds", "until the system was legal"),
        |it| it.stabilisation?.rounds.map(|rounds| rounds as f64),
    ),
    General::new(
        Quantity::new("messages_per_node", "messages", "sent by a node until then"),
        |it| Some(it.stabilisation?.messages_per_node),
    ),
    General::new(
        Quantity::new("maintenance_per_node_and_round", "messages", "sent by a node since then"),
        |it| Some(it.stabilisation?.maintenance_per_node_and_round),
    ),
];

/// All quantities of a run of a problem with quantities of its own.
pub fn with_general(own: &'static [&'static Quantity]) -> impl Iterator<Item = &'static Quantity> {
    GENERAL.iter().map(|general| &general.quantity).chain(own.iter().copied())
}

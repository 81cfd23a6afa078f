//! What is measured about a shared object.

use konklave_sim::workload::Distribution;
use serde::Serialize;

/// The measurements of a shared object. Times are in units of T, the mean delay of a message;
/// quantities without samples are missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectReport {
    /// The number of operations that have returned.
    pub operations: u64,
    /// How many of them asked for something.
    pub asked: u64,
    /// How many of these found something.
    pub found: u64,
    /// How many found what somebody had taken out before, if that was looked at.
    pub found_again: Option<u64>,
    /// The number of processes that have joined.
    pub joined: u64,
    /// The number of processes that have left.
    pub left: u64,
    /// All messages, divided by operations.
    pub messages_per_operation: Option<f64>,
    /// The time from invocation to return.
    pub latency: Option<Distribution>,
    /// The histogram of these times.
    #[serde(skip)]
    pub latencies: Vec<(f64, u64)>,
    /// Operations per T.
    pub throughput: Option<f64>,
    /// The history as text, if it was asked for.
    #[serde(skip)]
    pub history: Option<String>,
}

//! A deterministic simulator for the algorithms of [`konklave`]: one seed decides everything.
//!
//! Time is counted in ticks and events happen in the order (time, insertion). The simulator knows
//! no algorithm by name: it runs any [`Protocol`](konklave::protocol::Protocol) under any
//! [`Workload`](workload::Workload), watched by any [`Monitor`](konklave::protocol::Monitor).
//!
//! ```
//! use konklave::NodeId;
//! use konklave::mutex::{Monitor, ricart_agrawala::RicartAgrawala};
//! use konklave_catalog::mutex::workload::{Contention, Demand, Plan};
//! use konklave_sim::{Options, Simulation};
//!
//! let plan = Plan {
//!     demand: Demand::Heavy,
//!     entries: 3,
//!     requesters: NodeId::all(5).collect(),
//!     inside: 5,
//!     think: 0,
//!     warmup: 0,
//!     unit: 1.0,
//!     perpetual: false,
//! };
//! let nodes = |me| RicartAgrawala::new(me, 5);
//! let applications = Contention::new(5, plan);
//! let mut simulation =
//!     Simulation::new(Options::default(), 5, nodes, applications, Monitor::new(5));
//! let report = simulation.run(&mut |_| true)?;
//! assert_eq!(report.messages.total, 5 * 3 * 2 * (5 - 1));
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod delay;
mod digest;
mod disturbance;
pub mod faults;
mod links;
pub mod memory;
pub mod metrics;
mod network;
mod occurrence;
pub mod random;
mod recording;
mod report;
mod rounds;
mod simulation;
mod timers;
pub mod wheel;
pub mod workload;
mod world;

pub use delay::{Delay, Measured};
pub use faults::Faults;
pub use konklave::trace::Ended;
pub use recording::{Recording, write_line};
pub use report::{Round, RunReport, Stabilisation, Violation, Waiting};
pub use simulation::{LAST_TICK, Options, Progress, Simulation};

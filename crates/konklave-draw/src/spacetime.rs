//! Space-time diagrams: one line per node, time to the right, messages as arrows.
//!
//! A [`History`] is what happened, in order. A [`Diagram`] is a picture of it, or of a part of it:
//! of some time, of some nodes, or of what could have led to an event. Events are equally far apart
//! by default, because it is their order that explains a run; they can be placed by time instead.
//!
//! ```
//! use konklave_draw::spacetime::{Diagram, EventKind, Fate, History, SpanLook};
//!
//! let mut history = History::new(["0", "1"]);
//! let ask = history.event(0, 1, EventKind::Command, "Acquire");
//! let asked = history.event(3, 0, EventKind::Step, "");
//! history.message(ask, 0, Fate::Arrived(asked), "Request", "Request");
//! let granted = history.event(5, 1, EventKind::Step, "");
//! history.message(asked, 1, Fate::Arrived(granted), "Token", "Token");
//! history.span(1, Some(granted), None, SpanLook::Holds, "critical section", "");
//!
//! let svg = Diagram::new("One entry", &history).svg();
//! assert!(svg.contains("critical section"));
//! ```

mod arrows;
mod diagram;
mod history;
mod key;
mod labels;
mod layout;
mod paint;
mod past;
mod selection;

pub use diagram::Diagram;
pub use history::{EventId, EventKind, Fate, History, SpanLook};

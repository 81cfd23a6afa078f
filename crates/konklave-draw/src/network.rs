//! Networks: nodes with their roles, edges with their classes, groups of nodes.
//!
//! ```
//! use konklave_draw::network::{Layout, Network, RoleLook};
//!
//! let svg = Network::new("A tree, and who holds the token", 5, Layout::Tree { root: 0 })
//!     .edges("link", [(0, 1), (0, 2), (1, 3), (1, 4)])
//!     .arcs("points to", [(0, 1), (1, 3), (2, 0), (4, 1)])
//!     .role("holder", RoleLook::Holds, [3])
//!     .svg();
//! assert!(svg.contains("holder"));
//! ```

mod edges;
mod force;
mod hull;
mod layout;
mod picture;
mod tree;

pub use layout::{Layout, places};
pub use picture::{Network, RoleLook};

//! The lab: a page in which any algorithm is watched, forwards and backwards, and steered.
//!
//! What is shown first is a *trunk*: a recorded run, or a system that has just started. What a
//! person lets happen instead is a *take*, which branches off it. A link names the trunk, the
//! moment of the branch and the moves since then, and that is all there is to an experiment: the
//! server computes it again whenever it is asked, and keeps nothing but a cache.
//!
//! - [`Lab`] answers requests, without sockets; [`Door`] has the sockets; [`Guard`] decides who may
//!   ask.
//! - [`Trunk`], [`Play`]: systems on the one stage of the whole project.
//! - [`moves`]: schedules as the short texts of links; [`pilot`]: who decides when nobody does.
//! - [`film`]: what the page is told. A film is a trace with notes.

mod answer;
mod ask;
mod assets;
mod cache;
mod door;
pub mod film;
mod guard;
pub mod moves;
pub mod pilot;
mod play;
mod repertoire;
mod trunk;
mod whatif;

pub use answer::Lab;
pub use ask::{Answer, Asked};
pub use door::Door;
pub use guard::Guard;
pub use play::{Moment, Phase, Play};
pub use repertoire::Repertoire;
pub use trunk::Trunk;

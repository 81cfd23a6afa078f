//! The catalogue: problems, and the algorithms that solve them.
//!
//! A [`Problem`](problem::Problem) is a value: its terms, options and quantities as data, its
//! monitor, workload and clients, the scenarios of its comparison, the meaning of its commands and
//! events. An [`Entry`](entry::Entry) is an algorithm: it builds the nodes of an algorithm at a
//! [`Site`](site::Site) as a [`System`](system::System), which can be run, checked, replayed,
//! played and shrunk. The [`Catalog`](catalog::Catalog) holds them all.
//!
//! Nothing here reads a file, prints or knows the command line: that, the lab and the cluster stand
//! side by side on the same catalogue.
//!
//! ```
//! use konklave_catalog::catalog::Catalog;
//! use konklave_catalog::option::Verb;
//! use konklave_catalog::setup::Setup;
//! use konklave_catalog::site::Site;
//! use konklave_catalog::system::Watch;
//! use konklave_sim::Options;
//!
//! let catalog = Catalog::standard().leak();
//! let entry = catalog.find("ricart-agrawala")?;
//! let setup = Setup { algorithm: entry.name.clone(), nodes: 5, ..Setup::default() };
//! let site = Site::new(setup.with("entries", 3), entry, Verb::Run)?;
//! let report = site.system()?.run(&Options::default(), Watch::default(), &mut |_| true)?;
//! assert_eq!(report.problem.get("messages_per_entry"), Some(2.0 * (5.0 - 1.0)));
//! # Ok::<(), konklave_catalog::refusal::Refusal>(())
//! ```

pub mod booking;
pub mod budget;
pub mod catalog;
mod check;
pub mod compare;
pub mod consensus;
pub mod demand;
pub mod dictionary;
pub mod disorder;
pub mod document;
pub mod election;
pub mod entry;
pub mod expected;
pub mod heap;
pub mod ids;
pub mod mutex;
pub mod needs;
pub mod object;
pub mod option;
pub mod overlay;
pub mod problem;
pub mod quantity;
pub mod queue;
pub mod refusal;
pub mod search;
pub mod selection;
pub mod setup;
pub mod site;
pub mod specimen;
pub mod stack;
pub mod stage;
pub mod system;
pub mod words;

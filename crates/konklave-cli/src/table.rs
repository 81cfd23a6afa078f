//! The algorithms, one line each: the only place that knows them by name.

use std::sync::LazyLock;

use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::mutex::cao_singhal::CaoSinghal;
use konklave::mutex::maekawa::Maekawa;
use konklave::mutex::quorum::Quorums;
use konklave::mutex::raymond::Raymond;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::sanders::{Sanders, Structure};

use crate::drive;
use crate::entry::{Choice, Entry, Family, Needs, Network};
use crate::failure::Failure;
use crate::site::Site;

/// One line of the table: family and module, needs, options, and how to drive it.
macro_rules! entry {
    ($family:ident::$module:ident, $needs:expr, $choices:expr, $drive:expr) => {
        Entry {
            name: stringify!($module).replace('_', "-"),
            family: Family::find(stringify!($family)).expect("families are modules"),
            needs: $needs,
            choices: $choices,
            source: include_str!(concat!(
                "../../konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            )),
            file: concat!(
                "crates/konklave/src/",
                stringify!($family),
                "/",
                stringify!($module),
                ".rs"
            ),
            drive: $drive,
        }
    };
}

const RING: Needs = Needs::network(Network::Ring);
const TREE: Needs = Needs::network(Network::Tree);
const COMPLETE: Needs = Needs::network(Network::Complete);

const QUORUM: Choice = Choice { name: "quorum", values: &["auto", "plane", "grid", "file:PATH"] };
const STRUCTURE: Choice =
    Choice { name: "structure", values: &["mixed", "ricart-agrawala", "maekawa", "file:PATH"] };
const WAKE: Choice = Choice { name: "wake", values: &["all", "suppress", "relay"] };

/// All algorithms, by family and name.
pub static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        entry!(mutex::cao_singhal, COMPLETE, &[QUORUM], |site, job| {
            let quorums = quorums(site)?;
            drive::mutex(site, job, |me| CaoSinghal::new(me, quorums.of(me)))
        }),
        entry!(mutex::maekawa, COMPLETE, &[QUORUM], |site, job| {
            let quorums = quorums(site)?;
            drive::mutex(site, job, |me| Maekawa::new(me, quorums.of(me).clone()))
        }),
        entry!(mutex::raymond, TREE, &[], |site, job| {
            drive::mutex(site, job, |me| Raymond::new(me, site.towards_first(me)))
        }),
        entry!(mutex::ricart_agrawala, COMPLETE, &[], |site, job| {
            drive::mutex(site, job, |me| RicartAgrawala::new(me, site.nodes()))
        }),
        entry!(mutex::sanders, COMPLETE, &[STRUCTURE], |site, job| {
            let structure = structure(site)?;
            drive::mutex(site, job, |me| Sanders::new(me, structure.at(me).clone()))
        }),
        entry!(election::chang_roberts, RING, &[WAKE], |site, job| {
            let wake = wake(site);
            let make = |me| ChangRoberts::new(site.id(me), site.successor(me), wake);
            drive::election(site, job, wake.winner(), make)
        }),
    ]
});

fn quorums(site: &Site) -> Result<Quorums, Failure> {
    let nodes = site.nodes();
    if let Some(text) = site.file("quorum") {
        return Quorums::parse(text, nodes)
            .map_err(|error| Failure::bad(format!("{}: {error}", site.choice("quorum"))));
    }
    match site.choice("quorum") {
        "plane" => Quorums::plane(nodes).ok_or_else(|| {
            Failure::bad(format!(
                "there is no plane of {nodes} nodes, only of q(q+1)+1 with a prime power q, such \
                 as 7, 13, 21, 31: use --quorum grid"
            ))
        }),
        "grid" => Ok(Quorums::grid(nodes)),
        _ => Ok(Quorums::new(nodes)),
    }
}

fn structure(site: &Site) -> Result<Structure, Failure> {
    let nodes = site.nodes();
    if let Some(text) = site.file("structure") {
        return Structure::parse(text, nodes)
            .map_err(|error| Failure::bad(format!("{}: {error}", site.choice("structure"))));
    }
    match site.choice("structure") {
        "ricart-agrawala" => Ok(Structure::ricart_agrawala(nodes)),
        "maekawa" => Ok(Structure::maekawa(&Quorums::new(nodes))),
        _ => Ok(Structure::mixed(nodes)),
    }
}

fn wake(site: &Site) -> Wake {
    match site.choice("wake") {
        "suppress" => Wake::Suppress,
        "relay" => Wake::Relay,
        _ => Wake::All,
    }
}

/// The algorithm with this name.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    TABLE.iter().find(|entry| entry.name == name).ok_or_else(|| {
        Failure::unknown("algorithm", name, TABLE.iter().map(|entry| entry.name.as_str()))
    })
}

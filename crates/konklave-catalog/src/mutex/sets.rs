//! Quorums and information structures, as options give them.

use konklave::mutex::quorum::Quorums;
use konklave::mutex::sanders::Structure;

use crate::refusal::Refusal;
use crate::site::Site;

/// The quorums of the option.
pub(super) fn quorums(site: &Site) -> Result<Quorums, Refusal> {
    let nodes = site.nodes();
    if let Some(text) = site.file("quorum") {
        return Quorums::parse(text, nodes)
            .map_err(|error| Refusal::new(format!("{}: {error}", site.choice("quorum"))));
    }
    if let Some(sets) = site.choice("quorum").strip_prefix("list:") {
        let lines = sets.split('/').zip(0..).map(|(set, node)| format!("{node}:{set}\n"));
        let text = lines.collect::<String>().replace(',', " ");
        return Quorums::parse(&text, nodes)
            .map_err(|error| Refusal::new(format!("--quorum {}: {error}", site.choice("quorum"))));
    }
    match site.choice("quorum") {
        "plane" => Quorums::plane(nodes).ok_or_else(|| {
            Refusal::new(format!(
                "there is no plane of {nodes} nodes, only of q(q+1)+1 with a prime power q, such \
                 as 7, 13, 21, 31: use --quorum grid"
            ))
        }),
        "grid" => Ok(Quorums::grid(nodes)),
        _ => Ok(Quorums::new(nodes)),
    }
}

/// The information structure of the option.
pub(super) fn structure(site: &Site) -> Result<Structure, Refusal> {
    let nodes = site.nodes();
    if let Some(text) = site.file("structure") {
        return Structure::parse(text, nodes)
            .map_err(|error| Refusal::new(format!("{}: {error}", site.choice("structure"))));
    }
    match site.choice("structure") {
        "ricart-agrawala" => Ok(Structure::ricart_agrawala(nodes)),
        "maekawa" => Ok(Structure::maekawa(&Quorums::new(nodes))),
        _ => Ok(Structure::mixed(nodes)),
    }
}

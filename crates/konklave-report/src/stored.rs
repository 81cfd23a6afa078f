//! What each node stores, beside its share.

use konklave_draw::Axis;
use konklave_draw::chart::{Plot, Point};

use crate::table::{Cell, Table};

/// The loads and shares of nodes, as a table.
pub fn table(stored: &[(u64, f64)]) -> Table {
    let mut table = Table::new(["keys", "share"]);
    for &(keys, share) in stored {
        table.push([Cell::from(keys), share.into()]);
    }
    table
}

/// The loads and shares of nodes, the largest shares first, and among equal ones the largest loads.
pub fn picture(title: &str, stored: &[(u64, f64)]) -> String {
    let mut stored = stored.to_vec();
    stored.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    let along = || (1_u32..).map(f64::from).zip(&stored);
    let loads = along().map(|(place, (keys, _))| Point::new(place, *keys as f64));
    let shares = along().map(|(place, (_, share))| (place, *share));
    Plot::new(title)
        .x("node, by its share and then by its load", Axis::Linear)
        .y("keys", Axis::Linear)
        .measured("stored", loads.collect::<Vec<_>>())
        .formula("share by capacity", shares.collect::<Vec<_>>())
        .note(farthest(&stored))
        .svg()
}

/// How far a node is from its share at most, as a sentence.
fn farthest(stored: &[(u64, f64)]) -> String {
    let ratios = stored.iter().filter(|(_, share)| *share > 0.0);
    let ratios: Vec<f64> = ratios.map(|(keys, share)| *keys as f64 / share).collect();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    match ratios.is_empty() {
        true => "No node has a share.".to_owned(),
        false => format!("Nodes store between {least:.2} and {most:.2} times their share."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_nodes_are_named_by_their_ratio() {
        let stored = [(10, 5.0), (2, 4.0), (3, 0.0)];
        assert_eq!(farthest(&stored), "Nodes store between 0.50 and 2.00 times their share.");
        assert_eq!(farthest(&[]), "No node has a share.");
    }

    #[test]
    fn every_node_is_drawn() {
        let svg = picture("loads", &[(1, 2.0), (5, 2.0), (0, 2.0)]);
        assert!(svg.contains("share by capacity") && svg.contains("stored"), "{svg}");
        assert_eq!(table(&[(1, 2.0), (5, 2.5)]).csv(), "keys,share\r\n1,2\r\n5,2.5\r\n");
    }
}

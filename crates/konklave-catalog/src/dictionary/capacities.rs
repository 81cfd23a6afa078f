//! The capacities of members: which they have, and which change while it runs.

use konklave::NodeId;
use konklave::circle::{Mixer, Salt};
use konklave::dictionary::Capacities;
use konklave::dictionary::placed::Resize;

use super::{Keyed, members};
use crate::object::options::{ITEMS, OPS, Ops};
use crate::object::{Shared, requests};
use crate::option::Choice;
use crate::refusal::Refusal;
use crate::site::Site;

/// How large members are.
pub(super) const CAPACITIES: Choice = Choice::new(
    "capacities",
    &["equal", "skewed", "uniform:LOW..HIGH", "list:WEIGHTS", "file:PATH"],
    "Capacities of members: equal; skewed (0.2 to 2.2, and a sixteenth eight times as much); \
     uniform:0.2..2.2; list:3,1,2 or a file with one weight for each process",
)
.form(|text| read(text).map(drop))
.no_variants();

/// How many of them grow.
pub(super) const RECAPACITY: Choice = Choice::new(
    "recapacity",
    &["0", "NUMBER"],
    "Members whose capacity doubles, one after the other, while operations are invoked",
)
.no_variants();

/// What an option says about capacities.
#[derive(Clone, Debug, PartialEq)]
enum Sizes {
    /// Between two numbers of thousandths, and the first sixteenth of the processes this many times
    /// as much.
    Drawn(u32, u32, u32),
    Listed(Vec<u32>),
    InFile,
}

fn read(text: &str) -> Result<Sizes, String> {
    let right = "write equal, skewed, uniform:0.2..2.2, list:3,1,2 or file:PATH";
    if let Some(range) = text.strip_prefix("uniform:") {
        let bounds = range.split_once("..");
        let bounds = bounds.and_then(|(low, high)| Some((thousandths(low)?, thousandths(high)?)));
        return match bounds {
            Some((0, _)) => {
                Err("a capacity of 0 stores nothing: write a number above 0".to_owned())
            }
            Some((low, high)) if low <= high => Ok(Sizes::Drawn(low, high, 1)),
            _ => Err("write two numbers above 0, such as uniform:0.2..2.2".to_owned()),
        };
    }
    match (text, text.strip_prefix("list:")) {
        ("equal", _) => Ok(Sizes::Drawn(1000, 1000, 1)),
        ("skewed", _) => Ok(Sizes::Drawn(200, 2200, 8)),
        (_, Some(list)) => listed(list.split(',')).map(Sizes::Listed),
        _ if text.starts_with("file:") => Ok(Sizes::InFile),
        _ => Err(right.to_owned()),
    }
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<u32>, String> {
    let weight = |word: &str| match word.trim().parse::<u32>() {
        Ok(0) => Err("a capacity of 0 stores nothing: write whole numbers above 0".to_owned()),
        Ok(weight) if weight <= LARGEST => Ok(weight),
        _ => Err(format!("'{word}' is not a whole number from 1 to {LARGEST}")),
    };
    words.map(weight).collect()
}

/// So that a capacity can be doubled, and all of them be added up.
const LARGEST: u32 = 1_000_000_000;

/// A number above or equal to zero in thousandths, up to a million.
pub(super) fn thousandths(text: &str) -> Option<u32> {
    let number: f64 = text.parse().ok()?;
    (0.0..=1e6).contains(&number).then(|| (number * 1000.0).round() as u32)
}

/// The capacity of every node; that of the server does not matter.
pub(super) fn of_nodes(site: &Site) -> Result<Vec<u32>, Refusal> {
    let wrong = |problem: String| Refusal::new(format!("--{}: {problem}", CAPACITIES.name));
    let processes = site.nodes() - 1;
    let listed = match read(site.choice(CAPACITIES.name)).map_err(wrong)? {
        Sizes::Listed(list) => list,
        Sizes::InFile => {
            let lines = site.file(CAPACITIES.name).unwrap_or_default().lines();
            let words =
                lines.flat_map(|line| line.split('#').next().unwrap_or_default().split(' '));
            listed(words.filter(|word| !word.is_empty())).map_err(wrong)?
        }
        Sizes::Drawn(low, high, times) => {
            let mixer = Mixer::new(site.setup().seed);
            let draw = |node: u32| {
                let word = u128::from(mixer.mix(node.into(), Salt(0x71)));
                let drawn = low + ((word * u128::from(high - low + 1)) >> 64) as u32;
                drawn * if node <= processes / 16 { times } else { 1 }
            };
            (1..=processes).map(draw).collect()
        }
    };
    match listed.len() == processes as usize {
        true => Ok(std::iter::once(1).chain(listed).collect()),
        false => Err(wrong(format!(
            "there are {} weights for {processes} members and nodes that join: write one for each",
            listed.len()
        ))),
    }
}

/// The members at the beginning with their capacities.
pub(super) fn of_members(site: &Site, capacities: &[u32]) -> Result<Capacities, Refusal> {
    let shared = Shared::<Keyed>::new(1);
    shared.refuse_empty(site)?;
    Ok(shared.members(site).map(|node| (node, capacities[node.index()])).collect())
}

/// Which members double their capacity, and after how many requests: spread evenly over the
/// operations, when all items are there.
pub(super) fn plan(site: &Site, capacities: &[u32]) -> Result<Vec<Resize>, Refusal> {
    let (count, members) = (site.number(RECAPACITY.name), members(site));
    if count > members {
        return Err(Refusal::new(format!(
            "--{} {count}: there are only {members} members at the beginning",
            RECAPACITY.name
        )));
    }
    let items: u64 = site.value(&ITEMS);
    let script = || match site.get(&OPS) {
        Some(Ops::Script(script)) => script.iter().map(Vec::len).sum::<usize>() as u64,
        _ => 0,
    };
    let operations = requests::<Keyed>(site).map_or_else(script, |(all, _)| all - items);
    let mixer = Mixer::new(site.setup().seed);
    let mut nodes: Vec<NodeId> = Shared::<Keyed>::new(1).members(site).collect();
    nodes.sort_by_key(|node| mixer.mix(node.0.into(), Salt(0x72)));
    let places = 1..=u64::from(count);
    let resize = |(place, node): (u64, NodeId)| Resize {
        after: items + (place * operations / (u64::from(count) + 1)).max(1),
        node,
        capacity: 2 * capacities[node.index()],
    };
    Ok(places.zip(nodes).map(resize).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_are_above_zero() {
        assert_eq!(read("equal"), Ok(Sizes::Drawn(1000, 1000, 1)));
        assert_eq!(read("uniform:0.2..2.2"), Ok(Sizes::Drawn(200, 2200, 1)));
        assert_eq!(read("list:3,1,2"), Ok(Sizes::Listed(vec![3, 1, 2])));
        for wrong in ["list:3,0", "list:", "list:-1", "uniform:0..1", "uniform:2..1", "other", ""] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            (thousandths("1.25"), thousandths("-1"), thousandths("x")),
            (Some(1250), None, None)
        );
        assert_eq!(thousandths("NaN"), None);
    }
}

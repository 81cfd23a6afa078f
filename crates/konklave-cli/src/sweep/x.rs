//! The x axis of the plots of a sweep: the number of nodes, or an option whose values are numbers.

use super::SweepArgs;
use super::runs::Cell;
use super::space::Dimension;
use crate::failure::Failure;
use crate::several::number;

/// The x axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum X {
    Nodes,
    /// The option with this name.
    Option(String),
}

impl X {
    /// The axis of --x; else nodes if there are several sizes, else the first option with several
    /// numbers as values.
    pub(super) fn new(args: &SweepArgs, dimensions: &[Dimension]) -> Result<Self, Failure> {
        let delays: Vec<_> = args.delay.iter().map(ToString::to_string).collect();
        let all = dimensions.iter().map(|it| (it.name.as_str(), &it.values));
        let all = all.chain([("delay", &delays)]).filter(|(_, values)| are_numbers(values));
        let options: Vec<&str> = all.map(|(name, _)| name).collect();
        match &args.x {
            Some(name) if name == "nodes" => Ok(Self::Nodes),
            Some(name) if options.contains(&name.as_str()) => Ok(Self::Option(name.clone())),
            Some(name) => Err(Failure::bad(format!(
                "--x {name}: write nodes, or the name of an option with several numbers as \
                 values{}",
                match &options[..] {
                    [] => ", of which this sweep has none".to_owned(),
                    options => format!(": {}", options.join(", ")),
                }
            ))),
            None if args.nodes.len() > 1 => Ok(Self::Nodes),
            None => Ok(options.first().map_or(Self::Nodes, |&name| Self::Option(name.to_owned()))),
        }
    }

    /// Its name on the command line.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Nodes => "nodes",
            Self::Option(name) => name,
        }
    }

    /// The end of a sentence: `the number of nodes`.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Nodes => "the number of nodes".to_owned(),
            Self::Option(name) => name.replace('-', " "),
        }
    }

    /// The value of a cell on the axis.
    pub(super) fn of(&self, cell: &Cell) -> f64 {
        match self {
            Self::Nodes => f64::from(cell.nodes),
            // An algorithm without the option has the value of no use of it.
            Self::Option(name) => cell.get(name).and_then(number).map_or(0.0, |(_, it)| it),
        }
    }

    /// The value of a cell in words: `100 nodes`, `loss 0.05`.
    pub(super) fn label(&self, cell: &Cell) -> String {
        match self {
            Self::Nodes => format!("{} nodes", cell.nodes),
            Self::Option(name) => described(name, cell.get(name).unwrap_or_default()),
        }
    }

    /// The series of a cell: all that is the same along the axis.
    pub(super) fn series(&self, cell: &Cell) -> Cell {
        let mut series = cell.clone();
        match self {
            Self::Nodes => series.nodes = 0,
            Self::Option(name) if name == "delay" => series.delay.clear(),
            Self::Option(name) => {
                series.options.remove(name);
            }
        }
        series
    }
}

/// The value of an option in words. A name such as `light` speaks for itself.
pub(super) fn described(name: &str, value: &str) -> String {
    let name = name.replace('-', " ");
    match value {
        "none" => format!("no {name}"),
        value if value.starts_with(|it: char| it.is_ascii_digit()) => format!("{name} {value}"),
        value => value.to_owned(),
    }
}

/// Whether these are several numbers, with the same name before them if there is one.
fn are_numbers(values: &[String]) -> bool {
    let numbers: Vec<_> = values.iter().map(|value| number(value)).collect();
    let is_like = |it: &Option<(&str, f64)>| it.is_some_and(|it| Some(it.0) == first(&numbers));
    values.len() > 1 && numbers.iter().all(is_like)
}

fn first<'a>(numbers: &[Option<(&'a str, f64)>]) -> Option<&'a str> {
    numbers.first().copied().flatten().map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_kind_make_an_axis() {
        let are = |values: &[&str]| {
            are_numbers(&values.iter().map(|&it| it.to_owned()).collect::<Vec<_>>())
        };
        assert!(are(&["0", "0.05"]) && are(&["poisson:0.1", "poisson:1"]));
        assert!(!are(&["0"]) && !are(&["light", "poisson:1"]) && !are(&["exp:3", "constant:1"]));
        assert!(!are(&["none", "2@40"]));
    }

    #[test]
    fn values_are_described() {
        assert_eq!(described("loss", "0.05"), "loss 0.05");
        assert_eq!(described("load", "light"), "light");
        assert_eq!(described("crash", "none"), "no crash");
        assert_eq!(described("start-within", "3"), "start within 3");
    }
}

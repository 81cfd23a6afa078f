//! Quantities as data, and their values in one run.

mod general;
mod shown;

use crate::system::Description;
pub use general::{GENERAL, General, with_general};
use konklave::NodeId;
use konklave_sim::workload::{Distribution, Spread};
use serde::ser::{Serialize, SerializeMap, Serializer};
pub use shown::{Chain, Formation, Stored, Tie};

/// A quantity that every run of a problem measures. It has one name everywhere: in JSON, in tables,
/// in the bounds of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name, such as `waiting_time`.
    pub name: &'static str,
    /// Its label in the report of a run; empty if the report does not show it.
    pub label: &'static str,
    /// The head of its column in a comparison; empty if it has no column.
    pub column: &'static str,
    /// Its unit: `T` is the mean delay of a message.
    pub unit: &'static str,
    /// Its definition, as the end of a sentence: `from request to entry`.
    pub meaning: &'static str,
    /// Whether reports plot it beside the main quantity.
    pub is_plotted: bool,
    /// Statistics beside its mean, as suffixes of names: `p99`.
    pub details: &'static [&'static str],
    /// The object in JSON that holds it, if any: its name begins with that of the group.
    pub group: &'static str,
}

impl Quantity {
    /// A quantity with this name, shown only in JSON.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        let (label, column, group) = ("", "", "");
        Self { name, label, column, unit, meaning, is_plotted: false, details: &[], group }
    }

    /// Shows it in the report of a run.
    pub const fn label(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// Adds a column in comparisons.
    pub const fn column(self, column: &'static str) -> Self {
        Self { column, ..self }
    }

    /// Adds a plot in reports.
    pub const fn plotted(self) -> Self {
        Self { is_plotted: true, ..self }
    }

    /// Adds the maximum to the mean.
    pub const fn spread(self) -> Self {
        Self { details: &["max"], ..self }
    }

    /// Adds quantiles and the maximum to the mean.
    pub const fn distribution(self) -> Self {
        Self { details: &["p50", "p99", "max"], ..self }
    }

    /// Puts it into an object of this name in JSON.
    pub const fn within(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// Its name in JSON: within its group, if it has one.
    fn field(&self) -> &'static str {
        let inner = self.name.strip_prefix(self.group).filter(|_| !self.group.is_empty());
        inner.map_or(self.name, |inner| inner.trim_start_matches('_'))
    }

    /// The names of all its numbers.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let details = self.details.iter().map(|end| format!("{}_{end}", self.name));
        std::iter::once(self.name.to_owned()).chain(details)
    }

    /// Its name with spaces.
    pub fn words(&self) -> String {
        self.name.replace('_', " ")
    }
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// A mean and a maximum.
    Spread(Spread),
    /// A mean, quantiles and a maximum.
    Distribution(Distribution),
    /// No sample.
    Missing,
}

impl Value {
    /// The value, or the mean of several.
    pub fn mean(self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(count as f64),
            Self::Number(number) => Some(number),
            Self::Spread(spread) => Some(spread.mean),
            Self::Distribution(distribution) => Some(distribution.mean),
            Self::Missing => None,
        }
    }

    /// Statistics beside the mean: the suffix of a name, and a number.
    fn details(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Spread(Spread { max, .. }) => vec![("max", max)],
            Self::Distribution(Distribution { p50, p99, max, .. }) => {
                vec![("p50", p50), ("p99", p99), ("max", max)]
            }
            Self::Count(_) | Self::Number(_) | Self::Missing => Vec::new(),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => count.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Spread(spread) => spread.serialize(serializer),
            Self::Distribution(distribution) => distribution.serialize(serializer),
            Self::Missing => serializer.serialize_none(),
        }
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Spread> for Value {
    fn from(spread: Spread) -> Self {
        Self::Spread(spread)
    }
}

impl From<Distribution> for Value {
    fn from(distribution: Distribution) -> Self {
        Self::Distribution(distribution)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// One quantity, measured in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The quantity.
    pub quantity: &'static Quantity,
    /// Its value.
    pub value: Value,
    /// Text to show instead of the number.
    pub text: Option<String>,
}

/// The histogram of a quantity: each value, and its number of samples.
pub type Histogram = Vec<(f64, u64)>;

/// How a quantity developed in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The quantity.
    pub quantity: &'static Quantity,
    /// What it is counted over: `round`.
    pub over: &'static str,
    /// Its values, from the beginning.
    pub values: Vec<f64>,
}

/// The measurements of one run, in the order of the problem's quantities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    values: Vec<Measured>,
    /// The quantities with histograms.
    pub histograms: Vec<(&'static Quantity, Histogram)>,
    /// The quantities that developed.
    pub series: Vec<Series>,
    /// Nodes that had not released at the end.
    pub holders: Vec<NodeId>,
    /// All operations on a shared object as text, if they were kept.
    pub history: Option<String>,
    /// The nodes in the end, if they were asked for.
    pub dump: Option<Vec<Description>>,
    /// The network that the nodes form, if they do and are not too many to be shown.
    pub formation: Option<Formation>,
    /// What each node stores, beside its share; empty if nodes store nothing.
    pub stored: Vec<Stored>,
}

impl Measures {
    /// Adds a quantity.
    #[must_use]
    pub fn with(mut self, quantity: &'static Quantity, value: impl Into<Value>) -> Self {
        self.values.push(Measured { quantity, value: value.into(), text: None });
        self
    }

    /// Adds a quantity with a text to show instead of its number.
    #[must_use]
    pub fn told(
        mut self,
        quantity: &'static Quantity,
        value: impl Into<Value>,
        text: String,
    ) -> Self {
        self.values.push(Measured { quantity, value: value.into(), text: Some(text) });
        self
    }

    /// Adds other quantities.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.values.extend(others.values);
        self.series.extend(others.series);
        self.formation = self.formation.or(others.formation);
        self.stored.extend(others.stored);
        self
    }

    /// Adds the histogram of a quantity.
    #[must_use]
    pub fn histogram(mut self, quantity: &'static Quantity, histogram: Histogram) -> Self {
        self.histograms.push((quantity, histogram));
        self
    }

    /// Adds how a quantity developed.
    #[must_use]
    pub fn series(
        mut self,
        quantity: &'static Quantity,
        over: &'static str,
        values: Vec<f64>,
    ) -> Self {
        self.series.push(Series { quantity, over, values });
        self
    }

    /// Adds what each node stores.
    #[must_use]
    pub fn stored(mut self, stored: Vec<Stored>) -> Self {
        self.stored = stored;
        self
    }

    /// Adds the nodes that have not released.
    #[must_use]
    pub fn holders(mut self, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        self.holders.extend(nodes);
        self
    }

    /// All measurements.
    pub fn iter(&self) -> impl Iterator<Item = &Measured> {
        self.values.iter()
    }

    /// The value or mean of a quantity, if it has samples.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|it| it.quantity.name == name).and_then(|it| it.value.mean())
    }

    /// Every number by its name. Statistics other than the mean have a suffix: `waiting_time_p99`.
    pub fn numbers(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        self.values.iter().flat_map(|Measured { quantity, value, .. }| {
            let mean = value.mean().map(|mean| (quantity.name.to_owned(), mean));
            let details = value.details().into_iter();
            mean.into_iter()
                .chain(details.map(|(end, it)| (format!("{}_{end}", quantity.name), it)))
        })
    }
}

impl Serialize for Measures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut groups: Vec<&str> = Vec::new();
        for Measured { quantity, value, .. } in &self.values {
            match quantity.group {
                "" => map.serialize_entry(quantity.name, value)?,
                group if groups.contains(&group) => {}
                group => {
                    groups.push(group);
                    map.serialize_entry(group, &Group { measures: self, group })?;
                }
            }
        }
        map.end()
    }
}

/// The measurements of a group.
struct Group<'a> {
    measures: &'a Measures,
    group: &'static str,
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = self.measures.values.iter().filter(|it| it.quantity.group == self.group);
        serializer.collect_map(members.map(|it| (it.quantity.field(), it.value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WAITING: Quantity = Quantity::new("waiting_time", "T", "from asking to entering");
    static ENTRIES: Quantity = Quantity::new("entries", "", "how often anybody entered");

    #[test]
    fn names_are_the_same_in_json_and_in_bounds() {
        let distribution = Distribution { mean: 2.0, p50: 1.0, p99: 4.0, max: 5.0 };
        let measures = Measures::default().with(&ENTRIES, 3_u64).with(&WAITING, Some(distribution));
        let json = serde_json::to_value(&measures).unwrap();
        assert_eq!(json["entries"], 3);
        assert_eq!(json["waiting_time"]["p99"], 4.0);
        let numbers: Vec<_> = measures.numbers().collect();
        let expected = [
            ("entries", 3.0),
            ("waiting_time", 2.0),
            ("waiting_time_p50", 1.0),
            ("waiting_time_p99", 4.0),
            ("waiting_time_max", 5.0),
        ];
        assert_eq!(numbers, expected.map(|(name, number)| (name.to_owned(), number)));
        assert_eq!(measures.get("waiting_time"), Some(2.0));
    }

    #[test]
    fn what_never_occurred_has_no_number() {
        let measures = Measures::default().with(&WAITING, None::<Distribution>);
        assert_eq!(measures.numbers().count(), 0);
        assert_eq!(serde_json::to_string(&measures).unwrap(), r#"{"waiting_time":null}"#);
    }
}

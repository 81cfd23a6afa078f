//! A comparison as text, Markdown, CSV, JSON and plots.

use std::collections::BTreeSet;

use konklave_catalog::expected::Expected;
use konklave_catalog::option::Verb;
use konklave_catalog::quantity::Quantity;
use konklave_report::table::{Cell, Table};
use serde_json::{Map, Value, json};

use super::measure::Row;
use super::{CompareArgs, Task};
use crate::out::{self, Picture};
use crate::output::{self, counted, short};
use crate::told::{Told, of_problem};

/// A column of the table.
struct Column {
    head: &'static str,
    /// The cell of a row.
    cell: Box<dyn Fn(&Row) -> Cell>,
    /// An explanation, if the head needs one.
    meaning: Option<String>,
    /// How many digits behind the point are worth reading; by the size of the number if none.
    digits: Option<usize>,
}

impl Column {
    fn new(head: &'static str, cell: impl Fn(&Row) -> Cell + 'static) -> Self {
        Self { head, cell: Box::new(cell), meaning: None, digits: None }
    }

    fn meaning(self, meaning: impl Into<String>) -> Self {
        Self { meaning: Some(meaning.into()), ..self }
    }

    fn digits(self, digits: usize) -> Self {
        Self { digits: Some(digits), ..self }
    }

    fn text(&self, row: &Row) -> String {
        match ((self.cell)(row), self.digits) {
            (Cell::Empty, _) => "-".to_owned(),
            (Cell::Text(text), _) => text,
            (Cell::Whole(number), _) => number.to_string(),
            (Cell::Truth(truth), _) => truth.to_string(),
            (Cell::Number(number), Some(digits)) => format!("{number:.digits$}"),
            (Cell::Number(number), None) => short(number),
        }
    }
}

/// All columns, the same for the terminal and for the page.
fn columns(task: &Task, rows: &[Row]) -> Vec<Column> {
    let main = task.problem.main_quantity();
    let mut columns = vec![
        Column::new("algorithm", |row| row.name().into()),
        Column::new("year", |row| row.entry.document().year().into()),
    ];
    if task.network.is_none() {
        let network = |row: &Row| row.entry.needs.network.to_string().into();
        columns.push(Column::new("network", network));
    }
    for (place, (label, _)) in task.scenarios[0].labels.iter().enumerate() {
        columns.push(Column::new(label, move |row| row.labels[place].1.as_str().into()));
    }
    columns.extend([
        Column::new(main.column, |row| row.main.into()).meaning(main.meaning),
        Column::new("formula", |row| {
            row.expected.as_ref().map_or_else(String::new, Expected::to_string).into()
        })
        .meaning("that of the paper, and whether the measurement agrees, if it gives a value"),
        Column::new("", |row| row.agreement.name().into()),
    ]);
    columns.extend(task.problem.quantities.iter().flat_map(|it| of_quantity(it, main, rows)));
    columns.extend([
        Column::new("busiest", |row| row.busiest_over_mean.into())
            .digits(2)
            .meaning("load of the busiest node over the mean"),
        Column::new("bytes", |row| row.bytes_per_message.into()).digits(1).meaning("per message"),
    ]);
    columns
}

/// The columns of a quantity other than the main one: its mean, and a high quantile if it is known.
fn of_quantity(quantity: &'static Quantity, main: &'static Quantity, rows: &[Row]) -> Vec<Column> {
    if quantity.column.is_empty() || quantity == main {
        return Vec::new();
    }
    let unit = match quantity.unit {
        "T" => ", in T",
        _ => "",
    };
    let number = |name: String| move |row: &Row| row.numbers.get(&name).copied().into();
    let name = quantity.name;
    let mean = Column::new(quantity.column, number(name.to_owned()));
    let mut columns = vec![mean.meaning(format!("{}{unit}", quantity.meaning))];
    let high = format!("{name}_p99");
    if rows.iter().any(|row| row.numbers.contains_key(&high)) {
        columns.push(Column::new("p99", number(high)).meaning("the 99th percentile of that"));
    }
    columns
}

/// The table as text, its head first.
pub(super) fn cells(task: &Task, rows: &[Row]) -> Vec<Vec<String>> {
    let columns = columns(task, rows);
    let head = columns.iter().map(|column| column.head.to_owned()).collect();
    let row = |row: &Row| columns.iter().map(|column| column.text(row)).collect();
    std::iter::once(head).chain(rows.iter().map(row)).collect()
}

/// The table of the page: the same columns, with numbers as numbers.
pub(super) fn shown(task: &Task, rows: &[Row]) -> Table {
    let columns = columns(task, rows);
    let mut table = Table::new(columns.iter().map(|column| column.head));
    for row in rows {
        table.push(columns.iter().map(|column| (column.cell)(row)));
    }
    table
}

/// A legend of the columns, in one sentence.
pub(super) fn meaning(task: &Task, rows: &[Row]) -> String {
    let columns = columns(task, rows);
    let told =
        columns.iter().filter_map(|it| Some(format!("{}: {}", it.head, it.meaning.as_ref()?)));
    let mut text = told.collect::<Vec<_>>().join("; ") + ".";
    if rows.iter().any(|row| row.runs > 1) {
        let most = rows.iter().map(|row| row.runs).max().unwrap_or(1);
        text += &format!(
            " Values are means of up to {most} runs; a mean agrees with its formula within four \
             standard errors."
        );
    }
    text
}

/// The report on the terminal.
pub(super) fn for_people(
    args: &CompareArgs,
    task: &Task,
    rows: &[Row],
    table: &[Vec<String>],
) -> Vec<String> {
    let mut lines = vec![heading(args, task), String::new()];
    lines.extend(output::table(&separated(table, rows)));
    lines.push(String::new());
    lines.extend(output::paragraph(&meaning(task, rows)));
    let crashes = crashes(rows);
    if !crashes.is_empty() {
        lines.push(String::new());
        lines.push(output::bold("Effect of a crash"));
        lines.extend(crashes.iter().map(|(name, crash)| format!("  {name}: {crash}")));
    }
    for row in rows.iter().filter(|row| !row.violations.is_empty()) {
        let violation = &row.violations[0];
        lines.push(format!("{}  {}: {violation}", output::red("violated"), row.full_name()));
    }
    lines
}

/// The table with an empty row between two scenarios.
fn separated(table: &[Vec<String>], rows: &[Row]) -> Vec<Vec<String>> {
    let mut all: Vec<_> = table.iter().take(1).cloned().collect();
    let mut last = rows.first().map(|row| row.place);
    for (cells, row) in table.iter().skip(1).zip(rows) {
        if last.replace(row.place) != Some(row.place) {
            all.push(Vec::new());
        }
        all.push(cells.clone());
    }
    all
}

/// The configuration of the comparison, in a line.
fn heading(args: &CompareArgs, task: &Task) -> String {
    let nodes = counted(task.base.nodes.into(), "node", "nodes");
    let mut parts = vec![task.problem.title.to_owned(), nodes];
    parts.extend(task.network.as_ref().map(|network| network.topology.clone()));
    parts.extend(common_options(task).map(|(name, value)| format!("{name} {value}")));
    parts.push(format!("delay {}, seed {}", args.delay, args.seed));
    parts.join(", ")
}

/// The options that all scenarios share.
fn common_options(task: &Task) -> impl Iterator<Item = (&'static str, String)> + '_ {
    let (first, others) = task.scenarios.split_first().expect("there is a scenario");
    let is_common = |option: &&(&'static str, String)| {
        others.iter().all(|scenario| scenario.options.contains(option))
    };
    first.options.iter().filter(is_common).cloned()
}

/// The configuration of the comparison, for the page.
pub(super) fn asked(args: &CompareArgs, task: &Task, rows: &[Row]) -> Vec<(String, String)> {
    let mut asked = vec![("nodes".to_owned(), task.base.nodes.to_string())];
    let network = task.network.as_ref().map(|network| network.topology.clone());
    asked.extend(network.map(|network| ("network".to_owned(), network)));
    asked.extend(common_options(task).map(|(name, value)| (name.to_owned(), value)));
    asked.push(("delay".to_owned(), args.delay.to_string()));
    if rows.iter().any(|row| row.runs > 1) {
        let runs = args.runs.map(|runs| format!("{runs} for each row"));
        asked.push(("runs".to_owned(), runs.unwrap_or("enough for precise means".to_owned())));
    }
    asked.push(("seed".to_owned(), args.seed.to_string()));
    asked
}

/// What all rows have in common.
pub(super) fn title(args: &CompareArgs, task: &Task, rows: &[Row]) -> String {
    let network = task.network.as_ref().map(|network| network.topology.clone());
    let options = common_options(task)
        .filter(|(name, _)| task.problem.option(name).is_some_and(|option| option.is_series));
    let parts = network.into_iter().chain(options.map(|(name, value)| format!("{name} {value}")));
    let parts: Vec<_> = parts.map(|part| format!(", {part}")).collect();
    let (nodes, delay, seed) = (task.base.nodes, &args.delay, args.seed);
    let seeds = match rows.iter().any(|row| row.runs > 1) {
        true => format!("seeds from {seed}"),
        false => format!("seed {seed}"),
    };
    let title = task.problem.title;
    format!("{title} compared: {nodes} nodes{}, delay {delay}, {seeds}", parts.concat())
}

/// The effect of a crash on each algorithm that documents it.
pub(super) fn crashes(rows: &[Row]) -> Vec<(String, String)> {
    let mut known = BTreeSet::new();
    let rows = rows.iter().filter(|row| row.is_default && known.insert(row.entry.name.clone()));
    let crash = |row: &Row| Some((row.entry.name.clone(), row.entry.document().fault("Crash")?));
    rows.filter_map(crash).collect()
}

/// The JSON report. The names of its fields are stable.
pub(super) fn json(args: &CompareArgs, task: &Task, rows: &[Row], is_whole: bool) -> Told<Value> {
    let mut all = Map::new();
    all.insert("family".to_owned(), json!(task.problem));
    all.insert("nodes".to_owned(), json!(task.base.nodes));
    if let Some(network) = &task.network {
        all.insert("topology".to_owned(), json!(network.topology));
    }
    all.extend(common_options(task).map(|(name, value)| (name.to_owned(), json!(value))));
    all.insert("seed".to_owned(), json!(args.seed));
    all.insert("delay".to_owned(), json!(args.delay.to_string()));
    all.insert("complete".to_owned(), json!(is_whole));
    all.insert("rows".to_owned(), rows.iter().map(|row| json_row(task, row)).collect());
    let network = task.network.as_ref().map(|network| network.topology.clone());
    let mut effective = of_problem(task.problem, &args.options, Verb::Compare);
    effective.push(("nodes".to_owned(), json!(task.base.nodes)));
    effective.extend(network.map(|network| ("topology".to_owned(), json!(network))));
    effective.extend(common_options(task).map(|(name, value)| (name.to_owned(), json!(value))));
    Told::new(Value::Object(all), effective)
}

fn json_row(task: &Task, row: &Row) -> Value {
    let main = task.problem.main_quantity();
    let document = row.entry.document();
    let mut all = Map::new();
    let mut put = |name: &str, value: Value| drop(all.insert(name.to_owned(), value));
    put("algorithm", json!(row.entry.name));
    put("variant", json!(row.variant));
    put("year", json!(document.year()));
    row.labels.iter().for_each(|(name, value)| put(name, json!(value)));
    put("runs", json!(row.runs));
    for name in task.problem.quantities.iter().flat_map(|quantity| quantity.names()) {
        put(&measured_name(task, &name), json!(row.numbers.get(&name)));
    }
    put(main.name, json!(row.main));
    put(&format!("{}_margin", main.column), json!(row.margin));
    put("expected", json!(row.expected));
    put("agrees", json!(row.agrees));
    put("busiest_over_mean", json!(row.busiest_over_mean));
    put("bytes_per_message", json!(row.bytes_per_message));
    put("needs", json!(row.entry.needs));
    put("state", json!(document.cost("state")));
    put("fairness", json!(document.cost("fairness")));
    put("crash", json!(document.fault("Crash")));
    put("verdict", json!(row.kept));
    put("violations", json!(row.violations));
    Value::Object(all)
}

/// The name of a quantity beside the labels of scenarios, one of which may have the same:
/// initiators are an option, and can be counted.
fn measured_name(task: &Task, name: &str) -> String {
    let is_label = task.scenarios[0].labels.iter().any(|(label, _)| *label == name);
    if is_label { format!("measured_{name}") } else { name.to_owned() }
}

/// Every row with every digit.
pub(super) fn results(task: &Task, rows: &[Row]) -> Table {
    let main = task.problem.main_quantity();
    let numbers: BTreeSet<&String> = rows.iter().flat_map(|row| row.numbers.keys()).collect();
    let numbers: Vec<&String> = numbers.into_iter().filter(|name| **name != main.name).collect();
    let labels = task.scenarios[0].labels.iter().map(|(label, _)| (*label).to_owned());
    let (is_alone, is_mean) = (task.network.is_none(), rows.iter().any(|row| row.runs > 1));
    let margin = format!("{}_margin", main.column);
    let mut head = ["algorithm", "variant", "year"].map(str::to_owned).to_vec();
    head.extend(is_alone.then(|| "network".to_owned()));
    head.extend(labels);
    head.extend(is_mean.then(|| "runs".to_owned()));
    head.push(main.name.to_owned());
    head.extend(is_mean.then_some(margin));
    head.extend(["formula", "formula_low", "formula_high", "agrees", "verdict"].map(str::to_owned));
    head.extend(numbers.iter().map(|name| measured_name(task, name)));
    head.extend(["busiest_over_mean", "bytes_per_message"].map(str::to_owned));
    let mut table = Table::new(head);
    for row in rows {
        let expected = row.expected.as_ref();
        let mut cells: Vec<Cell> = vec![
            row.entry.name.as_str().into(),
            row.variant.into(),
            row.entry.document().year().into(),
        ];
        cells.extend(is_alone.then(|| Cell::from(row.entry.needs.network.to_string())));
        cells.extend(row.labels.iter().map(|(_, value)| Cell::from(value.as_str())));
        cells.extend(is_mean.then_some(Cell::from(row.runs)));
        cells.push(row.main.into());
        cells.extend(is_mean.then_some(Cell::from(row.margin)));
        cells.extend([
            expected.map(|it| it.formula.as_str()).into(),
            expected.map(|it| it.low).into(),
            expected.map(|it| it.high).into(),
            row.agrees.into(),
            row.kept.name().into(),
        ]);
        cells.extend(numbers.iter().map(|name| Cell::from(row.numbers.get(*name).copied())));
        cells.extend([row.busiest_over_mean.into(), row.bytes_per_message.into()]);
        table.push(cells);
    }
    table
}

/// Plots for each scenario: the main quantity beside its formula, and further quantities.
pub(super) fn pictures(args: &CompareArgs, task: &Task, rows: &[Row]) -> Vec<Picture> {
    let main = task.problem.main_quantity();
    let mut pictures = Vec::new();
    for group in rows.chunk_by(|a, b| a.place == b.place) {
        let scenario = &task.scenarios[group[0].place];
        let labels = scenario.labels.iter().map(|(_, value)| value.replace(':', "-"));
        let labels: Vec<String> = labels.collect();
        let title = match scenario.sentence.is_empty() {
            true => title(args, task, rows),
            false => format!("{}; {}", title(args, task, rows), scenario.sentence),
        };
        let file = |quantity: Option<&'static str>| match (&labels[..], quantity) {
            ([], quantity) => format!("{}.svg", quantity.unwrap_or("comparison")),
            (labels, None) => format!("{}.svg", labels.join("-")),
            (labels, Some(quantity)) => format!("{}-{quantity}.svg", labels.join("-")),
        };
        let of = if labels.is_empty() { String::new() } else { format!(": {}", scenario.sentence) };
        let measured = group.iter().filter_map(|row| {
            let (mean, margin) = (row.main?, row.margin.unwrap_or(0.0));
            Some((row.name(), (mean - margin, mean, mean + margin), row.expected.as_ref()))
        });
        let label = main.words();
        let caption = format!("{}, and the formula where there is one{of}.", out::capital(&label));
        let svg = out::comparison(&title, &label, measured);
        pictures.push(Picture::new(&file(None), caption, svg));
        // Several scenarios have pictures enough.
        let others = task.problem.quantities.iter().filter(|it| it.is_plotted);
        for quantity in others.filter(|_| task.scenarios.len() == 1) {
            let mut measured = group
                .iter()
                .filter_map(|row| {
                    let mean = *row.numbers.get(quantity.name)?;
                    Some((row.name(), (mean, mean, mean), None))
                })
                .peekable();
            if measured.peek().is_some() {
                let label = format!("{}, in {}", quantity.words(), quantity.unit);
                let caption =
                    format!("{}: {}{of}.", out::capital(&quantity.words()), quantity.meaning);
                let svg = out::comparison(&title, &label, measured);
                pictures.push(Picture::new(&file(Some(quantity.name)), caption, svg));
            }
        }
    }
    pictures
}

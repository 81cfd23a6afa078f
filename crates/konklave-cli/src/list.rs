//! `konklave list`: a table of all algorithms.

use serde::Serialize;
use serde_json::json;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::needs::Needs;
use konklave_catalog::option::Choice;
use konklave_catalog::problem::About;

use crate::Exit;
use crate::args::ListArgs;
use crate::failure::Failure;
use crate::told::Told;
use crate::{output, specimens};

/// The row of an algorithm.
#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(rename = "family")]
    problem: &'static About,
    needs: Needs,
    messages: String,
    /// The whole statement, with its reason.
    fairness: Option<String>,
    #[serde(skip)]
    degree: Option<String>,
    year: Option<u32>,
    summary: String,
    reference: String,
    options: &'static [Choice],
    file: &'static str,
}

impl From<&Entry> for Row {
    fn from(entry: &Entry) -> Self {
        let document = entry.document();
        Self {
            name: entry.name.clone(),
            problem: entry.problem,
            needs: entry.needs,
            messages: document.messages(),
            fairness: document.cost("fairness"),
            degree: document.fairness(),
            year: document.year(),
            summary: document.summary,
            reference: document.reference,
            options: entry.choices,
            file: entry.file,
        }
    }
}

/// Prints the list.
pub fn list(args: &ListArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    if args.specimens {
        return specimens::list(args.json, catalog);
    }
    let problem = args.family.as_deref().map(|name| catalog.find_problem(name)).transpose()?;
    let is_wanted = |entry: &&Entry| problem.is_none_or(|problem| entry.problem == problem);
    let rows: Vec<Row> = catalog.entries().iter().filter(is_wanted).map(Row::from).collect();
    if args.json {
        output::json(&Told::plain(json!({ "algorithms": rows })))?;
        return Ok(Exit::Fine);
    }
    let mut lines = output::table(&cells(&rows, problem.is_none()));
    lines.push(String::new());
    lines.push("`konklave explain NAME` explains one of them.".to_owned());
    output::lines(&lines)?;
    Ok(Exit::Fine)
}

/// The table, its head first. A problem has no column for its name, but one for the degree of
/// fairness if its algorithms state it.
fn cells(rows: &[Row], has_problem: bool) -> Vec<Vec<String>> {
    let has_degree = !has_problem && rows.iter().any(|row| row.degree.is_some());
    let line = |columns: [String; 6]| {
        let [name, problem, network, year, messages, degree] = columns;
        let problem = has_problem.then_some(problem);
        let degree = has_degree.then_some(degree);
        let middle = [network, year, messages];
        std::iter::once(name).chain(problem).chain(middle).chain(degree).collect()
    };
    let head = ["algorithm", "problem", "network", "year", "messages", "fairness"];
    let row = |row: &Row| {
        let year = row.year.map_or_else(String::new, |year| year.to_string());
        let (problem, network) = (row.problem.to_string(), row.needs.network.to_string());
        let degree = row.degree.clone().unwrap_or_default();
        line([row.name.clone(), problem, network, year, row.messages.clone(), degree])
    };
    std::iter::once(line(head.map(str::to_owned))).chain(rows.iter().map(row)).collect()
}

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
    family: &'static About,
    needs: Needs,
    messages: String,
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
            family: entry.problem,
            needs: entry.needs,
            messages: document.messages(),
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
    let family = args.family.as_deref().map(|name| catalog.find_problem(name)).transpose()?;
    let is_wanted = |entry: &&Entry| family.is_none_or(|family| entry.problem == family);
    let rows: Vec<Row> = catalog.entries().iter().filter(is_wanted).map(Row::from).collect();
    if args.json {
        output::json(&Told::plain(json!({ "algorithms": rows })))?;
        return Ok(Exit::Fine);
    }
    let head = ["algorithm", "family", "network", "year", "messages"].map(str::to_owned).to_vec();
    let cells = rows.iter().map(|row| {
        let year = row.year.map_or_else(String::new, |year| year.to_string());
        let family = row.family.to_string();
        vec![row.name.clone(), family, row.needs.network.to_string(), year, row.messages.clone()]
    });
    let mut lines = output::table(&[head].into_iter().chain(cells).collect::<Vec<_>>());
    lines[0] = output::bold(&lines[0]);
    lines.push(String::new());
    lines.push("`konklave explain NAME` explains one of them.".to_owned());
    output::lines(&lines)?;
    Ok(Exit::Fine)
}

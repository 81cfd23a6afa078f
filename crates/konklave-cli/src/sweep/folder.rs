//! The folder of a sweep: its report, plots and data.

use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::table::Table;

use super::SweepArgs;
use super::json::for_machines;
use super::log::RUNS;
use super::pictures::{pictures, series, title};
use super::report::{Context, asked, laws, on_terminal, rows, table, verdicts};
use super::summary::{Law, Summary};
use crate::failure::Failure;
use crate::out;

/// The number of laws that fit in one sentence.
const LAWS_IN_A_SENTENCE: usize = 3;

/// Writes the report, its plots and its data to the folder; returns the path of the report.
pub(super) fn write(
    args: &SweepArgs,
    summary: &Summary,
    context: &Context<'_>,
    folder: Folder,
) -> Result<String, Failure> {
    let (mark, badge) = match (summary.is_broken(), context.is_whole, summary.is_decided()) {
        (true, _, _) => (Mark::Bad, "broken"),
        (false, false, _) => (Mark::Open, "stopped"),
        (false, true, false) => (Mark::Open, "undecided"),
        (false, true, true) => (Mark::Good, "ok"),
    };
    let sentence = match &laws(summary)[..] {
        [] => format!("{} by {}", summary.quantity.words(), summary.x.words()),
        all if all.len() > LAWS_IN_A_SENTENCE => format!("{} laws of growth, below", all.len()),
        few => few.join("; "),
    };
    let mut page = HtmlReport::new(&format!("Sweep of {}", args.algorithm))
        .verdict(mark, badge, &sentence)
        .asked(asked(args))
        .command(&out::command())
        .section("Plots");
    page = out::show(&folder, page, &pictures(&title(args, summary), summary))?;
    if !summary.laws.is_empty() {
        page = page.section("Growth").preformatted(&laws(summary).join("\n"));
    }
    for law in &summary.laws {
        if let Some(table) = fits(law) {
            let name = series(&law.series, summary);
            let caption = format!("All laws, fitted to the {} of {name}", summary.quantity.words());
            page = page.table(&table, &caption);
        }
    }
    for (badge, text) in verdicts(summary) {
        page = page.text(&format!("{}: {text}", badge.name()));
    }
    for reason in context.left_out {
        page = page.text(&format!("left out: {reason}"));
    }
    let results = table(summary);
    folder.write("results.csv", results.csv())?;
    folder.write_json("results.json", &for_machines(args, summary, context))?;
    let mut rows = rows(summary).into_iter();
    let head = rows.next().unwrap_or_default().into_iter().map(on_terminal);
    let mut shown = Table::new(head);
    rows.for_each(|row| shown.push(row));
    let caption =
        "Means over seeds, with 95 % confidence. All measured quantities are in results.csv.";
    page = page.section("Results").table(&shown, caption);
    let files = [
        ("results.csv", "the means of all measured quantities"),
        ("results.json", "the same, with laws and bounds"),
        (RUNS, "every run"),
    ];
    out::finish(folder, &page.files(files))
}

/// Every law that was fitted, with its error.
fn fits(law: &Law) -> Option<Table> {
    let fits = law.growth.as_ref()?.fits();
    let mut table = Table::new(["law", "fitted", "error"]);
    for fit in fits {
        table.push([fit.model.name().to_owned(), fit.to_string(), fit.off()]);
    }
    (!table.is_empty()).then_some(table)
}

//! The folder of a comparison: measurements, plots, and whether the formulas agree.

use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};

use super::measure::{Agreement, Row};
use super::{CompareArgs, Task, report};
use crate::failure::Failure;
use crate::out;

/// Writes the report, its plots and its data to the folder; returns the path of the report.
pub(super) fn write(
    args: &CompareArgs,
    task: &Task,
    rows: &[Row],
    is_whole: bool,
    folder: Folder,
) -> Result<String, Failure> {
    let judged: Vec<_> = rows.iter().map(|row| (row.full_name(), row.agreement)).collect();
    let (mark, badge, sentence) = verdict(&judged, is_whole);
    let mut page = HtmlReport::new(&report::title(args, task, rows))
        .verdict(mark, badge, &sentence)
        .asked(report::asked(args, task, rows))
        .command(&out::command())
        .section("Plots");
    page = out::show(&folder, page, &report::pictures(args, task, rows))?;
    let meaning = report::meaning(task, rows);
    page = page.section("Results").table(&report::shown(task, rows), "").text(&meaning);
    for row in rows.iter().filter(|row| !row.violations.is_empty()) {
        page = page.text(&format!("{} violates {}", row.full_name(), row.violations[0]));
    }
    let crashes = report::crashes(rows);
    if !crashes.is_empty() {
        page = page.section("Effect of a crash").asked(crashes);
    }
    folder.write("results.csv", report::results(task, rows).csv())?;
    folder.write_json("results.json", &report::json(args, task, rows, is_whole))?;
    let files = [
        ("results.csv", "the table, with every digit"),
        ("results.json", "the same for programs, with what each algorithm needs"),
    ];
    out::finish(folder, &page.section("Files").files(files))
}

/// Whether every measured value agrees with its formula, as a badge and a sentence.
fn verdict(judged: &[(String, Agreement)], is_whole: bool) -> (Mark, &'static str, String) {
    let names = |agreement: Agreement| -> Vec<&str> {
        let all = judged.iter().filter(|it| it.1 == agreement);
        let mut names: Vec<_> = all.map(|it| &it.0[..]).collect();
        names.dedup();
        names
    };
    let count = |agreement: Agreement| judged.iter().filter(|it| it.1 == agreement).count();
    let (agree, differ) = (count(Agreement::Ok), count(Agreement::Differs));
    let unknown = match count(Agreement::Unknown) {
        0 => String::new(),
        without => format!("; {without} without a formula, or with bounds alone"),
    };
    let compared = agree + differ;
    if count(Agreement::Violated) > 0 {
        let sentence = format!("a promise was broken by {}", names(Agreement::Violated).join(", "));
        (Mark::Bad, "violated", sentence)
    } else if differ > 0 {
        let who = names(Agreement::Differs).join(", ");
        let sentence = format!("{differ} of {compared} measured values differ from their formula");
        (Mark::Bad, "differs", format!("{sentence}: {who}{unknown}"))
    } else if !is_whole {
        let sentence = format!("interrupted: {agree} measured values agree with their formula");
        (Mark::Open, "stopped", sentence + &unknown)
    } else if agree == 0 {
        let sentence = "no promise was broken, and no formula gives a value to compare with";
        (Mark::Good, "ok", sentence.to_owned())
    } else {
        let sentence = format!("every measured value agrees with its formula: {agree} of {agree}");
        (Mark::Good, "ok", sentence + &unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Agreement::{Differs, Ok, Unknown, Violated};

    fn of(agreements: &[Agreement], is_whole: bool) -> (Mark, &'static str, String) {
        let judged = agreements.iter().zip(0..).map(|(it, place)| (format!("a{place}"), *it));
        verdict(&judged.collect::<Vec<_>>(), is_whole)
    }

    #[test]
    fn the_verdict_is_that_of_the_worst_row() {
        let (mark, badge, sentence) = of(&[Ok, Differs, Violated], true);
        assert_eq!((mark, badge), (Mark::Bad, "violated"));
        assert!(sentence.ends_with("a2"), "{sentence}");
        let (mark, badge, sentence) = of(&[Ok, Differs, Unknown], false);
        assert_eq!((mark, badge), (Mark::Bad, "differs"));
        assert!(sentence.contains("1 of 2") && sentence.contains("a1; 1 without"), "{sentence}");
        assert_eq!(of(&[Ok, Unknown], false).0, Mark::Open);
        let (mark, _, sentence) = of(&[Ok, Ok, Unknown], true);
        assert_eq!(mark, Mark::Good);
        assert!(sentence.contains("2 of 2; 1 without"), "{sentence}");
        assert!(of(&[Unknown, Unknown], true).2.contains("no formula gives a value"));
    }
}

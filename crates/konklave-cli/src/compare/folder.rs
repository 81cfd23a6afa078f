//! The folder of a comparison: what was measured, and whether the formulas agree.

use konklave_report::folder::Folder;
use konklave_report::html::{Outcome, Report};

use super::{Findings, Judged};
use crate::failure::Failure;
use crate::out;

/// Writes everything to the folder; where the report is.
pub(super) fn write(findings: &Findings, folder: Folder) -> Result<String, Failure> {
    let (outcome, badge, sentence) = verdict(&findings.judged, findings.is_whole);
    let mut page = Report::new(&findings.title)
        .verdict(outcome, badge, &sentence)
        .asked(findings.asked.iter().cloned())
        .command(&out::command())
        .section("Plots");
    page = out::show(&folder, page, &findings.pictures)?;
    page = page.section("Results").table(&findings.shown, "").text(&findings.meaning);
    let violated = findings.judged.iter().filter_map(|it| Some((it, it.violation.as_ref()?)));
    for (judged, violation) in violated {
        page = page.text(&format!("{} violates {violation}", judged.name));
    }
    if !findings.crashes.is_empty() {
        let crashes = findings.crashes.iter().map(|(name, crash)| (&name[..], crash.clone()));
        page = page.section("What a crash does").asked(crashes);
    }
    folder.write("results.csv", findings.results.csv())?;
    folder.write_json("results.json", &findings.json)?;
    let files = [
        ("results.csv", "the table, with every digit"),
        ("results.json", "the same for programs, with what each algorithm needs"),
    ];
    out::finish(folder, &page.section("Files").files(files))
}

/// Whether every measured value agrees with its formula, in a badge and a sentence.
fn verdict(judged: &[Judged], is_whole: bool) -> (Outcome, &'static str, String) {
    let names = |agreement: &str| -> Vec<&str> {
        let all = judged.iter().filter(|it| it.agreement == agreement);
        let mut names: Vec<_> = all.map(|it| &it.name[..]).collect();
        names.dedup();
        names
    };
    let count = |agreement: &str| judged.iter().filter(|it| it.agreement == agreement).count();
    let (agree, differ) = (count("ok"), count("differs"));
    let unknown = match judged.len() - agree - differ - count("violated") {
        0 => String::new(),
        without => format!("; {without} without a formula"),
    };
    let compared = agree + differ;
    if count("violated") > 0 {
        let sentence = format!("a promise was broken by {}", names("violated").join(", "));
        (Outcome::Bad, "violated", sentence)
    } else if differ > 0 {
        let who = names("differs").join(", ");
        let sentence = format!("{differ} of {compared} measured values differ from their formula");
        (Outcome::Bad, "differs", format!("{sentence}: {who}{unknown}"))
    } else if !is_whole {
        let sentence = format!("stopped by hand: {agree} measured values agree with their formula");
        (Outcome::Open, "stopped", sentence + &unknown)
    } else if agree == 0 {
        (Outcome::Good, "ok", "no promise was broken, and there is no formula".to_owned())
    } else {
        let sentence = format!("every measured value agrees with its formula: {agree} of {agree}");
        (Outcome::Good, "ok", sentence + &unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(agreements: &[&'static str]) -> Vec<Judged> {
        let one = |(place, agreement): (usize, &&'static str)| Judged {
            name: format!("a{place}"),
            agreement,
            violation: None,
        };
        agreements.iter().enumerate().map(one).collect()
    }

    #[test]
    fn the_verdict_is_that_of_the_worst_row() {
        let of = |agreements: &[&'static str], is_whole| verdict(&judged(agreements), is_whole);
        let (outcome, badge, sentence) = of(&["ok", "differs", "violated"], true);
        assert_eq!((outcome, badge), (Outcome::Bad, "violated"));
        assert!(sentence.ends_with("a2"), "{sentence}");
        let (outcome, badge, sentence) = of(&["ok", "differs", ""], false);
        assert_eq!((outcome, badge), (Outcome::Bad, "differs"));
        assert!(sentence.contains("1 of 2") && sentence.contains("a1; 1 without"), "{sentence}");
        assert_eq!(of(&["ok", ""], false).0, Outcome::Open);
        let (outcome, _, sentence) = of(&["ok", "ok", ""], true);
        assert_eq!(outcome, Outcome::Good);
        assert!(sentence.contains("2 of 2; 1 without"), "{sentence}");
        assert!(of(&["", ""], true).2.contains("there is no formula"));
    }
}

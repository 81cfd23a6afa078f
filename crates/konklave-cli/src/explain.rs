//! `konklave explain`: what an algorithm's own file says about it.

use std::io::Write;

use serde_json::json;

use crate::Verdict;
use crate::args::ExplainArgs;
use crate::document::{self, Document};
use crate::failure::Failure;
use crate::{output, table};

/// Prints the explanation.
pub fn explain(args: &ExplainArgs) -> Result<Verdict, Failure> {
    let entry = table::find(&args.algorithm)?;
    if args.source {
        std::io::stdout().write_all(entry.source.as_bytes())?;
        return Ok(Verdict::Fine);
    }
    let document = entry.document();
    let problem = Document::of(entry.family.source());
    let messages = match document::borrows_messages(entry.source) {
        Some(module) => document::messages(table::find(&module.replace('_', "-"))?.source),
        None => document::messages(entry.source),
    };
    let promises = promises(&problem);
    if args.json {
        let sections: serde_json::Map<_, _> = document
            .sections
            .iter()
            .map(|(heading, text)| (heading.to_lowercase().replace(' ', "_"), json!(text)))
            .collect();
        let messages: Vec<_> = messages
            .iter()
            .map(|message| json!({ "name": message.name, "meaning": message.meaning }))
            .collect();
        output::json(&json!({
            "name": entry.name,
            "family": entry.family,
            "needs": entry.needs,
            "summary": document.summary,
            "reference": document.reference,
            "sections": sections,
            "messages": messages,
            "promises": promises,
            "options": entry.choices,
            "file": entry.file,
        }))?;
        return Ok(Verdict::Fine);
    }
    let mut lines = vec![
        format!("{}: {}", output::bold(&entry.name), document.summary),
        String::new(),
        document.reference.clone(),
    ];
    let mut section = |heading: &str, body: Vec<String>| {
        lines.push(String::new());
        lines.push(output::bold(heading));
        lines.push(String::new());
        lines.extend(body);
    };
    for (heading, text) in &document.sections {
        section(
            heading,
            text.lines().map(|line| format!("  {line}").trim_end().to_owned()).collect(),
        );
    }
    let names: Vec<_> = messages
        .iter()
        .map(|message| vec![format!("  {}", message.name), message.meaning.clone()])
        .collect();
    section("Messages", output::table(&names));
    section("Promises", promises.iter().map(|promise| format!("  {promise}")).collect());
    if !entry.choices.is_empty() {
        let options = entry.choices.iter();
        let options =
            options.map(|choice| format!("  --{} {}", choice.name, choice.values.join("|")));
        section("Options", options.collect());
    }
    section("Source", vec![format!("  {}", entry.file)]);
    output::lines(&lines)?;
    Ok(Verdict::Fine)
}

/// The promises of a problem: the list items of its module doc.
fn promises(problem: &Document) -> Vec<String> {
    let text = [&problem.summary, &problem.reference].into_iter();
    let text: Vec<_> =
        text.map(String::as_str).chain(problem.sections.iter().map(|s| s.1.as_str())).collect();
    text.join("\n")
        .split("- **")
        .skip(1)
        .map(|promise| {
            promise.split_whitespace().collect::<Vec<_>>().join(" ").replacen("**", "", 1)
        })
        .map(|promise| promise.trim_end_matches([';', '.']).to_owned())
        .collect()
}

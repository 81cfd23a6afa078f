//! `konklave explain`: the documentation in an algorithm's source file.

use std::io::Write;

use serde_json::json;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::document::{self, Document, Lender, Message};
use konklave_catalog::option::Choice;
use konklave_catalog::specimen::Specimen;
use konklave_specimens::objects::BrokenObject;

use crate::Exit;
use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::output;
use crate::told::Told;

/// Prints the explanation.
pub fn explain(args: &ExplainArgs, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let entry = match (catalog.find(&args.algorithm), BrokenObject::find(&args.algorithm)) {
        (Ok(entry), _) => entry,
        (Err(_), Some(object)) => return explain_object(object, args),
        (Err(unknown), None) => return Err(unknown.into()),
    };
    if args.source {
        std::io::stdout().write_all(entry.source.as_bytes())?;
        return Ok(Exit::Fine);
    }
    let document = entry.document();
    let problem = Document::of(entry.problem.source);
    let messages = match document::borrows_messages(entry.source) {
        Some(Lender::Algorithm(module)) => {
            document::messages(catalog.find(&module.replace('_', "-"))?.source)
        }
        Some(Lender::All(source)) => document::messages(source),
        Some(Lender::Problem) => document::messages(entry.problem.source),
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
        output::json(&Told::plain(json!({
            "name": entry.name,
            "family": entry.problem,
            "needs": entry.needs,
            "summary": document.summary,
            "reference": document.reference,
            "sections": sections,
            "messages": messages,
            "promises": promises,
            "choices": entry.choices,
            "file": entry.file,
            "flaw": entry.flaw,
        })))?;
        return Ok(Exit::Fine);
    }
    let mut lines = match entry.flaw {
        Some(specimen) => flaw(specimen, &document),
        None => vec![format!("{}: {}", output::bold(&entry.name), document.summary)],
    };
    lines.extend([String::new(), document.reference.clone()]);
    let mut section = |heading: &str, body: Vec<String>| {
        lines.push(String::new());
        lines.push(output::bold(heading));
        lines.push(String::new());
        lines.extend(body);
    };
    for (heading, text) in &document.sections {
        section(heading, indented(text));
    }
    let name = |it: &Message| vec![format!("  {}", it.name), it.meaning.clone()];
    section("Messages", output::list(&messages.iter().map(name).collect::<Vec<_>>()));
    section("Promises", promises.iter().map(|it| judged(it, entry.flaw)).collect());
    if !entry.choices.is_empty() {
        let option = |it: &Choice| format!("  --{} {}", it.name, it.values.join("|"));
        section("Options", entry.choices.iter().map(option).collect());
    }
    section("Source", vec![format!("  {}", entry.file)]);
    output::lines(&lines)?;
    Ok(Exit::Fine)
}

/// A broken object has a history, but no file of its own.
fn explain_object(object: &BrokenObject, args: &ExplainArgs) -> Result<Exit, Failure> {
    let BrokenObject { name, of, flaw, .. } = object;
    if args.json || args.source {
        return Err(Failure::bad(format!(
            "{name} is a shared object, which has a history and no source: `konklave list \
             --specimens --json` has what is known about it"
        )));
    }
    output::lines(&[
        format!("{}: a {of}, with a flaw", output::bold(name)),
        String::new(),
        format!("  {flaw}"),
        String::new(),
        format!("`konklave check --specimen {name}` shows a history that it breaks"),
    ])?;
    Ok(Exit::Fine)
}

/// A section as it is written, or its paragraphs where lines are wrapped.
fn indented(text: &str) -> Vec<String> {
    let lines = match output::is_narrow() {
        true => joined(text),
        false => text.lines().map(str::to_owned).collect(),
    };
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned()).collect()
}

/// The paragraphs and list items of a section, a line each, so that they can be wrapped to any
/// width. Blocks of code stay as they are.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let mark = line.trim_start().split_once(' ').map_or("", |(mark, _)| mark);
        let is_item =
            mark == "-" || mark.strip_suffix('.').is_some_and(|it| it.parse::<u32>().is_ok());
        match lines.last_mut() {
            Some(last) if is_open && !is_item && !is_code && !is_fence && !line.is_empty() => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
        is_open = !line.is_empty() && !is_code && !is_fence;
    }
    lines
}

/// The flaw of a specimen; the rest of the explanation is about the correct algorithm.
fn flaw(specimen: &Specimen, document: &Document) -> Vec<String> {
    let Specimen { name, of, flaw, finds, promise, setting, steps, .. } = specimen;
    let how = match specimen.is_forbidden_setting {
        true => "the correct algorithm in a system that violates its assumptions",
        false => "a broken variant of the correct algorithm",
    };
    vec![
        format!("{}: {how}, {of}", output::bold(name)),
        String::new(),
        output::bold("Flaw"),
        String::new(),
        format!("  {flaw}"),
        format!("  What comes of it ({finds}) breaks the promise {promise}."),
        format!(
            "  The smallest system known: {setting}; {steps} steps after the nodes have started."
        ),
        format!("  `konklave check --specimen {name}` shows how; `run` and `fuzz` take it, too."),
        String::new(),
        format!("What follows is about {of}, without the flaw."),
        String::new(),
        format!("{}: {}", output::bold(of), document.summary),
    ]
}

/// A promise, and whether a specimen breaks it.
fn judged(promise: &str, flaw: Option<&Specimen>) -> String {
    let is_broken = |it: &&Specimen| promise.to_lowercase().starts_with(&it.promise.to_lowercase());
    match flaw.filter(is_broken) {
        Some(_) => format!("  {promise} ({} by the specimen)", output::red("broken")),
        None => format!("  {promise}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_items_are_joined_and_code_is_not() {
        let text =
            "One\ntwo.\n\n- Item: a\n  b\n- Next\n\n1. First\n   of all\n```text\na\n b\n```\nEnd";
        let expected = [
            "One two.",
            "",
            "- Item: a b",
            "- Next",
            "",
            "1. First of all",
            "```text",
            "a",
            " b",
            "```",
            "End",
        ];
        assert_eq!(joined(text), expected);
    }
}

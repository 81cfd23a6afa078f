//! The book: every command in it is one, every page is listed, every link leads somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use konklave_catalog::catalog::Catalog;
use konklave_cli::args::Verb;

static CATALOG: LazyLock<&Catalog> = LazyLock::new(|| konklave_cli::catalog().leak());

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages of the book, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages: Vec<_> = fs::read_dir(root().join("docs/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    assert!(pages.len() > 8, "there are only {} pages", pages.len());
    pages
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Fails with all complaints at once.
fn demand(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What stands behind `kind` in the markers of a page.
fn markers<'a>(text: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(kind)?.strip_prefix(": ")
    })
}

/// The lines of a page inside its code blocks, each with the language of the block, or outside.
fn lines(text: &str) -> Vec<(Option<&str>, &str)> {
    let mut block = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(language), None) => block = Some(language),
            (Some(_), Some(_)) => block = None,
            (None, _) => lines.push((block, line)),
        }
    }
    assert_eq!(block, None, "a code block has no end");
    lines
}

/// Every command line of a page, and what of it is for the shell.
fn command_lines(text: &str) -> Vec<String> {
    let shown = lines(text).into_iter().filter(|(block, _)| *block == Some("console"));
    let shown = shown.filter_map(|(_, line)| line.strip_prefix("$ "));
    let drawn = markers(text, "picture").map(|it| it.split(" -> ").next().unwrap_or_default());
    let claimed = markers(text, "claim").map(|it| it.split(" => ").next().unwrap_or_default());
    markers(text, "generated").chain(shown).chain(drawn).chain(claimed).map(str::to_owned).collect()
}

/// The words of every call of Konklave in a command line.
fn calls(line: &str) -> Vec<Vec<&str>> {
    let parts = line.split("&&").flat_map(|part| part.split('|'));
    let parts = parts.map(|part| part.split(['>', '<']).next().unwrap_or_default().trim());
    let call = |part: &str| {
        let heads = ["konklave ", "cargo run --release -- "];
        heads.iter().find(|head| part.starts_with(**head)).map(|head| head.len())
    };
    parts.filter_map(|part| Some(part[call(part)?..].split_whitespace().collect())).collect()
}

/// What is wrong with a call, if anything is.
fn complaint(words: &[&str]) -> Option<String> {
    let cli = match konklave_cli::parse_from(["konklave"].iter().chain(words), &CATALOG) {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => return None,
        Err(error) => return Some(error.to_string()),
    };
    let algorithm = match &cli.verb {
        Verb::Run(args) => args.specimen.as_ref().unwrap_or(&args.algorithm),
        Verb::Explain(args) => &args.algorithm,
        _ => return None,
    };
    CATALOG.find(algorithm).err().map(|error| error.to_string())
}

#[test]
fn every_command_is_understood() {
    let mut complaints = Vec::new();
    let mut count = 0;
    // Another page is about the commands of another binary, whose own tests give them.
    for (path, text) in pages().into_iter().filter(|(path, _)| name(path) != "outside.md") {
        for line in command_lines(&text) {
            for words in calls(&line) {
                count += 1;
                if let Some(complaint) = complaint(&words) {
                    complaints.push(format!("{}: {line}\n  {complaint}", name(&path)));
                }
            }
        }
    }
    assert!(count > 50, "only {count} commands were found");
    demand(complaints);
}

#[test]
fn every_block_that_is_generated_ends() {
    let mut complaints = Vec::new();
    for (path, text) in pages() {
        let mut open = false;
        for line in text.lines() {
            let begins = line.starts_with("<!-- generated: ") || line.starts_with("<!-- picture: ");
            let is_command = line.contains(": konklave ") || line.contains(": cat ");
            if begins && (open || !line.ends_with(" -->") || !is_command) {
                complaints.push(format!("{}: this is no marker: {line}", name(&path)));
            }
            if line == "<!-- end -->" && !open {
                complaints.push(format!("{}: an end without a beginning", name(&path)));
            }
            open = begins || (open && line != "<!-- end -->");
        }
        if open {
            complaints.push(format!("{}: the last generated block has no end", name(&path)));
        }
    }
    demand(complaints);
}

/// The exercises, each up to the next, with the number it has.
fn exercises(text: &str) -> Vec<&str> {
    let sections = text.split("\n## ").skip(1);
    sections.filter(|section| section.contains("<summary>Solution</summary>")).collect()
}

/// What a command prints, with one space between words.
fn printed(command: &str, folder: &Path) -> String {
    let words = command.strip_prefix("konklave ").expect(command).split_whitespace();
    let mut call = Command::new(env!("CARGO_BIN_EXE_konklave"));
    let output = call.args(words).current_dir(folder).output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    String::from_utf8(both).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A solution states what it claims in lines `<!-- claim: COMMAND => WHAT IT PRINTS -->`, which
/// readers do not see, and the files that it needs in lines `<!-- file: NAME => LINES -->`, with
/// `;` between lines or a blank between numbers.
#[test]
fn every_solution_is_right() {
    let text = fs::read_to_string(root().join("docs/src/teaching.md")).unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("exercises");
    fs::create_dir_all(&folder).unwrap();
    let exercises = exercises(&text);
    assert_eq!(exercises.len(), 11, "the last one is an open question");
    let mut complaints = Vec::new();
    for exercise in exercises {
        for file in markers(exercise, "file") {
            let (name, lines) = file.split_once(" => ").expect(file);
            let separator = if lines.contains(';') { "; " } else { " " };
            fs::write(folder.join(name), lines.replace(separator, "\n") + "\n").unwrap();
        }
        let title = exercise.lines().next().unwrap_or_default();
        if markers(exercise, "claim").next().is_none() {
            complaints.push(format!("{title}: the solution claims nothing that can be tried"));
        }
        for claim in markers(exercise, "claim") {
            let (command, expected) = claim.split_once(" => ").expect(claim);
            let printed = printed(command, &folder);
            if !printed.contains(expected) {
                complaints.push(format!("{title}: {command}\n  {expected}\n  {printed}"));
            }
        }
    }
    demand(complaints);
}

#[test]
fn every_page_is_listed() {
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    let missing = pages()
        .into_iter()
        .map(|(path, _)| name(&path))
        .filter(|name| name != "SUMMARY.md" && !summary.contains(&format!("({name})")));
    demand(missing.map(|name| format!("SUMMARY.md does not list {name}")).collect());
}

/// The links of a page, but for those to other places.
fn links(text: &str) -> Vec<String> {
    let prose = lines(text).into_iter().filter(|(block, _)| block.is_none());
    let prose: String = prose.map(|(_, line)| format!("{line}\n")).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// The anchors that the headings of a page have.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = lines(text).into_iter().filter(|(block, _)| block.is_none());
    let headings = headings.filter_map(|(_, line)| line.strip_prefix('#'));
    let slug = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
        kept.map(|it| if it == ' ' { '-' } else { it }).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = pages();
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let path = root().join(file);
        pages.push((path.clone(), fs::read_to_string(path).unwrap()));
    }
    let mut complaints = Vec::new();
    for (path, text) in pages {
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                _ => path.parent().unwrap().join(file),
            };
            let is_there = target.exists()
                && (anchor.is_empty()
                    || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor));
            if !is_there {
                complaints.push(format!("{}: {link} leads nowhere", name(&path)));
            }
        }
    }
    demand(complaints);
}

#[test]
fn every_algorithm_is_on_the_page_of_its_problem() {
    let pages = pages();
    let mut complaints = Vec::new();
    for entry in CATALOG.entries() {
        let page = match entry.problem.name {
            "mutex" => "mutual-exclusion.md",
            family => &format!("{family}.md"),
        };
        let (_, text) = pages.iter().find(|(path, _)| name(path) == page).expect(page);
        if !text.contains(&format!("`{}`", entry.name)) {
            complaints.push(format!("{page} does not mention `{}`", entry.name));
        }
    }
    demand(complaints);
}

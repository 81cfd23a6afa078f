//! The conventions of this repository, as far as a machine can check them.

use std::fs;
use std::path::{Path, PathBuf};

use konklave_catalog::catalog::Catalog;
use konklave_catalog::disorder::{Claim, Disorder};
use konklave_catalog::document;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files below a folder, with their text; paths from the root of the repository.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && path.file_name().unwrap() != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!found.is_empty(), "no sources below {folder}");
    found
}

/// Fails with all complaints at once.
fn demand(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn files_are_short_and_narrow() {
    let mut complaints = Vec::new();
    for (name, text) in sources("crates") {
        let lines = text.lines().count();
        if lines > 400 {
            complaints.push(format!("{name} has {lines} lines; 400 are enough"));
        }
        for (line, number) in text.lines().zip(1..) {
            if line.chars().count() > 100 {
                complaints.push(format!("{name}:{number} is wider than 100 columns"));
            }
        }
        if name.ends_with("utils.rs") || name.ends_with("helpers.rs") {
            complaints.push(format!("{name} has a name that says nothing"));
        }
    }
    demand(complaints);
}

#[test]
fn functions_fit_on_a_screen() {
    let mut complaints = Vec::new();
    for (name, text) in sources("crates") {
        let mut open: Option<(usize, usize)> = None;
        for (line, number) in text.lines().zip(1..) {
            let indent = line.len() - line.trim_start().len();
            let code = line.trim_start();
            let is_head = code.starts_with("fn ")
                || code.starts_with("const fn ")
                || code.starts_with("pub") && code.contains(" fn ");
            // A table may be longer.
            if open.is_none() && is_head && !code.contains("fn entries()") {
                open = Some((indent, number));
            }
            if let Some((start_indent, start)) = open
                && indent == start_indent
                && (code.starts_with('}') || code.ends_with('}') || code.ends_with(';'))
            {
                if number - start > 70 {
                    let length = number - start + 1;
                    complaints.push(format!("{name}:{start}: a function of {length} lines"));
                }
                open = None;
            }
        }
    }
    demand(complaints);
}

#[test]
fn the_algorithms_are_pure() {
    let banned = [
        "HashMap",
        "HashSet",
        "Instant",
        "SystemTime",
        "std::thread",
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "println!",
        "eprintln!",
        "dbg!",
        "unsafe",
        "rand::",
        "todo!",
        "unimplemented!",
    ];
    let mut complaints = Vec::new();
    for (name, text) in sources("crates/konklave/src") {
        for (line, number) in text.lines().zip(1..) {
            let code = line.split("//").next().unwrap_or_default();
            for word in banned.iter().filter(|word| code.contains(**word)) {
                complaints.push(format!("{name}:{number}: {word} has no place in an algorithm"));
            }
        }
    }
    demand(complaints);
}

/// The code of a file, line by line with its number: without comments, tests and the examples that
/// help texts show. What is for tests only is an item below `#[cfg(test)]`: one line, or a block.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut tested = None;
    let lines = text.lines().zip(1..).filter_map(move |(line, number)| {
        let indent = line.len() - line.trim_start().len();
        match tested {
            None if line.trim_start() == "#[cfg(test)]" => tested = Some(indent),
            None => return Some((number, line.split("//").next().unwrap_or_default())),
            Some(begun) if indent == begun && line.ends_with(['}', ';']) => tested = None,
            Some(_) => {}
        }
        None
    });
    lines.filter(|(_, line)| !line.starts_with("  konklave "))
}

/// The words of a line, also within names: `ElectionPlan` is `election` and `plan`. A lock of the
/// standard library is not a problem.
fn words(line: &str) -> Vec<String> {
    let names = line.split(|it: char| !it.is_alphanumeric());
    let names = names.filter(|name| !["Mutex", "MutexGuard"].contains(name));
    let mut words = Vec::new();
    for name in names {
        let mut word = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.extend(letter.to_lowercase());
        }
        words.push(word);
    }
    words
}

/// Whether a file may name problems: it is a test, or about one algorithm by its purpose.
fn may_name(file: &str) -> bool {
    let parts = ["/tests/", "/tests.rs", "_tests.rs", "/ring/", "/experiment/"];
    parts.iter().any(|part| file.contains(part))
}

#[test]
fn only_the_catalogue_knows_problems_and_algorithms() {
    let catalog = Catalog::standard();
    // Histories name shared objects by their specifications, and a search has a dictionary, too.
    let objects = konklave_check::history::OBJECTS;
    // Every check is a search.
    let is_object = |name: &&str| objects.contains(name) || *name == "search";
    let problems = catalog.problems().iter().map(|problem| problem.name);
    let problems: Vec<_> = problems.filter(|name| !is_object(name)).collect();
    // What is pointed at in a diagram is a selection, too.
    let is_drawn = |file: &str, word: &str| file.contains("konklave-draw") && word == "selection";
    let mut complaints = Vec::new();
    for krate in ["sim", "check", "stage", "report", "draw", "cli"] {
        for (file, text) in sources(&format!("crates/konklave-{krate}/src")) {
            if may_name(&file) {
                continue;
            }
            for (number, line) in code(&text) {
                let is_problem =
                    |word: &String| problems.contains(&&word[..]) && !is_drawn(&file, word);
                let problem = words(line).into_iter().find(is_problem);
                let quoted = |name: &str| line.contains(&format!("\"{name}\""));
                let algorithm = catalog.entries().iter().find(|entry| quoted(&entry.name));
                let name = problem.or(algorithm.map(|entry| entry.name.clone()));
                complaints.extend(name.map(|name| format!("{file}:{number} names {name}")));
            }
        }
    }
    demand(complaints);
}

/// The modules of each crate are in its section of ARCHITECTURE.md: as a file `name.rs` or a
/// folder `name/`. The links of the walk lead to files that exist.
#[test]
fn every_module_is_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut complaints = Vec::new();
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        let krate = krate.unwrap().file_name().into_string().unwrap();
        let Some((_, section)) = map.split_once(&format!("\n`crates/{krate}`")) else {
            complaints.push(format!("crates/{krate} is not on the map"));
            continue;
        };
        let section = section.split("\n`").next().unwrap_or_default();
        for (file, _) in sources(&format!("crates/{krate}/src")) {
            let path = file.strip_prefix(&format!("crates/{krate}/src/")).unwrap();
            let module = path.split(['/', '.']).next().unwrap_or_default();
            let names = [format!("`{module}.rs`"), format!("`{module}/")];
            let is_told = ["lib", "main"].contains(&module)
                || module.ends_with("tests")
                || names.iter().any(|name| section.contains(name));
            if !is_told {
                complaints.push(format!("{file} is not on the map"));
            }
        }
    }
    let links = map.split("](").skip(1).filter_map(|it| it.split(')').next());
    let is_broken = |link: &&str| !link.starts_with("http") && !root().join(link).exists();
    complaints.extend(links.filter(is_broken).map(|link| format!("there is no {link}")));
    demand(complaints);
}

#[test]
fn a_problem_is_entered_in_three_lines() {
    let mut places = Vec::new();
    for folder in ["konklave", "konklave-catalog"] {
        for (file, text) in sources(&format!("crates/{folder}/src")) {
            if file.contains("/booking/") {
                continue;
            }
            let named = code(&text).filter(|(_, line)| words(line).contains(&"booking".to_owned()));
            places.extend(named.map(|_| file.clone()));
        }
    }
    places.sort();
    let expected = [
        "crates/konklave-catalog/src/catalog.rs",
        "crates/konklave-catalog/src/lib.rs",
        "crates/konklave/src/lib.rs",
    ];
    assert_eq!(places, expected);
}

#[test]
fn every_algorithm_is_documented_in_the_same_form() {
    let headings = ["Idea", "Cost", "Assumes", "Differs from the paper"];
    let mut complaints = Vec::new();
    for entry in Catalog::standard().entries() {
        let (name, document) = (&entry.name, entry.document());
        let found: Vec<_> = document.sections.iter().map(|(heading, _)| heading.as_str()).collect();
        if found != headings {
            complaints.push(format!("{name}: its headings are {found:?}, not {headings:?}"));
        }
        if let Some((heading, _)) = document.sections.iter().find(|(_, text)| text.is_empty()) {
            complaints.push(format!("{name}: there is nothing below '{heading}'"));
        }
        if !document.section("Cost").starts_with("Messages: ") {
            complaints.push(format!("{name}: the cost does not begin with 'Messages: '"));
        }
        for label in ["Loss", "Duplication", "Crash"] {
            if document.fault(label).is_none_or(|statement| statement.is_empty()) {
                complaints.push(format!("{name}: 'Assumes' has no item '- {label}: ...'"));
            }
        }
        if document.messages().len() > 80 {
            complaints.push(format!("{name}: '{}' is no short formula", document.messages()));
        }
        if document.year().is_none() {
            complaints.push(format!("{name}: the reference names no year"));
        }
        let messages = document::messages(entry.source);
        let has_none = messages.is_empty() && document::borrows_messages(entry.source).is_none();
        if has_none || messages.iter().any(|message| message.meaning.is_empty()) {
            complaints.push(format!("{name}: a message lacks its meaning"));
        }
        if !entry.source.contains("#[cfg(test)]") {
            complaints.push(format!("{name}: it has no transition tests"));
        }
    }
    demand(complaints);
}

/// Claims are data, which `check --faults` decides; the docs state them in these sentences.
#[test]
fn module_docs_state_what_is_claimed() {
    use Disorder::{Crash, Duplication, Loss, Overtaking, Partition, Restart, Slowness};
    let mut complaints = Vec::new();
    for entry in Catalog::standard().entries() {
        for disorder in [Loss, Duplication, Crash, Restart, Partition, Overtaking, Slowness] {
            let label = disorder.label();
            let item = entry.document().fault(label).unwrap_or_default();
            let states = |claim: Claim| item.split(". ").any(|it| Some(it) == claim.sentence());
            let is_harmless = item.starts_with("a duplicate is harmless");
            let stated = match disorder {
                Duplication if is_harmless => Claim::Everything,
                _ if states(Claim::Everything) => Claim::Everything,
                _ if states(Claim::Safety) => Claim::Safety,
                _ => Claim::Nothing,
            };
            let claimed = entry.needs.claim(disorder);
            if stated != claimed {
                let name = &entry.name;
                complaints.push(format!("{name}: {label} says {stated:?}, not {claimed:?}"));
            }
        }
    }
    demand(complaints);
}

#[test]
fn every_algorithm_has_a_script_and_a_row_in_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut complaints = Vec::new();
    for entry in Catalog::standard().entries() {
        let scripts = root().join("crates/konklave/tests/scripts").join(&entry.name);
        let has_script = fs::read_dir(scripts).is_ok_and(|mut folder| folder.next().is_some());
        if !has_script {
            complaints.push(format!("{}: there is no golden script", entry.name));
        }
        let document = entry.document();
        let year = document.year().unwrap_or_default();
        let messages = document.messages();
        let (name, problem, file) = (&entry.name, entry.problem, entry.file);
        let short = file.rsplit('/').next().unwrap_or_default();
        let paper = readme.lines().find_map(|line| {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            (cells.get(2) == Some(&format!("`{name}`").as_str())).then(|| cells[3].to_owned())
        });
        let row = |paper: &str| {
            format!("| {problem} | `{name}` | {paper} | {messages} | [{short}]({file}) |")
        };
        match paper {
            Some(paper) if paper.contains(&year.to_string()) && readme.contains(&row(&paper)) => {}
            _ => complaints.push(format!(
                "README: this row is missing or different:\n  {}",
                row(&format!("AUTHORS {year}"))
            )),
        }
    }
    demand(complaints);
}

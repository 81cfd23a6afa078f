//! Plays every golden script against the algorithm that its folder is named after.
//!
//! `UPDATE=1 cargo test --test scripts` writes the actual output into the scripts: review the diff.

use std::fs;
use std::path::Path;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::option::Verb;
use konklave_catalog::refusal::Refusal;
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_stage::script::Script;

fn play(catalog: &'static Catalog, algorithm: &str, text: &str) -> Result<String, String> {
    let script = Script::parse(text).map_err(|error| error.to_string())?;
    let play = || {
        let entry = catalog.find(algorithm)?;
        let setup = Setup::from_script(entry, script.settings())?;
        Site::new(setup, entry, Verb::Run)?.system()?.play(&script)
    };
    play().map_err(|refusal: Refusal| refusal.to_string())
}

#[test]
fn every_script_plays_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../konklave/tests/scripts");
    let is_updating = std::env::var_os("UPDATE").is_some();
    let catalog = konklave_cli::catalog().leak();
    let mut played = 0;
    let mut wrong = Vec::new();
    for folder in fs::read_dir(&root).unwrap().map(|folder| folder.unwrap().path()) {
        let algorithm = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap();
            played += 1;
            match play(catalog, &algorithm, &text) {
                Ok(actual) if actual == text => {}
                Ok(actual) if is_updating => fs::write(&file, actual).unwrap(),
                Ok(actual) => {
                    let differs = |(a, b): (&str, &str)| a != b;
                    let line = actual.lines().zip(text.lines()).position(differs);
                    let line = line.unwrap_or(actual.lines().count().min(text.lines().count()));
                    let actual = actual.lines().nth(line).unwrap_or("(the end)");
                    let place = file.strip_prefix(&root).unwrap().display();
                    wrong.push(format!("{place}:{}: it is '{actual}'", line + 1));
                }
                Err(error) => wrong.push(format!("{}: {error}", file.display())),
            }
        }
    }
    assert!(played > 0, "there are no scripts below {}", root.display());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

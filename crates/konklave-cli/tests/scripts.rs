//! Plays every golden script against the algorithm that its folder is named after.
//!
//! `UPDATE=1 cargo test --test scripts` writes the actual output into the scripts: review the diff.

use std::fs;
use std::path::Path;

use konklave_cli::drive::{Job, Outcome};
use konklave_cli::setup::Setup;
use konklave_cli::site::Site;
use konklave_cli::table;
use konklave_stage::script::Script;

fn play(algorithm: &str, text: &str) -> Result<String, String> {
    let script = Script::parse(text).map_err(|error| error.to_string())?;
    let setup = Setup::from_script(algorithm, script.settings()).map_err(|e| e.to_string())?;
    let entry = table::find(algorithm).map_err(|error| error.to_string())?;
    let site = Site::new(setup, entry).map_err(|error| error.to_string())?;
    match (entry.drive)(&site, Job::Script(&script)).map_err(|error| error.to_string())? {
        Outcome::Played(text) => Ok(text),
        _ => unreachable!("a script is played"),
    }
}

#[test]
fn every_script_plays_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../konklave/tests/scripts");
    let is_updating = std::env::var_os("UPDATE").is_some();
    let mut played = 0;
    let mut wrong = Vec::new();
    for folder in fs::read_dir(&root).unwrap().map(|folder| folder.unwrap().path()) {
        let algorithm = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap();
            played += 1;
            match play(&algorithm, &text) {
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

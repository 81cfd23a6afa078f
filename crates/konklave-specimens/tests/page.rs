//! The page that people read says the same as the table that programs read.

use std::fmt::Write;

use konklave_specimens::{Specimen, Tool, all};

fn row(specimen: &Specimen) -> String {
    let Specimen { name, flaw, finds, promise, setting, found_by, steps, .. } = specimen;
    let chance = match found_by {
        Tool::Fuzz { seed } => format!(", by chance with seed {seed}"),
        Tool::Check => String::new(),
    };
    format!("| `{name}` | {flaw} | {finds}: {promise} | {setting} | {steps} steps{chance} |")
}

#[test]
fn the_page_is_up_to_date() {
    let mut page = "| name | flaw | finding | configuration | shortest |\n".to_owned();
    page += "|---|---|---|---|---|\n";
    for specimen in all() {
        writeln!(page, "{}", row(specimen)).unwrap();
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write("src/specimens.md", &page).unwrap();
        return;
    }
    let written = include_str!("../src/specimens.md");
    assert!(written == page, "run UPDATE=1 cargo test -p konklave-specimens --test page");
}

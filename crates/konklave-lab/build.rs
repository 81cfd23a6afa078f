//! Lists the files of the page and those of the algorithms, so that the server has them with it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    let mut tables = String::new();
    table(&mut tables, "PAGE", &here, &here.join("web"), "");
    let algorithms = here.join("../konklave/src");
    table(&mut tables, "ALGORITHMS", &here, &algorithms, "crates/konklave/src/");
    fs::write(out.join("tables.rs"), tables).expect("the output folder can be written to");
}

/// A constant with the path and the text of every file in a folder.
fn table(tables: &mut String, name: &str, here: &Path, folder: &Path, prefix: &str) {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let _ = writeln!(tables, "const {name}: &[(&str, &str)] = &[");
    for file in files {
        let short = file.strip_prefix(folder).expect("it was found there").display().to_string();
        let full = file.canonicalize().unwrap_or_else(|_| here.join(&file));
        let _ = writeln!(tables, "    ({:?}, include_str!({full:?})),", format!("{prefix}{short}"));
    }
    tables.push_str("];\n");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

//! Writes one of each picture to a folder: `cargo run -p konklave-draw --example gallery -- DIR`.
//! The data are invented.

#[path = "gallery/charts.rs"]
mod charts;
#[path = "gallery/networks.rs"]
mod networks;
#[path = "gallery/runs.rs"]
mod runs;

use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = env::args().nth(1).expect("the folder to write to");
    fs::create_dir_all(&folder).expect("a folder that can be written to");
    for (name, text) in [charts::all(), runs::all(), networks::all()].concat() {
        fs::write(Path::new(&folder).join(name), text).expect("a file that can be written");
    }
}

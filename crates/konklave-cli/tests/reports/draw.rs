//! `draw`, as a user meets it.

use std::fs;
use std::path::PathBuf;

use crate::user::{fine, refused};

/// The trace of a run, in a folder of its own.
fn trace(name: &str, run: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.join(format!("{}-draw-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let trace = folder.join("t.jsonl");
    fine(&format!("{run} --trace {}", trace.display()));
    trace
}

#[test]
fn a_picture_never_takes_the_place_of_anything_else() {
    let trace = trace("place", "run raymond --nodes 3 --entries 1");
    let folder = trace.parent().unwrap();
    let recorded = fs::read_to_string(&trace).unwrap();
    let svg = folder.join("hidden.svg");
    let notes = folder.join("notes.txt");
    fs::write(&notes, "mine").unwrap();
    fs::hard_link(&trace, &svg).unwrap();
    let file = trace.display();
    for (arguments, expected) in [
        (format!("draw {file} {file}"), "does not end in .svg: give it a name such as"),
        (format!("draw {file} {}", notes.display()), "does not end in .svg"),
        (format!("draw {file} {}", folder.join("x.png").display()), "x.svg"),
        (format!("draw {file} {}", svg.display()), "is a trace"),
        (format!("draw {}", svg.display()), "is a trace"),
    ] {
        let error = refused(&arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert_eq!(fs::read_to_string(&trace).unwrap(), recorded);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    assert!(!folder.join("x.png").exists());
    let picture = folder.join("t.svg");
    for _ in 0..2 {
        fine(&format!("draw {file}"));
        assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"), "also over a picture");
    }
}

//! `draw`, as a user meets it.

use std::fs;
use std::path::PathBuf;

use crate::user::{fine, konklave, refused, text};

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
fn parts_are_asked_for_by_the_numbers_that_replay_shows() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let trace = folder.join(format!("{}-draw-lamport.jsonl", std::process::id()));
    let file = trace.display();
    konklave(&format!("check lamport --any-order --trace {file}"));
    assert!(text(&konklave(&format!("replay {file}")).stdout).contains("\n       9  1 receives"));
    fine(&format!("draw {file} --causal 9"));
    let svg = fs::read_to_string(trace.with_extension("svg")).unwrap();
    for text in ["lamport on a complete graph of 3 nodes", "Broken at step 9", "<title>step 9: "] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("<title>step 10"));
    for (arguments, expected) in [
        ("--from 5000", "there are no events from 5000 on: the trace goes from 3 to 10"),
        ("--causal 1", "step 1 has no effects"),
        ("--causal 99", "there is no step 99: the last is 9"),
    ] {
        let error = refused(&format!("draw {file} {arguments}"));
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn what_could_not_be_read_is_left_out_and_the_user_is_told() {
    let trace = trace("dense", "run ricart-agrawala --nodes 50 --entries 1");
    let told = fine(&format!("draw {}", trace.display()));
    assert!(told.contains("because more could not be read") && told.contains("--causal"), "{told}");
    let svg = fs::read_to_string(trace.with_extension("svg")).unwrap();
    assert!(svg.matches("\"k-msg\"").count() <= 400);
    assert!(svg.len() < 200_000, "{}", svg.len());
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
        (format!("draw {file} {file}"), "does not end in .svg: use a name such as"),
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

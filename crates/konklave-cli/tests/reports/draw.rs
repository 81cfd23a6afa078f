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
        (format!("draw {file} {file}"), "does not end in .svg, .png or .pdf: use a name such as"),
        (format!("draw {file} {}", notes.display()), "does not end in .svg"),
        (format!("draw {file} {}", folder.join("x.gif").display()), "x.svg"),
        (format!("draw {file} {}", svg.display()), "is a trace"),
        (format!("draw {}", svg.display()), "is a trace"),
    ] {
        let error = refused(&arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert_eq!(fs::read_to_string(&trace).unwrap(), recorded);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    assert!(!folder.join("x.gif").exists());
    let picture = folder.join("t.svg");
    for _ in 0..2 {
        fine(&format!("draw {file}"));
        assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"), "also over a picture");
    }
}

/// The numbers in the root element of an SVG picture: its width and height.
fn size(svg: &str) -> (f64, f64) {
    let number = |name: &str| {
        let rest = svg.split_once(&format!(" {name}=\"")).expect("it has a size").1;
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    (number("width"), number("height"))
}

#[test]
fn the_name_of_a_picture_says_its_format() {
    let trace = trace("formats", "run raymond --nodes 3 --entries 1");
    let file = trace.display();
    let svg = fine(&format!("draw {file} -"));
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "only the picture is printed");
    fine(&format!("draw {file}"));
    assert_eq!(fs::read_to_string(trace.with_extension("svg")).unwrap(), svg);
    let written = |picture: &PathBuf| fs::read(picture).unwrap();
    let (png, pdf) = (trace.with_extension("png"), trace.with_extension("PDF"));
    fine(&format!("draw {file} {}", png.display()));
    let bytes = written(&png);
    assert!(bytes.starts_with(b"\x89PNG\r\n"));
    // The header of a PNG begins with its width and height: two pixels for one of the picture.
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let (width, height) = size(&svg);
    assert_eq!(f64::from(number(16)), (2.0 * width).ceil());
    assert_eq!(f64::from(number(20)), (2.0 * height).ceil());
    fine(&format!("draw {file} {}", pdf.display()));
    assert!(written(&pdf).starts_with(b"%PDF"));
    // A picture that is there already is converted.
    let converted = trace.with_file_name("again.png");
    fine(&format!("draw {} {}", trace.with_extension("svg").display(), converted.display()));
    assert_eq!(written(&converted), bytes);
}

#[test]
fn a_diagram_is_as_wide_as_it_may_be() {
    let trace = trace("width", "run ricart-agrawala --nodes 6 --entries 2");
    let (wide, wide_height) = size(&fine(&format!("draw {} - --width 100000", trace.display())));
    let (narrow, height) = size(&fine(&format!("draw {} - --width 700", trace.display())));
    assert!(wide > 1700.0 && narrow <= 700.0, "{wide} {narrow}");
    // Three rows where there was one: two more with six lines each, which are 62 apart.
    assert!(height > wide_height + 2.0 * 6.0 * 62.0, "{height} {wide_height}");
    let (usual, _) = size(&fine(&format!("draw {} -", trace.display())));
    // Two rows of about equal length fit into 1600 pixels.
    assert!((wide / 2.0..wide / 2.0 + 100.0).contains(&usual), "{usual} {wide}");
    let error = refused(&format!("draw {} - --width 20", trace.display()));
    assert!(error.contains("300"), "{error}");
}

#[test]
fn an_excerpt_of_many_nodes_shows_those_with_events() {
    let trace = trace("many", "run chang-roberts --nodes 3000");
    let svg = fine(&format!("draw {} -", trace.display()));
    let (width, height) = size(&svg);
    assert!(width <= 1600.0 && height < 20_000.0, "{width} x {height}");
    assert!(svg.contains("of 3000 nodes"), "the picture says how many are left out");
}

#[test]
fn a_duplicate_message_can_be_seen() {
    let trace = trace("twice", "run ricart-agrawala --nodes 3 --entries 1 --duplicate 1 --beyond");
    let svg = fine(&format!("draw {} -", trace.display()));
    let copies = svg.matches("<title>duplicate of ").count();
    let doubled = fs::read_to_string(&trace).unwrap().matches("\"doubled\"").count();
    assert!(copies > 0 && svg.contains(">duplicate</text>"));
    assert_eq!(copies, doubled, "one for each that the trace tells of");
}

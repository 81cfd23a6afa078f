//! `sweep`, `draw`, `export`, specimens, and the folders of `--out`.

#[path = "reports/draw.rs"]
mod draw;
#[path = "reports/figures.rs"]
mod figures;
#[path = "reports/meaning.rs"]
mod meaning;
#[path = "reports/specimens.rs"]
mod specimens;
mod user;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use user::{file, fine, json, konklave, refused, text};

/// A folder that does not exist yet.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = path.join(format!("{}-{name}", std::process::id())).join("report");
    let _ = fs::remove_dir_all(&path);
    path
}

/// One page that needs nothing else, with so many pictures at least.
fn check_page(folder: &Path, pictures: usize) {
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.matches("<svg").count() >= pictures, "{}", page.matches("<svg").count());
    for foreign in ["src=\"", "href=\"http", "<script", "<link", "@import", "url(http"] {
        assert!(!page.contains(foreign), "it needs something else: {foreign}");
    }
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let latest = folder.parent().unwrap().join("latest").join("report.html");
    assert_eq!(fs::read_to_string(latest).unwrap(), page);
    let _: Value = serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap();
    assert!(fs::read_to_string(folder.join("results.csv")).unwrap().lines().count() > 1);
}

#[test]
fn a_sweep_finds_the_law_of_chang_and_roberts() {
    let out = folder("sweep");
    let arguments = "sweep chang-roberts --nodes 30,100,300,1000 --seeds 20";
    let report = json(&format!("{arguments} --out {} --json", out.display()));
    let law = &report["laws"][0];
    assert_eq!(law["growth"]["Fits"][0]["model"], "linear_log", "{law}");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let n = row["nodes"].as_f64().unwrap();
        let harmonic: f64 = (1..=n as u32).map(|k| 1.0 / f64::from(k)).sum();
        let (mean, margin) = (&row["messages"], &row["messages_margin"]);
        let off = (mean.as_f64().unwrap() - n * harmonic - n).abs();
        // 95 % is exceeded by one in twenty; twice that is not.
        assert!(off < 2.0 * margin.as_f64().unwrap(), "{row}");
    }
    check_page(&out, 2);
    let runs = fs::read_to_string(out.join("runs.jsonl")).unwrap();
    assert_eq!(runs.lines().count(), 81, "a header, and every run");
    // Half of the runs are lost, one line is cut in the middle: the rest is done again.
    let half: String = runs.lines().take(41).map(|line| format!("{line}\n")).collect();
    fs::write(out.join("runs.jsonl"), &half[..half.len() - 30]).unwrap();
    let again = json(&format!("{arguments} --out {} --resume --json", out.display()));
    // What is read from a file may differ in its last digit.
    let means = |report: &Value| -> Vec<(u64, u64, f64)> {
        let rows = report["rows"].as_array().unwrap().iter();
        let of = |row: &Value, name: &str| row[name].as_f64().unwrap();
        rows.map(|row| (of(row, "nodes") as u64, of(row, "runs") as u64, of(row, "messages")))
            .collect()
    };
    for (old, new) in means(&report).into_iter().zip(means(&again)) {
        assert_eq!((old.0, old.1), (new.0, new.1));
        assert!((old.2 - new.2).abs() < 1e-9 * old.2, "{old:?} {new:?}");
    }
}

#[test]
fn bounds_are_tests() {
    let arguments = "sweep chang-roberts --nodes 10,100 --seeds 5 --ids descending";
    let bound = |text: &str| {
        let binary = env!("CARGO_BIN_EXE_konklave");
        let words = arguments.split_whitespace();
        let output = std::process::Command::new(binary)
            .args(words)
            .args(["--assert", text])
            .output()
            .unwrap();
        (output.status.code(), format!("{}{}", text_of(&output.stdout), text_of(&output.stderr)))
    };
    assert_eq!(bound("messages == n*(n+1)/2 + n").0, Some(0));
    let (code, shown) = bound("messages <= 2*n*log2(n)+n");
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("broken"), "{shown}");
    let (code, shown) = bound("messages <= 2*m");
    assert_eq!(code, Some(2), "{shown}");
}

fn text_of(bytes: &[u8]) -> String {
    text(bytes)
}

#[test]
fn a_family_is_swept_together() {
    let out = folder("family");
    let shown = fine(&format!(
        "sweep mutex --nodes 4,7,13 --seeds 2 --entries 2 --load heavy --out {}",
        out.display()
    ));
    assert!(shown.contains("ricart-agrawala") && shown.contains("report: "), "{shown}");
    check_page(&out, 3);
}

#[test]
fn a_run_leaves_pictures_and_a_trace_that_replays() {
    let out = folder("run");
    fine(&format!("run raymond --nodes 7 --topology tree:2 --entries 2 --out {}", out.display()));
    check_page(&out, 5);
    for name in ["spacetime.svg", "network.svg", "load.svg", "waiting.svg", "kinds.svg"] {
        assert!(fs::read_to_string(out.join(name)).unwrap().starts_with("<svg"), "{name}");
    }
    let trace = out.join("trace.jsonl");
    fine(&format!("replay -q {}", trace.display()));
    let svg = out.join("part.svg");
    fine(&format!("draw {} {} --to 20 --nodes-only 0,1,2", trace.display(), svg.display()));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let whole = fine(&format!("export {} --to perfetto", trace.display()));
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert!(whole["traceEvents"].as_array().is_some_and(|events| events.len() > 10));
    assert!(fine(&format!("export {} --to csv", trace.display())).lines().count() > 10);
    assert!(fine(&format!("export {} --to shiviz", trace.display())).lines().count() > 10);
    let page = read(&out, "report.html");
    for asked in ["<dt>entries</dt><dd>2</dd>", "<dt>delay</dt><dd>constant:1</dd>"] {
        assert!(page.contains(asked), "{asked}");
    }
    let csv = read(&out, "results.csv");
    let (head, row) = csv.trim_end().split_once("\r\n").unwrap();
    let (head, row): (Vec<_>, Vec<_>) = (head.split(',').collect(), row.split(',').collect());
    assert_eq!(head.len(), row.len(), "one row of all figures");
    let of = |name: &str| row[head.iter().position(|it| *it == name).unwrap()];
    let json: Value = serde_json::from_str(&read(&out, "results.json")).unwrap();
    assert_eq!(of("mutex.entries"), json["mutex"]["entries"].to_string());
    assert_eq!(of("messages.total"), json["messages"]["total"].to_string());
    assert_eq!(
        of("mutex.waiting_time.p99").parse(),
        Ok(json["mutex"]["waiting_time"]["p99"].as_f64().unwrap())
    );
}

/// A tree of seven nodes, in the words of two formats.
#[test]
fn the_network_of_a_trace_is_read_back() {
    let out = folder("network");
    fine(&format!("run raymond --nodes 7 --entries 1 --out {}", out.display()));
    let trace = out.join("trace.jsonl");
    for (format, extension) in [("dot", "dot"), ("graphml", "graphml")] {
        let exported = fine(&format!("export {} --to {format}", trace.display()));
        assert_eq!(exported.trim_end(), read(&out, &format!("network.{extension}")).trim_end());
        let path = file(&format!("exported.{extension}"), &exported);
        let of = |topology: &str| {
            let report = json(&format!("run raymond {topology} --entries 3 --json"));
            (report["nodes"].clone(), report["digest"].clone(), report["messages"].clone())
        };
        let read = of(&format!("--topology file:{}", path.display()));
        assert_eq!(read, of("--topology tree:2 --nodes 7"), "{exported}");
    }
    let error = refused(&format!("export {} --to dot", file("none.jsonl", "{}\n").display()));
    assert!(error.contains("not a trace"), "{error}");
}

#[test]
fn a_large_run_shows_what_needs_no_trace() {
    let out = folder("large");
    let trace = file("large.jsonl", "");
    let arguments = "run naimi-trehel --nodes 150 --entries 2";
    fine(&format!("{arguments} --out {} --trace {}", out.display(), trace.display()));
    assert!(fs::read_to_string(&trace).unwrap().lines().count() > 150, "both are written");
    for name in ["load.svg", "waiting.svg", "kinds.svg", "network.svg"] {
        assert!(read(&out, name).starts_with("<svg"), "{name}");
    }
    assert!(!out.join("trace.jsonl").exists() && !out.join("spacetime.svg").exists());
    // A smaller one takes its place, and when that one is replaced nothing of it is left.
    fine(&format!("run chang-roberts --nodes 5 --out {}", out.display()));
    assert!(out.join("spacetime.svg").exists() && out.join("trace.jsonl").exists());
    fine(&format!("{arguments} --out {}", out.display()));
    assert!(!out.join("spacetime.svg").exists() && !out.join("trace.jsonl").exists());
}

#[test]
fn a_specimen_shows_how_it_breaks() {
    let names = fine("list --specimens");
    assert!(names.contains("maekawa-without-inquire"), "{names}");
    let out = folder("broken");
    let arguments = "check --specimen ricart-agrawala-without-tie-break";
    let output = konklave(&format!("{arguments} --out {}", out.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("mutual exclusion"));
    check_page(&out, 2);
    let again = konklave(&format!("replay -q {}", out.join("trace.jsonl").display()));
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
}

/// The file of this name in a folder.
fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The JSON in a folder is what was printed.
fn check_json(folder: &Path, printed: &Value) {
    let kept: Value = serde_json::from_str(&read(folder, "results.json")).unwrap();
    assert_eq!(&kept, printed);
}

#[test]
fn a_comparison_shows_formulas_beside_what_was_measured() {
    let out = folder("mutex");
    let arguments = format!("compare mutex --nodes 7 --load heavy --out {}", out.display());
    let shown = fine(&arguments);
    assert!(shown.ends_with(&format!("\nreport: {}/report.html\n", out.display())), "{shown}");
    check_page(&out, 3);
    let page = read(&out, "report.html");
    for part in [
        "class=\"good\"",
        "every measured value agrees with its formula",
        "<dt>load</dt><dd>heavy</dd>",
        &format!("<code>konklave {arguments}</code>"),
        "Effect of a crash",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let picture = read(&out, "comparison.svg");
    for name in ["ricart-agrawala: 12 (formula 12)", "expected by the formula"] {
        assert!(picture.contains(name), "{name}");
    }
    for name in ["coordination_delay.svg", "waiting_time.svg"] {
        let picture = read(&out, name);
        assert!(picture.starts_with("<svg") && picture.contains("suzuki-kasami"), "{name}");
    }
    let printed = json(&format!("{arguments} --json"));
    check_json(&out, &printed);
    let rows = printed["rows"].as_array().unwrap();
    let csv = read(&out, "results.csv");
    let head =
        "algorithm,variant,year,network,messages_per_entry,formula,formula_low,formula_high,";
    assert!(csv.starts_with(head), "{csv}");
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(
        csv.contains("ricart-agrawala,,1981,complete network,12,2(n-1),12,12,true,ok,"),
        "{csv}"
    );
}

#[test]
fn a_comparison_of_elections_has_a_picture_for_each_task() {
    let out = folder("election");
    let arguments = "compare election --nodes 8 --runs 25 --only chang-roberts,franklin";
    let printed = json(&format!("{arguments} --out {} --json", out.display()));
    check_page(&out, 6);
    check_json(&out, &printed);
    let csv = read(&out, "results.csv");
    assert!(csv.starts_with("algorithm,variant,year,initiators,ids,runs,messages_to_elect,"));
    assert_eq!(csv.lines().count(), 13, "{csv}");
    for start in ["all", "one"] {
        for ids in ["ascending", "descending", "random"] {
            let picture = read(&out, &format!("{start}-{ids}.svg"));
            assert!(picture.contains("chang-roberts: ") && picture.contains("franklin: "));
        }
    }
    // The mean of all orders is n H_n, with an interval around what was measured.
    let random = read(&out, "all-random.svg");
    assert!(random.contains("with its confidence interval"), "{random}");
}

#[test]
fn a_formula_that_does_not_agree_is_the_verdict() {
    let out = folder("differs");
    // One entry of each node is too few for a mean.
    let arguments = "compare mutex --nodes 13 --load light --entries 1";
    let only = "--only naimi-trehel,ricart-agrawala";
    let output = konklave(&format!("{arguments} {only} --out {}", out.display()));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    check_page(&out, 2);
    let page = read(&out, "report.html");
    assert!(page.contains("class=\"bad\"") && !page.contains("class=\"good\""));
    assert!(page.contains("1 of 2 measured values differ from their formula: naimi-trehel"));
}

#[test]
fn random_schedules_leave_what_breaks_as_short_as_possible() {
    let out = folder("fuzz");
    let arguments = "fuzz lamport --beyond --schedules 400 --json";
    let printed = json(&format!("{arguments} --out {}", out.display()));
    check_json(&out, &printed);
    let failures = printed["failures"].as_array().unwrap();
    assert!(failures.len() > 2);
    check_page(&out, failures.len());
    let page = read(&out, "report.html");
    for part in ["no promise was broken within the assumptions", "<dt>schedules</dt><dd>400 in "] {
        assert!(page.contains(part), "{part}");
    }
    let csv = read(&out, "results.csv");
    let head = "fault,promise,detail,count,first_seed,steps,trace_file,command";
    assert_eq!(csv.lines().next(), Some(head));
    assert_eq!(csv.lines().count(), failures.len() + 1);
    for failure in failures {
        assert!(page.contains(failure["command"].as_str().unwrap()), "{failure}");
        let (seed, promise) = (&failure["seed"], failure["promise"].as_str().unwrap());
        let (fault, name) = (failure["fault"].as_str().unwrap(), format!("seed-{seed}.jsonl"));
        assert!(page.contains(&format!("Seed {seed} by {fault}: {promise}")), "{failure}");
        assert!(csv.contains(&format!(",{name},konklave run lamport ")), "{csv}");
        let svg = read(&out, &format!("seed-{seed}.svg"));
        assert!(page.contains(svg.trim_end()) && svg.contains(promise), "{seed}");
        let replayed = konklave(&format!("replay {} --json", out.join(&name).display()));
        assert_eq!(replayed.status.code(), Some(1), "{name}: {}", text(&replayed.stderr));
        let replayed: Value = serde_json::from_slice(&replayed.stdout).unwrap();
        assert_eq!(replayed["violations"][0]["promise"], failure["promise"]);
    }
}

#[test]
fn random_schedules_that_break_nothing_say_so() {
    let out = folder("fuzz-fine");
    let arguments = format!("fuzz ricart-agrawala --schedules 50 --out {}", out.display());
    let shown = fine(&arguments);
    assert!(shown.ends_with(&format!("\nreport: {}/report.html\n", out.display())), "{shown}");
    let page = read(&out, "report.html");
    for part in
        ["class=\"good\"", "no promise was broken", &format!("<code>konklave {arguments}</code>")]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<h2>Seed"));
    assert_eq!(read(&out, "results.csv").lines().count(), 1, "only the names of columns");
}

#[test]
fn bad_input_is_refused() {
    let foreign = file("foreign.txt", "mine");
    let folder = foreign.parent().unwrap();
    for (arguments, expected) in [
        ("sweep nobody".to_owned(), "there is no algorithm"),
        ("sweep raymond --topology ring".to_owned(), "needs a tree"),
        ("sweep raymond --nodes 10,0".to_owned(), "at least one node"),
        ("sweep raymond --seeds 0".to_owned(), "seeds"),
        ("sweep raymond --resume".to_owned(), "--out"),
        (format!("sweep raymond --nodes 3 --out {}", folder.display()), "no report of konklave"),
        (format!("run raymond --nodes 3 --out {}", foreign.display()), "is a file, not a folder"),
        // None of these has begun its work when it says so, or the test would not end.
        (
            format!("compare mutex --entries 9999999 --out {}", foreign.display()),
            "is a file, not a folder",
        ),
        (
            format!("compare election --nodes 5000 --runs 99999 --out {}", folder.display()),
            "no report of",
        ),
        (
            format!("fuzz lamport --seconds 9999 --out {}", foreign.display()),
            "is a file, not a folder",
        ),
        (format!("fuzz lamport --seconds 9999 --out {}/x", foreign.display()), "cannot write"),
        (format!("draw {}", foreign.display()), "not a trace"),
        ("draw nowhere.jsonl".to_owned(), "nowhere.jsonl"),
        ("draw nowhere.jsonl --from 9 --to 3".to_owned(), "the interval is empty"),
        (format!("export {} --to csv", foreign.display()), "not a trace"),
        ("check --specimen nobody".to_owned(), "there is no specimen"),
        ("check --specimen central-without-queue --nodes 3".to_owned(), "cannot be used"),
        ("run --specimen nobody".to_owned(), "there is no specimen"),
        ("run --specimen central-without-queue raymond".to_owned(), "cannot be used"),
    ] {
        let error = refused(&arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn a_run_is_shown_over_time() {
    let out = folder("time");
    fine(&format!("run raymond --nodes 7 --entries 20 --out {}", out.display()));
    let table = read(&out, "over_time.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("from,to,sent,in_transit,granted,granted_per_t,waiting"));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert!((2..=50).contains(&rows.len()), "{}", rows.len());
    let report: Value = serde_json::from_str(&read(&out, "results.json")).unwrap();
    let messages = report["messages"]["total"].as_f64().unwrap();
    let sum = |of: &dyn Fn(&Vec<f64>) -> f64| rows.iter().map(of).sum::<f64>();
    assert_eq!((sum(&|row| row[2]), sum(&|row| row[4])), (messages, 7.0 * 20.0));
    // Every message is in transit for one tick, and a node waits for what the report says.
    assert!((sum(&|row| row[3] * (row[1] - row[0])) - messages).abs() < 1e-6);
    let waiting = report["mutex"]["waiting_time"]["mean"].as_f64().unwrap() * 7.0 * 20.0;
    let waited = sum(&|row| row[6] * (row[1] - row[0]));
    assert!((waited - waiting).abs() < 1e-3, "{waited} against {waiting}");
    for picture in ["over_time.svg", "rate.svg"] {
        assert!(read(&out, picture).contains("time, in ticks"));
    }
}

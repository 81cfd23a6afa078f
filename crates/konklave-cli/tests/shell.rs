//! The command line in shells, on narrow terminals and in continuous integration.

mod user;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use user::{file, fine, konklave, refused, text};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What bash proposes for the last word of a command line.
fn proposed(line: &str) -> Vec<String> {
    let script = file("completions.bash", &fine("completions bash"));
    let program = r#"
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        registered=$(complete -p konklave); registered=${registered#*-F }
        "${registered%% *}" konklave "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut words: Vec<&str> = line.split(' ').collect();
    words.insert(0, script.to_str().unwrap());
    let output = Command::new("bash").args(["-c", program, "bash"]).args(words).output().unwrap();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn bash_knows_the_names_of_algorithms_specimens_families_and_topologies() {
    assert_eq!(proposed("konklave run raym"), ["raymond"]);
    let tokens = ["ricart-agrawala-token", "ricart-agrawala-token-smallest-first"];
    assert_eq!(proposed("konklave explain ricart-agrawala-to"), tokens);
    assert_eq!(proposed("konklave compare mut"), ["mutex"]);
    assert_eq!(proposed("konklave list ele"), ["election"]);
    assert_eq!(proposed("konklave run raymond --topology hyp"), ["hypercube"]);
    assert_eq!(proposed("konklave run echo --topology watts"), ["watts-strogatz"]);
    assert_eq!(proposed("konklave check --specimen perpetuum-imp"), ["perpetuum-impatient"]);
    assert_eq!(proposed("konklave sweep raymond --load hea"), ["heavy"]);
    assert_eq!(proposed("konklave run lamport --variant laz"), ["lazy"]);
    let promises = proposed("konklave check raymond --promise no-st");
    assert_eq!(promises, ["no-starvation"]);
    assert_eq!(proposed("konklave sweep raymond,nai"), ["raymond,naimi-trehel"]);
    assert_eq!(proposed("konklave sweep raymond --load light,hea"), ["light,heavy"]);
    let family = proposed("konklave check mut");
    assert!(family.contains(&"mutex".to_owned()), "{family:?}");
    assert!(
        proposed("konklave run no-such").is_empty() || proposed("konklave run no-such") == [""]
    );
}

#[test]
fn other_shells_know_them_too() {
    for shell in ["zsh", "fish"] {
        let script = fine(&format!("completions {shell}"));
        for name in ["raymond", "perpetuum-impatient", "mutex", "barabasi-albert"] {
            assert!(script.contains(name), "{shell} does not know {name}");
        }
    }
}

#[test]
fn what_completion_knows_does_not_replace_what_the_catalogue_says() {
    let error = refused("run raymnod");
    assert!(error.contains("raymond"), "{error}");
    assert!(!error.contains("possible values"), "{error}");
}

#[test]
fn manual_pages_are_in_the_format_of_man() {
    let page = fine("man");
    assert!(page.contains(".TH konklave 1"), "{page}");
    for name in ["run", "compare", "check\\-history", "schema"] {
        assert!(page.contains(name), "{name}");
    }
    let page = fine("man run");
    assert!(page.contains(".TH konklave-run 1") || page.contains(".TH konklave\\-run 1"), "{page}");
    assert!(page.lines().any(|it| it.starts_with(".TH") && it.contains(VERSION)), "{page}");
    for option in ["\\-\\-nodes", "\\-\\-topology", "\\-\\-load", "\\-\\-entries"] {
        assert!(page.contains(option), "{option} is not in the page");
    }
    assert!(refused("man fly").contains("there is no subcommand 'fly'"));
}

/// Standard output of a command where the environment says how wide it is.
fn in_columns(arguments: &str, columns: u32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_konklave"));
    let command = command.args(arguments.split_whitespace()).env("COLUMNS", columns.to_string());
    text(&command.stderr(Stdio::null()).output().unwrap().stdout)
}

#[test]
fn output_fits_the_terminal() {
    for arguments in [
        "list",
        "list mutex",
        "list --specimens",
        "explain raymond",
        "explain ricart-agrawala",
        "run raymond --nodes 7",
        "compare mutex --nodes 4 --entries 3",
        "compare election --nodes 8 --runs 2",
        "sweep raymond --nodes 3,7 --seeds 2",
        "check raymond --nodes 2",
        "check booking --nodes 2 --states 500",
        "check election --nodes 2 --states 500",
        "check raymond --nodes 2 --faults --states 500",
        "ring 3 -n 1 --sleep 0 --worker-sleep 0",
    ] {
        // The plot of a sweep is as wide as it is, and so are the notices of a ring.
        let is_drawn = arguments.starts_with("sweep") || arguments.starts_with("ring");
        for columns in [80, 60].into_iter().take(if is_drawn { 1 } else { 2 }) {
            let output = in_columns(arguments, columns);
            assert!(output.lines().count() > 1, "{arguments}: {output}");
            for line in output.lines().filter(|line| !line.trim_start().starts_with("konklave ")) {
                let width = line.chars().count() as u32;
                assert!(width <= columns, "{arguments}: {width} columns: {line}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_in_a_narrow_terminal() {
    // The first column is in every part of a table, so words may come more often.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
    for arguments in ["list", "list mutex", "compare mutex --nodes 4 --entries 3"] {
        assert_eq!(words(&fine(arguments)), words(&in_columns(arguments, 60)), "{arguments}");
    }
}

#[test]
fn a_pipe_has_no_width() {
    let widest = fine("list").lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest > 80, "{widest}");
}

#[test]
fn a_table_that_is_too_wide_is_several_with_names() {
    let names = "raymond,naimi-trehel,suzuki-kasami";
    let shown = in_columns(&format!("compare {names} --nodes 4"), 80);
    let table: Vec<_> = shown.lines().skip_while(|line| !line.starts_with("algorithm")).collect();
    let parts: Vec<_> = table.split(|line| line.is_empty()).take(2).collect();
    assert!(parts[0][0].contains("formula") && parts[1][0].ends_with("bytes"), "{shown}");
    let agrees = |part: &[&str]| part.iter().any(|line| line.contains(" ok"));
    assert!(agrees(parts[0]) && !agrees(parts[1]), "a verdict is beside its formula: {shown}");
    for part in parts {
        assert!(part[0].starts_with("algorithm"), "{shown}");
        for name in names.split(',') {
            assert_eq!(part.iter().filter(|line| line.starts_with(name)).count(), 1, "{shown}");
        }
    }
    let wide = in_columns(&format!("compare {names} --nodes 4"), 200);
    assert_eq!(wide.matches("algorithm ").count(), 1, "{wide}");
    let ring = in_columns("ring 3 -n 1 --sleep 0 --worker-sleep 0", 80);
    assert_eq!(ring.lines().filter(|line| line.starts_with("election  ")).count(), 2, "{ring}");
}

/// Text below the options is wrapped in the source: what is wider is wrapped again, into stubs.
#[test]
fn help_fits_eighty_columns() {
    let verbs = "run compare sweep check fuzz shrink replay draw export list explain ring \
                 check-history experiment";
    for verb in verbs.split_whitespace() {
        let help = in_columns(&format!("{verb} --help"), 300);
        let text = help.lines().skip_while(|line| !line.starts_with("Example"));
        for line in text.filter(|line| !line.starts_with("  konklave ")) {
            assert!(line.chars().count() <= 80, "{verb}: {line}");
        }
    }
}

#[test]
fn the_list_of_a_family_states_fairness() {
    let shown = text(&konklave("list mutex").stdout);
    let degree = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap().rsplit("  ").next().unwrap().to_owned()
    };
    assert!(shown.lines().next().unwrap().ends_with("fairness"), "{shown}");
    assert_eq!(degree("central"), "first come, first served");
    assert_eq!(degree("raymond"), "each node overtakes a waiting one at most D-2 times");
    assert_eq!(degree("maekawa"), "no starvation, but no bound on overtaking");
    assert!(!text(&konklave("list election").stdout).contains("fairness"));
    let json = serde_json::from_slice::<serde_json::Value>(&konklave("list mutex --json").stdout);
    let rows = json.unwrap()["algorithms"].as_array().unwrap().clone();
    for row in rows {
        let degree = degree(row["name"].as_str().unwrap());
        assert!(row["fairness"].as_str().unwrap().starts_with(&degree), "{row}");
    }
}

/// A terminal of 80 columns, made by `script`.
#[test]
#[cfg(target_os = "linux")]
fn a_real_terminal_is_asked_for_its_width() {
    let inner = format!("stty cols 80; {} list", env!("CARGO_BIN_EXE_konklave"));
    let mut script = Command::new("script");
    let script = script.args(["-qec", &inner, "/dev/null"]).env_remove("COLUMNS");
    let Ok(output) = script.stdin(Stdio::null()).output() else {
        return; // This machine has no `script`.
    };
    let plain = text(&output.stdout).replace("\x1b[1m", "").replace("\x1b[0m", "");
    assert!(plain.contains("raymond"), "{plain}");
    for line in plain.lines() {
        assert!(line.trim_end().chars().count() <= 80, "{line}");
    }
}

/// The test cases of JUnit XML: name, and the element inside if there is one.
fn cases(arguments: &str) -> (Vec<(String, String)>, Option<i32>) {
    let output = konklave(arguments);
    let xml = text(&output.stdout);
    let document = roxmltree::Document::parse(&xml)
        .unwrap_or_else(|error| panic!("{arguments}: {error}: {xml}{}", text(&output.stderr)));
    let suite = document.root_element().first_element_child().unwrap();
    assert_eq!(suite.tag_name().name(), "testsuite");
    let all = suite.children().filter(|it| it.has_tag_name("testcase"));
    let cases: Vec<_> = all
        .map(|case| {
            let inside = case.first_element_child();
            let inside = inside.map_or(String::new(), |it| it.tag_name().name().to_owned());
            (case.attribute("name").unwrap().to_owned(), inside)
        })
        .collect();
    for (attribute, inside) in [("failures", "failure"), ("skipped", "skipped")] {
        let count = cases.iter().filter(|case| case.1 == inside).count();
        assert_eq!(suite.attribute(attribute), Some(&count.to_string()[..]), "{arguments}");
    }
    assert_eq!(suite.attribute("tests"), Some(&cases.len().to_string()[..]));
    (cases, output.status.code())
}

#[test]
fn verdicts_are_test_cases() {
    let has = |cases: &[(String, String)], inside: &str| cases.iter().any(|it| it.1 == inside);
    let (all, code) = cases("check raymond --nodes 2 --format junit");
    assert!(all.iter().any(|it| it.0 == "mutual exclusion"), "{all:?}");
    assert!(all.iter().all(|it| it.1.is_empty()), "{all:?}");
    assert_eq!(code, Some(0));
    let (all, code) = cases("check --specimen perpetuum-impatient --format junit");
    assert!(has(&all, "failure"), "{all:?}");
    assert_eq!(code, Some(1));
    let (all, code) = cases("check raymond --nodes 3 --states 10 --format junit");
    assert!(has(&all, "skipped") && !has(&all, "failure"), "{all:?}");
    assert_eq!(code, Some(3));
    let (all, _) = cases("check booking --nodes 2 --states 500 --format junit");
    assert!(!all.is_empty());
    let (all, code) = cases("fuzz raymond --schedules 30 --format junit");
    assert!(!all.is_empty() && !has(&all, "failure"), "{all:?}");
    assert_eq!(code, Some(0));
    let (all, code) =
        cases("sweep raymond --nodes 3,7 --seeds 2 --assert messages<=1 --format junit");
    assert!(
        all.iter().any(|it| it.0 == "messages<=1" && it.1 == "failure")
            || all.iter().any(|it| it.0.replace(' ', "") == "messages<=1" && it.1 == "failure"),
        "{all:?}"
    );
    assert_eq!(code, Some(1));
    let (all, code) = cases("compare mutex --nodes 13 --only raymond,central --format junit");
    assert!(all.iter().any(|it| it.0 == "raymond" && it.1.is_empty()), "{all:?}");
    assert_eq!(code, Some(0));
}

/// The rows of a text in the form of RFC 4180.
fn rows(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut chars = csv.chars().peekable();
    let mut is_quoted = false;
    while let Some(it) = chars.next() {
        match it {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => assert_eq!(chars.peek(), Some(&'\n')),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            it => cell.push(it),
        }
    }
    assert!(!is_quoted && cell.is_empty() && row.is_empty(), "the last line ends");
    rows
}

#[test]
fn the_csv_of_a_comparison_is_for_programs() {
    for arguments in [
        "compare mutex --nodes 13 --only raymond,central,hierarchical --csv",
        "compare election --nodes 8 --runs 2 --csv",
        "sweep raymond --nodes 3,7 --seeds 2 --csv",
    ] {
        let rows = rows(&fine(arguments));
        let (head, body) = rows.split_first().unwrap();
        assert!(head.iter().all(|name| !name.is_empty() && !name.contains(' ')), "{head:?}");
        let mut names = head.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), head.len(), "{head:?}");
        assert!(!body.is_empty() && body.iter().all(|row| row.len() == head.len()));
        let column = |name: &str| head.iter().position(|it| it == name).unwrap();
        let words = [
            "algorithm",
            "variant",
            "network",
            "formula",
            "agrees",
            "verdict",
            "load",
            "delay",
            "ids",
            "initiators",
            "topology",
            "wakers",
        ];
        for row in body {
            assert!(["true", "false", ""].contains(&row[column("agrees")].as_str()), "{row:?}");
            assert!(["ok", "violated"].contains(&row[column("verdict")].as_str()), "{row:?}");
            for (name, cell) in head.iter().zip(row).filter(|it| !words.contains(&it.0.as_str())) {
                assert!(cell.is_empty() || cell.parse::<f64>().is_ok(), "{name}: {cell}");
            }
        }
    }
}

#[test]
fn an_explanation_is_for_people_and_not_for_rustdoc() {
    let names = fine("list --json");
    let names: serde_json::Value = serde_json::from_str(&names).unwrap();
    for algorithm in names["algorithms"].as_array().unwrap() {
        let name = algorithm["name"].as_str().unwrap();
        let text = fine(&format!("explain {name}"));
        assert!(!text.contains("[`") && !text.contains("]("), "{name}: {text}");
        assert!(!text.contains("crate::") && !text.contains("super::"), "{name}: {text}");
    }
    let text = fine("explain perpetuum-impatient");
    assert!(text.contains("\nFlaw\n"), "{text}");
    assert!(text.contains("What follows is about perpetuum, without the flaw."), "{text}");
    assert!(text.contains("(broken by the specimen)"), "{text}");
}

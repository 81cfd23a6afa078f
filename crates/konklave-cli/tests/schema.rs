//! JSON reports are as the schema says, and name the command that made them.

mod user;

use std::panic::catch_unwind;

use serde_json::{Value, json};

use user::{file, konklave};

/// Validates a value with the part of JSON Schema that the schema of reports uses.
fn validate(value: &Value, schema: &Value, root: &Value, place: &str) {
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "description" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                validate(value, root.pointer(pointer).expect(pointer), root, place);
            }
            "allOf" => {
                rule.as_array().unwrap().iter().for_each(|it| validate(value, it, root, place));
            }
            "anyOf" => {
                let is_valid =
                    |it: &Value| catch_unwind(|| validate(value, it, root, place)).is_ok();
                assert!(rule.as_array().unwrap().iter().any(is_valid), "{place}: {value}");
            }
            "type" => {
                let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                let is = |name: &Value| is_of_type(value, name.as_str().unwrap());
                assert!(names.iter().any(is), "{place}: {value} is not of type {rule}");
            }
            "const" => assert_eq!(value, rule, "{place}"),
            "enum" => assert!(rule.as_array().unwrap().contains(value), "{place}: {value}"),
            _ => validate_parts(value, keyword, rule, root, place),
        }
    }
}

/// Validates the fields of an object or the items of a list.
fn validate_parts(value: &Value, keyword: &str, rule: &Value, root: &Value, place: &str) {
    match keyword {
        "required" => {
            for name in rule.as_array().unwrap() {
                let name = name.as_str().unwrap();
                let is_there = value.as_object().is_some_and(|it| it.contains_key(name));
                assert!(is_there || value.is_null(), "{place} has no {name}: {value}");
            }
        }
        "properties" => {
            for (name, rule) in rule.as_object().unwrap() {
                if let Some(inner) = value.get(name) {
                    validate(inner, rule, root, &format!("{place}.{name}"));
                }
            }
        }
        "items" => {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                validate(item, rule, root, &format!("{place}[{index}]"));
            }
        }
        "additionalProperties" => {
            for (name, inner) in value.as_object().into_iter().flatten() {
                validate(inner, rule, root, &format!("{place}.{name}"));
            }
        }
        _ => panic!("{place}: this test does not know {keyword}"),
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("no type {other}"),
    }
}

fn schema() -> Value {
    serde_json::from_str(konklave_cli::SCHEMA).unwrap()
}

/// The JSON that a command prints.
fn json_of(arguments: &str) -> Value {
    let out = konklave(arguments);
    let text = String::from_utf8(out.stdout).unwrap();
    let errors = String::from_utf8_lossy(&out.stderr);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments}: {error}: {errors}"))
}

#[test]
fn every_report_is_as_the_schema_says_and_names_its_options() {
    let root = schema();
    for (kind, arguments) in [
        ("run", "run raymond --nodes 7 --entries 2 --json"),
        ("run", "run ricart-agrawala --nodes 4 --entries 1 --loss 0.3 --seed 3 --json"),
        ("run", "run chang-roberts --nodes 1e2 --time-limit 5 --json"),
        ("compare", "compare mutex --nodes 4 --entries 3 --json"),
        ("compare", "compare election --nodes 8 --runs 2 --json"),
        ("sweep", "sweep raymond --nodes 3,7 --seeds 2 --assert messages<=9*n*n --json"),
        ("check", "check raymond --nodes 2 --json"),
        ("check", "check --specimen perpetuum-impatient --json"),
        ("check", "check raymond --nodes 3 --states 10 --json"),
        ("check_family", "check booking --nodes 2 --states 2000 --json"),
        ("fuzz", "fuzz raymond --schedules 50 --json"),
        ("fuzz", "fuzz lamport --beyond --schedules 300 --json"),
    ] {
        let report = json_of(arguments);
        validate(&report, &root["$defs"][kind], &root, arguments);
        let command = report["command"].as_str().unwrap().replace('\'', "");
        assert_eq!(command, format!("konklave {arguments}"));
        assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
        // The seed is told, given or not.
        assert!(!report["options"]["seed"].is_null(), "{arguments}: {}", report["options"]);
        assert_eq!(report["options"]["json"], true);
    }
}

/// What has no seed names its command and options, too.
#[test]
fn reports_that_measure_nothing_have_the_same_beginning() {
    let root = schema();
    let trace = file("schema.jsonl", "");
    let run = "run lamport --nodes 4 --entries 3 --loss 0.1 --delay uniform:1..10";
    konklave(&format!("{run} --trace {}", trace.display()));
    let (trace, examples) =
        (trace.display(), concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    for (kind, arguments) in [
        ("list", "list --json".to_owned()),
        ("list_specimens", "list --specimens --json".to_owned()),
        ("explain", "explain raymond --json".to_owned()),
        ("explain", "explain maekawa-without-inquire --json".to_owned()),
        ("replay", format!("replay {trace} --json")),
        ("shrink", format!("shrink {trace} --json")),
        ("check_history", format!("check-history {examples}/histories/queue-witness.jsonl --json")),
        ("check_histories", format!("check-history {examples}/histories/several.jsonl --json")),
        ("check_history", "check --specimen queue-get-overtakes-put --json".to_owned()),
        ("check_chance", "check --specimen maekawa-yield-is-no-failure --json".to_owned()),
        ("check_faults", "check raymond --nodes 2 --faults --json".to_owned()),
        ("experiment", "experiment records --samples 1000 --ring 100 --json".to_owned()),
    ] {
        let report = json_of(&arguments);
        validate(&report, &root["$defs"][kind], &root, &arguments);
        let is_this = |it: &Value| it["$ref"] == format!("#/$defs/{kind}");
        assert!(root["anyOf"].as_array().unwrap().iter().any(is_this), "{kind}");
        let command = report["command"].as_str().unwrap().replace('\'', "");
        assert_eq!(command, format!("konklave {arguments}"));
        assert_eq!(report["options"]["json"], true, "{arguments}");
    }
}

#[test]
fn options_have_their_effective_values() {
    let report = json_of("run lamport --entries 1_0 --json");
    let options = &report["options"];
    // Given; a default of clap; of the system; of the problem, as a value and in words; needed.
    assert_eq!(options["entries"], "10");
    assert_eq!(options["delay"], "constant:1");
    assert_eq!((&options["nodes"], &options["topology"]), (&json!(10), &json!("complete")));
    assert_eq!((&options["load"], &options["cs"]), (&json!("heavy"), &json!("5 T")));
    assert_eq!((&options["fifo"], &options["beyond"]), (&json!(true), &json!(false)));
    assert_eq!((&options["crash"], &options["loss"]), (&json!([]), &Value::Null));
    assert_eq!(options["variant"], "eager");
}

#[test]
fn the_file_of_a_folder_is_what_json_prints() {
    let path = file("schema", "").with_extension("folder");
    let arguments = format!("run raymond --nodes 3 --out {} --json", path.display());
    let mut printed = json_of(&arguments);
    let text = std::fs::read_to_string(path.join("results.json")).unwrap();
    let mut written: Value = serde_json::from_str(&text).unwrap();
    for report in [&mut printed, &mut written] {
        report["wall_seconds"].take();
        report["deliveries_per_second"].take();
    }
    assert_eq!(printed, written);
}

#[test]
fn the_schema_can_be_printed_and_notices_what_is_wrong() {
    assert_eq!(json_of("schema"), schema());
    let root = schema();
    let good = json_of("run raymond --nodes 3 --json");
    let refuses = |change: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad);
        catch_unwind(|| validate(&bad, &root["$defs"]["run"], &root, "bad")).is_err()
    };
    assert!(refuses(&|it| it["verdict"] = json!("perhaps")));
    assert!(refuses(&|it| it["nodes"] = json!("3")));
    assert!(refuses(&|it| it["messages"]["total"] = Value::Null));
    assert!(refuses(&|it| drop(it.as_object_mut().unwrap().remove("options"))));
    assert!(!refuses(&|it| it["more"] = json!(1)), "fields may be added");
}

#[test]
fn defaults_of_the_problem_are_told_by_every_command() {
    for (arguments, option) in [
        ("sweep raymond --nodes 3,7 --seeds 2 --json", "load"),
        ("compare mutex --nodes 4 --only central --json", "load"),
        ("check booking --nodes 2 --states 500 --json", "entries"),
        ("check raymond --nodes 2 --json", "entries"),
    ] {
        let report = json_of(&format!("{arguments} --seed 7"));
        assert!(report["options"][option].is_string(), "{arguments}: {}", report["options"]);
        assert_eq!(report["options"]["seed"], "7", "{arguments}");
    }
}

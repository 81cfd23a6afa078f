//! The lab without a browser: what its server answers, and what it refuses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A lab that runs until it is dropped.
struct Lab {
    process: Child,
    port: u16,
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Lab {
    fn open(port: u16, args: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_konklave"))
            .args(["lab", "--port", &port.to_string()])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut said).unwrap();
        let port = said.split("127.0.0.1:").nth(1).expect(&said);
        let port = port.split('/').next().unwrap().parse().unwrap();
        Self { process, port }
    }

    /// Sends a request as it is; the status and the body.
    fn send(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut input = BufReader::new(stream);
        let mut line = String::new();
        input.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            input.read_line(&mut line).unwrap();
            if let Some(text) = line.strip_prefix("Content-Length: ") {
                length = text.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port))
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let (status, answer) = self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        ));
        (status, serde_json::from_str(&answer).unwrap())
    }

    fn film(&self, link: &Value) -> Value {
        let (status, film) = self.post("/api/film", link);
        assert_eq!(status, 200, "{link}: {film}");
        film
    }

    fn refusal(&self, link: &Value) -> (u16, String) {
        let (status, answer) = self.post("/api/film", link);
        (status, answer["error"].as_str().unwrap_or_default().to_owned())
    }
}

fn run(algorithm: &str, options: Value) -> Value {
    json!({ "run": { "algorithm": algorithm, "options": options } })
}

fn konklave(args: &[&str]) -> Value {
    let out = Command::new(env!("CARGO_BIN_EXE_konklave")).args(args).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

/// The film of every algorithm has as many messages as its run, and the same verdict.
#[test]
fn films_agree_with_runs() {
    let lab = Lab::open(3950, &[]);
    let (_, repertoire) = lab.get("/api/repertoire");
    let repertoire: Value = serde_json::from_str(&repertoire).unwrap();
    let algorithms = repertoire["algorithms"].as_array().unwrap();
    assert!(algorithms.len() > 50, "{}", algorithms.len());
    let mut compared = 0;
    for algorithm in algorithms.iter().step_by(3) {
        let name = algorithm["name"].as_str().unwrap();
        let film = lab.film(&json!({ "trunk": run(name, json!({ "nodes": 5 })) }));
        let ran = konklave(&["run", name, "--nodes", "5", "--json"]);
        let total = film["total"].as_u64().unwrap();
        if film["cast"]["is_cut"] == true || total > 2000 {
            continue;
        }
        let lines = film["lines"].as_array().unwrap();
        let sent: usize =
            lines.iter().map(|line| line["note"]["says"].as_array().unwrap().len()).sum();
        assert_eq!(sent as u64, ran["messages"]["total"].as_u64().unwrap(), "{name}");
        assert_eq!(film["standing"]["broken"], Value::Null, "{name}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} were compared");
}

/// What a person lets happen is computed again from its link, whether or not it is known.
#[test]
fn a_link_says_everything() {
    let lab = Lab::open(3960, &[]);
    let trunk = run("raymond", json!({ "nodes": 7 }));
    let lost = json!({ "trunk": trunk, "cut": 22, "do": "x10,w400", "from": 0 });
    let film = lab.film(&lost);
    assert_eq!(film["standing"]["broken"]["promise"], "one token");
    assert_eq!(lab.film(&lost), film, "the second time, from what is known");
    let step = json!({ "trunk": trunk, "cut": 22, "do": "x10", "from": 0 });
    assert_eq!(lab.film(&step)["total"], 23);
    assert_eq!(Lab::open(3970, &[]).film(&lost), film, "another lab");
    let stuck = lab.film(&json!({ "trunk": trunk, "cut": 22, "do": "x10,d10,o3", "from": 0 }));
    assert_eq!((stuck["stuck"]["moves"].as_u64(), stuck["total"].as_u64()), (Some(1), Some(23)));
}

/// Each broken algorithm that a search has solved can be broken in the lab in as many steps.
#[test]
fn levels_are_won_with_par() {
    let lab = Lab::open(3980, &[]);
    let mut won = 0;
    for name in ["lamport-out-of-order", "maekawa-without-inquire", "raymond-idle-holder"] {
        let file = std::env::temp_dir().join(format!("konklave-{name}-{}", std::process::id()));
        let args = ["check", "--specimen", name, "--trace", file.to_str().unwrap()];
        Command::new(env!("CARGO_BIN_EXE_konklave")).args(args).output().unwrap();
        let trace = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let (status, opened) = lab.send_trace(&trace);
        assert_eq!(status, 200, "{name}");
        let trunk = json!({ "trace": opened });
        let film = lab.film(&json!({ "trunk": trunk }));
        let moves: Vec<&str> = film["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["note"]["do"].as_str().unwrap())
            .collect();
        let level = json!({ "trunk": { "specimen": name }, "do": moves.join(","), "from": 0 });
        let played = lab.film(&level);
        let standing = &played["standing"];
        assert!(
            standing["broken"] != Value::Null || standing["open"] != Value::Null,
            "{name}: {standing}"
        );
        won += 1;
    }
    assert_eq!(won, 3);
}

impl Lab {
    fn send_trace(&self, trace: &str) -> (u16, u64) {
        let (status, answer) = self.send(&format!(
            "POST /api/trace HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{trace}",
            self.port,
            trace.len()
        ));
        let answer: Value = serde_json::from_str(&answer).unwrap();
        (status, answer["id"].as_u64().unwrap_or_default())
    }
}

#[test]
fn strangers_and_nonsense_are_refused_and_the_lab_goes_on() {
    let lab = Lab::open(3990, &[]);
    let foreign = |headers: &str| lab.send(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n")).0;
    assert_eq!(foreign("Host: evil.example:3990"), 403);
    assert_eq!(
        foreign(&format!("Host: localhost:{}\r\nOrigin: http://evil.example", lab.port)),
        403
    );
    assert_eq!(
        foreign(&format!("Host: localhost:{}\r\nSec-Fetch-Site: cross-site", lab.port)),
        403
    );
    let large = format!(
        "POST /api/film HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{}",
        lab.port,
        9 << 20,
        " ".repeat(9 << 20)
    );
    assert_eq!(lab.send(&large).0, 413);
    let cases = [
        (json!({ "trunk": run("raymond", json!({ "nodes": 1_000_000_000_u64 })) }), "at most"),
        (json!({ "trunk": run("raymond", json!({ "nodes": 3000 })) }), "too many to be watched"),
        (json!({ "trunk": run("raymond", json!({ "topology": "file:/etc/passwd" })) }), "a file"),
        (json!({ "trunk": run("raymond", json!({ "trace": "x" })) }), "not an option of the lab"),
        (json!({ "trunk": run("raymond", json!({ "out": "x" })) }), "not an option of the lab"),
        (json!({ "trunk": run("--help", json!({})) }), "not the name of an algorithm"),
        (json!({ "trunk": run("raimond", json!({})) }), "did you mean 'raymond'?"),
        (json!({ "trunk": run("raymond", json!({ "load": "huge" })) }), "load"),
        (json!({ "trunk": run("raymond", json!({})), "cut": 1_000_000 }), "branch off"),
        (json!({ "trunk": run("raymond", json!({})), "do": "q" }), "is not a move"),
        (json!({ "trunk": { "specimen": "nothing" } }), "specimen"),
        (json!({ "trunk": { "trace": 99 } }), "open it again"),
        (json!({ "nonsense": 1 }), "not a link"),
    ];
    for (link, phrase) in cases {
        let (status, error) = lab.refusal(&link);
        assert!((400..500).contains(&status) && error.contains(phrase), "{link}: {status} {error}");
    }
    assert_eq!(lab.get("/api/source?file=/etc/passwd").0, 404);
    assert_eq!(lab.get("/../Cargo.toml").0, 404);
    assert_eq!(lab.get("/").0, 200, "it goes on");
}

#[test]
fn a_port_in_use_is_not_the_end() {
    let first = Lab::open(4010, &[]);
    let second = Lab::open(first.port, &["raymond"]);
    assert_ne!(first.port, second.port);
}

//! A report of one trace: `cargo run -p konklave-report --example report -- TRACE DIR`.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use konklave::graph::Topology;
use konklave_catalog::catalog::Catalog;
use konklave_report::account::{self, Account, Fate, Message, Vocabulary};
use konklave_report::folder::Folder;
use konklave_report::html::{HtmlReport, Mark};
use konklave_report::table::{Cell, Table};
use konklave_report::{export, network, spacetime};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(trace), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("write the trace and the folder".into());
    };
    let recorded = account::read(BufReader::new(File::open(&trace)?))?;
    let nodes = recorded.nodes().ok_or("the setup does not say how many nodes there are")?;
    let text = |name: &str| recorded.setup[name].as_str().unwrap_or_default();
    let account = Account::new(&recorded.lines, nodes, vocabulary(text("algorithm")))?;

    let title = format!("{} with {nodes} nodes", text("algorithm"));
    let diagram = spacetime::picture(&title, &account, &spacetime::Options::default())?;
    let folder = Folder::create(folder)?;
    folder.write("spacetime.svg", &diagram.svg)?;
    let mut log = Vec::new();
    export::shiviz(&account, &mut log, &mut |_| true)?;
    folder.write("shiviz.log", log)?;
    folder.write("perfetto.json", export::perfetto(&account, &account::labels(nodes, None)))?;
    folder.write("trace.csv", export::csv(&recorded.lines))?;

    let mut table = Table::new(["node", "sent", "received"]);
    for node in 0..nodes {
        let sent = account.messages.iter().filter(|it| it.sent.is_some() && it.from == node);
        let has_arrived = |it: &&Message| matches!(it.fate, Fate::Arrived(_));
        let received = account.messages.iter().filter(has_arrived).filter(|it| it.to == node);
        table.push([node, sent.count(), received.count()].map(Cell::from));
    }
    folder.write("results.csv", table.csv())?;
    folder.write_json("results.json", &table.json())?;

    let broken = account.end.as_ref().and_then(|end| end.broken.as_ref());
    let ended = account.end.as_ref().map_or("being cut off".to_owned(), |it| it.ended.to_string());
    let mut report = HtmlReport::new(&title);
    report = match broken {
        Some(broken) => report.verdict(Mark::Bad, "violated", &broken.to_string()),
        None => report.verdict(Mark::Good, "ok", &format!("Ended by {ended}.")),
    };
    report = report
        .asked([
            ("algorithm", text("algorithm").to_owned()),
            ("network", text("topology").to_owned()),
        ])
        .command(&format!("konklave {}", text("command")))
        .section("What happened")
        .picture(&diagram.svg, "Time goes to the right, and every arrow is a message.");
    if let Some(step) = account.guilty {
        let causal = Some(account.events[step].number);
        let options = spacetime::Options { causal, ..Default::default() };
        let past = spacetime::picture("What led to it", &account, &options)?;
        report = report.picture(&past.svg, "Only what can have led to it.");
    }
    let topology: Result<Topology, _> = text("topology").parse();
    if let Some(graph) = topology.ok().and_then(|it| it.build(nodes as u32, &mut || 0).ok()) {
        let roles = network::Roles::at_the_end(&account);
        let svg = network::picture("The network at the end", &graph, &roles);
        report = report.section("Where").picture(&svg, "");
    }
    report = report.section("How many messages").table(&table, "Messages of each node").files([
        ("results.csv", "the table above, for spreadsheets"),
        ("trace.csv", "the trace, for spreadsheets"),
        ("shiviz.log", "for ShiViz: upload it at https://bestchai.bitbucket.io/shiviz/"),
        ("perfetto.json", "for https://ui.perfetto.dev"),
    ]);
    println!("{}", folder.finish(&report)?.report.display());
    Ok(())
}

/// What commands and events of an algorithm mean; nothing if it is unknown.
fn vocabulary(algorithm: &str) -> Vocabulary {
    let catalog = Catalog::standard();
    let Ok(entry) = catalog.find(algorithm) else { return Vocabulary::default() };
    let (senses, words) = (entry.problem.senses, entry.problem.words);
    Vocabulary {
        command: senses.command,
        event: senses.event,
        held: words.held,
        is_exclusive: words.is_exclusive,
    }
}

//! Answers every request. There are no sessions: a link says everything, and what it says is
//! computed again if it is not in the cache.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use konklave_catalog::entry::Entry;
use konklave_catalog::option::Verb;
use konklave_catalog::specimen::{Finding, Tool};
use konklave_stage::local::panic_message;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::ask::{Answer, Asked};
use crate::cache::Cache;
use crate::guard::Guard;
use crate::moves::Move;
use crate::repertoire::Repertoire;
use crate::trunk::Trunk;
use crate::{assets, film, whatif};

/// The largest number of lines of a film in one answer.
const PAGE: usize = 2_000;
/// The largest system that is shown.
const NODES: u32 = 2_000;

/// The lab, without its sockets.
pub struct Lab<'a> {
    repertoire: &'a dyn Repertoire,
    guard: Guard,
    cache: Cache,
    /// Traces that were opened, by their number.
    traces: Vec<String>,
}

/// What a link says.
#[derive(Deserialize)]
struct Link {
    trunk: TrunkName,
    /// How many moments of the trunk come before the moves.
    #[serde(default)]
    cut: Option<usize>,
    /// What a person let happen then.
    #[serde(default, rename = "do")]
    moves: String,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    to: Option<usize>,
}

/// What a person looks at first.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum TrunkName {
    /// A simulated run.
    Run(Options),
    /// A system that has just started.
    Play(Options),
    /// A broken algorithm in the smallest system that shows its flaw, which has just started.
    Specimen(String),
    /// A trace that was opened.
    Trace(usize),
}

#[derive(Deserialize)]
struct Options {
    algorithm: String,
    #[serde(default)]
    options: Map<String, Json>,
}

type Answered = Result<Answer, Answer>;

impl<'a> Lab<'a> {
    /// A lab that answers those whom the guard lets in.
    pub fn new(repertoire: &'a dyn Repertoire, guard: Guard) -> Self {
        Self { repertoire, guard, cache: Cache::default(), traces: Vec::new() }
    }

    /// The trace that the page shows first: its number, for links.
    pub fn open(&mut self, trace: String) -> usize {
        self.traces.push(trace);
        self.traces.len() - 1
    }

    /// The answer to a request.
    pub fn answer(&mut self, asked: &Asked) -> Answer {
        if let Some(refusal) = self.guard.refuse(asked) {
            return refusal;
        }
        // An algorithm from outside may fail where none of ours does: the lab goes on.
        let answered = catch_unwind(AssertUnwindSafe(|| self.api(asked)));
        answered
            .map_or_else(|panic| failed(&panic_message(&*panic)), |it| it.unwrap_or_else(|it| it))
    }

    fn api(&mut self, asked: &Asked) -> Answered {
        let path = asked.path.split('?').next().unwrap_or_default();
        let Some(name) = path.strip_prefix("/api/") else { return Ok(assets::page(asked)) };
        match (asked.method.as_str(), name) {
            ("GET", "repertoire") => Ok(Answer::json(&self.repertoire())),
            ("GET", "source") => self.source(asked),
            ("GET", _) if name.starts_with("algorithm/") => {
                self.algorithm(name.trim_start_matches("algorithm/"))
            }
            ("POST", "film") => self.film(&link(asked)?),
            ("POST", "whatif") => self.whatif(&link(asked)?),
            ("POST", "trace") => {
                let trace = String::from_utf8(asked.body.clone());
                let trace = trace.map_err(|_| Answer::refusal(400, "a trace is text in UTF-8"))?;
                let number = self.open(trace);
                Ok(Answer::json(&json!({ "id": number })))
            }
            _ => Err(Answer::refusal(404, format!("there is nothing at {path}"))),
        }
    }

    /// Everything that can be opened.
    fn repertoire(&self) -> Json {
        let catalog = self.repertoire.catalog();
        let entry = |entry: &Entry| {
            let document = entry.document();
            let options = entry.problem.options_of(Verb::Run).map(|it| {
                let usual = it.usual(Verb::Run).map_or("", |usual| usual.text());
                json!({ "name": it.name, "help": it.help, "usual": usual })
            });
            json!({
                "name": entry.name,
                "problem": entry.problem.name,
                "summary": document.summary,
                "year": document.year(),
                "messages": document.messages(),
                "options": options.collect::<Vec<_>>(),
                "choices": entry.choices,
            })
        };
        let problems = catalog
            .problems()
            .iter()
            .map(|problem| json!({ "name": problem.name, "title": problem.title }));
        let level = |entry: &Entry| {
            let flaw = entry.flaw?;
            // A schedule without an end cannot be played to its end, and need not be a shortest
            // one.
            let is_endless = matches!(
                flaw.finds,
                Finding::Livelock | Finding::EndlessAnnouncement | Finding::NeverLegal
            );
            let has_proven_par = flaw.found_by == Tool::Check && !is_endless;
            Some(json!({
                "name": flaw.name, "of": flaw.of, "flaw": flaw.flaw, "promise": flaw.promise,
                "finds": flaw.finds, "par": flaw.steps, "is_proven": has_proven_par,
                "setting": flaw.setting, "nodes": flaw.setting.nodes(),
            }))
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "problems": problems.collect::<Vec<_>>(),
            "algorithms": catalog.entries().iter().map(entry).collect::<Vec<_>>(),
            "specimens": catalog.specimens().iter().filter_map(level).collect::<Vec<_>>(),
            "traces": self.traces.len(),
        })
    }

    /// What an algorithm is: the doc of its file.
    fn algorithm(&self, name: &str) -> Answered {
        let entry = self.find(name)?;
        let document = entry.document();
        let sections = document.sections.iter();
        let sections = sections.map(|(heading, text)| json!({ "heading": heading, "text": text }));
        Ok(Answer::json(&json!({
            "name": entry.name,
            "summary": document.summary,
            "reference": document.reference,
            "sections": sections.collect::<Vec<_>>(),
            "file": entry.file,
            "flaw": entry.flaw.map(|it| it.flaw),
        })))
    }

    fn source(&self, asked: &Asked) -> Answered {
        let query = asked.path.split_once("?file=").map_or("", |(_, file)| file);
        let file = query.replace("%2F", "/");
        let own = self.repertoire.catalog().entries().iter().find(|entry| entry.file == file);
        match assets::source(&file).or(own.map(|entry| entry.source)) {
            Some(text) => Ok(Answer::json(&json!({ "file": file, "text": text }))),
            None => Err(Answer::refusal(404, format!("'{file}' is not the file of an algorithm"))),
        }
    }

    fn find(&self, name: &str) -> Result<&'static Entry, Answer> {
        let found = self.repertoire.catalog().find(name);
        found.map_err(|refusal| Answer::refusal(404, refusal.to_string()))
    }

    /// A film, and how the system stands in the end.
    fn film(&mut self, link: &Link) -> Answered {
        let (name, trunk) = self.trunk(&link.trunk)?;
        let moves = Move::list(&link.moves).map_err(|why| Answer::refusal(400, why))?;
        let last = trunk.moments.len();
        let cut = link.cut.unwrap_or(last);
        let played = self.cache.play(&name, &trunk, cut, &moves);
        let (play, stuck) = played.map_err(|why| Answer::refusal(400, why))?;
        let all = || trunk.moments[..cut].iter().chain(play.moments());
        let total = cut + play.moments().len();
        let from = link.from.min(total);
        let to = link.to.unwrap_or(total).clamp(from, total).min(from + PAGE);
        let first = trunk.first().map_err(|why| Answer::refusal(500, why))?;
        let lines = film::moments(all(), &first, from..to);
        let stuck = stuck.map(|it| json!({ "moves": it.moves, "why": it.why }));
        let mut answer = json!({
            "total": total, "cut": cut, "trunk": last, "from": from, "lines": lines,
            "standing": film::standing(play), "stuck": stuck,
        });
        if from == 0 {
            answer["cast"] = film::cast(&trunk);
            answer["first"] = film::nodes(&first);
        }
        Ok(Answer::json(&answer))
    }

    /// What would become of the schedule if one message of it were lost, or duplicated.
    fn whatif(&mut self, link: &Link) -> Answered {
        let (_, trunk) = self.trunk(&link.trunk)?;
        Ok(Answer::json(&whatif::strip(&trunk)))
    }

    fn trunk(&mut self, name: &TrunkName) -> Result<(String, Rc<Trunk>), Answer> {
        let bad = |why: String| Answer::refusal(400, why);
        match name {
            TrunkName::Run(options) => {
                let words = self.words(options)?;
                let key = words.join(" ");
                let repertoire = self.repertoire;
                let build = || {
                    let (site, options) = repertoire.run(&words)?;
                    refuse_large(site.nodes())?;
                    let title = title(&site);
                    Trunk::run(site, title, format!("konklave {}", words.join(" ")), &options)
                };
                Ok((key.clone(), self.cache.trunk(&key, build).map_err(bad)?))
            }
            TrunkName::Play(options) => {
                let words = self.words(options)?;
                let key = format!("play {}", words.join(" "));
                let repertoire = self.repertoire;
                let build = || {
                    let (site, options) = repertoire.run(&words)?;
                    refuse_large(site.nodes())?;
                    let title = title(&site);
                    let command = format!("konklave {}", words.join(" "));
                    Trunk::started(site, title, command, &crate::trunk::plan_of(&options))
                };
                Ok((key.clone(), self.cache.trunk(&key, build).map_err(bad)?))
            }
            TrunkName::Specimen(name) => {
                let found = self.repertoire.catalog().find_specimen(name);
                let (entry, specimen) =
                    found.map_err(|refusal| Answer::refusal(404, refusal.to_string()))?;
                let build = || {
                    let site = specimen.site(entry).map_err(|refusal| refusal.to_string())?;
                    let has_timers =
                        site.system().map_err(|refusal| refusal.to_string())?.has_timers();
                    let plan = specimen.setting.plan(has_timers);
                    let title = title(&site);
                    let command = format!("konklave check --specimen {name}");
                    Trunk::started(site, title, command, &plan)
                };
                let key = format!("specimen {name}");
                Ok((key.clone(), self.cache.trunk(&key, build).map_err(bad)?))
            }
            TrunkName::Trace(number) => {
                let trace = self.traces.get(*number).cloned();
                let missing =
                    || Answer::refusal(404, "this trace is not open any more: open it again");
                let trace = trace.ok_or_else(missing)?;
                let repertoire = self.repertoire;
                let build = || {
                    let (header, lines) = trace.split_once('\n').unwrap_or((&trace, ""));
                    let site = repertoire.recorded(header)?;
                    refuse_large(site.nodes())?;
                    let title = title(&site);
                    let plan = crate::trunk::plan_at(&site);
                    Trunk::recorded(
                        site,
                        title,
                        "konklave replay FILE".to_owned(),
                        lines.lines(),
                        &plan,
                    )
                };
                let key = format!("trace {number}");
                Ok((key.clone(), self.cache.trunk(&key, build).map_err(bad)?))
            }
        }
    }

    /// The words of a command line, which must not name files.
    fn words(&self, Options { algorithm, options }: &Options) -> Result<Vec<String>, Answer> {
        let refuse = |why: String| Err(Answer::refusal(400, why));
        if algorithm.starts_with('-') {
            return refuse(format!("'{algorithm}' is not the name of an algorithm"));
        }
        let mut words = vec!["run".to_owned(), algorithm.clone()];
        for (name, value) in options {
            if FILES.contains(&name.as_str())
                || !name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            {
                return refuse(format!("--{name} is not an option of the lab"));
            }
            let value = match value {
                Json::Bool(false) | Json::Null => continue,
                Json::Bool(true) => None,
                Json::String(text) => Some(text.clone()),
                Json::Number(number) => Some(number.to_string()),
                _ => return refuse(format!("--{name} has one value: write a text or a number")),
            };
            if value.as_ref().is_some_and(|value| value.contains("file:")) {
                return refuse(format!(
                    "--{name} names a file, and the lab does not read files: open a trace instead, \
                     or use the command line"
                ));
            }
            words.push(match value {
                None => format!("--{name}"),
                Some(value) => format!("--{name}={value}"),
            });
        }
        Ok(words)
    }
}

/// The options of `run` that write files, or something else than a run.
const FILES: [&str; 10] = [
    "trace",
    "states",
    "out",
    "save-graph",
    "json",
    "history",
    "dump",
    "help",
    "format",
    "specimen",
];

fn failed(message: &str) -> Answer {
    Answer::refusal(
        500,
        format!("this cannot be shown, because the lab itself has failed: {message}"),
    )
}

fn title(site: &konklave_catalog::site::Site) -> String {
    format!("{} on a {}", site.entry().name, site.graph().describe())
}

fn refuse_large(nodes: u32) -> Result<(), String> {
    match nodes <= NODES {
        true => Ok(()),
        false => Err(format!(
            "{nodes} nodes are too many to be watched: the lab shows up to {NODES}, and \
             `konklave run` simulates millions"
        )),
    }
}

fn link(asked: &Asked) -> Result<Link, Answer> {
    serde_json::from_slice(&asked.body)
        .map_err(|error| Answer::refusal(400, format!("this is not a link of the lab: {error}")))
}

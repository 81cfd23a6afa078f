use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::account::{Account, Event, Fate, What};

/// The length of a tick in microseconds.
const TICK: f64 = 1000.0;

/// A trace for Perfetto, <https://ui.perfetto.dev>, in the Trace Event Format that Chrome's
/// `about:tracing` reads too.
///
/// Nodes are threads of one process, steps are short slices, messages are flows from slice to
/// slice, and what nodes wait for and have, and their outages, are long slices around the steps.
/// Stretches that overlap others of the same node go to a thread of their own, because slices of
/// one thread must be nested. One tick is one millisecond; what happens in the same tick is spread
/// over it in order.
pub fn perfetto(account: &Account, names: &[String]) -> String {
    let mut threads = vec!["network".to_owned()];
    threads.extend((0..account.nodes).map(|node| match names.get(node) {
        Some(name) => format!("node {name}"),
        None => format!("node {node}"),
    }));
    let mut trace = Trace {
        clock: Clock::new(&account.events),
        events: Vec::new(),
        lanes: Lanes { next: threads.len(), ends: BTreeMap::new() },
    };
    trace.name("process_name", NETWORK, "konklave");
    for (tid, name) in threads.iter().enumerate() {
        trace.name("thread_name", tid, name);
    }
    for (index, event) in account.events.iter().enumerate() {
        trace.event(index, event);
    }
    for span in &account.spans {
        let name = [account.vocabulary.name(span.kind), &span.label].join(" ");
        let tid = thread(span.node);
        trace.stretch((tid, &threads[tid]), "span", name.trim(), (span.from, span.to));
    }
    for shade in &account.shades {
        let ends = (shade.from, shade.to);
        trace.stretch((NETWORK, &threads[NETWORK]), "network", &shade.label, ends);
    }
    for (id, message) in account.messages.iter().enumerate() {
        trace.message(account, id, message);
    }
    trace.finish()
}

/// The thread of events that do not belong to a node.
const NETWORK: usize = 0;

fn thread(node: usize) -> usize {
    node + 1
}

struct Trace {
    clock: Clock,
    events: Vec<Value>,
    lanes: Lanes,
}

impl Trace {
    fn name(&mut self, what: &str, tid: usize, name: &str) {
        let args = json!({ "name": name });
        self.events
            .push(json!({ "ph": "M", "name": what, "pid": 1, "tid": tid, "ts": 0, "args": args }));
        if what == "thread_name" {
            let args = json!({ "sort_index": tid });
            self.events.push(json!({
                "ph": "M", "name": "thread_sort_index", "pid": 1, "tid": tid, "ts": 0, "args": args
            }));
        }
    }

    fn event(&mut self, index: usize, event: &Event) {
        let (ts, dur) = self.clock.slice(index);
        let args = json!({ "event": index, "tick": event.at });
        let name = match (event.label.as_str(), event.what) {
            ("", what) => format!("{what:?}").to_lowercase(),
            (label, _) => label.to_owned(),
        };
        self.events.push(match event.node {
            Some(node) => json!({
                "ph": "X", "name": name, "cat": "step", "pid": 1, "tid": thread(node),
                "ts": ts, "dur": dur, "args": args
            }),
            None => {
                let cat = if event.what == What::Violation { "violation" } else { "network" };
                json!({
                    "ph": "i", "s": "g", "name": name, "cat": cat, "pid": 1, "tid": NETWORK,
                    "ts": ts, "args": args
                })
            }
        });
    }

    /// A long slice. Those of a thread come in the order in which they begin.
    fn stretch(
        &mut self,
        (tid, thread): (usize, &str),
        cat: &str,
        name: &str,
        ends: (usize, Option<usize>),
    ) {
        if Some(ends.0) == ends.1 {
            return; // It took no time.
        }
        let from = self.clock.start(ends.0);
        let to = ends.1.map_or(self.clock.end, |event| self.clock.start(event));
        let lane = self.lanes.find(tid, from, to);
        if lane.is_new {
            self.name("thread_name", lane.tid, &format!("{thread}, more"));
        }
        self.events.push(json!({
            "ph": "X", "name": name, "cat": cat, "pid": 1, "tid": lane.tid,
            "ts": from, "dur": to - from
        }));
    }

    /// A flow from slice to slice, or a mark where a message was sent in vain.
    fn message(&mut self, account: &Account, id: usize, message: &crate::account::Message) {
        let Some(sent) = message.sent else { return };
        let ts = self.clock.start(sent);
        let from = thread(message.from);
        let (name, args) = (&message.kind, json!({ "message": message.text, "to": message.to }));
        if let Fate::Arrived(event) | Fate::Missed(event) = message.fate {
            let to = account.events[event].node.map_or(NETWORK, thread);
            self.events.push(json!({
                "ph": "s", "id": id, "name": name, "cat": "message", "pid": 1, "tid": from,
                "ts": ts, "args": args
            }));
            self.events.push(json!({
                "ph": "f", "bp": "e", "id": id, "name": name, "cat": "message", "pid": 1,
                "tid": to, "ts": self.clock.start(event)
            }));
        } else {
            let fate = if message.fate == Fate::Lost { "lost" } else { "in transit" };
            self.events.push(json!({
                "ph": "i", "s": "t", "name": format!("{fate}: {name}"), "cat": "message",
                "pid": 1, "tid": from, "ts": ts, "args": args
            }));
        }
    }

    fn finish(mut self) -> String {
        let ts = |event: &Value| event["ts"].as_f64().unwrap_or_default();
        // Of slices that begin together, the longest comes first: it encloses the others.
        let dur = |event: &Value| event["dur"].as_f64().unwrap_or_default();
        self.events.sort_by(|a, b| ts(a).total_cmp(&ts(b)).then(dur(b).total_cmp(&dur(a))));
        let metadata = |event: &Value| event["ph"] == "M";
        self.events.sort_by_key(|event| !metadata(event));
        let lines: Vec<_> = self.events.iter().map(Value::to_string).collect();
        format!("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n", lines.join(",\n"))
    }
}

/// When events happen, in microseconds.
struct Clock {
    starts: Vec<f64>,
    lengths: Vec<f64>,
    end: f64,
}

impl Clock {
    fn new(events: &[Event]) -> Self {
        let (mut starts, mut lengths) = (Vec::new(), Vec::new());
        for same in events.chunk_by(|a, b| a.at == b.at) {
            let slot = TICK / same.len() as f64;
            let begin = same[0].at as f64 * TICK;
            starts.extend((0..same.len()).map(|place| begin + place as f64 * slot));
            lengths.extend(same.iter().map(|_| slot * 0.75));
        }
        let end = starts.last().zip(lengths.last()).map_or(0.0, |(start, length)| start + length);
        Self { starts, lengths, end }
    }

    fn start(&self, event: usize) -> f64 {
        self.starts[event]
    }

    fn slice(&self, event: usize) -> (f64, f64) {
        (self.starts[event], self.lengths[event])
    }
}

/// Which stretches lie on which threads: those of one thread do not overlap.
struct Lanes {
    /// The next unused thread.
    next: usize,
    /// For each node's thread: it and those beside it, and when their last stretches end.
    ends: BTreeMap<usize, Vec<(usize, f64)>>,
}

struct Lane {
    tid: usize,
    is_new: bool,
}

impl Lanes {
    fn find(&mut self, tid: usize, from: f64, to: f64) -> Lane {
        let lanes = self.ends.entry(tid).or_insert_with(|| vec![(tid, 0.0)]);
        if let Some((tid, end)) = lanes.iter_mut().find(|(_, end)| *end <= from) {
            *end = to;
            return Lane { tid: *tid, is_new: false };
        }
        lanes.push((self.next, to));
        self.next += 1;
        Lane { tid: self.next - 1, is_new: true }
    }
}

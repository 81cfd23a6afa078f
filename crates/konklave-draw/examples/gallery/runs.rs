use konklave_draw::spacetime::{Diagram, EventId, EventKind, Fate, History, SpanLook};

const SAMPLE: &str = "Sample data, invented for this gallery.";

/// All space-time diagrams with their file names.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let broken = broken_mutex();
    let faults = faults();
    let long = long_run();
    let sample = |title, history| Diagram::new(title, history).note(SAMPLE);
    let last = EventId(broken.len() - 1);
    vec![
        ("run-broken.svg", sample("Two inside together", &broken).svg()),
        ("run-causal.svg", sample("What led to it", &broken).causal(EventId(last.0 - 1)).svg()),
        ("run-faults.svg", sample("Faults of all sorts", &faults).svg()),
        ("run-time.svg", sample("The same, by time", &faults).proportional().svg()),
        ("run-long.svg", sample("A long run", &long).first(150).svg()),
        ("run-part.svg", sample("A part of it", &long).from(40).to(90).nodes_only([0, 2, 5]).svg()),
        ("run-empty.svg", sample("Nothing", &History::new(["0", "1"])).svg()),
    ]
}

/// Three nodes ask at once; ties are not broken.
fn broken_mutex() -> History {
    let mut run = History::new(["0", "1", "2"]);
    for node in 0..3 {
        run.event(0, node, EventKind::Step, "");
    }
    let one = run.event(1, 1, EventKind::Command, "Acquire");
    let two = run.event(1, 2, EventKind::Command, "Acquire");
    let reply = |run: &mut History, time, from, at: usize, to: usize| {
        let asked = run.event(time, at, EventKind::Step, "");
        run.message(from, at, Fate::Arrived(asked), "Request", format!("Request(1@{to})"));
        asked
    };
    let a = reply(&mut run, 2, one, 0, 1);
    let b = reply(&mut run, 3, two, 1, 2);
    let c = reply(&mut run, 4, one, 2, 1);
    let d = reply(&mut run, 5, two, 0, 2);
    let answer = |run: &mut History, time, from, to| {
        let event = run.event(time, to, EventKind::Step, "");
        run.message(from, to, Fate::Arrived(event), "Reply", "Reply");
        event
    };
    answer(&mut run, 6, a, 1);
    answer(&mut run, 7, b, 2);
    let inside = answer(&mut run, 8, c, 1);
    let both = answer(&mut run, 9, d, 2);
    run.span(1, Some(one), Some(inside), SpanLook::Waits, "waiting", "");
    run.span(2, Some(two), Some(both), SpanLook::Waits, "waiting", "");
    run.span(1, Some(inside), None, SpanLook::Holds, "critical section", "");
    run.span(2, Some(both), None, SpanLook::Holds, "critical section", "");
    let promise = "mutual exclusion: 1 and 2 are inside together";
    run.event(9, 2, EventKind::Violation, promise);
    run
}

/// Loss, crash, restart, pause, partition, a forged message, one to oneself, one under way.
fn faults() -> History {
    let mut run = History::new(["alice", "bob", "carol", "dave"]);
    let ask = run.event(0, 0, EventKind::Command, "Elect");
    let heard = run.event(4, 1, EventKind::Step, "");
    run.message(ask, 1, Fate::Arrived(heard), "Probe", "Probe(7)");
    run.message(ask, 2, Fate::Lost, "Probe", "Probe(7)");
    let own = run.event(6, 0, EventKind::Step, "");
    run.message(ask, 0, Fate::Arrived(own), "Note", "Note to self");
    let crash = run.event(9, 3, EventKind::Crash, "crash");
    let missed = run.event(14, 3, EventKind::Missed, "");
    run.message(heard, 3, Fate::Missed(missed), "Probe", "Probe(7)");
    let split = run.event_of_all(15, EventKind::Mark, "");
    let pause = run.event(18, 1, EventKind::Pause, "");
    let timer = run.event(21, 0, EventKind::Timer, "Retry");
    let lie = run.event(23, 2, EventKind::Step, "");
    run.forged(3, lie, "Leader", "Leader(99)");
    let heal = run.event_of_all(30, EventKind::Mark, "");
    let resume = run.event(31, 1, EventKind::Resume, "");
    let restart = run.event(33, 3, EventKind::Restart, "restart");
    let won = run.event(40, 0, EventKind::Mark, "elected");
    run.message(timer, 3, Fate::Lost, "Probe", "Probe(8)");
    for node in 1..4 {
        run.message(won, node, Fate::InFlight, "Leader", "Leader(0)");
    }
    run.span(3, Some(crash), Some(restart), SpanLook::Crashed, "crashed", "");
    run.span(1, Some(pause), Some(resume), SpanLook::Paused, "paused", "");
    run.span(0, Some(won), None, SpanLook::Holds, "leader", "");
    run.shade(Some(split), Some(heal), "partition {0, 1} | {2, 3}");
    run
}

/// A token goes round while nodes ask for it.
fn long_run() -> History {
    let nodes = 8;
    let mut run = History::new((0..nodes).map(|node| format!("node {node}")));
    let mut at = run.event(0, 0, EventKind::Step, "");
    for step in 1..120_usize {
        let node = step * 3 % nodes;
        let time = step as u64 * 2;
        let asks = run.event(time - 1, (node + 5) % nodes, EventKind::Command, "Acquire");
        let asked = run.event(time, (node + 2) % nodes, EventKind::Step, "");
        run.message(asks, (node + 2) % nodes, Fate::Arrived(asked), "Request", "Request");
        let next = run.event(time, node, EventKind::Step, "");
        run.message(at, node, Fate::Arrived(next), "Token", "Token");
        run.span(node, Some(at), Some(next), SpanLook::Waits, "waiting", "");
        at = next;
    }
    run
}

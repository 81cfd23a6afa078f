//! Space-time diagrams show what happened, and only that.

mod common;

use std::collections::BTreeSet;

use common::{Random, elements, event_places, of_class, parse, points, texts, tip};
use konklave_draw::spacetime::{Diagram, EventId, EventKind, Fate, History, SpanLook};

/// A random run, and the direct causes in it: pairs of events.
struct Run {
    history: History,
    causes: Vec<(usize, usize)>,
    arrived: usize,
    other: usize,
}

fn random_run(seed: u64, nodes: u64, events: usize) -> Run {
    let mut random = Random(seed);
    let mut history = History::new((0..nodes).map(|node| format!("n{node}")));
    let mut node_of: Vec<u64> = Vec::new();
    let (mut causes, mut arrived, mut other, mut time) = (Vec::new(), 0, 0, 0);
    for event in 0..events {
        let node = random.below(nodes);
        time += random.below(3);
        let id = history.event(time, node as usize, EventKind::Step, "");
        if let Some(before) = node_of.iter().rposition(|other| *other == node) {
            causes.push((before, event));
        }
        if event > 0 && random.below(3) > 0 {
            let from = random.below(event as u64) as usize;
            history.message(EventId(from), node as usize, Fate::Arrived(id), "M", "m");
            causes.push((from, event));
            arrived += 1;
        }
        if random.below(6) == 0 {
            let fate = [Fate::Lost, Fate::InFlight][random.below(2) as usize];
            history.message(id, random.below(nodes) as usize, fate, "X", "x");
            other += 1;
        }
        node_of.push(node);
    }
    Run { history, causes, arrived, other }
}

#[test]
fn the_past_is_the_transitive_closure_of_order_and_messages() {
    for seed in 0..200 {
        let run = random_run(seed, 1 + seed % 5, 1 + (seed % 24) as usize);
        let events = run.history.len();
        let mut before = vec![vec![false; events]; events];
        for &(from, to) in &run.causes {
            before[from][to] = true;
        }
        for through in 0..events {
            for from in 0..events {
                for to in 0..events {
                    before[from][to] |= before[from][through] && before[through][to];
                }
            }
        }
        let is_before = |from: usize, to: usize| from == to || before[from][to];
        for event in 0..events {
            let expected: BTreeSet<_> =
                (0..events).filter(|&e| is_before(e, event)).map(EventId).collect();
            assert_eq!(run.history.past(EventId(event)), expected, "seed {seed}, event {event}");
        }
    }
}

#[test]
fn there_is_an_arrow_for_every_message() {
    for seed in 0..40 {
        let run = random_run(seed, 2 + seed % 6, 40);
        for diagram in
            [Diagram::new("", &run.history), Diagram::new("", &run.history).proportional()]
        {
            let svg = diagram.svg();
            let document = parse(&svg);
            assert_eq!(of_class(&document, "k-msg").len(), run.arrived + run.other, "seed {seed}");
            assert_eq!(of_class(&document, "k-event").len(), 40, "seed {seed}");
        }
    }
}

#[test]
fn causes_lie_to_the_left_of_effects_and_arrows_join_them() {
    for seed in 0..40 {
        let run = random_run(seed, 4, 30);
        for diagram in
            [Diagram::new("", &run.history), Diagram::new("", &run.history).proportional()]
        {
            let svg = diagram.svg();
            let document = parse(&svg);
            let places = event_places(&document);
            for &(from, to) in &run.causes {
                assert!(places[from].1.0 < places[to].1.0, "seed {seed}: {from} and {to}");
            }
            for arrow in of_class(&document, "k-msg") {
                let parts: Vec<_> =
                    arrow.children().filter(|c| c.tag_name().name() == "path").collect();
                let is_near = |a: (f64, f64), b: (f64, f64), reach: f64| {
                    (a.0 - b.0).abs() <= reach && (a.1 - b.1).abs() <= reach
                };
                let start = points(parts[0])[0];
                assert!(places.iter().any(|(_, place)| is_near(*place, start, 0.2)), "seed {seed}");
                if tip(arrow).contains("arrived") {
                    let head = points(parts[1])[1];
                    assert!(
                        places.iter().any(|(_, place)| is_near(*place, head, 4.2)),
                        "seed {seed}"
                    );
                }
            }
        }
    }
}

#[test]
fn filters_leave_out_and_say_so() {
    let run = random_run(7, 5, 60);
    let past = run.history.past(EventId(40)).len();
    let shown = |diagram: Diagram<'_>| {
        let svg = diagram.svg();
        let document = parse(&svg);
        let events = of_class(&document, "k-event").len();
        let note = texts(&document).join(" ");
        assert!(note.contains(&format!("Shown are {events} of 60 events")), "{note}");
        events
    };
    assert_eq!(shown(Diagram::new("", &run.history).causal(EventId(40))), past);
    assert_eq!(shown(Diagram::new("", &run.history).first(10)), 10);
    assert_eq!(shown(Diagram::new("", &run.history).last(7)), 7);
    let svg = Diagram::new("", &run.history).from(10).to(30).nodes_only([1, 3]).svg();
    let document = parse(&svg);
    for event in of_class(&document, "k-event") {
        let time: u64 =
            tip(event).split(' ').nth(3).unwrap().trim_end_matches(':').parse().unwrap();
        assert!((10..=30).contains(&time));
    }
    let nodes: Vec<_> = of_class(&document, "k-node").into_iter().map(tip).collect();
    assert_eq!(nodes, ["n1", "n3"]);

    let mut history = History::new(["0", "1", "2"]);
    let sent = history.event(0, 0, EventKind::Step, "");
    let got: Vec<_> = (1..3).map(|node| history.event(1, node, EventKind::Step, "")).collect();
    history.message(sent, 1, Fate::Arrived(got[0]), "M", "m");
    history.message(sent, 2, Fate::Arrived(got[1]), "M", "m");
    let svg = Diagram::new("", &history).nodes_only([0, 1]).svg();
    let notes = texts(&parse(&svg)).join(" ");
    assert!(notes.contains("their other end is: 1."), "{notes}");
    let svg = Diagram::new("", &history).first(1).svg();
    let document = parse(&svg);
    assert_eq!(of_class(&document, "k-open").len(), 3, "two are cut, and one is in the legend");
}

#[test]
fn a_causal_picture_has_the_messages_of_the_past_only() {
    for seed in 0..30 {
        let run = random_run(seed, 4, 30);
        let past = run.history.past(EventId(29));
        let svg = Diagram::new("", &run.history).causal(EventId(29)).svg();
        let document = parse(&svg);
        let arrived = of_class(&document, "k-msg")
            .into_iter()
            .filter(|m| tip(*m).contains("arrived"))
            .count();
        // Every arrival in the past has its sending there too, so all of them are drawn.
        let arrivals: usize = (0..30)
            .filter(|event| past.contains(&EventId(*event)))
            .map(|event| count_arrivals(seed, event))
            .sum();
        assert_eq!(arrived, arrivals, "seed {seed}");
    }
}

/// How many messages arrive at an event of [`random_run`] with four nodes and thirty events.
fn count_arrivals(seed: u64, event: usize) -> usize {
    let all = random_run(seed, 4, event + 1).arrived;
    all - if event == 0 { 0 } else { random_run(seed, 4, event).arrived }
}

#[test]
fn where_nothing_is_drawn_no_bar_is_drawn() {
    let mut history = History::new(["0"]);
    let events: Vec<_> = (0..2).map(|time| history.event(time, 0, EventKind::Step, "")).collect();
    history.span(0, Some(events[0]), Some(events[1]), SpanLook::Holds, "cs", "");
    history.span(0, Some(events[1]), None, SpanLook::Holds, "cs", "");
    let diagram = Diagram::new("", &history).from(5000);
    assert_eq!(diagram.size(), (0, 0));
    assert!(of_class(&parse(&diagram.svg()), "k-span").is_empty());
}

#[test]
fn a_late_part_of_a_past_has_the_bars_that_began_before_it() {
    let mut history = History::new(["0", "1"]);
    let asks: Vec<_> = (0..2).map(|n| history.event(0, n, EventKind::Command, "")).collect();
    history.span(0, Some(asks[0]), None, SpanLook::Waits, "waiting", "");
    history.span(1, Some(asks[1]), None, SpanLook::Waits, "waiting", "");
    let sent = history.event(10, 0, EventKind::Step, "");
    let got = history.event(11, 1, EventKind::Step, "");
    history.message(sent, 1, Fate::Arrived(got), "M", "M");
    let later = history.event(12, 0, EventKind::Step, "");
    history.span(0, Some(later), None, SpanLook::Holds, "cs", "");
    let svg = Diagram::new("", &history).causal(got).from(5).svg();
    let bars: Vec<_> =
        of_class(&parse(&svg), "k-span").into_iter().map(|it| tip(it).to_owned()).collect();
    assert_eq!(bars, ["waiting", "waiting"], "and not what is no part of the past");
}

#[test]
fn the_size_is_that_of_the_picture() {
    for seed in 0..40 {
        let run = random_run(seed, 2 + seed % 6, 60);
        let whole = Diagram::new("", &run.history).width(u32::MAX);
        let all = [
            whole.clone(),
            whole.clone().from(10).to(40),
            whole.clone().first(17),
            whole.clone().nodes_only([0, 1]),
            whole.clone().causal(EventId(50)),
            whole.causal(EventId(50)).last(9),
        ];
        for (case, diagram) in all.into_iter().enumerate() {
            let svg = diagram.svg();
            let document = parse(&svg);
            let drawn = ["k-event", "k-msg"].map(|class| of_class(&document, class).len());
            assert_eq!(<[_; 2]>::from(diagram.size()), drawn, "seed {seed}, case {case}");
        }
    }
}

#[test]
fn spans_go_from_event_to_event() {
    let mut history = History::new(["0"]);
    let events: Vec<_> = (0..6).map(|time| history.event(time, 0, EventKind::Step, "")).collect();
    history.span(0, Some(events[1]), Some(events[3]), SpanLook::Holds, "cs", "");
    history.span(0, Some(events[4]), None, SpanLook::Crashed, "down", "");
    history.span(0, Some(events[2]), Some(events[2]), SpanLook::Waits, "took no time", "");
    let svg = Diagram::new("", &history).svg();
    let document = parse(&svg);
    let places = event_places(&document);
    let bars: Vec<_> = of_class(&document, "k-span")
        .into_iter()
        .map(|span| {
            common::extent(span.children().find(|c| c.has_attribute("width")).unwrap()).unwrap()
        })
        .collect();
    let is_near = |a: f64, b: f64| (a - b).abs() < 0.2;
    assert!(is_near(bars[0][0], places[1].1.0) && is_near(bars[0][2], places[3].1.0));
    assert!(is_near(bars[1][0], places[4].1.0) && bars[1][2] > places[5].1.0);
    let svg = Diagram::new("", &history).from(2).svg();
    let document = parse(&svg);
    assert_eq!(of_class(&document, "k-span").len(), 2, "one that began before is cut, not gone");
}

#[test]
fn a_run_of_many_events_is_drawn_in_a_moment() {
    let run = random_run(1, 30, 20_000);
    let begin = std::time::Instant::now();
    let svg = Diagram::new("", &run.history).width(u32::MAX).svg();
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
    assert_eq!(svg.matches("\"k-msg\"").count(), run.arrived + run.other);
    let svg = Diagram::new("", &run.history).last(200).svg();
    assert!(svg.len() < 250_000, "{}", svg.len());
}

#[test]
fn labels_of_long_runs_do_not_lie_on_each_other() {
    for seed in 0..6 {
        let run = random_run(seed, 3 + 5 * seed, 300);
        let svg = Diagram::new("a long run", &run.history).svg();
        assert!(svg.len() < 400_000, "{}", svg.len());
        let document = parse(&svg);
        let boxes: Vec<_> = elements(&document, "text").into_iter().map(common::text_box).collect();
        for (index, a) in boxes.iter().enumerate() {
            assert!(boxes[..index].iter().all(|b| !common::overlap(*a, *b)), "seed {seed}");
        }
    }
}

/// The heights of the rows' first lines: those of node `n0`.
fn row_tops(document: &roxmltree::Document<'_>) -> Vec<f64> {
    let lines = of_class(document, "k-node").into_iter().filter(|node| tip(*node) == "n0");
    let path = |node: roxmltree::Node<'_, '_>| {
        points(node.children().find(|it| it.tag_name().name() == "path").unwrap())[0].1
    };
    lines.map(path).collect()
}

#[test]
fn a_wide_diagram_is_broken_into_rows_that_lose_nothing() {
    for seed in 0..10 {
        let run = random_run(seed, 5, 120);
        let (mut heights, mut rows) = (Vec::new(), Vec::new());
        for (width, is_proportional) in [(100_000, false), (1500, false), (600, false), (600, true)]
        {
            let diagram = Diagram::new("", &run.history).width(width);
            let diagram = if is_proportional { diagram.proportional() } else { diagram };
            let svg = diagram.svg();
            let document = parse(&svg);
            let (wide, high) = common::size(&document);
            assert!(wide <= f64::from(width), "seed {seed}: {wide} of {width}");
            let places = event_places(&document);
            let numbers: BTreeSet<_> = places.iter().map(|place| place.0).collect();
            assert_eq!((places.len(), numbers.len()), (120, 120), "seed {seed}: each event once");
            // A message has as many pieces as it touches rows; all of them have its tip.
            let tips: Vec<_> = of_class(&document, "k-msg").into_iter().map(tip).collect();
            assert!(tips.len() >= run.arrived + run.other, "seed {seed}");
            let heads = of_class(&document, "k-msg").into_iter().filter(|arrow| {
                let paths = arrow.children().filter(|it| it.tag_name().name() == "path").count();
                tip(*arrow).contains("arrived") && paths == 2
            });
            assert_eq!(heads.count(), run.arrived, "seed {seed}: each arrives in one row");
            let tops = row_tops(&document);
            // Reading order is the order of events.
            let row_of = |y: f64| tops.iter().filter(|top| **top <= y + 0.1).count();
            let in_order: Vec<_> = places.iter().map(|(_, (_, y))| row_of(*y)).collect();
            assert!(in_order.is_sorted(), "seed {seed}: {in_order:?}");
            heights.push(high);
            rows.push(tops.len());
        }
        assert_eq!(rows[0], 1, "seed {seed}");
        assert!(rows[1] > 1 && rows[1] < rows[2], "seed {seed}: {rows:?}");
        assert!(heights[0] < heights[1] && heights[1] < heights[2], "seed {seed}");
    }
}

#[test]
fn an_arrow_goes_on_where_it_left_the_row_before() {
    let mut history = History::new(["n0", "n1"]);
    let sent = history.event(0, 0, EventKind::Step, "");
    for time in 1..60 {
        history.event(time, 0, EventKind::Step, "");
    }
    let arrived = history.event(60, 1, EventKind::Step, "");
    history.message(sent, 1, Fate::Arrived(arrived), "Token", "Token");
    let svg = Diagram::new("", &history).width(900).svg();
    let document = parse(&svg);
    let pieces: Vec<_> = of_class(&document, "k-msg").into_iter().collect();
    let tops = row_tops(&document);
    assert_eq!(pieces.len(), tops.len());
    assert!(tops.len() > 2, "{tops:?}");
    let ways: Vec<_> = pieces
        .iter()
        .map(|piece| points(piece.children().find(|it| it.tag_name().name() == "path").unwrap()))
        .collect();
    for (row, pair) in ways.windows(2).enumerate() {
        let left = pair[0].last().unwrap().1 - tops[row];
        let entered = pair[1][0].1 - tops[row + 1];
        assert!((left - entered).abs() < 3.0, "{left} and {entered}");
    }
}

#[test]
fn of_many_nodes_those_without_events_are_left_out() {
    let picture = |nodes: usize| {
        let mut history = History::new((0..nodes).map(|node| format!("n{node}")));
        let sent = history.event(0, 1, EventKind::Command, "Acquire");
        let arrived = history.event(2, nodes - 1, EventKind::Step, "");
        history.message(sent, nodes - 1, Fate::Arrived(arrived), "Request", "Request");
        for other in 2..nodes - 1 {
            history.message(sent, other, Fate::InFlight, "Request", "Request");
        }
        Diagram::new("", &history).svg()
    };
    let (few, many) = (picture(5), picture(3000));
    let (few, many) = (parse(&few), parse(&many));
    assert_eq!(of_class(&few, "k-node").len(), 5);
    let drawn: Vec<_> = of_class(&many, "k-node").into_iter().map(tip).collect();
    assert_eq!(drawn, ["n1", "n2999"]);
    assert!(common::size(&many).1 < 400.0, "{:?}", common::size(&many));
    let said = texts(&many).join(" ");
    assert!(said.contains("Left out are 2998 of 3000 nodes, which have no events here."), "{said}");
    assert!(said.contains("Messages left out because their other end is: 2997."), "{said}");
}

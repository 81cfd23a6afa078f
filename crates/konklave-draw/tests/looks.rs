//! What looks the same means the same, in all space-time diagrams.

mod common;

use std::collections::BTreeSet;

use common::{elements, event_places, has_class, of_class, parse, points, texts, tip};
use konklave_draw::spacetime::{Diagram, EventKind, Fate, History, SpanLook};

#[test]
fn the_guilty_event_has_the_star() {
    let mut history = History::new(["0", "1"]);
    history.event(3, 0, EventKind::Step, "");
    let guilty = history.event(4, 1, EventKind::Step, "Granted");
    history.event(5, 0, EventKind::Step, "");
    history.number(guilty, 17);
    history.breaks(guilty, "one at a time: two are inside");
    let svg = Diagram::new("", &history).in_steps().svg();
    let document = parse(&svg);
    let texts = texts(&document);
    assert!(texts.contains(&"Broken at step 4: one at a time: two are inside"), "{texts:?}");
    assert!(texts.contains(&"step") && texts.contains(&"broken promise"), "{texts:?}");
    let events = of_class(&document, "k-event");
    let stars: Vec<_> = events
        .iter()
        .map(|event| event.children().filter(|it| has_class(*it, "k-alarm")).count())
        .collect();
    assert_eq!(stars, [0, 1, 0]);
    assert_eq!(tip(events[1]), "step 17: Granted");
    let line = points(of_class(&document, "k-alarm-line")[0]);
    assert!((line[0].0 - event_places(&document)[1].1.0).abs() < 0.2, "through the event");

    let svg = Diagram::new("", &history).numbers().svg();
    let document = parse(&svg);
    assert!(common::texts(&document).contains(&"17"));
    assert!(common::texts(&document).contains(&"time"));
}

#[test]
fn a_kind_has_one_look_in_every_part() {
    let mut history = History::new(["0", "1"]);
    for (time, kind) in ["Request", "Token", "Ack", "Token"].into_iter().enumerate() {
        let sent = history.event(2 * time as u64, 0, EventKind::Step, "");
        let got = history.event(2 * time as u64 + 1, 1, EventKind::Step, "");
        history.message(sent, 1, Fate::Arrived(got), kind, kind);
    }
    let looks = |diagram: Diagram<'_>| -> BTreeSet<(String, String)> {
        let svg = diagram.svg();
        let document = parse(&svg);
        let look = |it: roxmltree::Node<'_, '_>| {
            let way = it.children().find(|child| has_class(*child, "k-thin")).unwrap();
            let kind = tip(it).split(' ').next().unwrap().to_owned();
            (kind, way.attribute("class").unwrap().to_owned())
        };
        of_class(&document, "k-msg").into_iter().map(look).collect()
    };
    let whole = looks(Diagram::new("", &history));
    assert_eq!(whole.len(), 3);
    for time in 0..4 {
        let part = looks(Diagram::new("", &history).from(2 * time).to(2 * time + 1));
        assert!(part.len() == 1 && part.is_subset(&whole), "{part:?}");
    }
    // The chart of kinds has the same colours for the same kinds.
    let chart = konklave_draw::chart::Stacked::new("", ["Ack", "Request", "Token"]);
    let svg = chart.bar("all", [1.0, 1.0, 1.0]).svg();
    let document = parse(&svg);
    let bars = of_class(&document, "k-part").into_iter().map(|part| {
        let class = part.children().find_map(|child| child.attribute("class")).unwrap();
        class.replace("k-f", "k-l").split(' ').next().unwrap().to_owned()
    });
    let arrows = whole.iter().map(|(_, class)| class.split(' ').next().unwrap().to_owned());
    assert_eq!(bars.collect::<Vec<_>>(), arrows.collect::<Vec<_>>());
}

#[test]
fn waiting_looks_the_same_whether_or_not_anything_is_held() {
    let class = |holds: bool| {
        let mut history = History::new(["0"]);
        let events: Vec<_> = (0..3).map(|t| history.event(t, 0, EventKind::Step, "")).collect();
        if holds {
            history.span(0, Some(events[1]), None, SpanLook::Holds, "critical section", "");
        }
        history.span(0, Some(events[0]), Some(events[1]), SpanLook::Waits, "waiting", "");
        let svg = Diagram::new("", &history).svg();
        let document = parse(&svg);
        let spans = of_class(&document, "k-span");
        let waiting = spans.into_iter().find(|span| tip(*span) == "waiting").unwrap();
        let bar = waiting.children().find(|child| child.has_attribute("width")).unwrap();
        bar.attribute("class").unwrap().to_owned()
    };
    assert_eq!(class(false), class(true));
}

#[test]
fn arrows_say_as_much_as_there_is_room_for() {
    let exchange = |pairs: u64, label: &str| {
        let mut history = History::new(["0", "1"]);
        for time in 0..pairs {
            let sent = history.event(2 * time, 0, EventKind::Step, "");
            let got = history.event(2 * time + 1, 1, EventKind::Step, "");
            let kind = if time == 0 { "Rare" } else { "Wave.Explore" };
            history.message(sent, 1, Fate::Arrived(got), kind, "all of it");
            history.label(label);
        }
        history
    };
    let shown = |history: &History| {
        let svg = Diagram::new("", history).svg();
        let texts: Vec<_> = texts(&parse(&svg)).into_iter().map(str::to_owned).collect();
        move |text: &str| texts.iter().filter(|it| *it == text).count()
    };
    assert_eq!(shown(&exchange(9, "Ack(3)"))("Ack(3)"), 9);
    let long = "Explore(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)";
    let count = shown(&exchange(4, long));
    assert_eq!((count(long), count("Explore"), count("Rare")), (0, 3, 2), "else its last word");
    let count = shown(&exchange(200, ""));
    assert_eq!(
        (count("Explore"), count("Wave.Explore"), count("Rare")),
        (0, 1, 2),
        "in the legend"
    );
}

#[test]
fn what_is_under_way_goes_to_the_border_on_the_receivers_line() {
    let mut history = History::new(["0", "1", "2"]);
    let sent = history.event(0, 0, EventKind::Step, "");
    history.message(sent, 2, Fate::InFlight, "K", "K");
    for time in 1..20 {
        history.event(time, 1, EventKind::Step, "");
    }
    let svg = Diagram::new("", &history).svg();
    let document = parse(&svg);
    let lines: Vec<_> = of_class(&document, "k-node")
        .into_iter()
        .map(|node| points(node.children().find(|child| has_class(*child, "k-axis")).unwrap())[1])
        .collect();
    let way = of_class(&document, "k-msg")[0].children().find(|it| has_class(*it, "k-open"));
    assert_eq!(points(way.unwrap())[1], lines[2]);
}

#[test]
fn fates_can_be_told_apart() {
    let mut history = History::new(["a", "b"]);
    let sent = history.event(0, 0, EventKind::Step, "");
    let missed = history.event(4, 1, EventKind::Missed, "");
    history.message(sent, 1, Fate::Missed(missed), "K", "K(1)");
    history.message(sent, 1, Fate::Lost, "K", "K(2)");
    history.message(sent, 1, Fate::InFlight, "K", "K(3)");
    let got = history.event(5, 1, EventKind::Step, "");
    history.forged(0, got, "K", "K(4)");
    let svg = Diagram::new("", &history).svg();
    let document = parse(&svg);
    let messages = of_class(&document, "k-msg");
    let tips: Vec<_> = messages.iter().map(|message| tip(*message)).collect();
    assert_eq!(
        tips,
        [
            "K(1) from a to b, sent at 0, missed at 4 by a node that was down",
            "K(2) from a to b, sent at 0, lost",
            "K(3) from a to b, sent at 0, still in transit at the end",
            "K(4) from a to b, forged: no node sent it, arrived at 5",
        ]
    );
    let has = |message: usize, class: &str| {
        messages[message].children().filter(|child| has_class(*child, class)).count()
    };
    assert_eq!([has(0, "k-bold"), has(1, "k-bold")], [2, 2], "crosses have two strokes");
    assert_eq!(has(2, "k-open"), 1, "a message in transit has no end");
    assert_eq!(has(3, "k-f0"), 1, "what arrives has a head");
}

#[test]
fn a_broken_promise_is_told_in_full_and_in_red() {
    let promise = "mutual exclusion: nodes 1 and 2 are inside together, though nobody may be";
    let mut history = History::new(["0", "1", "2"]);
    let inside = history.event(3, 1, EventKind::Step, "");
    history.span(1, Some(inside), None, SpanLook::Holds, "critical section", "");
    history.event(17, 2, EventKind::Violation, promise);
    let svg = Diagram::new("", &history).svg();
    let document = parse(&svg);
    let red = elements(&document, "text").into_iter().filter(|text| has_class(*text, "k-alarm"));
    let told: Vec<_> = red.filter_map(|text| text.text()).collect();
    assert_eq!(told.join(" "), format!("Broken at time 17: {promise}"));
    assert_eq!(of_class(&document, "k-alarm-line").len(), 1);
    assert!(texts(&document).contains(&"critical section"), "the legend names it");
}

#[test]
fn a_duplicate_is_drawn_as_two_lines_and_named() {
    let mut history = History::new(["0", "1"]);
    let sent = history.event(0, 0, EventKind::Step, "");
    let first = history.event(2, 1, EventKind::Step, "");
    let second = history.event(5, 1, EventKind::Step, "");
    history.message(sent, 1, Fate::Arrived(first), "Token", "Token");
    let once = Diagram::new("", &history).svg();
    history.message(sent, 1, Fate::Arrived(second), "Token", "Token");
    history.duplicate();
    let twice = Diagram::new("", &history).svg();
    let (once, twice) = (parse(&once), parse(&twice));
    assert!(of_class(&once, "k-core").is_empty() && !texts(&once).contains(&"duplicate"));
    let tips: Vec<_> = of_class(&twice, "k-msg").into_iter().map(tip).collect();
    let expected = [
        "Token from 0 to 1, sent at 0, arrived at 2",
        "duplicate of Token from 0 to 1, sent at 0, arrived at 5",
    ];
    assert_eq!(tips, expected);
    // The arrow itself, and its sample in the legend.
    assert_eq!(of_class(&twice, "k-core").len(), 2);
    assert!(texts(&twice).contains(&"duplicate"));
}

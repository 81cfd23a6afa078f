//! What holds for every picture, tried on all of the gallery.

mod common;

#[path = "../examples/gallery/charts.rs"]
mod charts;
#[path = "../examples/gallery/networks.rs"]
mod networks;
#[path = "../examples/gallery/runs.rs"]
mod runs;

use common::{elements, extent, overlap, parse, size, text_box};

fn gallery() -> Vec<(&'static str, String)> {
    [charts::all(), runs::all(), networks::all()].concat()
}

fn pictures() -> Vec<(&'static str, String)> {
    let pictures: Vec<_> =
        gallery().into_iter().filter(|(name, _)| name.ends_with(".svg")).collect();
    assert!(pictures.len() > 25);
    pictures
}

#[test]
fn the_same_data_give_the_same_bytes() {
    assert_eq!(gallery(), gallery());
}

#[test]
fn pictures_tell_those_who_cannot_see_them_what_they_are() {
    for (name, svg) in pictures() {
        let document = parse(&svg);
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"), "{name}");
        let children: Vec<_> = root.children().filter(|child| child.is_element()).collect();
        for (place, tag) in ["title", "desc"].into_iter().enumerate() {
            assert_eq!(children[place].tag_name().name(), tag, "{name}");
            assert!(children[place].text().is_some_and(|text| text.len() > 3), "{name}");
        }
    }
}

#[test]
fn pictures_need_nothing_else_and_disturb_nothing_else() {
    for (name, svg) in pictures() {
        for foreign in ["href", "url(", "@import", "<script", "<image", "<foreignObject"] {
            assert!(!svg.contains(foreign), "{name} has {foreign}");
        }
        assert_eq!(svg.matches("http").count(), 1, "{name} names more than the namespace");
        let document = parse(&svg);
        assert!(document.descendants().all(|node| node.attribute("id").is_none()), "{name}");
        let sheet = elements(&document, "style")[0].text().unwrap();
        assert!(sheet.contains("prefers-color-scheme:dark"), "{name}");
    }
}

#[test]
fn every_class_that_has_a_look_is_in_the_sheet() {
    // These mark groups, for readers of the file and for tests.
    let groups = [
        "k-legend",
        "k-tip",
        "k-row",
        "k-point",
        "k-formula",
        "k-band",
        "k-part",
        "k-sample",
        "k-bin",
        "k-bar",
        "k-shares",
        "k-msg",
        "k-partition",
        "k-node",
        "k-span",
        "k-event",
        "k-link",
        "k-group",
    ];
    for (name, svg) in pictures() {
        let document = parse(&svg);
        let sheet = elements(&document, "style")[0].text().unwrap();
        for node in document.root_element().descendants().skip(1) {
            let classes = node.attribute("class").unwrap_or_default().split_whitespace();
            for class in classes.filter(|class| !groups.contains(class)) {
                let is_ruled =
                    sheet.contains(&format!(".{class}{{")) || sheet.contains(&format!(".{class},"));
                assert!(is_ruled, "{name}: nothing is said about {class}");
            }
        }
    }
}

#[test]
fn nothing_sticks_out() {
    for (name, svg) in pictures() {
        let document = parse(&svg);
        let (width, height) = size(&document);
        for node in document.descendants() {
            if let Some([left, top, right, bottom]) = extent(node) {
                let is_inside = left >= -0.5 && top >= -0.5;
                let is_inside = is_inside && right <= width + 0.5 && bottom <= height + 0.5;
                assert!(is_inside, "{name}: {node:?} {:?}", node.text());
            }
        }
    }
}

#[test]
fn no_text_lies_on_another() {
    for (name, svg) in pictures() {
        let document = parse(&svg);
        let texts = elements(&document, "text");
        for (index, a) in texts.iter().enumerate() {
            for b in &texts[..index] {
                let (first, second) = (a.text().unwrap(), b.text().unwrap());
                let is_overlap = overlap(text_box(*a), text_box(*b));
                assert!(!is_overlap, "{name}: '{first}' lies on '{second}'");
            }
        }
    }
}

#[test]
fn pictures_are_small() {
    for (name, svg) in pictures() {
        assert!(svg.len() < 150_000, "{name} has {} bytes", svg.len());
    }
}

#[test]
fn text_from_outside_is_never_markup() {
    let evil = "<b onload=\"x\">&amp;'\u{0}]]>";
    let plot = konklave_draw::chart::Plot::new(evil)
        .x(evil, konklave_draw::Axis::Auto)
        .y(evil, konklave_draw::Axis::Auto)
        .measured(evil, [konklave_draw::chart::Point::new(1.0, 2.0)])
        .note(evil);
    let mut history = konklave_draw::spacetime::History::new([evil, evil]);
    let kind = konklave_draw::spacetime::EventKind::Violation;
    let sent = history.event(0, 0, kind, evil);
    history.message(sent, 1, konklave_draw::spacetime::Fate::InFlight, evil, evil);
    history.shade(None, None, evil);
    history.span(0, None, None, konklave_draw::spacetime::SpanLook::Holds, evil, evil);
    let diagram = konklave_draw::spacetime::Diagram::new(evil, &history);
    let layout = konklave_draw::network::Layout::Circle;
    let network = konklave_draw::network::Network::new(evil, 2, layout)
        .labels([evil, evil])
        .edges(evil, [(0, 1)])
        .role(evil, konklave_draw::network::RoleLook::Holds, [0])
        .group(evil, [0, 1]);
    for svg in [plot.svg(), diagram.svg(), network.svg()] {
        let document = parse(&svg);
        assert!(document.descendants().all(|node| node.tag_name().name() != "b"));
        let shown = evil.replace('\u{0}', "\u{fffd}");
        assert_eq!(elements(&document, "title")[0].text(), Some(shown.as_str()));
    }
}

//! Reads pictures back, with an XML parser that knows nothing about how they were written.
#![allow(dead_code, reason = "not every test file needs everything")]

use roxmltree::{Document, Node};

/// A rectangle: left, top, right, bottom.
pub(crate) type Box4 = [f64; 4];

/// The document, if it is one.
pub(crate) fn parse(svg: &str) -> Document<'_> {
    Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"))
}

/// All elements with this name.
pub(crate) fn elements<'a>(document: &'a Document<'_>, name: &'a str) -> Vec<Node<'a, 'a>> {
    document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
        .collect()
}

/// All elements with this class.
pub(crate) fn of_class<'a>(document: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| has_class(*node, class)).collect()
}

pub(crate) fn has_class(node: Node<'_, '_>, class: &str) -> bool {
    node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
}

/// A number among the attributes.
pub(crate) fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap_or("0").parse().unwrap()
}

/// The width and height of the picture.
pub(crate) fn size(document: &Document<'_>) -> (f64, f64) {
    let root = document.root_element();
    let view: Vec<f64> =
        root.attribute("viewBox").unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
    assert_eq!(view[..2], [0.0, 0.0]);
    assert_eq!((number(root, "width"), number(root, "height")), (view[2], view[3]));
    (view[2], view[3])
}

/// All text in the picture, but for tips.
pub(crate) fn texts<'a>(document: &'a Document<'_>) -> Vec<&'a str> {
    elements(document, "text").into_iter().filter_map(|node| node.text()).collect()
}

/// The tip of an element: the text of its `title`.
pub(crate) fn tip<'a>(node: Node<'a, 'a>) -> &'a str {
    let title = node.children().find(|child| child.tag_name().name() == "title");
    title.and_then(|title| title.text()).unwrap_or_default()
}

/// Where each drawn event is, by its number.
pub(crate) fn event_places(document: &Document<'_>) -> Vec<(usize, (f64, f64))> {
    let place = |event: &Node<'_, '_>| {
        let own = tip(*event).split([' ', ':']).nth(1).unwrap().parse().unwrap();
        let dot = event.last_element_child().unwrap();
        (own, (number(dot, "cx"), number(dot, "cy")))
    };
    of_class(document, "k-event").iter().map(place).collect()
}

/// The points of a path, control points included.
pub(crate) fn points(path: Node<'_, '_>) -> Vec<(f64, f64)> {
    let data = path.attribute("d").unwrap();
    let numbers: Vec<f64> = data
        .split(|character: char| character.is_ascii_alphabetic() || character == ' ')
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap_or_else(|_| panic!("'{part}' in '{data}'")))
        .collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// What a text covers, by the number of its characters: half the font's size and a
/// little more for each.
pub(crate) fn text_box(node: Node<'_, '_>) -> Box4 {
    let class = node.attribute("class").unwrap();
    let size = class.split(' ').find_map(|class| class.strip_prefix("k-s")?.parse::<f64>().ok());
    let size = size.unwrap_or_else(|| panic!("'{class}' names no size"));
    let width = node.text().unwrap_or_default().chars().count() as f64 * size * 0.56;
    let (x, y) = (number(node, "x"), number(node, "y"));
    let left = match node.attribute("text-anchor") {
        None => x,
        Some("middle") => x - width / 2.0,
        Some(_) => x - width,
    };
    [left, y - 0.75 * size, left + width, y + 0.15 * size]
}

/// What any drawn element covers; nothing for groups and the like.
pub(crate) fn extent(node: Node<'_, '_>) -> Option<Box4> {
    match node.tag_name().name() {
        "text" => Some(text_box(node)),
        "rect" => {
            let (x, y) = (number(node, "x"), number(node, "y"));
            let (width, height) = (number(node, "width"), number(node, "height"));
            assert!(width >= 0.0 && height >= 0.0, "{node:?}");
            Some([x, y, x + width, y + height])
        }
        "circle" => {
            let (x, y, r) = (number(node, "cx"), number(node, "cy"), number(node, "r"));
            Some([x - r, y - r, x + r, y + r])
        }
        "path" => {
            let points = points(node);
            let bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
            Some(
                points.iter().fold(bounds, |b, p| {
                    [b[0].min(p.0), b[1].min(p.1), b[2].max(p.0), b[3].max(p.1)]
                }),
            )
        }
        _ => None,
    }
}

pub(crate) fn overlap(a: Box4, b: Box4) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Numbers that look random and depend on the seed only.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

//! Formations: networks that nodes form by knowing each other, as they are and as they should be.
//!
//! ```
//! use konklave_draw::formation::{Formation, Tie};
//!
//! let ring = Formation::new("A ring that is not closed yet", [0.1, 0.3, 0.6, 0.9])
//!     .ties(Tie::Legal, [(0, 1), (1, 2), (2, 3)])
//!     .ties(Tie::Surplus, [(1, 3)])
//!     .ties(Tie::Missing, [(3, 0)]);
//! assert!(ring.svg().contains("missing"));
//! ```

use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::places::Room;
use crate::style::Look;
use crate::svg::{Anchor, Canvas, Font, Px};
use crate::text::Area;

/// What a connection of two nodes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// It is there, and should be.
    Legal,
    /// It is there, and should not be.
    Surplus,
    /// It should be there, and is not.
    Missing,
}

impl Tie {
    const ALL: [Self; 3] = [Self::Legal, Self::Surplus, Self::Missing];

    fn name(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Surplus => "surplus",
            Self::Missing => "missing",
        }
    }

    /// Solid; dashed and fading; dotted in the colour of alarms.
    fn class(self) -> String {
        match self {
            Self::Legal => Look(0).line(),
            Self::Surplus => "k-edge k-d1 k-open".to_owned(),
            Self::Missing => "k-alarm-line k-d2".to_owned(),
        }
    }
}

/// A picture of such a network.
#[derive(Clone, Debug)]
pub struct Formation {
    title: String,
    /// Where each node is on the circle, from 0 to 1.
    places: Vec<f64>,
    labels: Vec<String>,
    ties: Vec<(Tie, Vec<(usize, usize)>)>,
    notes: Vec<String>,
}

/// The nodes of a level that know each other, in their order, and what each is to the next.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The name of the list.
    pub name: String,
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// What connects each of them with the next.
    pub ties: Vec<Tie>,
}

/// The radius of a node.
const NODE: f64 = 5.0;

impl Formation {
    /// Nodes at these places on a circle, from 0 to 1, labelled with their numbers.
    pub fn new(title: impl Into<String>, places: impl IntoIterator<Item = f64>) -> Self {
        let places: Vec<_> = places.into_iter().collect();
        let labels = (0..places.len()).map(|node| node.to_string()).collect();
        Self { title: title.into(), places, labels, ties: Vec::new(), notes: Vec::new() }
    }

    /// Labels the nodes otherwise. Those for which there is no label keep their numbers.
    pub fn labels<L: Into<String>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        for (label, given) in self.labels.iter_mut().zip(labels) {
            *label = given.into();
        }
        self
    }

    /// Adds connections. What connects nodes that do not exist is left out.
    pub fn ties(mut self, tie: Tie, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let nodes = self.places.len();
        let pairs = pairs.into_iter().filter(|(a, b)| *a < nodes && *b < nodes).collect();
        self.ties.push((tie, pairs));
        self
    }

    /// Adds a sentence below the picture.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The nodes on a circle, and their connections across it.
    pub fn svg(&self) -> String {
        let radius = (self.places.len() as f64 * 3.2).clamp(110.0, 320.0);
        let mut page = Page::new(&self.title, 2.0 * (radius + 34.0 + MARGIN));
        let middle = (page.width / 2.0, page.y + radius + 30.0);
        page.y += 2.0 * (radius + 30.0);
        let at = |node: usize, radius: f64| {
            let angle = 2.0 * std::f64::consts::PI * self.places[node];
            (middle.0 + radius * libm::sin(angle), middle.1 - radius * libm::cos(angle))
        };
        page.canvas.circle("k-guide", middle, radius);
        for tie in [Tie::Surplus, Tie::Legal, Tie::Missing] {
            for &(a, b) in self.pairs(tie) {
                let tip = format!("{}: {} and {}", tie.name(), self.labels[a], self.labels[b]);
                page.canvas.open("k-link", &tip);
                bow(&mut page.canvas, &tie.class(), at(a, radius), at(b, radius), middle);
                page.canvas.close();
            }
        }
        let mut room = Room::new(Area::new(2.0, 2.0, page.width - 2.0, page.y));
        let places = (0..self.places.len()).map(|node| at(node, radius));
        for (place, label) in places.zip(&self.labels) {
            page.canvas.open("k-node", label);
            page.canvas.circle("k-hollow k-thin", place, NODE);
            page.canvas.close();
            room.take(Area::around(place, NODE));
        }
        let font = Font { size: 9, class: "k-ink k-halo" };
        let mut hidden = 0;
        for (node, label) in self.labels.iter().enumerate() {
            let lower = |(x, y): (f64, f64)| (x, y + 3.0);
            let beside = [16.0, 24.0].map(|more| lower(at(node, radius + more)));
            match room.place(label, font, beside) {
                Some(place) => page.canvas.text(font, Anchor::Middle, place, label),
                None => hidden += 1,
            }
        }
        let mut notes = self.notes.clone();
        if hidden > 0 {
            notes.push(crate::text::without_label(hidden));
        }
        page.finish(&self.legend(), &notes, &self.describe())
    }

    /// The lists of each level, one row a level, the first at the bottom. All rows have the same
    /// columns: the nodes in the order of their places.
    pub fn levels(&self, levels: &[Vec<List>]) -> String {
        const ROW: f64 = 54.0;
        const NAME: f64 = 60.0;
        let column = (1100.0 / self.places.len().max(1) as f64).clamp(9.0, 42.0);
        let width = NAME + column * self.places.len() as f64 + 2.0 * MARGIN;
        let mut page = Page::new(&self.title, width.max(300.0));
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|&a, &b| self.places[a].total_cmp(&self.places[b]));
        let mut columns = vec![0.0; order.len()];
        for (rank, &node) in order.iter().enumerate() {
            columns[node] = MARGIN + NAME + column * (rank as f64 + 0.5);
        }
        let font = Font { size: 9, class: "k-ink" };
        let top = page.y + 12.0;
        for (level, lists) in levels.iter().enumerate() {
            let y = top + ROW * (levels.len() - 1 - level) as f64 + ROW / 2.0;
            let name = format!("level {level}");
            page.canvas.text(Font::TICK, Anchor::Start, (MARGIN, y + 4.0), &name);
            for (place, list) in lists.iter().enumerate() {
                // Lists of a level lie side by side in columns: a little apart in height, too.
                let y = y + lane(place, lists.len()) * (ROW - 22.0);
                page.canvas.open("k-link", &list.name);
                for (pair, tie) in list.nodes.windows(2).zip(&list.ties) {
                    let [from, to] = [pair[0], pair[1]].map(|node| (columns[node], y));
                    page.canvas.line(&tie.class(), from, to);
                }
                page.canvas.close();
                for &node in &list.nodes {
                    page.canvas.open("k-node", &format!("{}, {}", self.labels[node], list.name));
                    page.canvas.circle(
                        "k-hollow k-thin",
                        (columns[node], y),
                        NODE.min(column / 3.0),
                    );
                    page.canvas.close();
                }
            }
        }
        page.y = top + ROW * levels.len() as f64;
        let is_legible = column >= 14.0;
        for (node, label) in self.labels.iter().enumerate().filter(|_| is_legible) {
            page.canvas.text(font, Anchor::Middle, (columns[node], page.y + 8.0), label);
        }
        page.y += 14.0;
        let shown = Self { ties: legend_of(levels), ..self.clone() };
        let desc = format!("{} levels of lists of {} nodes.", levels.len(), self.places.len());
        page.finish(&shown.legend(), &self.notes, &desc)
    }

    fn pairs(&self, tie: Tie) -> impl Iterator<Item = &(usize, usize)> {
        self.ties.iter().filter(move |(other, _)| *other == tie).flat_map(|(_, pairs)| pairs)
    }

    /// The kinds of connections that there are.
    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        for tie in Tie::ALL {
            let count = self.pairs(tie).count();
            if count > 0 {
                legend.add(&format!("{}: {count}", tie.name()), move |canvas, x, y| {
                    canvas.line(&tie.class(), (x, y), (x + SAMPLE, y));
                });
            }
        }
        legend
    }

    fn describe(&self) -> String {
        let counts = Tie::ALL.map(|tie| format!("{} {}", self.pairs(tie).count(), tie.name()));
        let nodes = self.places.len();
        format!("A network of {nodes} nodes, with connections: {}.", counts.join(", "))
    }
}

/// The connections of all levels, for the legend.
fn legend_of(levels: &[Vec<List>]) -> Vec<(Tie, Vec<(usize, usize)>)> {
    let lists = levels.iter().flatten();
    let pairs = lists.flat_map(|list| list.nodes.windows(2).zip(&list.ties));
    pairs.map(|(pair, tie)| (*tie, vec![(pair[0], pair[1])])).collect()
}

/// How high the nth of several lists lies in its row: from -1/2 to 1/2.
fn lane(place: usize, lists: usize) -> f64 {
    match lists {
        0 | 1 => 0.0,
        lists => place as f64 / (lists - 1) as f64 - 0.5,
    }
}

/// A curve that bends towards the middle, the more the farther its ends are apart: so it does not
/// hide the nodes between them.
fn bow(
    canvas: &mut Canvas,
    class: &str,
    (x1, y1): (f64, f64),
    (x2, y2): (f64, f64),
    (mx, my): (f64, f64),
) {
    let pull = |from: f64, to: f64, middle: f64| {
        let half = (from + to) / 2.0;
        half + 0.35 * (middle - half)
    };
    let (cx, cy) = (Px(pull(x1, x2, mx)), Px(pull(y1, y2, my)));
    let (x1, y1, x2, y2) = (Px(x1), Px(y1), Px(x2), Px(y2));
    canvas.put(format_args!(
        r#"<path class="{class}" fill="none" d="M{x1} {y1}Q{cx} {cy} {x2} {y2}"/>"#
    ));
}

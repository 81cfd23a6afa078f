use super::edges::{self, Class, Curve, MANY, Router};
use super::hull;
use super::layout::{self, Layout};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::places::Room;
use crate::style::{self, Look, formula_dash};
use crate::svg::{Anchor, Canvas, Font, route};
use crate::text::{self, Area};

/// More nodes than this are not drawn.
const NODES: usize = 2000;
/// More groups than this have no outline, only their names and members below the picture.
const OUTLINES: usize = 5;
/// More groups than this are not even named.
const GROUPS: usize = 40;

/// A picture of a network and of what its nodes are.
#[derive(Clone, Debug)]
pub struct Network {
    title: String,
    labels: Vec<String>,
    layout: Layout,
    classes: Vec<Class>,
    roles: Vec<Role>,
    groups: Vec<(String, Vec<usize>)>,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Role {
    name: String,
    nodes: Vec<usize>,
    is_crashed: bool,
}

impl Network {
    /// Nodes without edges, labelled with their numbers.
    pub fn new(title: impl Into<String>, nodes: usize, layout: Layout) -> Self {
        let labels = (0..nodes).map(|node| node.to_string()).collect();
        let (classes, roles, groups, notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { title: title.into(), labels, layout, classes, roles, groups, notes }
    }

    /// Labels the nodes otherwise. Those for which there is no label keep their numbers.
    pub fn labels<L: Into<String>>(mut self, labels: impl IntoIterator<Item = L>) -> Self {
        for (label, given) in self.labels.iter_mut().zip(labels) {
            *label = given.into();
        }
        self
    }

    /// Adds a class of edges. The first class is thin and grey, others stand out. What joins nodes
    /// that do not exist is left out.
    pub fn edges(
        self,
        name: impl Into<String>,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        self.class(name.into(), false, pairs)
    }

    /// Adds a class of edges with a direction, from the first to the second of each pair.
    pub fn arcs(
        self,
        name: impl Into<String>,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        self.class(name.into(), true, pairs)
    }

    fn class(
        mut self,
        name: String,
        is_directed: bool,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let nodes = self.labels.len();
        let pairs = pairs.into_iter().filter(|(a, b)| *a < nodes && *b < nodes).collect();
        self.classes.push(Class { name, is_directed, pairs });
        self
    }

    /// Gives nodes a colour and a shape. A node with several roles has the look of the last one,
    /// and tells all of them to who points at it.
    pub fn role(mut self, name: impl Into<String>, nodes: impl IntoIterator<Item = usize>) -> Self {
        let nodes = nodes.into_iter().collect();
        self.roles.push(Role { name: name.into(), nodes, is_crashed: false });
        self
    }

    /// Strikes nodes out, in grey: they are crashed, or otherwise gone.
    pub fn crashed(
        mut self,
        name: impl Into<String>,
        nodes: impl IntoIterator<Item = usize>,
    ) -> Self {
        let nodes = nodes.into_iter().collect();
        self.roles.push(Role { name: name.into(), nodes, is_crashed: true });
        self
    }

    /// Adds a group of nodes, such as a quorum. Few groups are outlined; all are listed.
    pub fn group(
        mut self,
        name: impl Into<String>,
        nodes: impl IntoIterator<Item = usize>,
    ) -> Self {
        let nodes = nodes.into_iter().filter(|node| *node < self.labels.len()).collect();
        self.groups.push((name.into(), nodes));
        self
    }

    /// Adds a sentence below the picture.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The network as an SVG picture.
    pub fn svg(&self) -> String {
        let nodes = self.labels.len();
        let mut notes = self.notes.clone();
        if nodes > NODES {
            notes.push(format!("{nodes} nodes are too many to be drawn: {NODES} are the limit."));
            return Page::new(&self.title, 480.0).finish(&self.legend(), &notes, &self.describe());
        }
        for class in self.classes.iter().filter(|class| class.pairs.len() > MANY) {
            let (name, edges) = (&class.name, class.pairs.len());
            notes.push(format!("{name}: {edges} edges are too many to be drawn."));
        }
        let pairs: Vec<_> = self.classes.iter().map(|class| class.pairs.clone()).collect();
        let places = layout::places(self.layout, nodes, &pairs);
        let radius = radius(&places);
        let (mut page, places) = self.page(places, radius);
        self.draw_outlines(&mut page.canvas, &places, radius);
        let curves = self.curves(&places, radius);
        for (n, class) in self.classes.iter().enumerate() {
            edges::draw(&mut page.canvas, n, class, &curves[n], &self.labels, radius);
        }
        let lines = curves.iter().flatten().flat_map(Curve::lines);
        let mut room = Room::new(Area::new(4.0, MARGIN + 20.0, page.width - 4.0, page.y));
        room.avoid(lines);
        self.draw_nodes(&mut page.canvas, &mut room, &places, radius);
        let hidden = self.draw_labels(&mut page.canvas, &mut room, &places, radius);
        if hidden > 0 {
            notes.push(format!("Nodes without room for a label, to be pointed at: {hidden}."));
        }
        if self.groups.len() > GROUPS {
            let rest = self.groups.len() - GROUPS;
            notes.push(format!("Groups that are not listed: {rest}."));
        }
        page.finish(&self.legend(), &notes, &self.describe())
    }

    /// The lines of all classes; none of those that have too many.
    fn curves(&self, places: &[(f64, f64)], radius: f64) -> Vec<Vec<Curve>> {
        let mut router = Router::new(places, radius);
        let route = |(n, class): (usize, &Class)| match class.pairs.len() {
            0..=MANY => router.route(n, class),
            _ => Vec::new(),
        };
        self.classes.iter().enumerate().map(route).collect()
    }

    /// A page with room for everything, and the places on it.
    fn page(&self, places: Vec<(f64, f64)>, radius: f64) -> (Page, Vec<(f64, f64)>) {
        let curves = self.curves(&places, radius);
        let points = curves.iter().flatten().flat_map(Curve::points).chain(places.iter().copied());
        let (mut low, mut high) = ((0.0_f64, 0.0_f64), (0.0_f64, 0.0_f64));
        for (x, y) in points {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        let border = radius + 16.0 + 4.0 * self.groups.len().min(OUTLINES) as f64;
        let (width, height) = (high.0 - low.0, high.1 - low.1);
        let mut page = Page::new(&self.title, (width + 2.0 * (border + MARGIN)).max(420.0));
        let (left, top) = ((page.width - width) / 2.0 - low.0, page.y + border + 4.0 - low.1);
        page.y += height + 2.0 * border + 4.0;
        (page, places.into_iter().map(|(x, y)| (x + left, y + top)).collect())
    }

    fn draw_outlines(&self, canvas: &mut Canvas, places: &[(f64, f64)], radius: f64) {
        if self.groups.len() > OUTLINES {
            return;
        }
        for (n, (name, nodes)) in self.groups.iter().enumerate() {
            let members: Vec<_> = nodes.iter().map(|node| places[*node]).collect();
            let outline = hull::outline(&members, radius + 6.0 + 4.0 * n as f64);
            if !outline.is_empty() {
                canvas.open("k-group", name);
                let data = route(&outline);
                canvas.put(format_args!(r#"<path class="{}" d="{data}Z"/>"#, outline_class(n)));
                canvas.close();
            }
        }
    }

    fn draw_nodes(&self, canvas: &mut Canvas, room: &mut Room, places: &[(f64, f64)], radius: f64) {
        for (node, &place) in places.iter().enumerate() {
            let has_role = |role: &&Role| role.nodes.contains(&node);
            let roles = self.roles.iter().filter(has_role).map(|role| role.name.as_str());
            let roles: Vec<_> = roles.collect();
            let tip = format!("{}: {}", self.labels[node], roles.join(", "));
            canvas.open("k-node", tip.trim_end_matches(": "));
            draw_node(canvas, self.role_of(node), place, radius);
            canvas.close();
            room.take(Area::around(place, radius));
        }
    }

    /// The last role of a node, with its number.
    fn role_of(&self, node: usize) -> Option<(usize, &Role)> {
        self.roles.iter().enumerate().rfind(|(_, role)| role.nodes.contains(&node))
    }

    /// Writes labels into nodes, or else beside them, and returns how many found no room.
    fn draw_labels(
        &self,
        canvas: &mut Canvas,
        room: &mut Room,
        places: &[(f64, f64)],
        radius: f64,
    ) -> usize {
        let mut hidden = 0;
        for (node, &place) in places.iter().enumerate() {
            let is_crashed = self.role_of(node).is_some_and(|(_, role)| role.is_crashed);
            let label = &self.labels[node];
            if !(!is_crashed && draw_label_inside(canvas, label, place, radius)
                || draw_label_beside(canvas, room, label, place, radius))
            {
                hidden += 1;
            }
        }
        hidden
    }

    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        for (index, role) in self.roles.iter().enumerate() {
            let sample = role.clone();
            legend.add(&role.name, move |canvas, x, y| {
                draw_node(canvas, Some((index, &sample)), (x + SAMPLE / 2.0, y), 6.5);
            });
        }
        for (n, class) in self.classes.iter().enumerate() {
            let is_directed = class.is_directed;
            legend.add(&class.name, move |canvas, x, y| {
                edges::draw_sample(canvas, n, is_directed, (x, y), (x + SAMPLE, y));
            });
        }
        let has_outlines = self.groups.len() <= OUTLINES && self.labels.len() <= NODES;
        for (n, (name, nodes)) in self.groups.iter().enumerate().take(GROUPS) {
            let members: Vec<_> = nodes.iter().map(|&node| self.labels[node].as_str()).collect();
            legend.add(&format!("{name}: {}", members.join(", ")), move |canvas, x, y| {
                let corners =
                    [(x, y - 5.0), (x + SAMPLE, y - 5.0), (x + SAMPLE, y + 5.0), (x, y + 5.0)];
                if has_outlines {
                    let (class, data) = (outline_class(n), route(&corners));
                    canvas.put(format_args!(r#"<path class="{class}" d="{data}Z"/>"#));
                }
            });
        }
        legend
    }

    fn describe(&self) -> String {
        let edges: usize = self.classes.iter().map(|class| class.pairs.len()).sum();
        let mut text = format!("A network of {} nodes and {edges} edges.", self.labels.len());
        for role in &self.roles {
            let nodes: Vec<_> = role.nodes.iter().take(20).map(usize::to_string).collect();
            let more = if role.nodes.len() > 20 { ", ..." } else { "" };
            text.push_str(&format!(" {}: {}{more}.", role.name, nodes.join(", ")));
        }
        text
    }
}

/// Roles begin with a colour that no class of edges has among few.
fn role_look(role: usize) -> Look {
    Look([4, 2, 3, 5, 1, 7, 0, 6][role % 8])
}

fn outline_class(n: usize) -> String {
    let look = Look(n + 1);
    format!("{} {} k-outline {}", look.tint(), look.line(), formula_dash(n))
}

/// As large as the space between nodes allows, whatever few of them do.
fn radius(places: &[(f64, f64)]) -> f64 {
    let mut nearest: Vec<f64> = Vec::new();
    for (index, a) in places.iter().enumerate() {
        let mut least = f64::INFINITY;
        for (_, b) in places.iter().enumerate().filter(|(other, _)| *other != index) {
            least = least.min((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1));
        }
        nearest.push(least.sqrt());
    }
    nearest.sort_by(f64::total_cmp);
    let typical = nearest.get(nearest.len() / 10).copied().unwrap_or(f64::INFINITY);
    (typical * 0.3).clamp(1.5, 14.0)
}

fn draw_node(canvas: &mut Canvas, role: Option<(usize, &Role)>, at: (f64, f64), radius: f64) {
    const SHAPES: [&[(f64, f64)]; 5] =
        [style::SQUARE, style::DIAMOND, style::HEXAGON, style::UP, style::DOWN];
    match role {
        None => canvas.circle("k-hollow k-thin", at, radius),
        Some((_, role)) if role.is_crashed => {
            let reach = radius * 0.72;
            canvas.circle("k-dead", at, radius);
            for side in [-reach, reach] {
                let (from, to) = ((at.0 - reach, at.1 - side), (at.0 + reach, at.1 + side));
                canvas.line("k-edge k-bold", from, to);
            }
        }
        Some((index, _)) => {
            let look = role_look(index);
            // A large node has a label, which must be read.
            let class = if radius >= 6.5 {
                format!("{} {} k-role", look.tint(), look.line())
            } else {
                format!("{} k-rim", look.fill())
            };
            style::polygon(canvas, &class, SHAPES[index % SHAPES.len()], at, radius);
        }
    }
}

/// Writes a label into its node, if it fits. Says whether it did.
fn draw_label_inside(canvas: &mut Canvas, label: &str, (x, y): (f64, f64), radius: f64) -> bool {
    let fonts = (8..=12).rev().map(|size| Font { size, class: "k-ink" });
    let fits = |font: &Font| {
        text::width(label, *font) <= 1.7 * radius && f64::from(font.size) <= 1.5 * radius
    };
    let font = fonts.into_iter().find(fits);
    if let Some(font) = font {
        canvas.text(font, Anchor::Middle, (x, y + 0.36 * f64::from(font.size)), label);
    }
    font.is_some()
}

/// Writes a label below, above or beside its node, if there is room. Says whether it did.
fn draw_label_beside(
    canvas: &mut Canvas,
    room: &mut Room,
    label: &str,
    (x, y): (f64, f64),
    radius: f64,
) -> bool {
    let font = Font { size: if radius > 6.0 { 10 } else { 8 }, class: "k-ink k-halo" };
    let label = text::shorten(label, font, 120.0);
    let (half, size) = (text::width(&label, font) / 2.0, f64::from(font.size));
    let places = [
        (x, y + radius + size),
        (x, y - radius - 0.3 * size),
        (x + radius + half + 2.0, y + 0.36 * size),
        (x - radius - half - 2.0, y + 0.36 * size),
    ];
    let place = room.place(&label, font, places);
    if let Some(at) = place {
        canvas.text(font, Anchor::Middle, at, &label);
    }
    place.is_some()
}

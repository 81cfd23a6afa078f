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
/// Of more groups than this only the first has an outline, the others are listed below the picture.
const OUTLINES: usize = 5;
/// More groups than this are not even listed.
const GROUPS: usize = 40;
/// More edges than this for each node are drawn faintly: they are a ground, and no picture.
const DENSE: usize = 10;

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
    look: RoleLook,
    nodes: Vec<usize>,
}

/// How nodes are drawn: the same in all networks, whatever else there is in them, and in the
/// colours of space-time diagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleLook {
    /// A square: the node has what others want.
    Holds,
    /// A hexagon: what others want is there, and not in use.
    Keeps,
    /// A diamond: the node wants something.
    Waits,
    /// A circle with a bold rim: the node had it.
    Had,
    /// Struck out, in grey: the node is gone.
    Crashed,
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
    pub fn role(
        mut self,
        name: impl Into<String>,
        look: RoleLook,
        nodes: impl IntoIterator<Item = usize>,
    ) -> Self {
        let nodes = nodes.into_iter().collect();
        self.roles.push(Role { name: name.into(), look, nodes });
        self
    }

    /// Adds a group of nodes, such as a quorum. Few groups are outlined, of many only the first;
    /// the others are listed.
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
            let is_faint = n == 0 && class.pairs.len() > DENSE * nodes;
            edges::draw(&mut page.canvas, (n, is_faint), class, &curves[n], &self.labels, radius);
        }
        let lines = curves.iter().flatten().flat_map(Curve::lines);
        let mut room = Room::new(Area::new(4.0, MARGIN + 20.0, page.width - 4.0, page.y));
        room.avoid(lines);
        self.draw_nodes(&mut page.canvas, &mut room, &places, radius);
        let hidden = self.draw_labels(&mut page.canvas, &mut room, &places, radius);
        if hidden > 0 {
            notes.push(text::without_label(hidden));
        }
        let rest: Vec<_> = self.groups[self.outlined().len()..]
            .iter()
            .take(GROUPS)
            .map(|group| self.members(group))
            .collect();
        if !rest.is_empty() {
            notes.push(format!("Without outlines, {}.", rest.join("; ")));
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

    /// The groups that have outlines.
    fn outlined(&self) -> &[(String, Vec<usize>)] {
        match self.groups.len() {
            0..=OUTLINES => &self.groups,
            _ => &self.groups[..1],
        }
    }

    fn members(&self, (name, nodes): &(String, Vec<usize>)) -> String {
        let members: Vec<_> = nodes.iter().map(|&node| self.labels[node].as_str()).collect();
        format!("{name}: {}", members.join(", "))
    }

    fn draw_outlines(&self, canvas: &mut Canvas, places: &[(f64, f64)], radius: f64) {
        for (n, (name, nodes)) in self.outlined().iter().enumerate() {
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

    /// The look of a node: that of its last role.
    fn role_of(&self, node: usize) -> Option<RoleLook> {
        let role = self.roles.iter().rfind(|role| role.nodes.contains(&node));
        role.map(|role| role.look)
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
            let is_crashed = self.role_of(node) == Some(RoleLook::Crashed);
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
        for role in &self.roles {
            let look = role.look;
            legend.add(&role.name, move |canvas, x, y| {
                draw_node(canvas, Some(look), (x + SAMPLE / 2.0, y), 6.5);
            });
        }
        for (n, class) in self.classes.iter().enumerate() {
            let is_directed = class.is_directed;
            legend.add(&class.name, move |canvas, x, y| {
                edges::draw_sample(canvas, n, is_directed, (x, y), (x + SAMPLE, y));
            });
        }
        for (n, group) in self.outlined().iter().enumerate() {
            legend.add(&self.members(group), move |canvas, x, y| {
                let corners =
                    [(x, y - 5.0), (x + SAMPLE, y - 5.0), (x + SAMPLE, y + 5.0), (x, y + 5.0)];
                let (class, data) = (outline_class(n), route(&corners));
                canvas.put(format_args!(r#"<path class="{class}" d="{data}Z"/>"#));
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

fn draw_node(canvas: &mut Canvas, look: Option<RoleLook>, at: (f64, f64), radius: f64) {
    let (outline, look) = match look {
        None => return canvas.circle("k-hollow k-thin", at, radius),
        Some(RoleLook::Had) => return canvas.circle("k-hollow k-bold", at, radius),
        Some(RoleLook::Crashed) => {
            let reach = radius * 0.72;
            canvas.circle("k-dead", at, radius);
            for side in [-reach, reach] {
                let (from, to) = ((at.0 - reach, at.1 - side), (at.0 + reach, at.1 + side));
                canvas.line("k-edge k-bold", from, to);
            }
            return;
        }
        Some(RoleLook::Holds) => (style::SQUARE, style::HOLDS),
        Some(RoleLook::Keeps) => (style::HEXAGON, style::HOLDS),
        Some(RoleLook::Waits) => (style::DIAMOND, style::WAITS),
    };
    // A large node has a label, which must be read.
    let class = if radius >= 6.5 {
        format!("{} {} k-role", look.tint(), look.line())
    } else {
        format!("{} k-rim", look.fill())
    };
    style::polygon(canvas, &class, outline, at, radius);
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

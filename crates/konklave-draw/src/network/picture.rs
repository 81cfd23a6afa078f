use super::edges::{self, Class, MANY, Painter};
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

    /// Gives nodes a colour and a shape. A node with several roles has the look of the last one, and
    /// tells all of them to who points at it.
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
        let pairs: Vec<_> = self.classes.iter().map(|class| class.pairs.clone()).collect();
        let places = layout::places(self.layout, nodes, &pairs);
        let radius = radius(&places);
        let border = radius + 14.0 + 4.0 * self.groups.len().min(OUTLINES) as f64;
        let extent = places.iter().fold((0.0_f64, 0.0_f64), |e, p| (e.0.max(p.0), e.1.max(p.1)));
        let wide = extent.0 + 2.0 * (border + MARGIN);
        let mut page = Page::new(&self.title, wide.max(420.0));
        let (left, top) = ((page.width - extent.0) / 2.0, page.y + border);
        let places: Vec<_> = places.iter().map(|&(x, y)| (x + left, y + top)).collect();
        page.y = top + extent.1 + border;

        self.draw_outlines(&mut page.canvas, &places, radius);
        let mut painter = Painter::new(&places, radius);
        let mut lines = Vec::new();
        for (n, class) in self.classes.iter().enumerate() {
            if class.pairs.len() > MANY {
                let (name, edges) = (&class.name, class.pairs.len());
                notes.push(format!("{name}: {edges} edges are too many to be drawn."));
            } else {
                lines.extend(painter.draw(&mut page.canvas, n, class));
            }
        }
        let borders = Area::new(4.0, top - border, page.width - 4.0, page.y);
        let hidden = self.draw_nodes(&mut page.canvas, &places, radius, (borders, lines));
        if hidden > 0 {
            notes.push(format!("Nodes without room for a label, to be pointed at: {hidden}."));
        }
        if self.groups.len() > GROUPS {
            let rest = self.groups.len() - GROUPS;
            notes.push(format!("Groups that are not listed: {rest}."));
        }
        page.finish(&self.legend(), &notes, &self.describe())
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

    /// Draws nodes with their labels, and returns how many labels found no room.
    fn draw_nodes(
        &self,
        canvas: &mut Canvas,
        places: &[(f64, f64)],
        radius: f64,
        (borders, lines): (Area, Vec<crate::places::Line>),
    ) -> usize {
        let mut room = Room::new(borders);
        room.avoid(lines);
        for (node, &place) in places.iter().enumerate() {
            let roles: Vec<_> =
                self.roles.iter().filter(|role| role.nodes.contains(&node)).collect();
            let names: Vec<_> = roles.iter().map(|role| role.name.as_str()).collect();
            let tip = format!("{}: {}", self.labels[node], names.join(", "));
            canvas.open("k-node", tip.trim_end_matches(": "));
            let role = self.roles.iter().rposition(|role| role.nodes.contains(&node));
            self.draw_node(canvas, role, place, radius);
            canvas.close();
            room.take(Area::around(place, radius));
        }
        let mut hidden = 0;
        for (node, &place) in places.iter().enumerate() {
            let is_filled = self.roles.iter().any(|role| role.nodes.contains(&node));
            if !draw_label(canvas, &mut room, &self.labels[node], (place, radius), is_filled) {
                hidden += 1;
            }
        }
        hidden
    }

    fn draw_node(&self, canvas: &mut Canvas, role: Option<usize>, at: (f64, f64), radius: f64) {
        const SHAPES: [&[(f64, f64)]; 5] =
            [style::SQUARE, style::DIAMOND, style::HEXAGON, style::UP, style::DOWN];
        let Some(role) = role else {
            return canvas.circle("k-hollow k-thin", at, radius);
        };
        if self.roles[role].is_crashed {
            let reach = radius * 0.72;
            canvas.circle("k-dead", at, radius);
            for side in [-reach, reach] {
                let (from, to) = ((at.0 - reach, at.1 - side), (at.0 + reach, at.1 + side));
                canvas.line("k-edge k-bold", from, to);
            }
            return;
        }
        let class = format!("{} k-rim", role_look(role).fill());
        style::polygon(canvas, &class, SHAPES[role % SHAPES.len()], at, radius);
    }

    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        for (index, role) in self.roles.iter().enumerate() {
            let picture = Self { roles: self.roles.clone(), ..Self::new("", 0, Layout::Circle) };
            legend.add(&role.name, move |canvas, x, y| {
                picture.draw_node(canvas, Some(index), (x + SAMPLE / 2.0, y), 6.5);
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
    Look([4, 2, 3, 7, 5, 1, 0, 6][role % 8])
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

/// Writes a label into its node, or else beside it, or nowhere. Says whether it did.
fn draw_label(
    canvas: &mut Canvas,
    room: &mut Room,
    label: &str,
    ((x, y), radius): ((f64, f64), f64),
    is_filled: bool,
) -> bool {
    let class = if is_filled { "k-ink k-halo" } else { "k-ink" };
    for size in (8..=12).rev() {
        let font = Font { size, class };
        if text::width(label, font) <= 1.7 * radius && f64::from(size) <= 1.5 * radius {
            let at = (x, y + 0.36 * f64::from(size));
            canvas.text(font, Anchor::Middle, at, label);
            return true;
        }
    }
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

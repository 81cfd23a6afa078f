use super::frame::{Frame, WIDTH};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::scale::{Axis, Scale, is_drawable};
use crate::style::Look;
use crate::svg::{Anchor, Canvas, Font};
use crate::text::{self, Area, short_number};

/// More nodes than this share bars.
const BARS: usize = 120;
/// How many points the curve has at most.
const POINTS: usize = 200;

/// How evenly work is spread: the nodes' loads in descending order, and beside them which part of
/// all load the busiest nodes carry.
#[derive(Clone, Debug)]
pub struct Load {
    title: String,
    label: String,
    loads: Vec<(String, f64)>,
    dropped: usize,
    notes: Vec<String>,
}

impl Load {
    /// The loads of nodes 0, 1, 2 and so on; `label` says of what.
    pub fn new(
        title: impl Into<String>,
        label: impl Into<String>,
        loads: impl IntoIterator<Item = f64>,
    ) -> Self {
        let all: Vec<_> =
            loads.into_iter().enumerate().map(|(node, load)| (node.to_string(), load)).collect();
        let count = all.len();
        let mut loads: Vec<_> =
            all.into_iter().filter(|(_, load)| is_drawable(*load) && *load >= 0.0).collect();
        let dropped = count - loads.len();
        // The sort is stable: nodes with equal loads stay in the order of their numbers.
        loads.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self { title: title.into(), label: label.into(), loads, dropped, notes: Vec::new() }
    }

    /// Adds a sentence below the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// The chart as an SVG picture.
    pub fn svg(&self) -> String {
        let mut page = Page::new(&self.title, WIDTH);
        let top = page.y;
        let bars = self.draw_bars(&mut page);
        page.y = top;
        self.draw_curve(&mut page);
        let mut notes = self.notes.clone();
        if self.dropped > 0 {
            notes.push(format!("Left out: {} nodes (not finite, or negative).", self.dropped));
        }
        if self.loads.is_empty() {
            notes.push("There are no data.".to_owned());
        }
        if bars < self.loads.len() {
            let each = self.loads.len().div_ceil(bars);
            notes.push(format!(
                "Each bar shows the mean of up to {each} nodes, of {} in all; its upper, tinted \
                 part reaches to the busiest of them.",
                self.loads.len()
            ));
        }
        page.finish(&self.legend(), &notes, &self.describe())
    }

    fn total(&self) -> f64 {
        self.loads.iter().map(|(_, load)| load).sum()
    }

    fn draw_bars(&self, page: &mut Page) -> usize {
        let values: Vec<_> = self.loads.iter().map(|(_, load)| *load).collect();
        let bars = values.len().clamp(1, BARS);
        let each = values.len().div_ceil(bars).max(1);
        let groups: Vec<_> = values.chunks(each).collect();
        let mut x = Scale::new(Axis::Linear, &[0.0, 1.0], true, 1);
        x.ticks.clear();
        let y = Scale::new(Axis::Linear, &values, true, 6);
        let right = MARGIN + (WIDTH - 2.0 * MARGIN) * 0.6;
        let below = if groups.len() < values.len() { "nodes, busiest first" } else { "node" };
        let frame = Frame::new(page, (MARGIN, right), 240.0, (x, below), (y, &self.label), 0.0);
        let width = frame.area.width() / groups.len().max(1) as f64;
        for (index, group) in groups.iter().enumerate() {
            let left = frame.area.left + index as f64 * width;
            let gap = if each > 1 { 0.0 } else { (width * 0.12).min(3.0) };
            let place = |load: f64| frame.y.place(load);
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            let right = if each > 1 { left + width + 0.4 } else { left + width - gap };
            let area = |top: f64, bottom: f64| Area::new(left + gap, top, right, bottom);
            page.canvas.open("k-bar", &self.tip(index * each, group, mean));
            page.canvas.rect(&Look(0).fill(), area(place(mean), frame.area.bottom), 0.0);
            if group[0] > mean {
                page.canvas.rect(&Look(0).tint(), area(place(group[0]), place(mean)), 0.0);
            }
            page.canvas.close();
        }
        if groups.len() == values.len() {
            self.draw_numbers(&mut page.canvas, &frame, width);
        }
        let mean = self.total() / values.len().max(1) as f64;
        let y = frame.y.place(mean);
        let class = format!("{} k-d1", Look(1).line());
        page.canvas.line(&class, (frame.area.left, y), (frame.area.right, y));
        groups.len()
    }

    /// The nodes' numbers below the bars, as far as there is room.
    fn draw_numbers(&self, canvas: &mut Canvas, frame: &Frame, width: f64) {
        let mut free_from = 0.0;
        for (index, (node, _)) in self.loads.iter().enumerate() {
            let at = (frame.area.left + (index as f64 + 0.5) * width, frame.area.bottom + 15.0);
            let area = Area::of_text(node, Font::TICK, Anchor::Middle, at);
            if area.left > free_from {
                canvas.text(Font::TICK, Anchor::Middle, at, node);
                free_from = area.right + 3.0;
            }
        }
    }

    fn tip(&self, first: usize, group: &[f64], mean: f64) -> String {
        if let [load] = group {
            return format!("node {}: {}", self.loads[first].0, short_number(*load));
        }
        let (mean, most) = (short_number(mean), short_number(group[0]));
        format!("ranks {} to {}: mean {mean}, most {most}", first + 1, first + group.len())
    }

    /// The part of all load that the busiest part of the nodes carries, from none to all.
    fn shares(&self) -> Vec<(f64, f64)> {
        let (total, count) = (self.total(), self.loads.len());
        let every = count.div_ceil(POINTS).max(1);
        let mut sum = 0.0;
        let mut shares = vec![(0.0, 0.0)];
        for (index, (_, load)) in self.loads.iter().enumerate() {
            sum += load;
            if total > 0.0 && ((index + 1) % every == 0 || index + 1 == count) {
                shares.push((100.0 * (index + 1) as f64 / count as f64, 100.0 * sum / total));
            }
        }
        shares
    }

    fn draw_curve(&self, page: &mut Page) {
        let percent = || Scale::new(Axis::Linear, &[0.0, 100.0], true, 4);
        let left = MARGIN + (WIDTH - 2.0 * MARGIN) * 0.6 + 22.0;
        let (x, y) = ((percent(), "% of the nodes"), (percent(), "% of the load"));
        let frame = Frame::new(page, (left, WIDTH - MARGIN), 240.0, x, y, 0.0);
        page.canvas.line("k-axis k-d2", frame.place(0.0, 0.0), frame.place(100.0, 100.0));
        let places: Vec<_> = self.shares().iter().map(|&(x, y)| frame.place(x, y)).collect();
        page.canvas.open("k-shares", "Share of the busiest nodes");
        page.canvas.polyline(&Look(2).line(), &places);
        page.canvas.close();
        let text = text::shorten(&format!("Gini {:.2}", self.gini()), Font::LABEL, 120.0);
        let at = (frame.area.right - 8.0, frame.area.bottom - 10.0);
        page.canvas.text(Font::LABEL, Anchor::End, at, &text);
    }

    /// 0 if all nodes carry the same, near 1 if one carries everything.
    fn gini(&self) -> f64 {
        let (total, count) = (self.total(), self.loads.len() as f64);
        if total <= 0.0 {
            return 0.0;
        }
        let weighted: f64 =
            self.loads.iter().rev().zip(1..).map(|((_, load), rank)| load * f64::from(rank)).sum();
        2.0 * weighted / (count * total) - (count + 1.0) / count
    }

    fn legend(&self) -> Legend {
        let mut legend = Legend::default();
        let mean = self.total() / self.loads.len().max(1) as f64;
        legend.add(&format!("mean {}", short_number(mean)), |canvas, x, y| {
            canvas.line(&format!("{} k-d1", Look(1).line()), (x, y), (x + SAMPLE, y));
        });
        legend.add("share of the busiest nodes", |canvas, x, y| {
            canvas.line(&Look(2).line(), (x, y), (x + SAMPLE, y));
        });
        legend.add("equal load", |canvas, x, y| {
            canvas.line("k-axis k-d2", (x, y), (x + SAMPLE, y));
        });
        legend
    }

    fn describe(&self) -> String {
        let most = self.loads.first().map_or(0.0, |(_, load)| *load);
        let (nodes, most) = (self.loads.len(), short_number(most));
        format!("{} of {nodes} nodes; the busiest has {most}; Gini {:.2}.", self.label, self.gini())
    }
}

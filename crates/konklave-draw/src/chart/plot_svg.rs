//! A plot as SVG.

use super::frame::{Frame, WIDTH};
use super::plot::{Data, Plot, Point, Series};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::style::{Look, formula_dash};
use crate::svg::Canvas;
use crate::svg::route;
use crate::text::short_number;

/// More points of one series than this are not told apart: only each `n`th is drawn.
const POINTS: usize = 1000;

impl Plot {
    /// The plot as an SVG picture.
    pub fn svg(&self) -> String {
        let prepared = self.prepare((8, 6));
        let mut page = Page::new(&self.title, WIDTH);
        let sides = (MARGIN, WIDTH - MARGIN);
        let (x, y) = ((prepared.x, self.x.0.as_str()), (prepared.y, self.y.0.as_str()));
        let frame = Frame::new(&mut page, sides, 320.0, x, y, 10.0);
        let mut legend = Legend::default();
        let mut notes = prepared.notes;
        // Bands lie below curves, and curves below points.
        let layer = |series: &&Series| match series.data {
            Data::Band(_) => 0,
            Data::Formula { .. } => 1,
            Data::Measured(_) => 2,
        };
        let mut order: Vec<_> = prepared.series.iter().collect();
        order.sort_by_key(layer);
        for series in order {
            draw(&mut page.canvas, &frame, series, &mut notes);
        }
        for series in &prepared.series {
            add_to_legend(&mut legend, series);
        }
        page.finish(&legend, &notes, &self.describe())
    }

    fn describe(&self) -> String {
        let names: Vec<_> = self.series.iter().map(|series| series.name.as_str()).collect();
        format!("{} over {}, for {}.", self.y.0, self.x.0, names.join(", "))
    }
}

fn draw(canvas: &mut Canvas, frame: &Frame, series: &Series, notes: &mut Vec<String>) {
    match &series.data {
        Data::Measured(points) => {
            let every = points.len().div_ceil(POINTS).max(1);
            if every > 1 {
                let name = &series.name;
                notes.push(format!("Of {name}, one point in {every} is drawn."));
            }
            let points: Vec<_> = points.iter().step_by(every).copied().collect();
            draw_points(canvas, frame, series, &points);
        }
        Data::Formula { points, dash } => {
            let places: Vec<_> = points.iter().map(|&(x, y)| frame.place(x, y)).collect();
            let class = format!("{} {}", series.look.line(), formula_dash(*dash));
            canvas.open("k-formula", &series.name);
            canvas.polyline(&class, &thin(&places));
            canvas.close();
        }
        Data::Band(bounds) => {
            let upper = bounds.iter().map(|&(x, _, high)| frame.place(x, high));
            let lower = bounds.iter().rev().map(|&(x, low, _)| frame.place(x, low));
            let outline: Vec<_> = upper.chain(lower).collect();
            canvas.open("k-band", &series.name);
            let (class, data) = (series.look.tint(), route(&outline));
            canvas.put(format_args!(r#"<path class="{class}" d="{data}Z"/>"#));
            canvas.close();
        }
    }
}

/// Without the points that lie within a pixel of the one before.
fn thin(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (index, &(x, y)) in places.iter().enumerate() {
        let is_last = index + 1 == places.len();
        let is_near = kept.last().is_some_and(|l| (l.0 - x).abs() + (l.1 - y).abs() < 1.0);
        if is_last || !is_near {
            kept.push((x, y));
        }
    }
    kept
}

fn draw_points(canvas: &mut Canvas, frame: &Frame, series: &Series, points: &[Point]) {
    let look = series.look;
    let places: Vec<_> = points.iter().map(|point| frame.place(point.x, point.y)).collect();
    if series.is_joined {
        canvas.polyline(&look.line(), &places);
    }
    let reach = if points.len() > 60 { 2.0 } else { 4.0 };
    for (point, &(x, y)) in points.iter().zip(&places) {
        canvas.open("k-point", &tip(&series.name, point));
        if point.low < point.high {
            let (low, high) = (frame.y.place(point.low), frame.y.place(point.high));
            let class = format!("{} k-thin", look.line());
            canvas.line(&class, (x, low), (x, high));
            canvas.line(&class, (x - 4.0, low), (x + 4.0, low));
            canvas.line(&class, (x - 4.0, high), (x + 4.0, high));
        }
        look.marker(canvas, (x, y), reach);
        canvas.close();
    }
}

fn tip(name: &str, point: &Point) -> String {
    let [x, y, low, high] = [point.x, point.y, point.low, point.high].map(short_number);
    if point.low < point.high {
        format!("{name}: {y} at {x}, between {low} and {high}")
    } else {
        format!("{name}: {y} at {x}")
    }
}

fn add_to_legend(legend: &mut Legend, series: &Series) {
    let (look, is_joined): (Look, bool) = (series.look, series.is_joined);
    match series.data {
        Data::Measured(_) => legend.add(&series.name, move |canvas, x, y| {
            if is_joined {
                canvas.line(&look.line(), (x, y), (x + SAMPLE, y));
            }
            look.marker(canvas, (x + SAMPLE / 2.0, y), 4.0);
        }),
        Data::Formula { dash, .. } => legend.add(&series.name, move |canvas, x, y| {
            let class = format!("{} {}", look.line(), formula_dash(dash));
            canvas.line(&class, (x, y), (x + SAMPLE, y));
        }),
        Data::Band(_) => legend.add(&series.name, move |canvas, x, y| {
            let area = crate::text::Area::new(x, y - 6.0, x + SAMPLE, y + 6.0);
            canvas.rect(&look.tint(), area, 0.0);
        }),
    }
}

//! A plot as SVG.

use super::frame::{Frame, WIDTH};
use super::plot::{Data, Plot, Point, Series};
use crate::legend::{Legend, SAMPLE};
use crate::page::{MARGIN, Page};
use crate::style::dashed;
use crate::svg::{Anchor, Canvas, Font, route};
use crate::text::{self, Area, short_number};

/// More points of one series than this are not told apart: only each `n`th is drawn.
const POINTS: usize = 1000;
/// More series than this are named at their lines.
const CROWD: usize = 6;
/// The height of a name there, the room for it, and for what leads to it with a sample of its line.
const LINE: f64 = 14.0;
const NAME: f64 = 150.0;
const LEADER: f64 = 62.0;
const SHORT_SAMPLE: f64 = 26.0;

impl Plot {
    /// The plot as an SVG picture.
    pub fn svg(&self) -> String {
        let prepared = self.prepare((8, 6));
        let mut page = Page::new(&self.title, WIDTH);
        // A legend of many series is a puzzle: their names stand at the ends of their lines.
        let measured = || prepared.series.iter().filter(|series| series.is_measured());
        let is_crowded = measured().count() > CROWD;
        let widths = measured().map(|series| text::width(&series.name, Font::TICK));
        let room = if is_crowded { widths.fold(0.0, f64::max).min(NAME) + LEADER } else { 0.0 };
        let height = if is_crowded { 320_f64.max(LINE * measured().count() as f64) } else { 320.0 };
        let sides = (MARGIN, WIDTH - MARGIN - room);
        let (x, y) = ((prepared.x, self.x.0.as_str()), (prepared.y, self.y.0.as_str()));
        let frame = Frame::new(&mut page, sides, height, x, y, 10.0);
        let mut legend = Legend::default();
        let mut notes = prepared.notes;
        // Bands lie below curves, and curves below points.
        let layer = |series: &&Series| match series.data {
            Data::Band(_) => 0,
            Data::Formula(_) => 1,
            Data::Measured(_) => 2,
        };
        let mut order: Vec<_> = prepared.series.iter().collect();
        order.sort_by_key(layer);
        for series in order {
            draw(&mut page.canvas, &frame, series, &mut notes);
        }
        if is_crowded {
            name_lines(&mut page.canvas, &frame, &prepared.series);
        }
        for series in prepared.series.iter().filter(|it| !(is_crowded && it.is_measured())) {
            add_to_legend(&mut legend, series);
        }
        page.finish(&legend, &notes, &self.describe())
    }

    fn describe(&self) -> String {
        let names: Vec<_> = self.series.iter().map(|series| series.name.as_str()).collect();
        format!("{} over {}, for {}.", self.y.0, self.x.0, names.join(", "))
    }
}

/// Writes the name of each measured series outside the frame, level with its last point, or as near
/// as there is room. What leads there is thin and grey, so that it is not taken for data.
fn name_lines(canvas: &mut Canvas, frame: &Frame, all: &[Series]) {
    let mut ends: Vec<_> = all
        .iter()
        .filter_map(|series| {
            let Data::Measured(points) = &series.data else { return None };
            let last = points.iter().max_by(|a, b| a.x.total_cmp(&b.x))?;
            Some((frame.place(last.x, last.y), series))
        })
        .collect();
    ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    let places = spread(&ends.iter().map(|end| end.0.1).collect::<Vec<_>>(), frame.area);
    let right = frame.area.right + LEADER - 4.0;
    for (&((_, y), series), place) in ends.iter().zip(places) {
        let left = right - SHORT_SAMPLE;
        canvas.open("k-tip", &series.name);
        canvas.line("k-guide", (frame.area.right + 3.0, y), (left - 3.0, place));
        canvas.line(&dashed(series.look, series.dash), (left, place), (right, place));
        series.look.marker(canvas, (left + SHORT_SAMPLE / 2.0, place), 3.5);
        let name = text::shorten(&series.name, Font::TICK, NAME);
        canvas.text(Font::TICK, Anchor::Start, (right + 4.0, place + 4.0), &name);
        canvas.close();
    }
}

/// Heights, ascending, moved apart as little as makes them a line apart.
fn spread(heights: &[f64], area: Area) -> Vec<f64> {
    let mut places = heights.to_vec();
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + LINE);
    }
    let mut below = area.bottom + LINE;
    for place in places.iter_mut().rev() {
        *place = place.min(below - LINE);
        below = *place;
    }
    places
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
        Data::Formula(points) => {
            let places: Vec<_> = points.iter().map(|&(x, y)| frame.place(x, y)).collect();
            canvas.open("k-formula", &series.name);
            canvas.polyline(&dashed(series.look, series.dash), &thin(&places));
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
        canvas.polyline(&dashed(look, series.dash), &places);
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
    let (look, dash, is_joined) = (series.look, series.dash, series.is_joined);
    match series.data {
        Data::Measured(_) => legend.add(&series.name, move |canvas, x, y| {
            if is_joined {
                canvas.line(&dashed(look, dash), (x, y), (x + SAMPLE, y));
            }
            look.marker(canvas, (x + SAMPLE / 2.0, y), 4.0);
        }),
        Data::Formula(_) => legend.add(&series.name, move |canvas, x, y| {
            canvas.line(&dashed(look, dash), (x, y), (x + SAMPLE, y));
        }),
        Data::Band(_) => legend.add(&series.name, move |canvas, x, y| {
            let area = Area::new(x, y - 6.0, x + SAMPLE, y + 6.0);
            canvas.rect(&look.tint(), area, 0.0);
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Axis;

    fn plot(series: usize) -> String {
        let plot = Plot::new("many").x("n", Axis::Auto).y("y", Axis::Auto);
        let add = |plot: Plot, index: usize| {
            let points = [1.0, 2.0].map(|x| Point::new(x, x * index as f64));
            plot.measured(format!("name{index}"), points)
        };
        (1..=series).fold(plot, add).svg()
    }

    #[test]
    fn many_series_are_named_at_their_lines_and_few_below() {
        let (few, many) = (plot(CROWD), plot(CROWD + 1));
        assert!(few.contains("k-legend") && !few.contains("k-tip"));
        assert!(!many.contains("k-legend") && many.matches("class=\"k-tip\"").count() == CROWD + 1);
        assert!(many.contains(">name7<"));
    }

    #[test]
    fn names_are_a_line_apart_and_inside() {
        let area = Area::new(0.0, 0.0, 100.0, 100.0);
        assert_eq!(spread(&[10.0, 50.0, 90.0], area), [10.0, 50.0, 90.0]);
        assert_eq!(spread(&[10.0, 11.0, 12.0], area), [10.0, 24.0, 38.0]);
        assert_eq!(spread(&[90.0, 99.0, 100.0], area), [72.0, 86.0, 100.0]);
    }
}

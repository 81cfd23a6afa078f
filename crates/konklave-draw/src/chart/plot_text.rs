//! A plot as text, for a terminal.

use std::fmt::Write;

use super::plot::{Data, Plot, Prepared, Series};
use crate::scale::{Scale, Tick};

/// Which characters a text chart is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// Curves in braille dots, eight to a character; points as small shapes.
    #[default]
    Braille,
    /// Curves in middle dots; points as small shapes.
    Shapes,
    /// Nothing beyond ASCII: curves in dots, points as letters.
    Ascii,
}

/// The size of a text chart, axes and labels included but not the title and the legend, and what it
/// is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// In characters.
    pub width: usize,
    /// In lines.
    pub height: usize,
    /// The characters.
    pub marks: Marks,
}

impl Default for TextForm {
    fn default() -> Self {
        Self { width: 72, height: 16, marks: Marks::Braille }
    }
}

const SHAPES: [char; 8] = ['●', '■', '▲', '◆', '▼', '✚', '✖', '★'];

impl Marks {
    /// The mark of the `n`th measured series.
    fn point(self, n: usize) -> char {
        match self {
            Self::Ascii => char::from(b'a' + (n % 26) as u8),
            _ if n < SHAPES.len() => SHAPES[n],
            _ => char::from(b'a' + ((n - SHAPES.len()) % 26) as u8),
        }
    }

    /// What stands where several series have a point.
    fn several(self) -> char {
        if self == Self::Ascii { '#' } else { '◉' }
    }

    /// Corner, level line, upright line, tick on the left, tick below.
    fn lines(self) -> [char; 5] {
        if self == Self::Ascii {
            ['+', '-', '|', '+', '+']
        } else {
            ['└', '─', '│', '┤', '┬']
        }
    }
}

impl Plot {
    /// The plot as lines of text: title, chart, legend. Measured points have a mark per series;
    /// curves are dotted, and alike; bands are shown by their bounds.
    pub fn text(&self, form: TextForm) -> String {
        let prepared = self.prepare((5, (form.height / 4).max(2)));
        let labels = labels(&prepared.y.ticks);
        let gutter = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let columns = form.width.saturating_sub(gutter + 3).max(8);
        let rows = form.height.saturating_sub(3).max(3);
        let grid = Grid::new(&prepared, columns, rows, form.marks);

        let mut out = String::new();
        let mut line = |text: &str| writeln!(out, "{}", text.trim_end()).expect("text");
        line(&self.title);
        line(&self.y.0);
        let [corner, level, upright, tick_left, tick_below] = form.marks.lines();
        let y_labels = labels_by_row(&prepared.y, rows);
        for (row, text) in grid.lines().enumerate() {
            let label = y_labels.iter().find(|(at, _)| *at == row).map(|(_, label)| label.as_str());
            let mark = if label.is_some() { tick_left } else { upright };
            line(&format!("{:>gutter$} {mark}{text}", label.unwrap_or_default()));
        }
        let (ruler, below) = x_axis(&prepared.x, columns, (level, tick_below));
        line(&format!("{:>gutter$} {corner}{ruler}", ""));
        line(&format!("{:>gutter$}  {below}", ""));
        let middle = (gutter + 2 + columns / 2).saturating_sub(self.x.0.chars().count() / 2);
        line(&format!("{:middle$}{}", "", self.x.0));
        for entry in legend(&prepared.series, form.marks, grid.has_several) {
            line(&format!("  {entry}"));
        }
        for note in prepared.notes.iter().flat_map(|note| wrap(note, form.width.max(20) - 2)) {
            line(&format!("  {note}"));
        }
        out
    }
}

/// The characters between the axes.
struct Grid {
    columns: usize,
    rows: usize,
    marks: Marks,
    /// The series whose point is in a cell; `usize::MAX` for several.
    points: Vec<Option<usize>>,
    /// The dots of curves, two across and four down in each cell.
    dots: Vec<u8>,
    has_several: bool,
}

impl Grid {
    fn new(plot: &Prepared, columns: usize, rows: usize, marks: Marks) -> Self {
        let cells = columns * rows;
        let (points, dots) = (vec![None; cells], vec![0; cells]);
        let mut grid = Self { columns, rows, marks, points, dots, has_several: false };
        let x = plot.x.clone().between(0.0, (columns * 2 - 1) as f64);
        let y = plot.y.clone().between((rows * 4 - 1) as f64, 0.0);
        let place = |a: f64, b: f64| (x.place(a), y.place(b));
        let measured = plot.series.iter().filter(|series| series.is_measured()).count();
        let mut mark = 0;
        for series in &plot.series {
            match &series.data {
                Data::Measured(data) => {
                    let places: Vec<_> = data.iter().map(|p| place(p.x, p.y)).collect();
                    // A single line cannot be taken for another one.
                    if measured == 1 && plot.series.len() == 1 {
                        grid.curve(&places);
                    }
                    places.iter().for_each(|&at| grid.point(at, mark));
                    mark += 1;
                }
                Data::Formula(points) => {
                    grid.curve(&points.iter().map(|p| place(p.0, p.1)).collect::<Vec<_>>());
                }
                Data::Band(bounds) => {
                    grid.curve(&bounds.iter().map(|b| place(b.0, b.1)).collect::<Vec<_>>());
                    grid.curve(&bounds.iter().map(|b| place(b.0, b.2)).collect::<Vec<_>>());
                }
            }
        }
        grid
    }

    fn cell(&self, (x, y): (f64, f64)) -> usize {
        let (column, row) = ((x / 2.0) as usize, (y / 4.0) as usize);
        row.min(self.rows - 1) * self.columns + column.min(self.columns - 1)
    }

    fn point(&mut self, at: (f64, f64), series: usize) {
        let cell = self.cell(at);
        match self.points[cell] {
            Some(other) if other != series => {
                self.points[cell] = Some(usize::MAX);
                self.has_several = true;
            }
            _ => self.points[cell] = Some(series),
        }
    }

    /// Dots along straight lines between the places.
    fn curve(&mut self, places: &[(f64, f64)]) {
        for pair in places.windows(2) {
            let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
            let steps = (x2 - x1).abs().max((y2 - y1).abs()).ceil().max(1.0);
            for step in 0..=steps as u32 {
                let part = f64::from(step) / steps;
                self.dot((x1 + part * (x2 - x1), y1 + part * (y2 - y1)));
            }
        }
    }

    fn dot(&mut self, (x, y): (f64, f64)) {
        let (x, y) = (x.round(), y.round());
        let cell = self.cell((x, y));
        // Unicode numbers the upper six dots of a braille cell down its columns, the lowest last.
        let bit = match (x as usize % 2, y as usize % 4) {
            (0, 3) => 6,
            (_, 3) => 7,
            (column, row) => 3 * column + row,
        };
        self.dots[cell] |= 1 << bit;
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        (0..self.rows).map(|row| {
            (row * self.columns..(row + 1) * self.columns)
                .map(|cell| self.character(cell))
                .collect()
        })
    }

    fn character(&self, cell: usize) -> char {
        match (self.points[cell], self.dots[cell], self.marks) {
            (Some(usize::MAX), _, marks) => marks.several(),
            (Some(series), _, marks) => marks.point(series),
            (None, 0, _) => ' ',
            (None, dots, Marks::Braille) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or('·'),
            (None, _, Marks::Shapes) => '·',
            (None, _, Marks::Ascii) => '.',
        }
    }
}

fn labels(ticks: &[Tick]) -> Vec<&str> {
    ticks.iter().filter_map(|tick| tick.label.as_deref()).collect()
}

/// The labels of the upright axis with their rows; where two share a row, the lower one.
fn labels_by_row(scale: &Scale, rows: usize) -> Vec<(usize, String)> {
    let scale = scale.clone().between((rows * 4 - 1) as f64, 0.0);
    let mut found: Vec<(usize, String)> = Vec::new();
    for tick in &scale.ticks {
        let row = ((scale.place(tick.value) / 4.0) as usize).min(rows - 1);
        if let Some(label) = &tick.label
            && found.iter().all(|(other, _)| *other != row)
        {
            found.push((row, label.clone()));
        }
    }
    found
}

/// The level axis and the labels below it, as far as they do not touch.
fn x_axis(scale: &Scale, columns: usize, (level, mark): (char, char)) -> (String, String) {
    let scale = scale.clone().between(0.0, (columns * 2 - 1) as f64);
    let mut ruler = vec![level; columns];
    let mut below = String::new();
    for tick in &scale.ticks {
        let Some(label) = &tick.label else { continue };
        let column = ((scale.place(tick.value) / 2.0) as usize).min(columns - 1);
        let (length, used) = (label.chars().count(), below.chars().count());
        let start = column.saturating_sub(length / 2).min((columns + 1).saturating_sub(length));
        if used == 0 || start > used {
            ruler[column] = mark;
            below.push_str(&" ".repeat(start.saturating_sub(used)));
            below.push_str(label);
        }
    }
    (ruler.into_iter().collect(), below)
}

/// Lines of at most this many characters; a longer word has its own line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn legend(series: &[Series], marks: Marks, has_several: bool) -> Vec<String> {
    let mut entries = Vec::new();
    let mut point = 0;
    let dotted = match marks {
        Marks::Braille => "⠒⠒",
        Marks::Shapes => "··",
        Marks::Ascii => "..",
    };
    for Series { name, data, .. } in series {
        match data {
            Data::Measured(_) => {
                entries.push(format!("{}  {name}", marks.point(point)));
                point += 1;
            }
            Data::Formula(_) | Data::Band(_) => entries.push(format!("{dotted} {name}")),
        }
    }
    if has_several {
        entries.push(format!("{}  several of them", marks.several()));
    }
    entries
}

//! Charts for terminals.

use konklave_draw::Axis;
use konklave_draw::chart::{Marks, Plot, Point, TextForm, samples};

fn plot() -> Plot {
    let points = |factor: f64| [1.0, 10.0, 100.0, 1000.0].map(|x| Point::new(x, factor * x * x));
    Plot::new("squares")
        .x("n", Axis::Log)
        .y("messages", Axis::Log)
        .measured("first", points(1.0))
        .measured("second", points(30.0))
}

/// The rows between the axes, without labels and the axis.
fn rows(text: &str, axis: [char; 2]) -> Vec<Vec<char>> {
    let row = |line: &str| {
        let (_, row) = line.split_once(axis)?;
        Some(row.chars().collect::<Vec<_>>())
    };
    text.lines()
        .take_while(|line| !line.contains("---") && !line.contains('─'))
        .filter_map(row)
        .collect()
}

#[test]
fn a_chart_keeps_to_its_size() {
    for (width, height) in [(72, 16), (40, 8), (120, 30), (1, 1)] {
        for marks in [Marks::Braille, Marks::Shapes, Marks::Ascii] {
            let text = plot().text(TextForm { width, height, marks });
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width.max(20), "{widest} of {width}:\n{text}");
            let lines = text.lines().count();
            // Beside the chart: title, name of the axis, two series, and perhaps points in common.
            assert!((height.max(6) + 4..=height.max(6) + 5).contains(&lines), "{lines}:\n{text}");
        }
    }
}

#[test]
fn a_braille_line_rises_dot_by_dot() {
    let plot = Plot::new("t").x("", Axis::Linear).y("", Axis::Linear);
    let text = plot.formula("f", [(0.0, 0.0), (10.0, 10.0)]).text(TextForm::default());
    let mut heights: Vec<Vec<usize>> = Vec::new();
    for (row, line) in rows(&text, ['│', '┤']).iter().enumerate() {
        for (column, character) in line.iter().enumerate() {
            let bits = (*character as u32).saturating_sub(0x2800);
            // The numbers of the dots in Unicode, down the left column and down the right one.
            for (place, bit) in [0, 1, 2, 6, 3, 4, 5, 7].into_iter().enumerate() {
                if *character != ' ' && bits & (1 << bit) != 0 {
                    heights.resize((2 * column + 2).max(heights.len()), Vec::new());
                    heights[2 * column + place / 4].push(4 * row + place % 4);
                }
            }
        }
    }
    assert!(heights.len() > 100, "{text}");
    for pair in heights.windows(2) {
        let (left, right) = (pair[0].iter().max().unwrap(), pair[1].iter().max().unwrap());
        assert!(right <= left && left - right <= 1, "{text}");
    }
}

#[test]
fn notes_keep_to_the_width() {
    let form = TextForm { width: 40, ..TextForm::default() };
    let note = "this note is much longer than a line of forty characters can ever be";
    let text = Plot::new("t").note(note).text(form);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.contains("forty"), "{text}");
}

#[test]
fn ascii_is_ascii() {
    let form = TextForm { marks: Marks::Ascii, ..TextForm::default() };
    assert!(plot().formula("f", samples(1.0, 1000.0, |n| n)).text(form).is_ascii());
}

#[test]
fn powers_are_straight_on_logarithmic_axes() {
    let form = TextForm { marks: Marks::Ascii, ..TextForm::default() };
    let text = plot().text(form);
    let rows = rows(&text, ['|', '+']);
    let mut found = Vec::new();
    for (y, row) in rows.iter().enumerate() {
        found.extend(row.iter().enumerate().filter(|(_, c)| **c == 'a').map(|(x, _)| (x, y)));
    }
    found.sort_unstable();
    assert_eq!(found.len(), 4, "{text}");
    for three in found.windows(3) {
        let (dx, dy) = (three[2].0 + three[0].0, three[2].1 + three[0].1);
        assert!(dx.abs_diff(2 * three[1].0) <= 2 && dy.abs_diff(2 * three[1].1) <= 2, "{text}");
    }
}

#[test]
fn a_cell_with_two_series_says_so() {
    let same = [Point::new(1.0, 1.0), Point::new(2.0, 2.0)];
    let plot = Plot::new("t").measured("a", same).measured("b", same);
    let text = plot.text(TextForm { marks: Marks::Ascii, ..TextForm::default() });
    assert_eq!(text.matches('#').count(), 3, "two cells and the legend:\n{text}");
    assert!(text.contains("several of them"));
}

#[test]
fn odd_data_make_a_chart_too() {
    let odd = [Point::new(f64::NAN, 1.0), Point::new(1.0, f64::INFINITY)];
    let text = Plot::new("t").measured("odd", odd).measured("none", []).text(TextForm::default());
    assert!(text.contains("Left out of odd: 2 of 2"), "{text}");
    assert!(text.contains("no data for none"), "{text}");
}

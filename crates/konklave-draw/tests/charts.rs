//! Charts say what the data say.

mod common;

use std::collections::BTreeSet;

use common::{Random, elements, extent, has_class, of_class, parse, points, texts, tip};
use konklave_draw::Axis;
use konklave_draw::chart::{
    Comparison, Distribution, Histogram, Load, Plot, Point, Stacked, samples,
};
use roxmltree::{Document, Node};

fn middle(node: Node<'_, '_>) -> (f64, f64) {
    let [left, top, right, bottom] = extent(node).unwrap();
    ((left + right) / 2.0, (top + bottom) / 2.0)
}

/// The places of all points of a plot: their markers come last in their groups.
fn markers(document: &Document<'_>) -> Vec<(f64, f64)> {
    let groups = of_class(document, "k-point");
    groups.iter().map(|group| middle(group.last_element_child().unwrap())).collect()
}

#[test]
fn equal_steps_and_equal_factors_are_equally_far_apart() {
    let places = |axis| {
        let series = [1.0, 10.0, 100.0].map(|x| Point::new(x, x));
        let svg = Plot::new("").x("", axis).y("", axis).measured("m", series).svg();
        let document = parse(&svg);
        markers(&document)
    };
    let linear = places(Axis::Linear);
    let step = (linear[2].0 - linear[1].0) / (linear[1].0 - linear[0].0);
    assert!((step - 10.0).abs() < 0.5, "{linear:?}");
    let log = places(Axis::Log);
    assert!((log[2].0 - 2.0 * log[1].0 + log[0].0).abs() < 0.3, "{log:?}");
    assert!((log[2].1 - 2.0 * log[1].1 + log[0].1).abs() < 0.3, "{log:?}");
}

#[test]
fn every_point_has_a_tip_and_an_error_bar_of_its_length() {
    let series = [Point::between(1.0, 10.0, 8.0, 14.0), Point::new(2.0, 20.0)];
    let svg = Plot::new("p").x("x", Axis::Linear).y("y", Axis::Linear).measured("m", series).svg();
    let document = parse(&svg);
    let groups = of_class(&document, "k-point");
    assert_eq!(groups.len(), 2);
    assert_eq!(tip(groups[0]), "m: 10 at 1, between 8 and 14");
    assert_eq!(tip(groups[1]), "m: 20 at 2");
    let bar =
        groups[0].children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "path")));
    let bar = points(bar.unwrap());
    let (first, second) = (markers(&document)[0], markers(&document)[1]);
    let unit = (first.1 - second.1) / 10.0;
    assert!((bar[0].1 - bar[1].1 - 6.0 * unit).abs() < 0.5, "{bar:?}, {unit}");
}

/// A confidence interval may reach below zero where no count does.
#[test]
fn an_axis_of_counts_begins_at_zero_whatever_error_bars_say() {
    let labels = |y: f64| {
        let series = [Point::between(1.0, y, y - 30.0, y + 30.0), Point::new(2.0, 20.0)];
        let plot = Plot::new("").x("", Axis::Linear).y("", Axis::Linear).measured("m", series);
        texts(&parse(&plot.svg())).join(" ")
    };
    assert!(!labels(10.0).contains('-'), "{}", labels(10.0));
    assert!(labels(-10.0).contains('-'), "values that are negative stay so: {}", labels(-10.0));
}

#[test]
fn what_cannot_be_drawn_is_left_out_and_mentioned() {
    let odd = [(1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 5.0), (f64::NEG_INFINITY, 1.0)];
    let svg = Plot::new("p").measured("odd", odd.map(|(x, y)| Point::new(x, y))).svg();
    let document = parse(&svg);
    assert_eq!(of_class(&document, "k-point").len(), 1);
    let notes = texts(&document).join(" ");
    assert!(notes.contains("Left out of odd: 3 of 4 points"), "{notes}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));

    let zero = [Point::new(1.0, 0.0), Point::new(2.0, 5.0)];
    let svg = Plot::new("p").y("y", Axis::Log).measured("zero", zero).svg();
    assert!(texts(&parse(&svg)).join(" ").contains("Left out of zero: 1 of 2 points"));
}

#[test]
fn any_numbers_make_a_picture() {
    let mut random = Random(4);
    let values = [0.0, -1.0, 1.0, 1e-300, 1e300, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 7.5];
    for round in 0..300 {
        let mut pick = || values[random.below(10) as usize];
        let axis = [Axis::Linear, Axis::Log, Axis::Auto][round % 3];
        let series: Vec<_> =
            (0..round % 4).map(|_| Point::between(pick(), pick(), pick(), pick())).collect();
        let counts: Vec<_> = (0..round % 5).map(|count| (pick(), count as u64)).collect();
        let loads: Vec<_> = (0..round % 6).map(|_| pick()).collect();
        let row = (pick(), pick(), pick());
        let charts = [
            Plot::new("").x("", axis).y("", axis).measured("m", series.clone()).svg(),
            Plot::new("").y("", axis).band("b", series.iter().map(|p| (p.x, p.low, p.high))).svg(),
            Stacked::new("", ["a", "b"]).bar("x", loads.clone()).svg(),
            Stacked::new("", ["a", "b"]).bar("x", loads.clone()).as_shares().svg(),
            Distribution::new("").x("", axis).sample("s", counts.clone()).svg(),
            Histogram::new("", "h", counts).svg(),
            Load::new("", "l", loads).svg(),
            Comparison::new("").label("", axis).row("r", row, Some((pick(), pick()))).svg(),
        ];
        for svg in charts {
            let document = parse(&svg);
            let is_number = |text: &str| !text.contains("NaN");
            let paths = elements(&document, "path");
            assert!(paths.iter().all(|path| is_number(path.attribute("d").unwrap())), "{round}");
            let (width, height) = common::size(&document);
            for bounds in document.descendants().filter_map(extent) {
                let is_inside = bounds[0] > -1.0 && bounds[2] < width + 1.0;
                assert!(is_inside && bounds[3] < height + 1.0, "round {round}: {bounds:?}");
            }
        }
    }
}

#[test]
fn a_formula_is_the_line_of_the_points_before_it() {
    let plot = Plot::new("").measured("m", [Point::new(1.0, 1.0), Point::new(5.0, 5.0)]);
    let joined = plot.clone().svg();
    let lines = |svg: &str| {
        let document = parse(svg);
        let is_line = |node: &Node<'_, '_>| has_class(*node, "k-l0") && points(*node).len() == 2;
        of_class(&document, "k-l0").into_iter().filter(is_line).count()
    };
    assert_eq!(lines(&joined), 2, "the line, and its sample in the legend");
    let svg = plot.formula("f", samples(1.0, 5.0, |x| x)).svg();
    let document = parse(&svg);
    let curve = of_class(&document, "k-formula")[0];
    assert!(curve.children().any(|path| has_class(path, "k-d1") && has_class(path, "k-l0")));
    assert_eq!(lines(&svg), 1, "the sample of the formula in the legend");
}

#[test]
fn parts_of_a_bar_are_as_long_as_they_are_large() {
    let svg = Stacked::new("s", ["a", "b", "c"]).bar("x", [10.0, 30.0, 5.0]).bar("y", [20.0]).svg();
    let document = parse(&svg);
    let widths: Vec<f64> = of_class(&document, "k-part")
        .iter()
        .map(|part| {
            common::number(part.children().find(|c| c.has_attribute("width")).unwrap(), "width")
        })
        .collect();
    assert_eq!(widths.len(), 4);
    for (width, value) in widths.iter().zip([10.0, 30.0, 5.0, 20.0]) {
        assert!((width / widths[0] - value / 10.0).abs() < 0.01, "{widths:?}");
    }
    assert!(texts(&document).contains(&"45") && texts(&document).contains(&"20"), "the totals");
}

#[test]
fn shares_fill_their_bars() {
    let bars = Stacked::new("s", ["a", "b"]).bar("x", [1.0, 3.0]).bar("y", [500.0, 500.0]);
    let svg = bars.as_shares().svg();
    let document = parse(&svg);
    let parts: Vec<_> = of_class(&document, "k-part")
        .iter()
        .map(|part| part.children().find_map(extent).unwrap())
        .collect();
    let length = parts[1][2] - parts[0][0];
    for (part, share) in parts.iter().zip([0.25, 0.75, 0.5, 0.5]) {
        assert!((part[2] - part[0] - share * length).abs() < 0.3, "{parts:?}");
    }
    assert!((parts[3][2] - parts[1][2]).abs() < 0.2, "all bars end together: {parts:?}");
    assert!(texts(&document).contains(&"1k"), "the total is told, all the same");
}

#[test]
fn percentiles_are_those_of_the_sorted_values() {
    let mut random = Random(8);
    let values: Vec<u64> = (0..997).map(|_| random.below(5000)).collect();
    let mut sorted = values.clone();
    sorted.sort_unstable();
    // The 50th percentile of 997 values is the 499th, since 498 are less than half of them.
    let [p50, p90, p99] = [499, 898, 988].map(|rank| sorted[rank - 1]);
    let svg = Distribution::new("").sample("s", values.iter().map(|&v| (v as f64, 1))).svg();
    let short = |value: u64| {
        let thousands = format!("{:.2}", value as f64 / 1000.0);
        let trimmed = thousands.trim_end_matches('0').trim_end_matches('.');
        if value < 1000 { value.to_string() } else { format!("{trimmed}k") }
    };
    let expected = format!("s: p50 {}, p90 {}, p99 {}", short(p50), short(p90), short(p99));
    assert!(texts(&parse(&svg)).contains(&expected.as_str()), "{expected}");
}

#[test]
fn the_bins_of_a_histogram_hold_all_values() {
    let mut random = Random(3);
    let values: Vec<f64> = (0..500).map(|_| random.below(300) as f64 / 7.0).collect();
    let svg = Histogram::new("", "h", values.iter().map(|&value| (value, 2))).svg();
    let document = parse(&svg);
    let counts = of_class(&document, "k-bin")
        .into_iter()
        .map(|bin| tip(bin).split(' ').next().unwrap().parse::<u32>().unwrap());
    assert_eq!(counts.sum::<u32>(), 1000);
    let svg = Histogram::new("", "h", [(1.0, 5), (3.0, 1), (2.0, 9)]).svg();
    let document = parse(&svg);
    let bins: Vec<_> = of_class(&document, "k-bin").into_iter().map(tip).collect();
    assert_eq!(bins, ["5 times 1", "9 times 2", "1 times 3"]);
}

#[test]
fn load_is_sorted_and_the_gini_coefficient_is_right() {
    let svg = Load::new("", "l", [1.0, 3.0, 0.0, 2.0]).svg();
    let document = parse(&svg);
    let tips: Vec<_> = of_class(&document, "k-bar").into_iter().map(tip).collect();
    assert_eq!(tips, ["node 1: 3", "node 3: 2", "node 0: 1", "node 2: 0"]);
    // By definition: the mean absolute difference of all pairs, over twice the mean.
    let loads = [1.0_f64, 3.0, 0.0, 2.0];
    let differences: f64 = loads.iter().flat_map(|a| loads.map(|b| (a - b).abs())).sum();
    let gini = differences / 16.0 / (2.0 * 1.5);
    assert!(texts(&document).contains(&format!("Gini {gini:.2}").as_str()));
}

#[test]
fn a_million_values_make_a_small_file() {
    let values =
        || (0..1_000_000_u32).map(|value| f64::from(value.wrapping_mul(2_654_435_761) >> 8));
    let load = Load::new("", "l", values()).svg();
    assert!(load.len() < 60_000, "{}", load.len());
    let distribution = Distribution::new("").sample("s", values().map(|value| (value, 1))).svg();
    assert!(distribution.len() < 60_000, "{}", distribution.len());
    let plot = Plot::new("").measured("m", values().map(|value| Point::new(value, value))).svg();
    assert!(plot.len() < 250_000, "{}", plot.len());
    assert!(texts(&parse(&plot)).join(" ").contains("one point in 1000"));
}

#[test]
fn a_comparison_puts_the_band_where_the_formula_is() {
    let svg = Comparison::new("c")
        .label("messages", Axis::Linear)
        .row(
            "chang-roberts-bidirectional-with-a-very-long-name",
            (9.0, 10.0, 11.0),
            Some((5.0, 20.0)),
        )
        .row("other", (40.0, 40.0, 40.0), None)
        .svg();
    let document = parse(&svg);
    let bars = of_class(&document, "k-f0");
    let width = |node: Node<'_, '_>| common::number(node, "width");
    let unit = width(bars[1]) / 40.0;
    assert!((width(bars[0]) - 10.0 * unit).abs() < 0.2);
    let band = of_class(&document, "k-t4")[0];
    assert!((width(band) - 15.0 * unit).abs() < 0.2);
    assert!((common::number(band, "x") - common::number(bars[0], "x") - 5.0 * unit).abs() < 0.2);
    assert!(texts(&document).contains(&"10 (formula 5 to 20)"));
    assert!(texts(&document).contains(&"measured, with its confidence interval"));
}

#[test]
fn bars_that_a_bound_would_dwarf_become_points() {
    let chart = |bound| {
        let rows = Comparison::new("c").row("a", (3.0, 3.0, 3.0), Some((1.0, bound)));
        rows.row("b", (9.0, 9.0, 9.0), None).svg()
    };
    let bars = |svg: &str| {
        let document = parse(svg);
        of_class(&document, "k-f0").into_iter().filter(|it| it.has_tag_name("rect")).count()
    };
    assert!(bars(&chart(70.0)) > 0, "nothing is too small to see");
    assert_eq!(bars(&chart(80.0)), 0, "the axis is not logarithmic");
}

#[test]
fn a_comparison_without_intervals_promises_none() {
    let svg = Comparison::new("c").row("one run", (7.0, 7.0, 7.0), None).svg();
    let document = parse(&svg);
    assert!(texts(&document).contains(&"measured"), "{:?}", texts(&document));
    assert!(of_class(&document, "k-thin").is_empty(), "there is an interval");
}

#[test]
fn no_two_curves_share_colour_and_dash_and_none_leaves_the_frame() {
    for series in 1..=48 {
        let mut plot = Plot::new("many").x("n", Axis::Linear).y("y", Axis::Linear);
        for index in 0..series {
            let points = [1.0, 2.0, 3.0].map(|x| Point::new(x, x * f64::from(index)));
            plot = plot.measured(format!("name{index}"), points);
        }
        let svg = plot.svg();
        let document = parse(&svg);
        let is_curve = |node: &Node<'_, '_>| {
            let class = node.attribute("class").unwrap_or_default();
            node.tag_name().name() == "path" && class.starts_with("k-l") && points(*node).len() == 3
        };
        let curves: Vec<_> = document.descendants().filter(is_curve).collect();
        let looks: BTreeSet<_> = curves.iter().map(|it| it.attribute("class")).collect();
        assert_eq!((curves.len(), looks.len()), (series as usize, series as usize));
        // A curve ends with its last point; what leads to its name is grey and outside.
        let right = of_class(&document, "k-grid").into_iter().flat_map(points);
        let right = right.map(|point| point.0).fold(0.0, f64::max);
        assert!(curves.iter().all(|it| points(*it).iter().all(|point| point.0 <= right)));
        for leader in of_class(&document, "k-guide") {
            assert!(points(leader).iter().all(|point| point.0 > right), "{series} series");
        }
        let names = if series > 6 { series as usize } else { 0 };
        assert_eq!(of_class(&document, "k-guide").len(), names);
    }
}

#[test]
fn of_curves_that_coincide_all_but_one_have_gaps() {
    for series in 1..=48 {
        let mut plot = Plot::new("same").x("n", Axis::Linear).y("y", Axis::Linear);
        for index in 0..series {
            // Pairs that coincide.
            let points = [1.0, 2.0, 3.0].map(|x| Point::new(x, x * f64::from(index / 2)));
            plot = plot.measured(format!("name{index}"), points);
        }
        let svg = plot.svg();
        let document = parse(&svg);
        let is_curve = |node: &Node<'_, '_>| {
            let class = node.attribute("class").unwrap_or_default();
            node.tag_name().name() == "path" && class.starts_with("k-l") && points(*node).len() == 3
        };
        let curves: Vec<_> = document.descendants().filter(is_curve).collect();
        let looks: Vec<_> = curves.iter().filter_map(|it| it.attribute("class")).collect();
        let different: BTreeSet<_> = looks.iter().collect();
        assert_eq!((looks.len(), different.len()), (series as usize, series as usize));
        for pair in looks.chunks_exact(2).take(4) {
            assert!(pair[1].contains("k-d"), "{series}: the second hides the first: {pair:?}");
        }
    }
}

#[test]
fn a_formula_beside_many_series_has_a_dash_of_its_own() {
    let mut plot = Plot::new("many").x("n", Axis::Linear).y("y", Axis::Linear);
    for index in 0..10 {
        let points = [1.0, 2.0, 3.0].map(|x| Point::new(x, x * f64::from(index)));
        plot = plot.measured(format!("name{index}"), points);
        plot = plot.formula(format!("law{index}"), [(1.0, 1.0), (2.0, 4.0)]);
    }
    let svg = plot.svg();
    let document = parse(&svg);
    let looks: Vec<_> = of_class(&document, "k-formula")
        .into_iter()
        .flat_map(|curve| curve.children().filter_map(|it| it.attribute("class")))
        .collect();
    assert_eq!(looks.len(), 10);
    assert_eq!(looks.iter().collect::<BTreeSet<_>>().len(), 10, "{looks:?}");
    assert!(looks.iter().all(|look| look.contains("k-d")), "{looks:?}");
}

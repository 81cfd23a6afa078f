use konklave_draw::Axis;
use konklave_draw::chart::{
    Comparison, Distribution, Histogram, Load, Marks, Plot, Point, Stacked, TextForm, samples,
};

const SAMPLE: &str = "Sample data, invented for this gallery.";

/// All charts with their file names.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let text = |marks| election().text(TextForm { marks, ..TextForm::default() });
    vec![
        ("plot.svg", election().svg()),
        ("plot-many.svg", many_series().svg()),
        ("plot-odd.svg", odd().svg()),
        ("plot-one.svg", one_point().svg()),
        ("plot-empty.svg", Plot::new("No series at all").x("nodes", Axis::Auto).svg()),
        ("stacked.svg", stacked().svg()),
        ("stacked-shares.svg", shares().svg()),
        ("distribution.svg", distribution().svg()),
        ("histogram.svg", histogram().svg()),
        ("load-small.svg", load(12).svg()),
        ("load-large.svg", load(5000).svg()),
        ("comparison.svg", comparison(1.0).svg()),
        ("comparison-log.svg", comparison(4.0).svg()),
        ("plot-braille.txt", text(Marks::Braille)),
        ("plot-shapes.txt", text(Marks::Shapes)),
        ("plot-ascii.txt", text(Marks::Ascii)),
        ("plot-one.txt", one_point().text(TextForm::default())),
    ]
}

/// Numbers between 0 and 1 that look random and are always the same.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn election() -> Plot {
    let mut noise = noise(1);
    let mut measured = |formula: fn(f64) -> f64| {
        [10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5]
            .map(|n| {
                let y = formula(n) * (0.97 + 0.06 * noise());
                let half = y * (0.02 + 0.6 / libm::sqrt(n));
                Point::between(n, y, y - half, y + half)
            })
            .to_vec()
    };
    let log = |n: f64| libm::log(n);
    Plot::new("Messages of one election on a ring, measured and expected")
        .x("nodes", Axis::Auto)
        .y("messages", Axis::Auto)
        .measured("chang-roberts", measured(|n| n * libm::log(n) * 0.69 + n))
        .formula("0.69 n ln n + n", samples(10.0, 1e5, |n| 0.69 * n * log(n) + n))
        .measured("chang-roberts-bidirectional", measured(|n| n * libm::log(n) * 0.45))
        .measured("hirschberg-sinclair", measured(|n| 2.0 * n * libm::log(n)))
        .band("hirschberg-sinclair: between 1.5 and 8 n log2 n", {
            let bounds = |(n, y): (f64, f64)| (n, 1.5 * y, 8.0 * y);
            samples(10.0, 1e5, |n| n * libm::log2(n)).into_iter().map(bounds).collect::<Vec<_>>()
        })
        .note(SAMPLE)
}

fn many_series() -> Plot {
    let mut plot =
        Plot::new("Twenty series").x("load", Axis::Linear).y("waiting time", Axis::Linear);
    for series in 0..20_u32 {
        let points = (1..=8).map(|x| {
            let x = f64::from(x);
            Point::new(x, f64::from(series) * 2.0 + x * (1.0 + f64::from(series % 7) / 5.0))
        });
        plot = plot.measured(format!("algorithm-number-{series}"), points);
    }
    plot.note(SAMPLE)
}

fn odd() -> Plot {
    let points = [(0.0, 3.0), (1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 1e12), (4.0, 7e12)];
    Plot::new("Odd values, a name that is <escaped> & \"quoted\"")
        .x("n", Axis::Linear)
        .y("huge", Axis::Linear)
        .measured("with gaps", points.map(|(x, y)| Point::new(x, y)))
        .measured("all equal", [Point::new(0.0, 5e12), Point::new(4.0, 5e12)])
        .measured("empty", [])
        .note(SAMPLE)
}

fn one_point() -> Plot {
    Plot::new("One point")
        .x("nodes", Axis::Auto)
        .y("messages", Axis::Auto)
        .measured("only", [Point::between(7.0, 12.0, 10.0, 14.0)])
        .note(SAMPLE)
}

fn stacked() -> Stacked {
    Stacked::new(
        "Messages per entry, by kind",
        ["REQUEST", "REPLY", "RELEASE", "PRIVILEGE", "INQUIRE"],
    )
    .label("messages per entry")
    .bar("lamport", [12.0, 12.0, 12.0])
    .bar("ricart-agrawala", [12.0, 12.0])
    .bar("maekawa", [6.1, 6.0, 6.2, 0.0, 1.4])
    .bar("suzuki-kasami", [12.0, 0.0, 0.0, 1.0])
    .bar("raymond", [1.9, 0.0, 0.0, 1.9])
    .bar("chang-singhal-liu-with-a-long-name", [2.3, 0.0, 0.0, 1.0])
    .note(SAMPLE)
}

fn shares() -> Stacked {
    let kinds = (0..11).map(|kind| format!("Kind{kind}"));
    let mut chart = Stacked::new("Shares of kinds, for systems of very different size", kinds)
        .label("messages")
        .as_shares();
    for (index, nodes) in [10, 100, 1000, 10_000].into_iter().enumerate() {
        let values = (0..11).map(|kind| f64::from(nodes) * (1.0 + ((kind + index) % 4) as f64));
        chart = chart.bar(format!("{nodes} nodes"), values);
    }
    chart.note(SAMPLE)
}

fn distribution() -> Distribution {
    let mut chart =
        Distribution::new("How long nodes wait for the critical section").x("ticks", Axis::Auto);
    for (name, mean) in [("raymond", 40.0), ("ricart-agrawala", 90.0), ("maekawa", 150.0)] {
        let mut noise = noise(mean as u64);
        let values = (0..3000).map(|_| (1.0 + -mean * libm::log(1.0 - noise()).min(0.0)).round());
        chart = chart.sample(name, values.map(|value| (value, 1)).collect::<Vec<_>>());
    }
    chart.note(SAMPLE)
}

fn histogram() -> Histogram {
    let mut noise = noise(5);
    let values = (0..4000).map(|_| (20.0 + 60.0 * (noise() + noise() * noise())).round());
    let counts: Vec<_> = values.map(|value| (value, 1)).collect();
    Histogram::new("Waiting times of raymond", "ticks", counts).note(SAMPLE)
}

fn load(nodes: u32) -> Load {
    let mut noise = noise(11);
    let loads = (0..nodes).map(|_| (20.0 + 400.0 * libm::pow(noise(), 6.0)).round());
    let title = format!("Messages handled by each of {nodes} nodes");
    Load::new(title, "messages", loads.collect::<Vec<_>>()).note(SAMPLE)
}

fn comparison(power: f64) -> Comparison {
    let row = |value: f64| {
        let value = libm::pow(value, power);
        (value * 0.95, value, value * 1.05)
    };
    let bound = |low: f64, high: f64| Some((libm::pow(low, power), libm::pow(high, power)));
    Comparison::new("Messages per entry with 13 nodes under heavy load")
        .label("messages per entry", Axis::Auto)
        .row("lamport", row(36.0), bound(36.0, 36.0))
        .row("ricart-agrawala", row(24.0), bound(24.0, 24.0))
        .row("maekawa", row(15.5), bound(9.0, 18.0))
        .row("suzuki-kasami", row(12.6), bound(0.0, 13.0))
        .row("raymond", row(3.9), bound(3.5, 4.0))
        .row("token-search-on-a-graph-without-a-formula", row(8.2), None)
        .note(SAMPLE)
}

//! The experiments with records, and their results.

use konklave_sim::random::{Random, Stream};
use serde::Serialize;

use super::RecordsArgs;
use super::hops;
use super::records::{SIGMAS, deviation, fish, harmonic, mean, probability, sample, series};
use crate::Exit;
use crate::failure::Failure;
use crate::output::{self, grouped, short};
use crate::told::Told;

/// The sizes of the pond.
const PONDS: [u64; 5] = [100, 1000, 1_000_000, 1 << 31, 10_000_000_000_000];
/// The largest pond for direct simulation.
const LITERAL_MAX: u64 = 1_000_000;
/// The population of the Earth.
const PEOPLE: u64 = 8_000_000_000;
/// The maximum number of values to draw for a series of years.
const DRAWS_MAX: u64 = 50_000_000;

/// A value, measured and exact. The margin is that of 99 % confidence, from the exact deviation.
#[derive(Debug, Serialize)]
struct Finding {
    what: String,
    exact: f64,
    measured: f64,
    margin: f64,
    samples: u64,
}

impl Finding {
    fn is_within(&self) -> bool {
        (self.measured - self.exact).abs() <= self.margin
    }

    /// The frequency of an event with this probability.
    fn frequency(what: impl Into<String>, exact: f64, hits: u64, samples: u64) -> Self {
        let margin = SIGMAS * (exact * (1.0 - exact) / samples as f64).sqrt();
        let measured = hits as f64 / samples as f64;
        Self { what: what.into(), exact, measured, margin, samples }
    }

    fn mean(what: impl Into<String>, exact: f64, deviation: f64, sum: f64, samples: u64) -> Self {
        let margin = SIGMAS * deviation / (samples as f64).sqrt();
        Self { what: what.into(), exact, measured: sum / samples as f64, margin, samples }
    }
}

/// Findings under a common title.
#[derive(Debug, Serialize)]
struct Chapter {
    title: &'static str,
    findings: Vec<Finding>,
}

/// Runs the experiments and prints their results.
pub(super) fn report(args: &RecordsArgs) -> Result<Exit, Failure> {
    let mut random = Random::new(args.seed, Stream::Workload);
    let chapters = [
        means(args.samples, &mut random),
        frequencies(args.samples, &mut random),
        years(args.samples, &mut random),
        people(args.samples, &mut random),
        ring(args)?,
    ];
    let macros = macro_experiments(&mut random);
    if args.json {
        output::json(&Told::plain(serde_json::json!({
            "experiment": "records", "seed": args.seed, "samples": args.samples,
            "chapters": chapters, "means_of_1000_samples_with_n_1000": macros,
        })))?;
        return Ok(Exit::Fine);
    }
    let mut lines = vec![format!("Records: seed {}, {} samples", args.seed, grouped(args.samples))];
    for chapter in &chapters {
        lines.push(String::new());
        lines.push(output::bold(chapter.title));
        lines.extend(table(&chapter.findings));
    }
    lines.push(String::new());
    lines.extend(explanation(&macros));
    output::lines(&lines)?;
    Ok(Exit::Fine)
}

fn table(findings: &[Finding]) -> Vec<String> {
    let head = ["", "exact", "measured", "99 % margin", ""].map(str::to_owned).to_vec();
    let rows = findings.iter().map(|finding| {
        let small = finding.exact.abs() < 1.0;
        let number = |value: f64| if small { format!("{value:.6}") } else { short(value) };
        let agreement = if finding.is_within() { "ok" } else { "outside" };
        vec![
            format!("  {}", finding.what),
            number(finding.exact),
            number(finding.measured),
            number(finding.margin),
            agreement.to_owned(),
        ]
    });
    output::table(&[head].into_iter().chain(rows).collect::<Vec<_>>())
}

fn means(samples: u64, random: &mut Random) -> Chapter {
    let mut findings = Vec::new();
    for n in PONDS {
        let (exact, sd) = (mean(n), deviation(n));
        let sum = (0..samples).map(|_| sample(n, random) as f64).sum();
        findings.push(Finding::mean(format!("n = {}", grouped(n)), exact, sd, sum, samples));
        if n <= LITERAL_MAX {
            let sum = (0..samples).map(|_| fish(n, random) as f64).sum();
            let what = format!("n = {}, fish by fish", grouped(n));
            findings.push(Finding::mean(what, exact, sd, sum, samples));
        }
    }
    Chapter { title: "Fish caught until one is larger than the first: 1 + H_(n-1)", findings }
}

fn frequencies(samples: u64, random: &mut Random) -> Chapter {
    let n = 1000;
    let mut counts = vec![0_u64; n as usize + 1];
    (0..samples).for_each(|_| counts[sample(n, random) as usize] += 1);
    let finding = |m: u64| {
        let what = format!("T = {m}");
        Finding::frequency(what, probability(n, m), counts[m as usize], samples)
    };
    let findings = (2..=10).chain([n - 1, n]).map(finding).collect();
    Chapter { title: "How often it takes exactly m fish, n = 1000: 1/(m(m-1))", findings }
}

fn years(samples: u64, random: &mut Random) -> Chapter {
    let mut findings = Vec::new();
    for (name, years) in [("century", 100), ("millennium", 1000)] {
        let samples = samples.min(DRAWS_MAX / years);
        let n = years as f64;
        let (mut waits, mut genuine, mut found) = (0, 0, 0);
        let (mut third, mut hundredth, mut later, mut records) = (0, 0, 0, 0);
        for _ in 0..samples {
            let (first, count) = series(years, random);
            waits += first.unwrap_or(years);
            records += count;
            if let Some(year) = first {
                (genuine, found) = (genuine + year, found + 1);
                third += u64::from(year == 3);
                hundredth += u64::from(year == 100);
                later += u64::from(year > 100);
            }
        }
        let sd = deviation(years);
        let what = |text: &str| format!("{name}: {text}");
        let text = what("first genuine record, or the last year");
        findings.push(Finding::mean(text, mean(years), sd, waits as f64, samples));
        let exact = n * harmonic(years - 1) / (n - 1.0);
        let text = what("the same, if there is one");
        // Given that there is one the waits vary less.
        findings.push(Finding::mean(text, exact, sd, genuine as f64, found.max(1)));
        let mut rate = |text: &str, exact: f64, hits: u64| {
            findings.push(Finding::frequency(what(text), exact, hits, samples));
        };
        rate("in year 3", 1.0 / 6.0, third);
        rate("in year 100", 1.0 / 9900.0, hundredth);
        if years > 100 {
            rate("after year 100", 1.0 / 100.0 - 1.0 / n, later);
        }
        rate("never", 1.0 / n, samples - found);
        let squares: f64 = (1..=years).map(|k| 1.0 / (k * k) as f64).sum();
        let sd = (harmonic(years) - squares).sqrt();
        let (text, exact) = (what("genuine records"), harmonic(years) - 1.0);
        findings.push(Finding::mean(text, exact, sd, records as f64, samples));
    }
    Chapter { title: "Years until the first genuine record", findings }
}

fn people(samples: u64, random: &mut Random) -> Chapter {
    let met: Vec<u64> = (0..samples).map(|_| sample(PEOPLE, random) - 1).collect();
    let sum = met.iter().map(|&met| met as f64).sum();
    let beyond = |bound: u64| met.iter().filter(|&&met| met > bound).count() as u64;
    let findings = vec![
        Finding::mean("on average", mean(PEOPLE) - 1.0, deviation(PEOPLE), sum, samples),
        Finding::frequency("more than 1", 1.0 / 2.0, beyond(1), samples),
        Finding::frequency("more than 10", 1.0 / 11.0, beyond(10), samples),
        Finding::frequency("more than 1000", 1.0 / 1001.0, beyond(1000), samples),
    ];
    Chapter { title: "People met until one is taller, of 8 000 000 000: H_(N-1)", findings }
}

fn ring(args: &RecordsArgs) -> Result<Chapter, Failure> {
    let hops = hops::on_a_random_ring(args.ring, args.seed)
        .map_err(|broken| Failure::bad(format!("the election failed: {broken}")))?;
    let n = f64::from(args.ring);
    let finding = |j: u32| {
        let hits = hops.iter().filter(|&&hop| hop == j).count() as f64;
        let exact = match j {
            _ if j < args.ring => n / f64::from(j * (j + 1)),
            _ => 1.0, // The largest goes round.
        };
        let share = exact / n;
        let margin = SIGMAS * (n * share * (1.0 - share)).sqrt();
        let what = format!("ids that travel {j} hops");
        Finding { what, exact, measured: hits, margin, samples: u64::from(args.ring) }
    };
    let mut findings: Vec<_> = (1..=args.ring.min(10)).map(finding).collect();
    let total = hops.iter().map(|&hop| f64::from(hop)).sum();
    // The deviation of the total is about 0.6 n, and less on small rings.
    let margin = SIGMAS * 0.6 * n;
    let (what, exact) = ("messages to elect".to_owned(), n * harmonic(args.ring.into()));
    findings.push(Finding { what, exact, measured: total, margin, samples: 1 });
    Ok(Chapter { title: "Chang-Roberts on a random ring: n/(j(j+1)) ids travel j hops", findings })
}

/// Means of as many samples as there are fish.
fn macro_experiments(random: &mut Random) -> Vec<f64> {
    let one = |_| (0..1000).map(|_| sample(1000, random) as f64).sum::<f64>() / 1000.0;
    (0..6).map(one).collect()
}

fn explanation(macros: &[f64]) -> Vec<String> {
    let macros: Vec<_> = macros.iter().map(|mean| format!("{mean:.2}")).collect();
    let text = format!(
        "One margin in a hundred is exceeded by chance.

The frequencies settle quickly, the means hardly at all. T is mostly 2 or 3, but the mean
owes as much to waits of 10 to 100 as to those of 100 to 1000, and so on up to n, and the long
ones are rare: the variance is about 2n, and the mean of N samples has a standard error of
sqrt(2n/N). With N = n experiments it is sqrt 2 = 1.41, whatever n is. Six times N = n = 1000,
where 8.48 is exact: {}.
For an error of e it takes 2n/e^2 samples. In an endless pond the mean is infinite, though one
fish in two settles the matter at once.

The tallest of all is one in N, but meets N-1 people in vain: this alone adds 1 to the mean, which
is {:.2} with it and {:.2} without.

On a ring an id travels until it meets a larger one, so a hop count is a wait for a record: n
waits of H_n on average are the n H_n messages of Chang and Roberts.",
        macros.join(", "),
        harmonic(PEOPLE - 1),
        harmonic(PEOPLE) - 1.0,
    );
    text.lines().map(str::to_owned).collect()
}

//! How a quantity grows with the number of nodes, named in words.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::table::significant;

/// A law of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// 1.
    Constant,
    /// ln n.
    Log,
    /// The square root of n.
    Sqrt,
    /// n.
    Linear,
    /// n ln n.
    LinearLog,
    /// n squared.
    Quadratic,
}

impl Model {
    /// All of them, from the slowest growth to the fastest.
    pub const ALL: [Self; 6] =
        [Self::Constant, Self::Log, Self::Sqrt, Self::Linear, Self::LinearLog, Self::Quadratic];

    /// Its value for `n` nodes.
    pub fn at(self, n: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Log => libm::log(n),
            Self::Sqrt => n.sqrt(),
            Self::Linear => n,
            Self::LinearLog => n * libm::log(n),
            Self::Quadratic => n * n,
        }
    }

    /// The law without its constant. Which logarithm does not matter then.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "1",
            Self::Log => "log n",
            Self::Sqrt => "sqrt n",
            Self::Linear => "n",
            Self::LinearLog => "n log n",
            Self::Quadratic => "n^2",
        }
    }
}

/// A law with its constant, and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The law.
    pub model: Model,
    /// What it is multiplied with.
    pub constant: f64,
    /// The relative error: how far, as a root mean square, the measured values are from the fitted
    /// ones, as a share of the fitted ones. 0.03 means that 3 % are usual.
    pub error: f64,
}

impl Fit {
    /// The fitted value for `n` nodes.
    pub fn at(&self, n: f64) -> f64 {
        self.constant * self.model.at(n)
    }
}

impl Display for Fit {
    /// The formula, such as `0.69 n ln n`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let constant = rounded(self.constant);
        let law = match self.model {
            Model::Constant => return f.write_str(&constant),
            Model::Log => "ln n",
            Model::LinearLog => "n ln n",
            model => model.name(),
        };
        if constant == "1" { f.write_str(law) } else { write!(f, "{constant} {law}") }
    }
}

/// Three significant digits are all that a fit is worth.
fn rounded(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    significant(rounded)
}

/// How a quantity grows, as far as can be told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Growth {
    /// It is always zero.
    Zero,
    /// Fewer than three sizes were measured, or sizes below two, or values below zero.
    Unknown,
    /// All laws, the best first.
    Fits(Vec<Fit>),
}

/// A law that fits worse than this is no law for these values.
const USELESS: f64 = 0.2;

impl Growth {
    /// Fits all laws to pairs of a number of nodes and a mean.
    ///
    /// Each law has one constant. Errors are relative to the fitted value (least squares with the
    /// weights `1/f(n)^2`), because sizes span decades: so the constant is the mean of `y/f(n)`,
    /// and the error is the spread of these quotients around it. Sizes below two are left out: the
    /// logarithm of one is zero.
    pub fn new(points: &[(f64, f64)]) -> Self {
        let points: Vec<_> = points.iter().copied().filter(|(n, _)| *n >= 2.0).collect();
        let mut sizes: Vec<_> = points.iter().map(|(n, _)| *n).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let is_valid = |(n, y): &(f64, f64)| n.is_finite() && y.is_finite() && *y >= 0.0;
        if sizes.len() < 3 || !points.iter().all(is_valid) {
            return Self::Unknown;
        }
        if points.iter().all(|(_, y)| *y == 0.0) {
            return Self::Zero;
        }
        let mut fits: Vec<_> = Model::ALL.iter().map(|model| fit(*model, &points)).collect();
        fits.sort_by(|a, b| a.error.total_cmp(&b.error));
        Self::Fits(fits)
    }

    /// The law that fits best, if there is one that fits at all.
    pub fn best(&self) -> Option<Fit> {
        match self {
            Self::Fits(fits) => fits.first().copied().filter(|fit| fit.error <= USELESS),
            _ => None,
        }
    }

    /// The laws that fit nearly as well as the best: between them these sizes do not decide.
    pub fn close_calls(&self) -> Vec<Fit> {
        let (Self::Fits(fits), Some(best)) = (self, self.best()) else { return Vec::new() };
        let enough = 1.5 * best.error + 0.005;
        fits[1..].iter().copied().filter(|fit| fit.error <= enough).collect()
    }

    /// The growth of a quantity in words, such as `messages grow as 0.69 n ln n`.
    pub fn words(&self, quantity: &str) -> String {
        let is_plural = quantity.ends_with('s');
        let verb = |one: &'static str, many: &'static str| if is_plural { many } else { one };
        let fits = match self {
            Self::Zero => return format!("{quantity} {} always 0", verb("is", "are")),
            Self::Unknown => {
                return format!(
                    "how {quantity} {} cannot be told: too few sizes",
                    verb("grows", "grow")
                );
            }
            Self::Fits(fits) => fits,
        };
        let Some(best) = self.best() else {
            let (nearest, off) = (fits[0], percent(fits[0].error));
            return format!(
                "{quantity} {} as none of the laws: {nearest} is off by {off}",
                verb("grows", "grow")
            );
        };
        let mut words = match best.model {
            Model::Constant => {
                format!("{quantity} {} at {best}, whatever n", verb("stays", "stay"))
            }
            _ => format!("{quantity} {} as {best}", verb("grows", "grow")),
        };
        let close = self.close_calls();
        if !close.is_empty() {
            let names: Vec<_> = close.iter().map(|fit| fit.model.name()).collect();
            let fit = if close.len() == 1 { "fits" } else { "fit" };
            let names = names.join(" and ");
            words.push_str(&format!(
                " ({} fits best, {names} {fit} nearly as well)",
                best.model.name()
            ));
        }
        words
    }
}

fn percent(share: f64) -> String {
    format!("{} %", rounded(share * 100.0))
}

fn fit(model: Model, points: &[(f64, f64)]) -> Fit {
    let quotients: Vec<_> = points.iter().map(|(n, y)| y / model.at(*n)).collect();
    let count = quotients.len() as f64;
    let constant = quotients.iter().sum::<f64>() / count;
    let squares: f64 = quotients.iter().map(|it| (it / constant - 1.0).powi(2)).sum();
    Fit { model, constant, error: (squares / count).sqrt() }
}

#[cfg(test)]
mod tests {
    use konklave_sim::random::{Random, Stream};

    use super::*;

    const SIZES: [f64; 5] = [10.0, 30.0, 100.0, 1000.0, 10_000.0];

    fn growth(formula: impl FnMut(f64) -> f64) -> Growth {
        let mut formula = formula;
        Growth::new(&SIZES.map(|n| (n, formula(n))))
    }

    #[test]
    fn every_law_is_recognised_with_its_constant_through_noise() {
        let seed = 11;
        println!("seed {seed}");
        let mut random = Random::new(seed, Stream::Faults);
        for _ in 0..200 {
            for model in Model::ALL {
                let constant = 0.1 + random.below(1000) as f64 / 100.0;
                let mut noise = || 0.95 + 0.1 * random.below(1001) as f64 / 1000.0;
                let growth = growth(|n| constant * model.at(n) * noise());
                let best = growth.best().unwrap();
                assert_eq!(best.model, model, "{growth:?}");
                assert!((best.constant / constant - 1.0).abs() < 0.05, "{best:?}, not {constant}");
                assert!(best.error < 0.06, "{best:?}");
            }
        }
    }

    #[test]
    fn formulas_of_papers_are_named() {
        let harmonic = |n: f64| (1..=n as u64).map(|k| 1.0 / k as f64).sum::<f64>();
        let chang_roberts = growth(|n| n * harmonic(n));
        assert_eq!(chang_roberts.best().unwrap().model, Model::LinearLog);
        let worst = growth(|n| n * (n + 1.0) / 2.0);
        assert_eq!(worst.best().unwrap().model, Model::Quadratic);
        assert!((worst.best().unwrap().constant - 0.5).abs() < 0.02);
        assert_eq!(growth(|n| 2.0 * (n - 1.0)).best().unwrap().model, Model::Linear);
        assert_eq!(growth(|_| 3.0).words("messages"), "messages stay at 3, whatever n");
        let words = growth(|n| 0.69 * n * libm::log(n)).words("messages");
        assert_eq!(words, "messages grow as 0.69 n ln n");
        assert_eq!(growth(|n| n * n).words("time"), "time grows as n^2");
    }

    #[test]
    fn what_the_sizes_do_not_decide_is_said() {
        let narrow = Growth::new(&[100.0, 101.0, 102.0].map(|n: f64| (n, n * libm::log(n))));
        assert_eq!(
            narrow.words("messages"),
            "messages grow as n ln n (n log n fits best, n fits nearly as well)"
        );
        assert!(growth(|n| n * libm::log(n)).close_calls().is_empty());
    }

    #[test]
    fn what_is_no_law_is_not_named() {
        let odd = growth(|n| n * n * n);
        assert_eq!(odd.best(), None);
        assert!(odd.words("messages").starts_with("messages grow as none of the laws: "));
        assert_eq!(growth(|_| 0.0).words("losses"), "losses are always 0");
        let few = Growth::new(&[(10.0, 1.0), (10.0, 2.0), (1.0, 5.0), (20.0, 1.0)]);
        assert_eq!(few, Growth::Unknown);
        assert_eq!(Growth::new(&[(2.0, 1.0), (3.0, f64::NAN), (4.0, 1.0)]), Growth::Unknown);
        assert!(few.words("time").contains("too few sizes"));
    }
}

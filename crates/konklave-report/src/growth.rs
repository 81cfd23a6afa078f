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

/// A term of lower order, which a formula such as 3n - 2 has beside its law.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lower {
    /// What it is: a law that grows more slowly, or one over n.
    #[serde(serialize_with = "as_name")]
    pub term: Term,
    /// What it is multiplied with.
    pub constant: f64,
}

/// What a term of lower order can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Another law.
    Law(Model),
    /// 1/n.
    Inverse,
}

fn as_name<S: serde::Serializer>(term: &Term, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match term {
        Term::Law(model) => model.name(),
        Term::Inverse => "1/n",
    })
}

impl Term {
    fn at(self, n: f64) -> f64 {
        match self {
            Self::Law(model) => model.at(n),
            Self::Inverse => 1.0 / n,
        }
    }

    /// What formulas of papers have beside a law: 3n - 2, n(n+1)/2, n H_n, 3(n-1)/n.
    fn below(model: Model) -> &'static [Self] {
        const ONE: Term = Term::Law(Model::Constant);
        const LINEAR: Term = Term::Law(Model::Linear);
        match model {
            Model::Constant => &[Self::Inverse],
            Model::Log | Model::Sqrt | Model::Linear => &[ONE],
            Model::LinearLog | Model::Quadratic => &[ONE, LINEAR],
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
    /// What is added, if the law alone fits much worse.
    pub lower: Option<Lower>,
    /// The relative error: how far, as a root mean square, the fitted values are from the measured
    /// ones, as a share of the measured ones. 0.03 means that 3 % are usual.
    pub error: f64,
    /// By this laws are compared: less is better. A needless term costs, and what is below the
    /// noise of the measurement does not count.
    #[serde(skip)]
    score: f64,
}

impl Fit {
    /// The fitted value for `n` nodes.
    pub fn at(&self, n: f64) -> f64 {
        let lower = self.lower.map_or(0.0, |lower| lower.constant * lower.term.at(n));
        self.constant * self.model.at(n) + lower
    }

    /// How far it is off, in words such as `off by 3 %`.
    pub fn off(&self) -> String {
        match self.error {
            error if error < 1e-9 => "exactly".to_owned(),
            error if error < 1e-4 => "off by less than 0.01 %".to_owned(),
            error => format!("off by {}", percent(error)),
        }
    }
}

impl Display for Fit {
    /// The formula, such as `0.69 n ln n` or `3 n - 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&product(self.constant, law(self.model)))?;
        let Some(Lower { term, constant }) = self.lower else { return Ok(()) };
        let sign = if constant < 0.0 { "-" } else { "+" };
        match term {
            Term::Law(model) => write!(f, " {sign} {}", product(constant.abs(), law(model))),
            Term::Inverse => write!(f, " {sign} {}/n", rounded(constant.abs())),
        }
    }
}

/// How a law is written in a formula; empty for a constant.
fn law(model: Model) -> &'static str {
    match model {
        Model::Constant => "",
        Model::Log => "ln n",
        Model::LinearLog => "n ln n",
        model => model.name(),
    }
}

fn product(constant: f64, law: &str) -> String {
    match (rounded(constant).as_str(), law) {
        (constant, "") => constant.to_owned(),
        ("1", law) => law.to_owned(),
        (constant, law) => format!("{constant} {law}"),
    }
}

/// Three significant digits are all that a fit is worth.
fn rounded(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    significant(rounded)
}

fn percent(share: f64) -> String {
    format!("{} %", significant(format!("{:.1e}", share * 100.0).parse().unwrap_or(share)))
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

/// A law with a larger error is rejected.
const USELESS: f64 = 0.2;
/// Laws whose scores differ by less fit nearly equally well,
const CLOSE: f64 = 2.0;
/// and so do laws that are off by hardly more than the best.
const HARDLY: f64 = 0.002;

/// What was measured at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number of nodes.
    pub n: f64,
    /// The mean.
    pub mean: f64,
    /// The standard error of that mean; 0 if it is exact or unknown.
    pub error: f64,
}

impl Growth {
    /// Fits all laws to what was measured at several sizes: each alone, and with a term of lower
    /// order.
    ///
    /// Errors are relative to the measured values, because sizes span decades. Sizes below two are
    /// left out: the logarithm of one is zero.
    pub fn new(samples: &[Sample]) -> Self {
        let samples: Vec<_> = samples.iter().copied().filter(|it| it.n >= 2.0).collect();
        let mut sizes: Vec<_> = samples.iter().map(|it| it.n).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let is_valid = |it: &Sample| {
            it.n.is_finite() && it.mean.is_finite() && it.mean >= 0.0 && it.error.is_finite()
        };
        if sizes.len() < 3 || !samples.iter().all(is_valid) {
            return Self::Unknown;
        }
        if samples.iter().all(|it| it.mean == 0.0) {
            return Self::Zero;
        }
        let mut fits: Vec<_> = Model::ALL.iter().map(|model| fit(*model, &samples)).collect();
        fits.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.error.total_cmp(&b.error)));
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
        let is_close = |fit: &Fit| {
            let is_hardly_worse = fit.error <= best.error + HARDLY;
            fit.error <= USELESS && (fit.score <= best.score + CLOSE || is_hardly_worse)
        };
        fits[1..].iter().copied().filter(is_close).collect()
    }

    /// All laws, the best first, for a table; none where there is nothing to fit.
    pub fn fits(&self) -> &[Fit] {
        match self {
            Self::Fits(fits) => fits,
            _ => &[],
        }
    }

    /// The growth of a quantity in words, such as `messages grow as 0.69 n ln n, off by 1.1 %`.
    pub fn words(&self, quantity: &str) -> String {
        let is_plural = quantity.split(' ').next().is_some_and(|word| word.ends_with('s'));
        let verb = |one: &'static str, many: &'static str| if is_plural { many } else { one };
        let fits = match self {
            Self::Zero => return format!("{quantity} {} always 0", verb("is", "are")),
            Self::Unknown => {
                return format!(
                    "how {quantity} {} is undecided: there are too few sizes",
                    verb("grows", "grow")
                );
            }
            Self::Fits(fits) => fits,
        };
        let Some(best) = self.best() else {
            let nearest = fits[0];
            return format!(
                "{quantity} {} by none of the laws: the nearest, {nearest}, is {}",
                verb("grows", "grow"),
                nearest.off()
            );
        };
        let mut words = match best.model {
            Model::Constant => format!("{quantity} {} at {best}", verb("stays", "stay")),
            _ => format!("{quantity} {} as {best}", verb("grows", "grow")),
        };
        words.push_str(&format!(", {}", best.off()));
        let close = self.close_calls();
        if !close.is_empty() {
            let others: Vec<_> = close.iter().map(|fit| format!("{fit} ({})", fit.off())).collect();
            let fit = if close.len() == 1 { "fits" } else { "fit" };
            words.push_str(&format!("; {} {fit} nearly as well", others.join(" and ")));
        }
        words
    }
}

/// The law alone or with a term of lower order, whichever is the better story.
fn fit(model: Model, samples: &[Sample]) -> Fit {
    let alone = weighed(model, None, samples);
    let with_terms = Term::below(model).iter().map(|term| weighed(model, Some(*term), samples));
    let fits = alone.into_iter().chain(with_terms.flatten());
    let none = Fit { model, constant: 0.0, lower: None, error: 1.0, score: f64::INFINITY };
    fits.reduce(|a, b| if b.score < a.score { b } else { a }).unwrap_or(none)
}

/// What is below a thousandth is not worth another term.
const FLOOR: f64 = 1e-3;
/// What a term costs: its worth must be more than chance would give it.
const TERM: f64 = 3.0;

/// Least squares, each sample relative to its mean. None if the law is not the leading part of what
/// fits best, or that is not above zero.
fn weighed(model: Model, term: Option<Term>, samples: &[Sample]) -> Option<Fit> {
    let means = samples.iter().map(|it| it.mean).filter(|mean| *mean > 0.0);
    let least = means.fold(f64::INFINITY, f64::min);
    // A mean of zero has no share that an error could be of.
    let size = |it: &Sample| it.mean.max(least);
    let noise = |it: &Sample| FLOOR * FLOOR + (it.error / size(it)).powi(2);
    // Sums of squares and products of the two terms, f and g, and of what was measured.
    let [mut ff, mut fg, mut gg, mut fy, mut gy] = [0.0; 5];
    for it in samples {
        let weight = 1.0 / (size(it) * size(it) * noise(it));
        let (f, g) = (model.at(it.n), term.map_or(0.0, |term| term.at(it.n)));
        ff += weight * f * f;
        fg += weight * f * g;
        gg += weight * g * g;
        fy += weight * f * it.mean;
        gy += weight * g * it.mean;
    }
    let (constant, lower) = match term {
        None => (fy / ff, None),
        Some(term) => {
            let determinant = ff * gg - fg * fg;
            if determinant <= 1e-12 * ff * gg {
                return None;
            }
            let constant = (gy * ff - fy * fg) / determinant;
            ((fy * gg - gy * fg) / determinant, Some(Lower { term, constant }))
        }
    };
    let fit = Fit { model, constant, lower, error: 0.0, score: 0.0 };
    let last = samples.iter().map(|it| it.n).fold(0.0, f64::max);
    let leads = fit.constant * model.at(last);
    let is_law = leads > 0.0 && 2.0 * leads >= fit.at(last);
    if !is_law || samples.iter().any(|it| fit.at(it.n) <= 0.0 && it.mean > 0.0) {
        return None;
    }
    let off = |it: &Sample| ((fit.at(it.n) - it.mean) / size(it)).powi(2);
    let count = samples.len() as f64;
    let squares: f64 = samples.iter().map(off).sum();
    let surprise: f64 = samples.iter().map(|it| off(it) / noise(it)).sum();
    let terms = if term.is_some() { 2.0 } else { 1.0 };
    // Few samples can be fitted by anything that has as many terms.
    let price = TERM * terms * count / (count - terms);
    let score = count * libm::log1p(surprise / count) + price;
    Some(Fit { error: (squares / count).sqrt(), score, ..fit })
}

#[cfg(test)]
mod tests;

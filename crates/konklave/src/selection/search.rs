//! What the anchor does in a selection: question after question, until one element is left.

use super::Key;
use super::candidates::{Ask, Between, Limit, Reply};
use crate::circle::{Mixer, Salt};

/// How splitters are drawn, and which of them limit the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Splitters {
    /// 8√n of them, or as many as are given, and those at a distance of twice the standard
    /// deviation. A sample that misses the element widens the distance for the next one, and a
    /// sample that cuts nothing is followed by one of twice the size.
    #[default]
    Adaptive,
    /// √n of them, at a distance of n^1/4 (ln n)^1/2, again and again: as the theorem has it, which
    /// is about large systems. After [`MOST`] samples the anchor asks for all that are left.
    Classical,
}

/// The most samples of the classical form.
pub const MOST: u32 = 100;

/// What the anchor knows before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The number of processes, n.
    pub processes: u32,
    /// How splitters are drawn.
    pub splitters: Splitters,
    /// How many of them at first, S, if it is not √n or 8√n.
    pub sample: Option<u64>,
    /// Draws them.
    pub mixer: Mixer,
}

impl Plan {
    /// The expected number of splitters, S. So many elements are not too many for one message.
    fn sample(&self) -> u64 {
        let n = u64::from(self.processes);
        let usual = match self.splitters {
            Splitters::Adaptive => (64 * n).isqrt(),
            Splitters::Classical => n.isqrt(),
        };
        self.sample.unwrap_or(usual).max(1)
    }

    /// How often phase 1 cuts m elements: ⌈log₂ q⌉ + 1 times, where m = n^q.
    fn cuts(&self, elements: u64) -> u32 {
        let mut power = u128::from(self.processes);
        let mut cuts = 1;
        while self.processes > 1 && power < u128::from(elements) {
            power *= power; // Of a number below 2^64.
            cuts += 1;
        }
        if self.processes > 1 { cuts } else { 0 }
    }
}

/// A selection that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    plan: Plan,
    /// The rank of the wanted element among the active ones, k.
    rank: u64,
    /// The number of active elements, m.
    active: u64,
    stage: Stage,
    /// How often phase 1 cuts once more, at most.
    cuts: u32,
    /// The expected number of splitters, S.
    sample: u64,
    /// The distance in standard deviations, z, in sixteenths.
    distance: u64,
    account: Account,
}

/// What the anchor has asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Phase 1: which local ranks there are.
    Ranking,
    /// To cut what is outside.
    Cutting,
    /// Phase 2: which elements are splitters.
    Sampling,
    /// How many are outside two splitters.
    Counting(Between),
    /// Phase 3: all that are left.
    Collecting,
}

/// How a selection went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Account {
    /// How often phase 1 has cut.
    pub phase1: u32,
    /// How many samples phase 2 has drawn.
    pub iterations: u32,
    /// How many of them missed the element.
    pub failed: u32,
    /// How many elements were active at first and after each cut.
    pub candidates: Vec<u64>,
}

/// What the anchor does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It asks all processes.
    Ask(Ask),
    /// It is done; nothing is found only if replies contradict each other.
    Found(Option<Key>),
}

/// Twice the standard deviation.
const USUAL: u64 = 32;
/// From how many functions the one that draws splitters is chosen. Every sample has functions of
/// its own.
const CHOICES: u32 = 4;
/// Makes the functions of a sample.
const SAMPLE: Salt = Salt(32);

impl Search {
    /// Looks for the element of this rank, one of so many that are all active.
    pub fn new(plan: Plan, rank: u64, elements: u64) -> Self {
        let sample = if plan.processes == 1 { elements } else { plan.sample() };
        Self {
            rank,
            active: elements,
            stage: Stage::Collecting,
            cuts: plan.cuts(elements),
            sample,
            distance: USUAL,
            account: Account { candidates: vec![elements], ..Account::default() },
            plan,
        }
    }

    /// How it went.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The next question, as long as nothing has been asked or after a cut.
    pub fn ask(&mut self, choose: &mut dyn FnMut(u32) -> u32) -> Ask {
        let is_classical = self.plan.splitters == Splitters::Classical;
        let has_failed = is_classical && self.account.iterations >= MOST;
        if self.active <= self.sample || has_failed {
            self.stage = Stage::Collecting;
            return Ask::Sample { salt: 0, share: u64::MAX };
        }
        if self.cuts > 0 {
            self.cuts -= 1;
            self.account.phase1 += 1;
            self.stage = Stage::Ranking;
            let n = u64::from(self.plan.processes);
            return Ask::Ranks { low: self.rank / n, high: self.rank.div_ceil(n) };
        }
        self.account.iterations += 1;
        self.stage = Stage::Sampling;
        let draw = u64::from(choose(CHOICES));
        let salt = self.plan.mixer.mix_pair(self.account.iterations.into(), draw, SAMPLE);
        let share = (u128::from(self.sample) << 64) / u128::from(self.active);
        Ask::Sample { salt, share: share as u64 } // Below 2^64: the sample is smaller.
    }

    /// What follows from the replies of all processes.
    pub fn next(&mut self, reply: Reply, choose: &mut dyn FnMut(u32) -> u32) -> Step {
        match (self.stage, reply) {
            (Stage::Ranking, Reply::Between(between)) => {
                self.stage = Stage::Cutting;
                Step::Ask(Ask::Cut(between))
            }
            (Stage::Cutting, Reply::Outside { below, above }) => {
                self.cut(below, above);
                Step::Ask(self.ask(choose))
            }
            (Stage::Sampling, Reply::Keys(mut keys)) => {
                keys.sort_unstable();
                Step::Ask(self.count_or_ask(&keys, choose))
            }
            (Stage::Counting(between), Reply::Outside { below, above }) => {
                Step::Ask(self.cut_if_inside(between, (below, above), choose))
            }
            (Stage::Collecting, Reply::Keys(mut keys)) => {
                keys.sort_unstable();
                let place = self.rank.checked_sub(1).and_then(|it| usize::try_from(it).ok());
                Step::Found(place.and_then(|place| keys.get(place).copied()))
            }
            _ => Step::Found(None), // Not a reply to this question.
        }
    }

    /// Lemma 6.7 and the check of phase 2 say that the wanted element is not among those below.
    fn cut(&mut self, below: u64, above: u64) {
        self.rank = self.rank.saturating_sub(below);
        self.active = self.active.saturating_sub(below).saturating_sub(above);
        self.account.candidates.push(self.active);
        if (below, above) == (0, 0) {
            self.cuts = 0; // Local ranks would be the same again.
        }
    }

    /// Asks how many elements the splitters around the wanted rank leave outside, if they do.
    fn count_or_ask(&mut self, splitters: &[Key], choose: &mut dyn FnMut(u32) -> u32) -> Ask {
        let Some(between) = self.around(splitters) else { return self.sample_more(choose) };
        self.stage = Stage::Counting(between);
        Ask::Count(between)
    }

    /// The splitters at a distance δ on either side of where the wanted rank is among them; nothing
    /// if both are beyond the ends.
    fn around(&self, splitters: &[Key]) -> Option<Between> {
        let [s, k, m] = [splitters.len() as u64, self.rank, self.active].map(u128::from);
        let delta = self.delta(s);
        let (low, high) = ((k * s / m).saturating_sub(delta), (k * s).div_ceil(m) + delta);
        let at = |rank: u128| Limit::At(splitters[rank as usize - 1]);
        let from = if low >= 1 { at(low) } else { Limit::Below };
        let to = if high <= s { at(high) } else { Limit::Above };
        (low >= 1 || high <= s).then_some(Between { from, to })
    }

    /// z√(s ρ (1-ρ)) + 1 with ρ = k/m, rounded up; or n^1/4 (ln n)^1/2.
    fn delta(&self, s: u128) -> u128 {
        let [n, k, m] = [self.plan.processes.into(), self.rank, self.active].map(u128::from);
        match self.plan.splitters {
            Splitters::Adaptive => {
                // In units of 1/16, so that a small variance is not rounded to nothing.
                let variance = 256 * s * k / m * m.saturating_sub(k) / m;
                (variance.isqrt() + 1) * u128::from(self.distance) / 256 + 2
            }
            Splitters::Classical => {
                let logarithm = u128::from(n.ilog2()) * 7 / 10 + 1;
                (n.isqrt() * logarithm).isqrt() + 1
            }
        }
    }

    /// The elements outside two splitters are cut off if the wanted one is not among them.
    fn cut_if_inside(
        &mut self,
        between: Between,
        (below, above): (u64, u64),
        choose: &mut dyn FnMut(u32) -> u32,
    ) -> Ask {
        let is_inside = below < self.rank && self.rank <= self.active.saturating_sub(above);
        if !is_inside {
            self.account.failed += 1;
            self.distance = self.distance * 3 / 2;
            return self.ask(choose);
        }
        if (below, above) == (0, 0) {
            return self.sample_more(choose);
        }
        self.distance = USUAL;
        self.stage = Stage::Cutting;
        Ask::Cut(between)
    }

    /// Splitters that cut nothing are too few.
    fn sample_more(&mut self, choose: &mut dyn FnMut(u32) -> u32) -> Ask {
        if self.plan.splitters == Splitters::Adaptive {
            self.sample = self.sample.saturating_mul(2);
            self.distance = USUAL;
        }
        self.ask(choose)
    }
}

#[cfg(test)]
mod tests;

//! Randomness from one seed, in independent streams.
//!
//! The generator's output is frozen, and nothing here depends on the platform's mathematics: the
//! same seed gives the same numbers on every machine and in every version.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What the numbers of a stream are for. One more draw in one stream does not shift the others.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// Message delays.
    Network,
    /// The choices of nodes ([`Env::choose`](konklave::protocol::Env::choose)).
    Choices,
    /// The nodes that make requests, and the times.
    Workload,
    /// The ids of nodes.
    Ids,
    /// The edges of random graphs.
    Graph,
    /// Loss, duplication, delay and corruption.
    Faults,
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The given stream of the given seed.
    pub fn new(seed: u64, stream: Stream) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..stream as u32 {
            generator.long_jump(); // 2^192 draws ahead: streams never meet.
        }
        Self(generator)
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..bound`; zero if there is no choice.
    ///
    /// The high half of a product: uneven by less than `bound` in 2^64, which no run can notice.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `low..=high`.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high - low).saturating_add(1))
    }

    /// A number in `(0, 1]`.
    #[inline]
    fn unit(&mut self) -> f64 {
        ((self.word() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something that happens with this probability happens now.
    #[inline]
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() <= probability
    }

    /// An exponentially distributed time.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.unit())
    }

    /// How often one has to try until something with probability `1/mean` happens: the memoryless
    /// distribution on 1, 2, 3, ..., the exponential one in whole ticks.
    pub fn geometric(&mut self, mean: u64) -> u64 {
        if mean <= 1 {
            return 1;
        }
        let failures = libm::log(self.unit()) / libm::log(1.0 - 1.0 / mean as f64);
        1 + failures as u64
    }

    /// Brings `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// `count` different numbers of `0..bound`, ascending.
    pub fn sample(&mut self, count: u32, bound: u32) -> Vec<u32> {
        let mut chosen = Vec::with_capacity(count as usize);
        for candidate in 0..bound {
            let wanted = u64::from(count) - chosen.len() as u64;
            if self.below(u64::from(bound - candidate)) < wanted {
                chosen.push(candidate);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_frozen() {
        let mut network = Random::new(1, Stream::Network);
        let mut choices = Random::new(1, Stream::Choices);
        let words = [network.word(), network.word(), choices.word(), choices.word()];
        let expected: [u64; 4] = [
            0xcfc5_d07f_6f03_c29b,
            0xbf42_4132_963f_e08d,
            0xc6e0_f3d2_b09d_8eec,
            0x55ad_95ee_f7a4_0e42,
        ];
        assert_eq!(words, expected, "{words:x?}");
    }

    #[test]
    fn geometric_has_the_mean_it_says() {
        let mut random = Random::new(7, Stream::Network);
        let draws = 200_000;
        let sum: u64 = (0..draws).map(|_| random.geometric(5)).sum();
        let mean = sum as f64 / f64::from(draws);
        // The standard deviation of one draw is sqrt(20): 99.9 % of means lie within 3.3 errors.
        let error = (20.0 / f64::from(draws)).sqrt();
        assert!((mean - 5.0).abs() < 3.3 * error, "{mean}");
    }

    #[test]
    fn geometric_starts_at_one_tick() {
        let mut random = Random::new(7, Stream::Network);
        let draws: Vec<u64> = (0..1000).map(|_| random.geometric(2)).collect();
        assert_eq!(draws.iter().min(), Some(&1));
        assert!((0..1000).all(|_| random.geometric(1) == 1));
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut random = Random::new(3, Stream::Workload);
        let mut counts = [0_u32; 6];
        for _ in 0..6000 {
            counts[random.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
    }

    #[test]
    fn certain_things_happen_and_impossible_ones_do_not() {
        let mut random = Random::new(3, Stream::Faults);
        assert!((0..1000).all(|_| random.happens(1.0)));
        assert!((0..1000).all(|_| !random.happens(0.0)));
    }

    #[test]
    fn samples_are_distinct_ascending_and_as_many_as_asked() {
        let mut random = Random::new(3, Stream::Workload);
        for count in [0, 1, 50, 99, 100] {
            let sample = random.sample(count, 100);
            assert_eq!(sample.len(), count as usize);
            assert!(sample.is_sorted_by(|a, b| a < b) && sample.iter().all(|&x| x < 100));
        }
    }
}

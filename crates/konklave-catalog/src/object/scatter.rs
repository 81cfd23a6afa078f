//! Keys that are spread over all keys of some length.

use konklave::circle::{Mixer, Salt};

/// Spreads the numbers of keys over all keys of this many bits, without collisions.
#[derive(Clone, Copy, Debug)]
pub struct Scatter {
    /// The functions that do it.
    pub mixer: Mixer,
    /// The number of bits.
    pub width: u32,
}

impl Scatter {
    /// The key with this number: rounds of a product with an odd number and a shift, both of which
    /// can be undone.
    pub fn key(self, number: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.width);
        (0..3).fold(number & mask, |key, round| {
            let odd = self.mixer.mix(round, Salt::KEY) | 1;
            let product = key.wrapping_mul(odd) & mask;
            product ^ product >> self.width.div_ceil(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn different_numbers_are_different_keys() {
        for width in 1..=64 {
            let scatter = Scatter { mixer: Mixer::new(7), width };
            let numbers = 0..1_u64.checked_shl(width).unwrap_or(u64::MAX).min(2_000);
            let keys: BTreeSet<u64> = numbers.clone().map(|number| scatter.key(number)).collect();
            assert_eq!(keys.len() as u64, numbers.end, "{width} bits");
            assert!(keys.iter().all(|key| *key <= u64::MAX >> (64 - width)));
        }
    }
}

//! Fingerprints of states. That of a state is the sum of those of its parts, so that a step changes
//! it by the few parts that change.

use std::hash::Hasher;

/// The fingerprint of a part: a value at a place.
pub(crate) fn part(place: u32, value: u32) -> u64 {
    let print = mix(u64::from(place) << 32 | u64::from(value));
    #[cfg(test)]
    let print = print & narrow::MASK.get();
    print
}

/// Tests want collisions.
#[cfg(test)]
pub(crate) mod narrow {
    use std::cell::Cell;

    thread_local! {
        /// The bits that this thread keeps of the fingerprint of a part.
        pub(crate) static MASK: Cell<u64> = const { Cell::new(u64::MAX) };
    }
}

/// Spreads the bits of a number: a bijection without visible pattern.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// Hashes one number.
#[derive(Default)]
pub(crate) struct MixHasher(u64);

impl Hasher for MixHasher {
    fn write_u64(&mut self, number: u64) {
        self.0 = mix(number);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

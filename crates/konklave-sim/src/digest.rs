//! A fingerprint of a run: equal runs have equal digests, on every machine.

use std::hash::{Hash, Hasher};

/// A running fingerprint. Reads integers by value, so byte order and word size do not matter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Digest(u64);

impl Digest {
    /// Takes in a number.
    #[inline]
    pub(crate) fn fold(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Takes in any value.
    pub(crate) fn add(&mut self, value: &impl Hash) {
        value.hash(self);
    }

    /// The fingerprint so far, sixteen digits.
    pub(crate) fn to_hex(self) -> String {
        format!("{:016x}", self.finish())
    }
}

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.fold(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.fold(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.fold(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.fold(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.fold(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.fold(value as u64);
    }

    fn write_i64(&mut self, value: i64) {
        self.fold(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.fold(value as u64); // Also how enum tags are hashed.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_frozen() {
        let mut digest = Digest::default();
        digest.add(&(1_u32, Some(7_u64), "text"));
        assert_eq!(digest.to_hex(), "58042f38375776e3");
    }

    #[test]
    fn order_matters() {
        let of = |values: [u64; 2]| {
            let mut digest = Digest::default();
            values.iter().for_each(|&value| digest.fold(value));
            digest.to_hex()
        };
        assert_ne!(of([1, 2]), of([2, 1]));
    }
}

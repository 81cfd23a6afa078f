//! The event queue: a wheel of buckets in several levels, in the order (time, insertion).
//!
//! Level 0 has one slot per tick of the current window of 1024 ticks. Level k has one slot per
//! 1024^k ticks, for times that share all higher digits with the present; its items move down when
//! their window begins. So an item is touched once if it lies near and once more per level if it
//! lies far, and whatever came first within a slot stays first: no heap, no sorting.
//!
//! Items live in chunks that are reused, so memory follows the number of pending items and not the
//! number of slots that were ever busy.

mod batch;

pub use batch::Batch;
use batch::{Chunks, Slot};

const DIGIT_BITS: u32 = 10;
const SLOTS: usize = 1 << DIGIT_BITS;
/// Seven digits of ten bits hold every 64-bit time.
const LEVELS: usize = 7;

/// Pending items, taken out in the order of their times and, within one tick, of their insertion.
#[derive(Debug)]
pub struct Wheel<T> {
    /// No pending item is earlier than this.
    now: u64,
    len: u64,
    near: Level<T>,
    /// Levels 1 and up, each from when it is needed: a short run should not pay for them.
    far: [Option<Box<Far<T>>>; LEVELS - 1],
    chunks: Chunks<T>,
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self {
            now: 0,
            len: 0,
            near: Level::new(),
            far: Default::default(),
            chunks: Chunks::default(),
        }
    }
}

impl<T> Wheel<T> {
    /// How many items are pending.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an item at `time`, behind all others of that time. Times before the present count as
    /// the present.
    ///
    /// Rare work is done by calls that make room and never see the item: it would have to wait for
    /// them on the stack, and be copied from there to its place every time.
    #[inline(always)]
    pub fn push(&mut self, time: u64, item: T) {
        let time = time.max(self.now);
        self.len += 1;
        if (time ^ self.now) >> DIGIT_BITS != 0 {
            let Some(place) = self.far_batch(time).place() else { return };
            *place = Some(item);
            return;
        }
        let slot = digit(time, 0);
        loop {
            if let Some(place) = self.near.slots[slot].filling.place() {
                *place = Some(item);
                return;
            }
            self.near.make_room(slot, &mut self.chunks);
        }
    }

    /// The same where it is not done often: compiled once.
    #[inline(never)]
    pub fn push_rarely(&mut self, time: u64, item: T) {
        self.push(time, item);
    }

    /// Where an item of a time beyond the window belongs.
    #[cold]
    #[inline(never)]
    fn far_batch(&mut self, time: u64) -> &mut Batch<T> {
        let level = ((time ^ self.now).ilog2() / DIGIT_BITS) as usize;
        let slot = digit(time, level);
        let far = self.far[level - 1].get_or_insert_with(|| Box::new(Far::new()));
        let Far { level, times } = &mut **far;
        times[slot].push(time);
        if level.slots[slot].filling.is_full() {
            level.make_room(slot, &mut self.chunks);
        }
        &mut level.slots[slot].filling
    }

    /// The next items, all of the earliest pending time, and that time.
    ///
    /// Not necessarily all items of that time: call again. Give the batch back, for its memory,
    /// with [`recycle`](Self::recycle).
    #[inline(always)] // When little is pending, most batches have one item.
    pub fn pop(&mut self) -> Option<(u64, Batch<T>)> {
        if self.len == 0 {
            return None;
        }
        let slot = loop {
            match self.near.first_from(digit(self.now, 0)) {
                Some(slot) => break slot,
                None => self.open_next_window(),
            }
        };
        self.now = (self.now & !(SLOTS as u64 - 1)) | slot as u64;
        let batch = self.near.take(slot, &mut self.chunks);
        self.len -= batch.len() as u64;
        Some((self.now, batch))
    }

    /// All items that are pending, in no particular order.
    pub fn pending(&self) -> impl Iterator<Item = &T> {
        let far = self.far.iter().flatten().flat_map(|far| far.level.slots.iter());
        let filling = self.near.slots.iter().chain(far).flat_map(|slot| slot.filling.items());
        filling.chain(self.chunks.items())
    }

    /// Takes back the memory of a batch, and whatever is left in it is lost.
    pub fn recycle(&mut self, batch: Batch<T>) {
        self.chunks.recycle(batch);
    }

    /// Moves the items of the earliest busy far slot down, where they now belong.
    #[cold]
    #[inline(never)]
    fn open_next_window(&mut self) {
        let (level, slot) = (1..LEVELS)
            .find_map(|level| {
                let far = self.far[level - 1].as_ref()?;
                let slot = far.level.first_from(digit(self.now, level))?;
                Some((level, slot))
            })
            .expect("something is pending");
        let shift = level as u32 * DIGIT_BITS;
        let higher = self.now.checked_shr(shift + DIGIT_BITS).unwrap_or(0);
        self.now = (higher.checked_shl(DIGIT_BITS).unwrap_or(0) | slot as u64) << shift;
        let Some(mut far) = self.far[level - 1].take() else { return }; // Nothing comes up again.
        let mut times = std::mem::take(&mut far.times[slot]).into_iter();
        while far.level.is_busy(slot) {
            let mut batch = far.level.take(slot, &mut self.chunks);
            for (item, time) in batch.by_ref().zip(&mut times) {
                self.len -= 1; // `push` counts it again.
                self.push_rarely(time, item);
            }
            self.chunks.recycle(batch);
        }
        self.far[level - 1] = Some(far);
    }
}

fn digit(time: u64, level: usize) -> usize {
    (time >> (level as u32 * DIGIT_BITS)) as usize & (SLOTS - 1)
}

/// The slots of one level, and which of them are busy.
#[derive(Debug)]
struct Level<T> {
    busy: [u64; SLOTS / 64],
    slots: Box<[Slot<T>; SLOTS]>,
}

impl<T> Level<T> {
    fn new() -> Self {
        let slots: Box<[_]> = (0..SLOTS).map(|_| Slot::default()).collect();
        let Ok(slots) = slots.try_into() else { unreachable!("as many as there are slots") };
        Self { busy: [0; SLOTS / 64], slots }
    }

    fn is_busy(&self, slot: usize) -> bool {
        self.busy[slot / 64] & (1 << (slot % 64)) != 0
    }

    fn first_from(&self, slot: usize) -> Option<usize> {
        let mut word = slot / 64;
        let mut bits = self.busy[word] & (u64::MAX << (slot % 64));
        loop {
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
            word += 1;
            bits = *self.busy.get(word)?;
        }
    }

    /// Lets a slot without places have some: an idle one becomes busy, a full chunk joins the
    /// chain.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, slot: usize, chunks: &mut Chunks<T>) {
        self.busy[slot / 64] |= 1 << (slot % 64);
        let slot = &mut self.slots[slot];
        let batch = std::mem::replace(&mut slot.filling, chunks.empty());
        if !batch.is_empty() {
            chunks.append(slot, batch);
        }
    }

    /// The first chunk of a busy slot.
    #[inline]
    fn take(&mut self, slot: usize, chunks: &mut Chunks<T>) -> Batch<T> {
        if let Some(batch) = chunks.take_first(&mut self.slots[slot]) {
            return batch;
        }
        self.busy[slot / 64] &= !(1 << (slot % 64));
        std::mem::take(&mut self.slots[slot].filling)
    }
}

/// A level above the first: there, items of a slot have different times.
#[derive(Debug)]
struct Far<T> {
    level: Level<T>,
    /// The times of the items of each slot, in the same order.
    times: Vec<Vec<u64>>,
}

impl<T> Far<T> {
    fn new() -> Self {
        Self { level: Level::new(), times: vec![Vec::new(); SLOTS] }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::random::{Random, Stream};

    /// The obvious queue: ordered by (time, number of insertion).
    #[derive(Default)]
    struct Naive {
        items: BTreeMap<(u64, u64), u64>,
        inserted: u64,
    }

    fn agree(seed: u64, delay: impl Fn(&mut Random) -> u64) {
        let mut random = Random::new(seed, Stream::Network);
        let (mut wheel, mut naive) = (Wheel::default(), Naive::default());
        let mut now = 0;
        for _ in 0..300 {
            for _ in 0..random.below(20) {
                let time = now + delay(&mut random);
                wheel.push(time, naive.inserted);
                naive.items.insert((time, naive.inserted), naive.inserted);
                naive.inserted += 1;
            }
            let Some((time, mut batch)) = wheel.pop() else { continue };
            now = time;
            for item in &mut batch {
                let ((expected_time, _), expected) = naive.items.pop_first().unwrap();
                assert_eq!((time, item), (expected_time, expected), "seed {seed}");
            }
            wheel.recycle(batch);
            assert_eq!(wheel.len(), naive.items.len() as u64);
        }
        while let Some((time, items)) = wheel.pop() {
            for item in items {
                assert_eq!(naive.items.pop_first(), Some(((time, item), item)));
            }
        }
        assert!(naive.items.is_empty() && wheel.is_empty());
    }

    #[test]
    fn agrees_with_an_ordered_map() {
        for seed in 0..40 {
            agree(seed, |random| random.below(3));
            agree(seed, |random| random.below(5000));
            agree(seed, |random| {
                let digits = random.below(50);
                random.below(1 << digits)
            });
        }
    }

    #[test]
    fn reaches_the_end_of_time() {
        let mut wheel = Wheel::default();
        for time in [u64::MAX, 0, 1 << 63, 1023, 1024, u64::MAX - 1] {
            wheel.push(time, time);
        }
        let order: Vec<u64> = std::iter::from_fn(|| wheel.pop()).map(|(time, _)| time).collect();
        assert_eq!(order, [0, 1023, 1024, 1 << 63, u64::MAX - 1, u64::MAX]);
    }

    #[test]
    fn items_added_for_the_present_come_last() {
        let mut wheel = Wheel::default();
        wheel.push(5, 'a');
        wheel.push(5, 'b');
        let pop =
            |wheel: &mut Wheel<char>| wheel.pop().map(|(time, batch)| (time, batch.collect()));
        assert_eq!(pop(&mut wheel), Some((5, vec!['a', 'b'])));
        wheel.push(5, 'c');
        wheel.push(3, 'd');
        assert_eq!(pop(&mut wheel), Some((5, vec!['c', 'd'])), "the past is the present");
    }

    #[test]
    fn memory_follows_what_is_pending_not_what_ever_was() {
        let mut wheel = Wheel::default();
        for time in 0..100_000_u64 {
            for item in 0..10 {
                wheel.push(time + 1 + item % 3, item);
            }
            let (_, batch) = wheel.pop().unwrap();
            wheel.recycle(batch);
        }
        let chunks = wheel.chunks.len();
        assert!(chunks < 20, "{chunks} chunks for some thirty pending items");
    }
}

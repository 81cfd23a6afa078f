//! The event queue: a wheel of buckets in several levels, in the order (time, insertion).
//!
//! Level 0 has one slot per tick of the current window of 1024 ticks. Level k has one slot per
//! 1024^k ticks, for times that share all higher digits with the present; its items move down when
//! their window begins. So an item is touched once if it lies near and once more per level if it
//! lies far, and whatever came first within a slot stays first: no heap, no sorting.
//!
//! Items live in chunks that are reused, so memory follows the number of pending items and not the
//! number of slots that were ever busy.

const DIGIT_BITS: u32 = 10;
const SLOTS: usize = 1 << DIGIT_BITS;
/// Seven digits of ten bits hold every 64-bit time.
const LEVELS: usize = 7;
/// Items per chunk: long enough to look ahead in, short enough to waste little on idle slots.
const CHUNK: usize = 256;
const NONE: u32 = u32::MAX;

/// Pending items, taken out in the order of their times and, within one tick, of their insertion.
#[derive(Debug)]
pub struct Wheel<T> {
    /// No pending item is earlier than this.
    now: u64,
    len: u64,
    near: Level,
    near_chunks: Chunks<T>,
    /// Levels 1 and up. Their items carry their times along.
    far: Vec<Level>,
    far_chunks: Chunks<(u64, T)>,
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self {
            now: 0,
            len: 0,
            near: Level::new(),
            near_chunks: Chunks::new(),
            far: (1..LEVELS).map(|_| Level::new()).collect(),
            far_chunks: Chunks::new(),
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
    #[inline(always)] // A call would copy the item through the stack.
    pub fn push(&mut self, time: u64, item: T) {
        let time = time.max(self.now);
        self.len += 1;
        if (time ^ self.now) >> DIGIT_BITS == 0 {
            self.near_chunks.push(self.near.slot(digit(time, 0)), item);
        } else {
            self.push_far(time, item);
        }
    }

    #[cold]
    fn push_far(&mut self, time: u64, item: T) {
        let level = ((time ^ self.now).ilog2() / DIGIT_BITS) as usize;
        self.far_chunks.push(self.far[level - 1].slot(digit(time, level)), (time, item));
    }

    /// The next items, all of the earliest pending time, and that time.
    ///
    /// Not necessarily all items of that time: call again. Give the batch back, for its memory,
    /// with [`recycle`](Self::recycle).
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
        let batch = self.near_chunks.take(self.near.slot(slot));
        if self.near.slots[slot].first == NONE {
            self.near.clear(slot);
        }
        self.len -= u64::from(batch.len);
        Some((self.now, batch))
    }

    /// Takes back the memory of a batch, and whatever is left in it is lost.
    pub fn recycle(&mut self, batch: Batch<T>) {
        self.near_chunks.recycle(batch);
    }

    /// Moves the items of the earliest busy far slot down, where they now belong.
    fn open_next_window(&mut self) {
        let (level, slot) = (1..LEVELS)
            .find_map(|level| {
                let slot = self.far[level - 1].first_from(digit(self.now, level))?;
                Some((level, slot))
            })
            .expect("something is pending");
        let shift = level as u32 * DIGIT_BITS;
        let higher = self.now.checked_shr(shift + DIGIT_BITS).unwrap_or(0);
        self.now = (higher.checked_shl(DIGIT_BITS).unwrap_or(0) | slot as u64) << shift;
        while self.far[level - 1].slots[slot].first != NONE {
            let mut batch = self.far_chunks.take(&mut self.far[level - 1].slots[slot]);
            for (time, item) in batch.by_ref() {
                self.len -= 1; // `push` counts it again.
                self.push(time, item);
            }
            self.far_chunks.recycle(batch);
        }
        self.far[level - 1].clear(slot);
    }
}

fn digit(time: u64, level: usize) -> usize {
    (time >> (level as u32 * DIGIT_BITS)) as usize & (SLOTS - 1)
}

/// The slots of one level, and which of them are busy.
#[derive(Debug)]
struct Level {
    busy: [u64; SLOTS / 64],
    slots: Box<[Slot]>,
}

/// A chain of chunks.
#[derive(Clone, Copy, Debug)]
struct Slot {
    first: u32,
    last: u32,
}

impl Level {
    fn new() -> Self {
        let empty = Slot { first: NONE, last: NONE };
        Self { busy: [0; SLOTS / 64], slots: vec![empty; SLOTS].into() }
    }

    /// The slot, marked as busy.
    fn slot(&mut self, slot: usize) -> &mut Slot {
        self.busy[slot / 64] |= 1 << (slot % 64);
        &mut self.slots[slot]
    }

    fn clear(&mut self, slot: usize) {
        self.busy[slot / 64] &= !(1 << (slot % 64));
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
}

/// Items that are taken out together.
///
/// The places of a chunk are filled one by one and emptied one by one. They exist all the time, so
/// that an item is written straight to its place: a vector might have to grow, and the item would
/// wait on the stack meanwhile.
#[derive(Debug)]
pub struct Batch<T> {
    places: Vec<Option<T>>,
    /// How many items were put in.
    len: u32,
    /// How many were taken out.
    taken: u32,
}

impl<T> Batch<T> {
    fn new() -> Self {
        Self { places: (0..CHUNK).map(|_| None).collect(), len: 0, taken: 0 }
    }

    fn without_memory() -> Self {
        Self { places: Vec::new(), len: 0, taken: 0 }
    }

    /// The item so many places after the next one.
    #[inline]
    pub fn ahead(&self, places: usize) -> Option<&T> {
        self.places.get(self.taken as usize + places)?.as_ref()
    }
}

impl<T> Iterator for Batch<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let item = self.places.get_mut(self.taken as usize)?.take();
        self.taken += 1;
        item
    }
}

/// All chunks of one kind, in chains.
#[derive(Debug)]
struct Chunks<T> {
    chunks: Vec<Chunk<T>>,
    unused: Vec<u32>,
    /// Batches whose memory waits to be used again.
    spare: Vec<Batch<T>>,
}

#[derive(Debug)]
struct Chunk<T> {
    batch: Batch<T>,
    next: u32,
}

impl<T> Chunks<T> {
    fn new() -> Self {
        Self { chunks: Vec::new(), unused: Vec::new(), spare: Vec::new() }
    }

    #[inline(always)]
    fn push(&mut self, slot: &mut Slot, item: T) {
        let is_full = |chunk: &Chunk<T>| chunk.batch.len as usize == CHUNK;
        if self.chunks.get(slot.last as usize).is_none_or(is_full) {
            self.append_chunk(slot);
        }
        let batch = &mut self.chunks[slot.last as usize].batch;
        batch.places[batch.len as usize % CHUNK] = Some(item);
        batch.len += 1;
    }

    #[cold]
    fn append_chunk(&mut self, slot: &mut Slot) {
        let batch = self.spare.pop().unwrap_or_else(Batch::new);
        let chunk = Chunk { batch, next: NONE };
        let index = match self.unused.pop() {
            Some(index) => {
                self.chunks[index as usize] = chunk;
                index
            }
            None => {
                self.chunks.push(chunk);
                self.chunks.len() as u32 - 1
            }
        };
        match slot.last {
            NONE => slot.first = index,
            last => self.chunks[last as usize].next = index,
        }
        slot.last = index;
    }

    /// The first chunk of a slot that has one.
    fn take(&mut self, slot: &mut Slot) -> Batch<T> {
        let index = slot.first;
        let chunk = &mut self.chunks[index as usize];
        slot.first = chunk.next;
        if slot.first == NONE {
            slot.last = NONE;
        }
        self.unused.push(index);
        std::mem::replace(&mut chunk.batch, Batch::without_memory())
    }

    fn recycle(&mut self, mut batch: Batch<T>) {
        batch.by_ref().for_each(drop);
        (batch.len, batch.taken) = (0, 0);
        self.spare.push(batch);
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
        let chunks = wheel.near_chunks.chunks.len() + wheel.near_chunks.spare.len();
        assert!(chunks < 20, "{chunks} chunks for some thirty pending items");
    }
}

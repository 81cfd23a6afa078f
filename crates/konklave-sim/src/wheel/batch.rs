//! What the wheel's slots are made of: chunks of items, filled at one end and taken at the other.

/// Items per chunk: long enough to look ahead in, short enough to waste little on idle slots.
const CHUNK: usize = 256;
const NONE: u32 = u32::MAX;

/// The items of one slot: a chain of full chunks, and the one behind them that is being filled.
#[derive(Debug)]
pub(super) struct Slot<T> {
    pub(super) filling: Batch<T>,
    first: u32,
    last: u32,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { filling: Batch::default(), first: NONE, last: NONE }
    }
}

/// Items that are taken out together.
///
/// The places of a chunk are filled one by one and emptied one by one. They exist all the time, so
/// that an item is written straight to its place: a vector might have to grow, and the item would
/// wait on the stack meanwhile.
#[derive(Debug)]
pub struct Batch<T> {
    places: Box<[Option<T>]>,
    /// How many items were put in.
    len: u32,
    /// How many were taken out, or asked for in vain.
    taken: u32,
}

impl<T> Default for Batch<T> {
    /// One without places.
    fn default() -> Self {
        Self { places: Box::default(), len: 0, taken: 0 }
    }
}

impl<T> Batch<T> {
    /// Whether there is no place left; an idle slot's chunk has none.
    pub(super) fn is_full(&self) -> bool {
        self.len as usize == self.places.len()
    }

    /// The place for the next item to put in, unless it is full.
    #[inline(always)]
    pub(super) fn place(&mut self) -> Option<&mut Option<T>> {
        let place = self.places.get_mut(self.len as usize)?;
        self.len += 1;
        Some(place)
    }

    /// The items that are left.
    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.places.iter().flatten()
    }

    /// How many items are left.
    pub fn len(&self) -> usize {
        self.len.saturating_sub(self.taken) as usize
    }

    /// Whether no item is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops all items but this many first ones, and tells whether there were more.
    pub fn truncate(&mut self, items: u64) -> bool {
        let is_cut = self.len() as u64 > items;
        if is_cut {
            let end = self.taken + items as u32;
            self.places[end as usize..self.len as usize].fill_with(|| None);
            self.len = end;
        }
        is_cut
    }

    /// The next items, this many, if there are as many.
    #[inline]
    pub fn coming(&self, items: usize) -> impl Iterator<Item = &T> {
        let places = self.places.iter().skip(self.taken as usize).take(items);
        places.map_while(Option::as_ref)
    }

    /// The item this many places after the next one.
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

/// The chunks of all slots that are full, in chains, and those that wait to be used again.
#[derive(Debug)]
pub(super) struct Chunks<T> {
    full: Vec<Chunk<T>>,
    /// Which of the full ones are no longer full.
    unused: Vec<u32>,
    spare: Vec<Batch<T>>,
}

#[derive(Debug)]
struct Chunk<T> {
    batch: Batch<T>,
    next: u32,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { full: Vec::new(), unused: Vec::new(), spare: Vec::new() }
    }
}

impl<T> Chunks<T> {
    /// The items of all full chunks: a chunk that is used no more has no places.
    pub(super) fn items(&self) -> impl Iterator<Item = &T> {
        self.full.iter().flat_map(|chunk| chunk.batch.items())
    }

    /// An empty chunk.
    pub(super) fn empty(&mut self) -> Batch<T> {
        let places = || (0..CHUNK).map(|_| None).collect();
        self.spare.pop().unwrap_or_else(|| Batch { places: places(), ..Batch::default() })
    }

    /// Puts a full chunk at the end of the slot's chain.
    pub(super) fn append(&mut self, slot: &mut Slot<T>, batch: Batch<T>) {
        let chunk = Chunk { batch, next: NONE };
        let index = match self.unused.pop() {
            Some(index) => {
                self.full[index as usize] = chunk;
                index
            }
            None => {
                self.full.push(chunk);
                self.full.len() as u32 - 1
            }
        };
        match slot.last {
            NONE => slot.first = index,
            last => self.full[last as usize].next = index,
        }
        slot.last = index;
    }

    /// Takes the first full chunk off the slot's chain, if there is one.
    #[inline]
    pub(super) fn take_first(&mut self, slot: &mut Slot<T>) -> Option<Batch<T>> {
        let index = slot.first;
        let chunk = self.full.get_mut(index as usize)?; // There is no chunk with the number NONE.
        slot.first = chunk.next;
        if slot.first == NONE {
            slot.last = NONE;
        }
        self.unused.push(index);
        Some(std::mem::take(&mut chunk.batch))
    }

    pub(super) fn recycle(&mut self, mut batch: Batch<T>) {
        if !batch.is_empty() {
            batch.by_ref().for_each(drop);
        }
        (batch.len, batch.taken) = (0, 0);
        self.spare.push(batch);
    }

    /// How many chunks have memory, or once had it, apart from those being filled.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.full.len() + self.spare.len()
    }
}

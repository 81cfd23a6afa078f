//! The one place that needs `unsafe`: how memory is laid out and fetched, for speed alone.
#![allow(unsafe_code)]

use std::marker::PhantomData;

/// Where the items of a slice lie: all it takes to fetch one of them from memory.
#[derive(Debug)]
pub struct Shelf<T> {
    first: usize,
    items: PhantomData<fn() -> T>,
}

impl<T> Shelf<T> {
    /// That of these items, until they move.
    pub fn of(items: &[T]) -> Self {
        Self { first: items.as_ptr().addr(), items: PhantomData }
    }

    /// Starts to load an item into the cache; does nothing where the processor's instruction for it
    /// is not known here.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        let (first, last) = self.place(index);
        prefetch(first);
        if (first ^ last) >= CACHE_LINE {
            prefetch(last); // It lies across two lines.
        }
    }

    /// The addresses of an item's first and last byte.
    #[inline(always)]
    fn place(&self, index: usize) -> (usize, usize) {
        let first = self.first.wrapping_add(index.wrapping_mul(size_of::<T>()));
        (first, first.wrapping_add(size_of::<T>()).wrapping_sub(1))
    }
}

/// What is loaded at once, on most processors.
const CACHE_LINE: usize = 64;

#[inline(always)]
fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally and never faults, at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::without_provenance(address)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The size of large pages, and what they are aligned to.
const LARGE_PAGE: usize = 1 << 21;

/// An empty vector with room for so many items, on large pages where the system has them.
///
/// Nodes are visited in no order. The processor remembers where a few thousand pages are, which are
/// too few for a million nodes on small ones.
pub fn roomy<T>(len: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(len);
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let room: &mut [_] = items.spare_capacity_mut();
        let before = room.as_ptr().addr().wrapping_neg() % LARGE_PAGE;
        let bytes = size_of_val(room).saturating_sub(before) / LARGE_PAGE * LARGE_PAGE;
        if bytes > 0 {
            let first = room.as_mut_ptr().wrapping_byte_add(before).cast();
            // SAFETY: these pages are ours, and nothing was written to them yet that anyone will
            // read. They are given back first: memory that was in use before would keep its small
            // pages. If the system does not take the advice, they stay small.
            let _ = unsafe { madvise(first, bytes, Advice::LinuxDontNeed) };
            // SAFETY: the same.
            let _ = unsafe { madvise(first, bytes, Advice::LinuxHugepage) };
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_everything() {
        for len in [0, 1, LARGE_PAGE / 8, LARGE_PAGE] {
            let mut items: Vec<u64> = roomy(len);
            let room = items.as_ptr();
            assert!(items.is_empty() && items.capacity() >= len);
            items.extend(0..len as u64);
            assert!(items.iter().copied().eq(0..len as u64));
            assert_eq!(items.as_ptr(), room, "it has not moved");
        }
    }

    #[test]
    fn a_shelf_knows_where_its_items_are() {
        let items: Vec<[u32; 5]> = vec![[0; 5]; 1000];
        let shelf = Shelf::of(&items);
        for (index, item) in items.iter().enumerate() {
            let (first, last) = shelf.place(index);
            assert_eq!(first, std::ptr::from_ref(item).addr());
            assert_eq!(last, std::ptr::from_ref(&item[4]).addr() + 3);
        }
    }
}

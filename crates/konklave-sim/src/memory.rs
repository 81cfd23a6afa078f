//! The one place that needs `unsafe`: how memory is laid out and fetched, for speed alone.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::slice;

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
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ptr::without_provenance(address)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Items that never move, on large pages of their own if they are many and the system has such
/// pages.
///
/// Nodes are visited in no order. The processor remembers where a few thousand pages are, which are
/// too few for a million nodes on small ones. Memory from the heap would not do: what was in use
/// before keeps its small pages.
#[derive(Debug)]
pub struct Pages<T> {
    first: NonNull<T>,
    len: usize,
    /// Where the pages begin, and their size; none, if the items are in a box.
    pages: Option<(NonNull<c_void>, usize)>,
    items: PhantomData<T>,
}

// SAFETY: these pages own its items, as a box does.
unsafe impl<T: Send> Send for Pages<T> {}
// SAFETY: the same.
unsafe impl<T: Sync> Sync for Pages<T> {}

impl<T> Pages<T> {
    /// This many items, which `make` creates one after the other.
    pub fn new(len: usize, mut make: impl FnMut(usize) -> T) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        let Some((pages, first)) = pages::map(bytes, align_of::<T>()) else {
            let items: Box<[T]> = (0..len).map(make).collect();
            let first = NonNull::from(Box::leak(items)).cast();
            return Self { first, len, pages: None, items: PhantomData };
        };
        let mut row = Self { first: first.cast(), len: 0, pages: Some(pages), items: PhantomData };
        while row.len < len {
            let item = make(row.len);
            // SAFETY: there is room for `len` items at `first`, which begins a page.
            unsafe { row.first.add(row.len).write(item) };
            row.len += 1;
        }
        row
    }
}

impl<T> Deref for Pages<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: this many items were written there, and `self` owns them.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Pages<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the same, and no one else has access.
        unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

impl<T> Drop for Pages<T> {
    fn drop(&mut self) {
        let items = ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len);
        match self.pages {
            // SAFETY: it came from a box of this length.
            None => drop(unsafe { Box::from_raw(items) }),
            Some(pages) => {
                // SAFETY: the items were written there and are not used any more.
                unsafe { ptr::drop_in_place(items) };
                pages::unmap(pages);
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod pages {
    use std::ffi::c_void;
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    /// The size of large pages, and what they are aligned to.
    const LARGE: usize = 1 << 21;

    /// Where pages begin, and their size.
    type Pages = (NonNull<c_void>, usize);

    /// Pages with room for this many bytes, and where a large one of them begins, to which they are
    /// aligned; nothing, if small ones will do, or that is not enough, or there are none.
    pub(super) fn map(bytes: usize, align: usize) -> Option<(Pages, NonNull<c_void>)> {
        if bytes < LARGE || align > LARGE {
            return None;
        }
        let size = bytes.checked_next_multiple_of(LARGE)?.checked_add(LARGE)?;
        let (access, kind) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        // SAFETY: new pages, wherever the system has room, belong to no one else.
        let start = unsafe { mmap_anonymous(null_mut(), size, access, kind) }.ok()?;
        let before = start.addr().wrapping_neg() % LARGE;
        let first = start.wrapping_byte_add(before);
        // SAFETY: these are some of our pages. If the system does not take the advice, they stay
        // small.
        let _ = unsafe { madvise(first, size - LARGE, Advice::LinuxHugepage) };
        Some(((NonNull::new(start)?, size), NonNull::new(first)?))
    }

    /// Gives pages back.
    pub(super) fn unmap((start, size): Pages) {
        // SAFETY: `map` made them, and nothing in them is used any more.
        let _ = unsafe { munmap(start.as_ptr(), size) };
    }
}

#[cfg(not(target_os = "linux"))]
mod pages {
    use std::ffi::c_void;
    use std::ptr::NonNull;

    type Pages = (NonNull<c_void>, usize);

    /// Large pages are not known here.
    pub(super) fn map(_bytes: usize, _align: usize) -> Option<(Pages, NonNull<c_void>)> {
        None
    }

    pub(super) fn unmap(_pages: Pages) {}
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::rc::Rc;

    use super::*;

    #[test]
    fn a_row_holds_its_items_few_or_many() {
        for len in [0, 1, 1000, 300_000] {
            let mut row = Pages::new(len, |place| place as u64);
            assert_eq!(row.len(), len);
            assert!(row.iter().copied().eq(0..len as u64));
            row.iter_mut().for_each(|item| *item += 1);
            assert!(row.iter().copied().eq(1..=len as u64));
        }
    }

    #[test]
    fn a_row_drops_its_items_once() {
        let item = Rc::new(());
        for len in [3, 300_000] {
            let row = Pages::new(len, |_| Rc::clone(&item));
            assert_eq!(Rc::strong_count(&item), len + 1);
            drop(row);
            assert_eq!(Rc::strong_count(&item), 1);
        }
    }

    #[test]
    fn a_row_that_cannot_be_made_drops_what_it_has() {
        let item = Rc::new(());
        for len in [3, 300_000] {
            let make = |place| match place + 1 < len {
                true => Rc::clone(&item),
                false => panic!("the last one"),
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| Pages::new(len, make)));
            assert!(outcome.is_err());
            assert_eq!(Rc::strong_count(&item), 1);
        }
    }

    #[test]
    fn items_without_size_need_no_pages() {
        assert_eq!(Pages::new(1 << 20, |_| ()).len(), 1 << 20);
    }

    #[test]
    fn a_shelf_knows_where_its_items_are() {
        let items: Vec<[u32; 5]> = vec![[0; 5]; 1000];
        let shelf = Shelf::of(&items);
        for (index, item) in items.iter().enumerate() {
            let (first, last) = shelf.place(index);
            assert_eq!(first, ptr::from_ref(item).addr());
            assert_eq!(last, ptr::from_ref(&item[4]).addr() + 3);
        }
    }
}

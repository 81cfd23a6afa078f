//! The one place that needs `unsafe`: asking the processor to fetch memory before it is needed.
#![allow(unsafe_code)]

/// Starts to load `value` into the cache. Changes nothing but speed; does nothing where the
/// processor's instruction for it is not known here.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(value).cast::<i8>();
        let last = first.wrapping_add(size_of::<T>().saturating_sub(1));
        // SAFETY: a prefetch reads nothing architecturally and never faults; the reference is
        // valid.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(last); // It may lie across two lines of the cache.
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

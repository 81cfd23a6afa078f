//! The one place that needs `unsafe`: asking the processor to fetch memory before it is needed.
#![allow(unsafe_code)]

/// Starts to load `value` into the cache. Changes nothing but speed; does nothing where the
/// processor's instruction for it is not known here.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally and never faults.
        unsafe {
            let start = std::ptr::from_ref(value).cast::<i8>();
            _mm_prefetch::<_MM_HINT_T0>(start);
            // It may lie across two lines of the cache.
            _mm_prefetch::<_MM_HINT_T0>(start.add(size_of::<T>().saturating_sub(1)));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

//! A node that fails an assertion of its own is a result, so nothing is printed about it.

/// Does something without a word about panics.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = work();
    std::panic::set_hook(hook);
    outcome
}

//! Suppresses panic messages: a failed assertion of a node is a result, reported elsewhere.

/// Calls a function, and suppresses its panic messages.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = work();
    std::panic::set_hook(hook);
    outcome
}

/// Suppresses the panic messages of nodes from now on, in a process that steps nodes until it ends.
pub(crate) fn silence() {
    std::panic::set_hook(Box::new(|_| {}));
}

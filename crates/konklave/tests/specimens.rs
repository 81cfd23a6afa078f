//! Monitors that cannot fail prove nothing: here each has to catch algorithms that are wrong.
//!
//! A specimen is the right algorithm with one flaw, stated as what it changes about the inputs and
//! the effects of the right one.

mod specimens {
    mod assumptions;
    mod election;
    mod graphs;
    mod lock;
    mod raymond;
    mod reliable;
    mod ricart_agrawala;
    mod verdict;
}

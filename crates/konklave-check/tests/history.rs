//! The checkers of histories against enumeration, against conditions that are not a replay, against
//! another checker, and against objects with a flaw.
//!
//! `HISTORIES=100000 cargo test --release -p konklave-check --test history` draws more histories,
//! `SEED=7 cargo test -p konklave-check --test history` only the seventh of each kind.

mod history {
    mod conditions;
    mod draw;
    mod enumeration;
    mod exhaustive;
    mod form;
    mod hand;
    mod joint;
    mod referee;
    mod report;
    mod specimens;
    mod stateright;
}

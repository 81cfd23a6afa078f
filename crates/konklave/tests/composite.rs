//! Three protocols, one inside the other: a counter over a router over the links of a ring.
//!
//! The counter asks the node that counts for the next number and is answered; the router passes
//! both on until they are there; the links repeat what is not acknowledged. Messages and timers are
//! wrapped on the way out, events are handed up on the way in.
//!
//! Smaller protocols show what hosts promise: when effects get out (`nesting`), and how several
//! parts are kept apart (`slots`).

mod composite {
    mod counter;
    mod monitor;
    mod nesting;
    mod ring;
    mod router;
    mod runs;
    mod slots;
}

//! What the simulator does to protocols: time, timers, channels, faults, endings, traces, seeds.
//!
//! Most tests let puppets act: nodes that do what they are told and tell what they see.

mod simulator {
    mod applications;
    mod cast;
    mod channels;
    mod corruption;
    mod determinism;
    mod endings;
    mod outages;
    mod puppet;
    mod streams;
    mod timers;
    mod trace;
    mod turns;
}

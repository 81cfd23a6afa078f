//! What the algorithms cost, compared with the formulas in their module docs: exact where the
//! formula is exact, and within a stated confidence interval where it is an average.

mod cost {
    mod chang_roberts;
    mod chang_roberts_bidirectional;
    mod hirschberg_sinclair;
    mod le_lann;
    mod local_maxima;
    mod lock;
    mod raymond;
    mod raymond_heavy;
    mod ricart_agrawala;
    mod ring_election;
    mod ring_naive;
    mod tree;
    mod wake;
}

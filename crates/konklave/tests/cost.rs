//! What the algorithms cost, compared with the formulas in their module docs: exact where the
//! formula is exact, and within a stated confidence interval where it is an average.

mod cost {
    mod all_schedules;
    mod answers;
    mod chang_roberts;
    mod chang_roberts_bidirectional;
    mod data;
    mod duplicates;
    mod fairness;
    mod graph;
    mod graphs;
    mod hierarchical;
    mod hirschberg_sinclair;
    mod le_lann;
    mod local_maxima;
    mod lock;
    mod net;
    mod path_reversal;
    mod peers;
    mod permission;
    mod quorum;
    mod raymond;
    mod raymond_heavy;
    mod raymond_variants;
    mod reference;
    mod ricart_agrawala;
    mod ring;
    mod ring_election;
    mod ring_naive;
    mod schedules;
    mod token;
    mod tree;
    mod trees;
    mod turns;
    mod virtual_tree;
    mod wake;
}

//! The flaws, by algorithm.

pub mod adoption;
pub mod cao_singhal;
pub mod carvalho_roucairol;
pub mod central;
pub mod chang_roberts;
pub mod dfs_token;
pub mod echo_extinction;
pub mod maekawa;
pub mod median_log;
pub mod naimi_trehel;
pub mod overlay;
pub mod perpetuum;
pub mod peterson;
pub mod placement;
pub mod raymond;
pub mod reservation;
pub mod ricart_agrawala;
pub mod ricart_agrawala_token;
pub mod ring_chase;
pub mod sanders;
pub mod server_dht;
pub mod singhal;
pub mod suzuki_kasami;
pub mod token_graph;
pub mod token_search;
pub mod tree_wave;

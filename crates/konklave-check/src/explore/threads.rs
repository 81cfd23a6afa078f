//! Shares out the rows of a layer among threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Below this many rows, threads do not pay.
const ROWS_PER_THREAD: usize = 256;

/// How many rows a thread takes at a time.
const CHUNK: usize = 64;

/// How often the search is looked after.
pub(super) const TICK: Duration = Duration::from_millis(50);

/// Does the work for each row, by all workers. `watch` is asked from time to time whether to go on;
/// whether everything was done.
pub(crate) fn share_out<W: Send>(
    workers: &mut [W],
    rows: usize,
    work: impl Fn(&mut W, usize) + Sync,
    watch: &mut dyn FnMut() -> bool,
) -> bool {
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let take_chunk = |worker: &mut W| {
        let start = next.fetch_add(CHUNK, Ordering::Relaxed);
        if start >= rows || stop.load(Ordering::Relaxed) {
            return false;
        }
        for row in start..rows.min(start + CHUNK) {
            work(worker, row);
        }
        true
    };
    let (first, others) = workers.split_first_mut().expect("at least one worker");
    let helpers = others.len().min(rows / ROWS_PER_THREAD);
    thread::scope(|scope| {
        let take_chunk = &take_chunk;
        for worker in &mut others[..helpers] {
            scope.spawn(move || while take_chunk(worker) {});
        }
        let mut looked = Instant::now();
        while take_chunk(first) {
            if looked.elapsed() > TICK {
                looked = Instant::now();
                if !watch() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
    });
    !stop.load(Ordering::Relaxed) && watch()
}

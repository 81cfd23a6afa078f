//! Unique states per second, beside the crate `stateright` with the same system in the same run.

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use konklave::mutex::Monitor;
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave_catalog::mutex::client::Visitor;
use konklave_check::{Costs, Options, System, World, explore};
use stateright::{Checker, Model, Property};

#[path = "../tests/oracle/model.rs"]
mod model;

type Locks = model::Direct<RicartAgrawala, Visitor, Monitor>;
type State = model::State<RicartAgrawala, Visitor, Monitor>;

/// The same system for stateright, without any detour.
struct Theirs(Locks);

impl Model for Theirs {
    type State = State;
    type Action = model::Action<RicartAgrawala>;

    fn init_states(&self) -> Vec<State> {
        vec![self.0.first()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Self::Action>) {
        actions.extend(self.0.actions(state));
    }

    fn next_state(&self, last: &State, action: Self::Action) -> Option<State> {
        Some(self.0.next(last, action))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("every promise is kept", |model: &Self, state: &State| {
            model.0.is_good(state)
        })]
    }
}

/// Counts bytes.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code)] // An allocator is unsafe by nature; this one only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { Heap.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a search came to.
struct Measured {
    unique: u64,
    seconds: f64,
    bytes: usize,
}

fn measure(search: impl FnOnce() -> u64) -> Measured {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let begun = Instant::now();
    let unique = search();
    let seconds = begun.elapsed().as_secs_f64();
    Measured { unique, seconds, bytes: PEAK.load(Ordering::Relaxed) - before }
}

fn show(name: &str, measured: &Measured) {
    let Measured { unique, seconds, bytes } = measured;
    let rate = *unique as f64 / seconds / 1e6;
    let per_state = *bytes as f64 / *unique as f64;
    println!(
        "{name:32} {unique:>9} states {seconds:>7.2} s {rate:>6.2} M/s {per_state:>6.1} bytes/state"
    );
}

fn main() {
    const NODES: u32 = 4;
    const THREADS: usize = 2;
    let system = || {
        let visitors = vec![Visitor::new(1); NODES as usize];
        let make = |me| RicartAgrawala::new(me, NODES);
        System::new(make, visitors, Monitor::new(NODES), World::new())
    };
    println!("ricart-agrawala, {NODES} nodes, one entry each, any order, {THREADS} threads");
    let ours = |costs| {
        let options = Options { threads: THREADS, costs, ..Options::default() };
        measure(|| explore(system(), options, &mut |_| true).unique)
    };
    let (search, whole) = (ours(Costs::Ignored), ours(Costs::Exact));
    show("konklave, search", &search);
    show("konklave, search and costs", &whole);
    let theirs = measure(|| {
        let checker = Theirs(model::Direct(system())).checker().threads(THREADS).spawn_bfs().join();
        checker.unique_state_count() as u64
    });
    show("stateright, breadth first", &theirs);
    assert_eq!(search.unique, theirs.unique, "the same system has the same states");
    let faster = theirs.seconds / search.seconds;
    let lighter = theirs.bytes as f64 / search.bytes as f64;
    let with_costs = theirs.bytes as f64 / whole.bytes as f64;
    println!("ratio: {faster:.1} times the states per second, {lighter:.1} times lighter");
    println!("with costs: {:.1} and {with_costs:.1} times", theirs.seconds / whole.seconds);
}

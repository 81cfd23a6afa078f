//! The runs that are measured. Each returns its number of deliveries.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use konklave::NodeId;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::election::{self, Id, Winner};
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::mutex::{self, Command, Event};
use konklave::protocol::{Broken, Data, Monitor, Protocol};
use konklave_catalog::election::workload::{Ballot, Plan as Calls};
use konklave_catalog::mutex::workload::{Contention, Demand, Plan};
use konklave_sim::metrics::Messages;
use konklave_sim::workload::{Agenda, Workload};
use konklave_sim::{Delay, Options, Simulation};

use crate::composite::{Begin, COUNT, Counted, Counter, DISTANCE};

pub(crate) const DELAY: Delay = Delay::Uniform(1, 16);

fn deliveries<P, W, M, const METERED: bool>(mut simulation: Simulation<'_, P, W, M, METERED>) -> u64
where
    P: Protocol,
    W: Workload<Command = P::Command, Event = P::Event>,
    M: Monitor<Command = P::Command, Event = P::Event>,
{
    let report = simulation.run(&mut |_| true).expect("nothing is written");
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    report.deliveries
}

fn options(seed: u64) -> Options {
    Options { seed, delay: DELAY, ..Options::default() }
}

/// Elects among nodes with these ids, all of which start.
pub(crate) fn chang_roberts(ids: &[Id], seed: u64) -> u64 {
    let monitor = election::Monitor::new(ids.to_vec(), Winner::Largest);
    let nodes = ids.len() as u32;
    deliveries(Simulation::new(options(seed), nodes, ring(ids), ballot(ids), monitor))
}

/// The same without metrics and monitor.
pub(crate) fn chang_roberts_unwatched(ids: &[Id], seed: u64) -> u64 {
    let monitor = Blind(PhantomData);
    let nodes = ids.len() as u32;
    deliveries(Simulation::<_, _, _, false>::assemble(
        options(seed),
        nodes,
        ring(ids),
        ballot(ids),
        monitor,
    ))
}

fn ring(ids: &[Id]) -> impl Fn(NodeId) -> ChangRoberts {
    let nodes = ids.len() as u32;
    move |me| ChangRoberts::new(ids[me.index()], NodeId((me.0 + 1) % nodes), Wake::All)
}

fn ballot(ids: &[Id]) -> Ballot {
    Ballot::new(ids.to_vec(), Calls::once(NodeId::all(ids.len() as u32).collect(), 0))
}

/// Everyone enters so many times, as soon as possible.
pub(crate) fn ricart_agrawala(nodes: u32, entries: u32, seed: u64) -> u64 {
    crowd(nodes, entries, seed, |me| RicartAgrawala::new(me, nodes))
}

/// Many small systems, each built, run and dropped. Returns how many.
pub(crate) fn tiny(seed: u64) -> u64 {
    const RUNS: u64 = 5000;
    (0..RUNS).for_each(|run| assert_eq!(ricart_agrawala(3, 2, seed * RUNS + run), 24));
    RUNS
}

/// The same on a binary tree whose root has the token.
pub(crate) fn raymond(nodes: u32, entries: u32, seed: u64) -> u64 {
    crowd(nodes, entries, seed, |me| {
        Raymond::new(me, NodeId(me.0.saturating_sub(1) / 2), Variant::Plain)
    })
}

fn crowd<P>(nodes: u32, entries: u32, seed: u64, make: impl Fn(NodeId) -> P) -> u64
where
    P: Protocol<Command = Command, Event = Event>,
{
    let plan = Plan {
        demand: Demand::Heavy,
        entries,
        requesters: NodeId::all(nodes).collect(),
        inside: 1,
        think: 0,
        warmup: 0,
        unit: DELAY.mean(),
        perpetual: false,
    };
    let (applications, monitor) = (Contention::new(nodes, plan), mutex::Monitor::new(nodes));
    deliveries(Simulation::new(options(seed), nodes, make, applications, monitor))
}

/// Every node begins to count.
pub(crate) fn composite(nodes: u32, seed: u64) -> u64 {
    let make = |me| Counter::new(me, nodes);
    let monitor = Blind(PhantomData);
    let count = deliveries(Simulation::new(options(seed), nodes, make, All(nodes), monitor));
    assert_eq!(count, u64::from(nodes * COUNT * DISTANCE));
    count
}

/// Tells all of so many nodes to begin.
struct All(u32);

impl Workload for All {
    type Command = Begin;
    type Event = Counted;
    type Report = ();

    fn on_start(&mut self, agenda: &mut Agenda<'_, Begin>) {
        NodeId::all(self.0).for_each(|node| agenda.after(0, node, Begin));
    }

    fn on_event(&mut self, _node: NodeId, _event: &Counted, _agenda: &mut Agenda<'_, Begin>) {}

    fn report(&self, _messages: &Messages, _time: u64, _unit: f64) {}
}

/// A monitor that sees nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Blind<C, E>(PhantomData<(C, E)>);

impl<C: Data, E: Data> Monitor for Blind<C, E> {
    type Command = C;
    type Event = E;

    fn on_command(&mut self, _node: NodeId, _command: &C) -> Result<(), Broken> {
        Ok(())
    }

    fn on_event(&mut self, _node: NodeId, _event: &E) -> Result<(), Broken> {
        Ok(())
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        Ok(())
    }
}

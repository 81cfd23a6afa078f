//! All algorithms, with applications that keep them busy, and everything that can go wrong.

use std::marker::PhantomData;

use konklave::NodeId;
use konklave::election::Id;
use konklave::election::chang_roberts::{ChangRoberts, Wake};
use konklave::mutex::raymond::{Raymond, Variant};
use konklave::mutex::ricart_agrawala::RicartAgrawala;
use konklave::protocol::{self, Broken, Protocol};
use konklave_catalog::election::workload::{self as ballot, Ballot};
use konklave_catalog::mutex::workload::{Contention, Demand, Plan};
use konklave_sim::workload::Workload;
use konklave_sim::{Delay, Faults, Options, Simulation};

use super::puppet::{Act, Puppet, Script};

/// How many nodes every system has.
pub(super) const NODES: u32 = 12;

/// A simulation of an algorithm that nobody judges: it goes on whatever happens to it.
pub(super) type Run<'a, P, W> = Simulation<'a, P, W, Indifferent<P>>;

/// What is done with every algorithm. A trait, as each algorithm has its own types.
pub(super) trait Director {
    /// `stage` makes the same system again and again.
    fn direct<'a, P: Protocol, W: Workload<Command = P::Command, Event = P::Event>>(
        &mut self,
        name: &str,
        make: impl Fn(NodeId) -> P,
        stage: impl Fn(Options) -> Run<'a, P, W>,
    );
}

/// What goes wrong with an algorithm may go on for ever.
fn limited(options: Options) -> Options {
    Options { event_limit: options.event_limit.or(Some(50_000)), ..options }
}

/// Shows all algorithms to the director.
pub(super) fn each(director: &mut impl Director) {
    let lock = |demand| {
        let requesters = NodeId::all(NODES).collect();
        let (entries, inside, think, warmup) = (5, 3, 2, 0);
        let plan = Plan {
            demand,
            entries,
            requesters,
            inside,
            think,
            warmup,
            unit: 5.0,
            perpetual: false,
        };
        Contention::new(NODES, plan)
    };
    let make = |me| RicartAgrawala::new(me, NODES);
    director.direct("ricart-agrawala", make, |options| {
        Simulation::new(limited(options), NODES, make, lock(Demand::Heavy), Indifferent::new())
    });
    let make = |me: NodeId| Raymond::new(me, NodeId(me.0.saturating_sub(1) / 2), Variant::Plain);
    director.direct("raymond", make, |options| {
        Simulation::new(
            limited(options),
            NODES,
            make,
            lock(Demand::Poisson(1.0)),
            Indifferent::new(),
        )
    });
    for wake in [Wake::All, Wake::Suppress, Wake::Relay] {
        let ids: Vec<_> = [4, 9, 1, 7, 30, 2, 12, 5, 11, 8, 6, 3].map(Id).into();
        let make =
            |me: NodeId| ChangRoberts::new(ids[me.index()], NodeId((me.0 + 1) % NODES), wake);
        director.direct(&format!("chang-roberts {wake:?}"), make, |options| {
            let initiators = [0, 3, 5, 6, 7, 9].map(NodeId).into();
            let ballot = Ballot::new(ids.clone(), ballot::Plan::once(initiators, 60));
            Simulation::new(limited(options), NODES, &make, ballot, Indifferent::new())
        });
    }
    let make = |_| Puppet::default();
    director.direct("puppet", make, |options| {
        let answer = |time| Act::Send(time % NODES, time, vec![Act::Choose(9)]);
        let acts = |time| [answer(time), Act::Set(1, 30), Act::Set(2, 1), Act::Choose(time)];
        let orders: Vec<_> = (1..200)
            .flat_map(|time| acts(time).map(|act| (time.into(), time % (NODES - 1), act)))
            .collect();
        Simulation::new(limited(options), NODES, make, Script::new(&orders), Indifferent::new())
    });
}

/// A bit of everything that can go wrong.
pub(super) fn all_faults() -> Faults {
    let outages = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    let partitions = ["0-5/6-11@60..80", "hold:0-2/3-11@90..120"];
    let corruptions = ["state:4@30", "channel:0-1@20", "channel:3-4@85", "state:0@86"];
    Faults {
        loss: 0.05,
        duplicate: 0.05,
        reorder: 0.1,
        crashes: outages(&["1@50..70", "2@140"]),
        pauses: outages(&["3@20..40", "4@100..110"]),
        partitions: partitions.map(|text| text.parse().unwrap()).into(),
        corruptions: corruptions.map(|text| text.parse().unwrap()).into(),
    }
}

/// Options with all faults on.
pub(super) fn stormy(seed: u64) -> Options {
    let delay = Delay::Uniform(1, 9);
    Options { seed, delay, faults: all_faults(), time_limit: Some(2000), ..Options::default() }
}

/// Finds fault with nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Indifferent<P>(PhantomData<P>);

impl<P> Indifferent<P> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: Protocol> protocol::Monitor for Indifferent<P> {
    type Command = P::Command;
    type Event = P::Event;

    fn on_command(&mut self, _node: NodeId, _command: &P::Command) -> Result<(), Broken> {
        Ok(())
    }

    fn on_event(&mut self, _node: NodeId, _event: &P::Event) -> Result<(), Broken> {
        Ok(())
    }

    fn on_crash(&mut self, _node: NodeId) -> Result<(), Broken> {
        Ok(())
    }

    fn at_rest(&self) -> Result<(), Broken> {
        Ok(())
    }
}

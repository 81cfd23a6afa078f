//! Reliable links gone wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use konklave::NodeId;
use konklave::mutex::central::Central;
use konklave::protocol::{Effect, Input, Protocol};
use konklave::reliable::{Order, Packet, Parcel, Reliable};
use konklave_catalog::mutex::workload::Demand;
use konklave_sim::Options;
use konklave_sim::faults::Faults;
use konklave_specimens::{Flaw, Flawed, Flawless};

use super::lock::{run, wild};
use super::verdict::promise;

/// Hands every copy of a message over: each that arrives gets a number of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct KeepsDuplicates {
    /// The right number of each message that has arrived, by its sender.
    arrived: BTreeMap<NodeId, Vec<u64>>,
}

impl<P: Protocol> Flaw<Reliable<P>> for KeepsDuplicates {
    fn inputs(&mut self, _: &Reliable<P>, input: Input<Reliable<P>>) -> Vec<Input<Reliable<P>>> {
        vec![match input {
            Input::Message { from, msg: Packet::Data(parcel) | Packet::Resend(parcel) } => {
                let arrived = self.arrived.entry(from).or_default();
                arrived.push(parcel.number);
                let number = arrived.len() as u64 - 1;
                Input::Message { from, msg: Packet::Data(Parcel { number, since: 0, ..parcel }) }
            }
            other => other,
        }]
    }

    fn effects(
        &mut self,
        _: &Reliable<P>,
        _: &Input<Reliable<P>>,
        mut effects: Vec<Effect<Reliable<P>>>,
    ) -> Vec<Effect<Reliable<P>>> {
        for effect in &mut effects {
            if let Effect::Send { to, msg: Packet::Ack { number } } = effect {
                *number = self.arrived[to][*number as usize];
            }
        }
        effects
    }
}

/// Forgets what it has sent before it is acknowledged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct ForgetsAtOnce {
    sent: Vec<(NodeId, u64)>,
}

impl<P: Protocol> Flaw<Reliable<P>> for ForgetsAtOnce {
    fn inputs(&mut self, _: &Reliable<P>, input: Input<Reliable<P>>) -> Vec<Input<Reliable<P>>> {
        let forget = |(from, number)| Input::Message { from, msg: Packet::Ack { number } };
        self.sent.drain(..).map(forget).chain([input]).collect()
    }

    fn effects(
        &mut self,
        _: &Reliable<P>,
        _: &Input<Reliable<P>>,
        effects: Vec<Effect<Reliable<P>>>,
    ) -> Vec<Effect<Reliable<P>>> {
        self.sent.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Send { to, msg: Packet::Data(parcel) } => Some((*to, parcel.number)),
            _ => None,
        }));
        effects
    }
}

/// What a central lock comes to over such links, if every tenth message is lost and every tenth
/// duplicated.
fn promises(flaw: &impl Flaw<Reliable<Central>>) -> BTreeSet<String> {
    let faults = Faults { loss: 0.1, duplicate: 0.1, ..Faults::default() };
    let promise_with = |seed| {
        let options = Options { faults: faults.clone(), ..wild(seed) };
        let report = run(&options, 4, Demand::Heavy, |me| {
            let right = Central::new(me, NodeId(0));
            let period = Duration::from_millis(40);
            Flawed::new(Reliable::new(right, Order::Any, period), flaw.clone())
        });
        promise(&report)
    };
    (1..=50).map(promise_with).collect()
}

#[test]
fn links_that_are_not_reliable_are_caught() {
    assert_eq!(promises(&Flawless), ["kept".to_owned()].into());
    let duplicates = promises(&KeepsDuplicates::default());
    assert!(duplicates.contains("mutual exclusion"), "{duplicates:?}");
    let forgotten = promises(&ForgetsAtOnce::default());
    assert!(forgotten.contains("no starvation"), "{forgotten:?}");
}

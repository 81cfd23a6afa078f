//! Several objects of a kind, told apart by their names, in the same waves.
//!
//! A batch is a list of the batches of those objects that somebody has used, by name. So a wave
//! costs as many messages as for one object, and an object that nobody uses costs nothing.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::service::{Op, OwnPlaces, Place, Service};
use crate::circle::{Mixer, Point, Salt};
use crate::object::{Answer, Nature, Object, Places};

/// Several objects, each empty at first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Many<O>(BTreeMap<u32, O>);

impl<O: Object> Object for Many<O> {
    const NAME: &'static str = O::NAME;
    type Op = (u32, O::Op);

    fn accept(&mut self, (name, op): Self::Op, answer: Answer) -> Result<(), Answer> {
        self.0.entry(name).or_default().accept(op, answer)
    }

    fn nature((_, op): Self::Op) -> Nature {
        O::nature(op)
    }

    fn part((name, _): Self::Op) -> u64 {
        name.into()
    }

    fn priority((_, op): Self::Op) -> u64 {
        O::priority(op)
    }

    fn size(&self) -> usize {
        self.0.values().map(O::size).sum()
    }
}

/// Gives each object hash functions of its own.
const NAME: Salt = Salt(98);

/// What the anchor knows about each object that was ever used. The witnesses of an object are dense
/// for themselves: each is linearizable, so all together are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Named<S: Service>(BTreeMap<u32, S>);

impl<S: Service> Named<S> {
    /// What is known about the object with this name.
    pub fn get(&self, name: u32) -> Option<&S> {
        self.0.get(&name)
    }
}

/// By name: operations of each object in program order.
fn by_name<Op>(ops: impl Iterator<Item = (u32, Op)>) -> BTreeMap<u32, Vec<Op>> {
    let mut named = BTreeMap::new();
    ops.for_each(|(name, op)| named.entry(name).or_insert_with(Vec::new).push(op));
    named
}

impl<S: Service> Service for Named<S> {
    type Object = Many<S::Object>;
    type Key = (u32, S::Key);
    type Batch = Vec<(u32, S::Batch)>;
    type Assignment = Vec<(u32, S::Assignment)>;

    const BARRIER: bool = S::BARRIER;
    const PLACES: Places = Places::OfPart;

    fn build(ops: impl Iterator<Item = Op<Self>>) -> Self::Batch {
        let build = |(name, ops): (u32, Vec<_>)| (name, S::build(ops.into_iter()));
        by_name(ops).into_iter().map(build).collect()
    }

    fn combine(batch: &mut Self::Batch, next: &Self::Batch) {
        for (name, next) in next {
            match batch.binary_search_by_key(name, |(name, _)| *name) {
                Ok(at) => S::combine(&mut batch[at].1, next),
                Err(at) => batch.insert(at, (*name, next.clone())),
            }
        }
    }

    fn is_empty(batch: &Self::Batch) -> bool {
        batch.iter().all(|(_, batch)| S::is_empty(batch))
    }

    fn runs(batch: &Self::Batch) -> usize {
        batch.iter().map(|(_, batch)| S::runs(batch)).sum()
    }

    fn assign(&mut self, batch: &Self::Batch) -> Self::Assignment {
        let assign = |(name, batch): &(u32, S::Batch)| {
            (*name, self.0.entry(*name).or_default().assign(batch))
        };
        batch.iter().map(assign).collect()
    }

    fn decompose(assignment: &mut Self::Assignment, first: &Self::Batch) -> Self::Assignment {
        let mut rest = assignment.iter_mut();
        let take = |(name, first): &(u32, S::Batch)| {
            let (_, assignment) = rest.find(|(other, _)| other == name)?;
            Some((*name, S::decompose(assignment, first)))
        };
        first.iter().filter_map(take).collect()
    }

    fn start(
        assignment: Self::Assignment,
        ops: impl Iterator<Item = Op<Self>>,
    ) -> OwnPlaces<Self::Key> {
        let ops: Vec<_> = ops.collect();
        let mut named = by_name(ops.iter().copied());
        let mut places = BTreeMap::new();
        for (name, assignment) in assignment {
            let ops = named.remove(&name).unwrap_or_default();
            places.insert(name, S::start(assignment, ops.into_iter()).into_iter());
        }
        let place = |(name, _): &Op<Self>| {
            let place = places.get_mut(name)?.next()?;
            Some(Place { key: place.key.map(|key| (*name, key)), witness: place.witness })
        };
        ops.iter().filter_map(place).collect()
    }

    fn point(mixer: Mixer, (name, key): Self::Key) -> Point {
        S::point(Mixer::new(mixer.mix(name.into(), NAME)), key)
    }

    fn sought((name, key): Self::Key) -> RangeInclusive<Self::Key> {
        let (first, last) = S::sought(key).into_inner();
        (name, first)..=(name, last)
    }
}

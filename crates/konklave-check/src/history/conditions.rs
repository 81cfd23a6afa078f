//! When the witness order of a queue, a stack or a heap is right, said without carrying anything
//! out: a second judge, independent of the first, which replays the order.
//!
//! `(i, d)` is an insertion and the removal that returned its element, `U_I` are insertions whose
//! element no removal returned, `U_D` removals that returned nothing. All conditions together take
//! O(N log N).

use std::collections::{BTreeSet, HashMap};

use konklave::object::Discipline;
use serde::Serialize;

use super::witness::{against_time, out_of_sequence, witness_order};
use super::{History, Nature, Object};

/// A condition on an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Condition {
    /// Every removed element was inserted, and none is removed twice. Without it there are no pairs
    /// to speak of, and no other condition is looked at.
    #[serde(rename = "0")]
    Matched,
    /// `i < d`.
    #[serde(rename = "1")]
    InsertedBefore,
    /// No `u` of `U_D` with `i < u < d`.
    #[serde(rename = "2a")]
    NothingWhileThere,
    /// No `u` of `U_I` that should have gone before `i`.
    #[serde(rename = "2b")]
    NoneLeftBehind,
    /// No `u` of `U_I` and `w` of `U_D` with `u < w`.
    #[serde(rename = "2c")]
    NothingAfterLeft,
    /// No two pairs in the wrong order.
    #[serde(rename = "3")]
    PairsInOrder,
    /// The program order of each process is kept.
    #[serde(rename = "4")]
    ProgramOrder,
    /// Real time is kept.
    #[serde(rename = "5")]
    RealTime,
}

impl Condition {
    /// What it demands, in words.
    pub fn demand(self) -> &'static str {
        match self {
            Self::Matched => "every removed element is inserted, and none is removed twice",
            Self::InsertedBefore => "an element is inserted before it is removed",
            Self::NothingWhileThere => {
                "no removal finds nothing while an element is there that is removed later"
            }
            Self::NoneLeftBehind => "no element that should go first is left for ever",
            Self::NothingAfterLeft => "no removal finds nothing after an element that is left",
            Self::PairsInOrder => "of two elements that are there, the right one is removed first",
            Self::ProgramOrder => "operations of a process stand as it invoked them",
            Self::RealTime => "operations that do not overlap stand as they happened",
        }
    }
}

/// Which conditions hold for the witness order: no condition is judged without such an order, if
/// the object holds no elements, or if the element of a pending removal is unknown.
pub fn check_conditions<O: Object>(history: &History<O>) -> Vec<(Condition, bool)> {
    let Some(discipline) = O::DISCIPLINE.filter(|_| history.has_witness()) else {
        return Vec::new();
    };
    let operations = history.operations();
    let order = witness_order(history);
    let Some(pairs) = Matching::of(history, &order) else {
        let is_unknown = |&index: &usize| {
            operations[index].is_pending() && O::nature(operations[index].op) == Nature::Remove
        };
        return match order.iter().any(is_unknown) {
            true => Vec::new(),
            false => vec![(Condition::Matched, false)],
        };
    };
    vec![
        (Condition::Matched, true),
        (Condition::InsertedBefore, pairs.are_inserted_before()),
        (Condition::NothingWhileThere, pairs.find_nothing_only_if_there_is_nothing()),
        (Condition::NoneLeftBehind, pairs.leave_none_behind(discipline)),
        (Condition::NothingAfterLeft, pairs.find_what_is_left()),
        (Condition::PairsInOrder, pairs.are_in_order(discipline)),
        (Condition::ProgramOrder, out_of_sequence(operations, &order).is_none()),
        (Condition::RealTime, against_time(operations, &order).is_none()),
    ]
}

/// An element that was removed.
#[derive(Clone, Copy)]
struct Pair {
    inserted: usize,
    removed: usize,
    priority: u64,
}

/// What an operation has to do with pairs.
#[derive(Clone, Copy)]
enum Role {
    Inserts(Pair),
    Removes(Pair),
}

/// Places of insertions and removals in an order. All lists are in ascending order.
struct Matching {
    /// By their insertions.
    pairs: Vec<Pair>,
    /// `U_I`, each with its priority.
    left: Vec<(usize, u64)>,
    /// `U_D`.
    nothing: Vec<usize>,
}

impl Matching {
    fn of<O: Object>(history: &History<O>, order: &[usize]) -> Option<Self> {
        let operations = order.iter().map(|&index| &history.operations()[index]);
        let mut removals = HashMap::new();
        let mut nothing = Vec::new();
        for (place, operation) in operations.clone().enumerate() {
            match (O::nature(operation.op), operation.answer()) {
                (Nature::Remove, _) if operation.is_pending() => return None,
                (Nature::Remove, Some(id)) => {
                    let earlier = removals.insert(id, place);
                    if earlier.is_some() {
                        return None;
                    }
                }
                (Nature::Remove, None) => nothing.push(place),
                _ => {}
            }
        }
        let (mut pairs, mut left) = (Vec::new(), Vec::new());
        for (inserted, operation) in operations.enumerate() {
            let Nature::Insert(id) = O::nature(operation.op) else { continue };
            let priority = O::priority(operation.op);
            match removals.get(&id) {
                Some(&removed) => pairs.push(Pair { inserted, removed, priority }),
                None => left.push((inserted, priority)),
            }
        }
        (pairs.len() == removals.len()).then_some(Self { pairs, left, nothing })
    }

    fn are_inserted_before(&self) -> bool {
        self.pairs.iter().all(|pair| pair.inserted < pair.removed)
    }

    fn find_nothing_only_if_there_is_nothing(&self) -> bool {
        self.pairs.iter().all(|pair| {
            let next = self.nothing.partition_point(|&place| place <= pair.inserted);
            self.nothing.get(next).is_none_or(|&place| place >= pair.removed)
        })
    }

    fn leave_none_behind(&self, discipline: Discipline) -> bool {
        let before = |place: usize| self.left.partition_point(|&(it, _)| it < place);
        // The smallest priority that is left among the first, the first two, and so on.
        let least: Vec<u64> = self
            .left
            .iter()
            .scan(u64::MAX, |least, &(_, priority)| {
                *least = priority.min(*least);
                Some(*least)
            })
            .collect();
        self.pairs.iter().all(|&Pair { inserted, removed, priority }| match discipline {
            Discipline::Fifo => inserted > removed || before(inserted) == 0,
            Discipline::Lifo => inserted > removed || before(inserted) == before(removed),
            Discipline::Priority => match before(removed) {
                0 => true,
                count => least[count - 1] >= priority,
            },
        })
    }

    fn find_what_is_left(&self) -> bool {
        match (self.left.first(), self.nothing.last()) {
            (Some(&(left, _)), Some(&nothing)) => left > nothing,
            _ => true,
        }
    }

    fn are_in_order(&self, discipline: Discipline) -> bool {
        match discipline {
            Discipline::Fifo => {
                let mut last = 0; // The last removal of what was inserted before.
                self.pairs.iter().all(|pair| {
                    let overtakes = pair.inserted < pair.removed && pair.removed < last;
                    last = last.max(pair.removed);
                    !overtakes
                })
            }
            Discipline::Lifo => {
                let mut there: Vec<usize> = Vec::new(); // When what is there will be removed.
                self.roles().into_iter().all(|role| match role {
                    Role::Inserts(pair) => {
                        there.push(pair.removed);
                        true
                    }
                    Role::Removes(pair) => {
                        let is_late = pair.inserted > pair.removed;
                        is_late || there.pop() == Some(pair.removed)
                    }
                })
            }
            Discipline::Priority => {
                let mut there = BTreeSet::new();
                self.roles().into_iter().all(|role| match role {
                    Role::Inserts(pair) => there.insert((pair.priority, pair.removed)),
                    Role::Removes(pair) => {
                        there.remove(&(pair.priority, pair.removed));
                        there.first().is_none_or(|&(least, _)| least >= pair.priority)
                    }
                })
            }
        }
    }

    /// Insertions and removals as they stand in the order, but without insertions that come after
    /// the removal.
    fn roles(&self) -> Vec<Role> {
        let timely = self.pairs.iter().filter(|pair| pair.inserted < pair.removed);
        let inserts = timely.map(|&pair| (pair.inserted, Role::Inserts(pair)));
        let removes = self.pairs.iter().map(|&pair| (pair.removed, Role::Removes(pair)));
        let mut roles: Vec<_> = inserts.chain(removes).collect();
        roles.sort_unstable_by_key(|&(place, _)| place);
        roles.into_iter().map(|(_, role)| role).collect()
    }
}

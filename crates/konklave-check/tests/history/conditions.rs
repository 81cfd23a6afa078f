//! When an order of insertions and removals is right, said without carrying anything out.
//!
//! `i` and `d` are an insertion and the removal that returned its element, `U_I` are insertions
//! whose element nobody returned, `U_D` removals that returned nothing.

/// An operation of a queue, a stack or a heap. Priorities matter for heaps only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Insert { id: u64, priority: u64 },
    Remove(Option<u64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Discipline {
    Queue,
    Stack,
    Heap,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Every removed element was inserted before.
    InsertedBefore,
    /// No `u` of `U_D` with `i < u < d`.
    NothingWhileThere,
    /// No element is left behind that should have gone first.
    NoneLeftBehind,
    /// No `u` of `U_I` and `w` of `U_D` with `u < w`.
    NothingAfterLeft,
    /// No two pairs in the wrong order.
    PairsInOrder,
}

pub(super) const CONDITIONS: [Condition; 5] = [
    Condition::InsertedBefore,
    Condition::NothingWhileThere,
    Condition::NoneLeftBehind,
    Condition::NothingAfterLeft,
    Condition::PairsInOrder,
];

/// Places of insertions and removals in the order, and the priorities of elements.
struct Sorted {
    /// Place of the insertion, place of the removal, priority.
    pairs: Vec<(usize, usize, u64)>,
    /// `U_I`: place and priority.
    left: Vec<(usize, u64)>,
    /// `U_D`.
    nothing: Vec<usize>,
}

fn sort(order: &[Event]) -> Option<Sorted> {
    let mut sorted = Sorted { pairs: Vec::new(), left: Vec::new(), nothing: Vec::new() };
    let removed: Vec<(usize, u64)> = order
        .iter()
        .enumerate()
        .filter_map(|(place, event)| match event {
            Event::Remove(Some(id)) => Some((place, *id)),
            _ => None,
        })
        .collect();
    for (place, event) in order.iter().enumerate() {
        match *event {
            Event::Insert { id, priority } => {
                let mut takers = removed.iter().filter(|(_, taken)| *taken == id);
                match (takers.next(), takers.next()) {
                    (None, _) => sorted.left.push((place, priority)),
                    (Some((taker, _)), None) => sorted.pairs.push((place, *taker, priority)),
                    (Some(_), Some(_)) => return None, // Removed twice.
                }
            }
            Event::Remove(None) => sorted.nothing.push(place),
            Event::Remove(Some(_)) => {}
        }
    }
    (sorted.pairs.len() == removed.len()).then_some(sorted) // Else: never inserted.
}

/// Whether the order meets these conditions.
pub(super) fn meets(order: &[Event], discipline: Discipline, conditions: &[Condition]) -> bool {
    sort(order).is_some_and(|sorted| {
        conditions.iter().all(|&condition| sorted.meets(discipline, condition))
    })
}

/// Whether the order is right.
pub(super) fn is_right(order: &[Event], discipline: Discipline) -> bool {
    meets(order, discipline, &CONDITIONS)
}

impl Sorted {
    fn meets(&self, discipline: Discipline, condition: Condition) -> bool {
        let Self { pairs, left, nothing } = self;
        match condition {
            Condition::InsertedBefore => pairs.iter().all(|&(i, d, _)| i < d),
            Condition::NothingWhileThere => {
                !pairs.iter().any(|&(i, d, _)| nothing.iter().any(|&u| i < u && u < d))
            }
            Condition::NoneLeftBehind => !pairs.iter().any(|&(i, d, priority)| {
                left.iter().any(|&(u, other)| match discipline {
                    Discipline::Queue => u < i && i < d,
                    Discipline::Stack => i < u && u < d,
                    Discipline::Heap => u < d && other < priority,
                })
            }),
            Condition::NothingAfterLeft => {
                !left.iter().any(|&(u, _)| nothing.iter().any(|&w| u < w))
            }
            Condition::PairsInOrder => !pairs.iter().any(|&(i, d, priority)| {
                pairs.iter().any(|&(i2, d2, other)| match discipline {
                    Discipline::Queue => i < i2 && i2 < d2 && d2 < d,
                    Discipline::Stack => i < i2 && i2 < d && d < d2,
                    Discipline::Heap => other < priority && i2 < d && d < d2,
                })
            }),
        }
    }
}

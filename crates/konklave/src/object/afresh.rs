//! An object that begins with some content: what is known of it once its system is legal again.

use super::{Answer, Discipline, Nature, Object, Returned};
use crate::NodeId;
use std::collections::BTreeMap;

/// Operations that are to be explained by one order, on an object that held something at first:
/// nobody knows what, and elements may be empty, so that nothing is returned in their place. For
/// objects that hold elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Afresh<O: Object> {
    /// Those that have returned and were not judged, by their places.
    returned: BTreeMap<u64, Returned<O::Op>>,
    /// The place of the next one, once it is known.
    next: Option<u64>,
    /// The elements that have been inserted since, in this order, with their priorities.
    known: Vec<(u64, u64)>,
    rest: Rest,
    /// How many operations of each process were judged, at least.
    progress: BTreeMap<NodeId, u32>,
}

/// What there is of the content at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rest {
    /// Something, of this priority or a larger one.
    Some(u64),
    /// Nothing: something that came later was taken first.
    Nothing,
}

impl<O: Object> Default for Afresh<O> {
    fn default() -> Self {
        let (returned, progress) = (BTreeMap::new(), BTreeMap::new());
        Self { returned, next: None, known: Vec::new(), rest: Rest::Some(0), progress }
    }
}

impl<O: Object> Afresh<O> {
    pub(super) fn finish(&mut self, operation: Returned<O::Op>) {
        self.returned.insert(operation.witness, operation);
    }

    /// Judges all operations that have returned, while none is outstanding.
    pub(super) fn judge(&mut self) -> Result<(), String> {
        for (place, it) in std::mem::take(&mut self.returned) {
            let Returned { process, seq, op, answer, .. } = it;
            let wrong = |what: &str| {
                Err(format!("operation {seq} of node {process}, {op:?}, {answer:?}: {what}"))
            };
            if self.next.replace(place + 1).is_some_and(|next| next != place) {
                return wrong("its place is not the next one of an order");
            }
            if self.progress.insert(process, seq).is_some_and(|last| last >= seq) {
                return wrong("it comes after a later operation of its node");
            }
            if !self.accept(op, answer) {
                return wrong("whatever the object held at first, this is not its answer");
            }
        }
        Ok(())
    }

    /// Carries an operation out, if its answer can be right.
    fn accept(&mut self, op: O::Op, answer: Answer) -> bool {
        match (O::nature(op), O::DISCIPLINE) {
            (Nature::Insert(element), _) => self.known.push((O::priority(op), element)),
            (Nature::Remove, Some(discipline)) => {
                let place = self.known.iter().position(|it| answer == Some(it.1));
                return match place {
                    Some(place) => self.take(place, discipline),
                    None => self.may_be_of_rest(answer, discipline),
                };
            }
            _ => {}
        }
        true
    }

    /// An element that has been inserted since is taken.
    fn take(&mut self, place: usize, discipline: Discipline) -> bool {
        let (priority, _) = self.known.remove(place);
        match discipline {
            Discipline::Fifo => {
                self.rest = Rest::Nothing;
                place == 0
            }
            Discipline::Lifo => place == self.known.len(),
            Discipline::Priority => {
                if let Rest::Some(least) = self.rest {
                    self.rest = Rest::Some(least.max(priority));
                }
                self.known.iter().all(|it| priority <= it.0)
            }
        }
    }

    /// Whether this, or nothing, can be the first element of what was there.
    fn may_be_of_rest(&self, answer: Answer, discipline: Discipline) -> bool {
        let is_empty = answer.is_none() && self.known.is_empty();
        is_empty
            || match (self.rest, discipline) {
                (Rest::Nothing, _) => false,
                (Rest::Some(_), Discipline::Fifo) => true,
                (Rest::Some(_), Discipline::Lifo) => self.known.is_empty(),
                (Rest::Some(least), Discipline::Priority) => {
                    self.known.iter().all(|it| least <= it.0)
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Queue, QueueOp, Stack, StackOp};

    fn judge<O: Object>(ops: &[(O::Op, Answer)]) -> Result<(), String> {
        let mut afresh = Afresh::<O>::default();
        for (seq, &(op, answer)) in (0..).zip(ops) {
            let witness = 7 + u64::from(seq);
            afresh.finish(Returned { process: NodeId(1), seq, op, answer, witness });
        }
        afresh.judge()
    }

    #[test]
    fn a_queue_gives_what_it_held_first() {
        let (enqueue, dequeue) = (QueueOp::Enqueue(1), QueueOp::Dequeue);
        let right = [(enqueue, None), (dequeue, Some(99)), (dequeue, None), (dequeue, Some(1))];
        assert_eq!(judge::<Queue>(&right), Ok(()));
        let late = [(enqueue, None), (dequeue, Some(1)), (dequeue, Some(99))];
        assert!(judge::<Queue>(&late).is_err());
        let overtaken = [(enqueue, None), (QueueOp::Enqueue(2), None), (dequeue, Some(2))];
        assert!(judge::<Queue>(&overtaken).is_err());
        let forgotten =
            [(enqueue, None), (dequeue, Some(1)), (QueueOp::Enqueue(2), None), (dequeue, None)];
        assert!(judge::<Queue>(&forgotten).is_err());
    }

    #[test]
    fn a_stack_gives_what_it_held_last() {
        let (push, pop) = (StackOp::Push(1), StackOp::Pop);
        let right = [(pop, Some(99)), (push, None), (pop, Some(1)), (pop, None), (pop, Some(98))];
        assert_eq!(judge::<Stack>(&right), Ok(()));
        assert!(judge::<Stack>(&[(push, None), (pop, Some(99))]).is_err());
    }

    #[test]
    fn places_follow_each_other_in_program_order() {
        let operation = |seq, witness| Returned {
            process: NodeId(0),
            seq,
            op: QueueOp::Enqueue(u64::from(seq)),
            answer: None,
            witness,
        };
        for (second, is_right) in [((1, 5), true), ((1, 6), false), ((0, 5), false)] {
            let mut afresh = Afresh::<Queue>::default();
            afresh.finish(operation(0, 4));
            afresh.finish(operation(second.0, second.1));
            assert_eq!(afresh.judge().is_ok(), is_right, "{second:?}");
        }
    }
}

//! Looks for an order that explains answers, for objects that claim none.

use std::collections::BTreeMap;

use super::{Answer, Object};
use crate::NodeId;

/// The most operations that are judged: the number of orders explodes.
const MOST: usize = 10;

/// All operations of each process, in its program order, with their answers if they have returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Explained<O: Object> {
    processes: BTreeMap<NodeId, Vec<Asked<O::Op>>>,
}

type Asked<Op> = (Op, Option<Answer>);

impl<O: Object> Default for Explained<O> {
    fn default() -> Self {
        Self { processes: BTreeMap::new() }
    }
}

impl<O: Object> Explained<O> {
    /// A process invokes an operation.
    pub(super) fn invoke(&mut self, process: NodeId, op: O::Op) {
        self.processes.entry(process).or_default().push((op, None));
    }

    /// An operation returns.
    pub(super) fn finish(&mut self, process: NodeId, seq: u32, answer: Answer) {
        let asked = self.processes.get_mut(&process).and_then(|all| all.get_mut(seq as usize));
        if let Some(asked) = asked {
            asked.1 = Some(answer);
        }
    }

    /// Whether there is an order that agrees with the program order of each process, in which one
    /// object would have given these answers. Operations that have not returned may have happened.
    /// Too many operations count as explained.
    pub(super) fn is_consistent(&self) -> bool {
        let rests: Vec<&[Asked<O::Op>]> = self.processes.values().map(|all| &all[..]).collect();
        rests.iter().map(|rest| rest.len()).sum::<usize>() > MOST
            || can_go_on(&O::default(), &rests)
    }
}

fn can_go_on<O: Object>(object: &O, rests: &[&[Asked<O::Op>]]) -> bool {
    let has_returned = |rest: &&[Asked<O::Op>]| rest.iter().any(|(_, answer)| answer.is_some());
    if !rests.iter().any(has_returned) {
        return true;
    }
    (0..rests.len()).any(|place| {
        let Some(((op, answer), rest)) = rests[place].split_first() else { return false };
        let mut object = object.clone();
        let is_right = match answer {
            Some(answer) => object.accept(*op, *answer).is_ok(),
            None => {
                object.apply(*op);
                true
            }
        };
        let mut rests = rests.to_vec();
        rests[place] = rest;
        is_right && can_go_on(&object, &rests)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Dictionary, DictionaryOp};

    const PUT: DictionaryOp = DictionaryOp::Put { key: 1, value: 5 };
    const GET: DictionaryOp = DictionaryOp::Get(1);

    #[test]
    fn a_process_sees_its_own_write() {
        let mut history = Explained::<Dictionary>::default();
        let (one, other) = (NodeId(1), NodeId(2));
        for (process, op) in [(one, PUT), (one, GET), (other, GET)] {
            history.invoke(process, op);
        }
        history.finish(other, 0, None);
        assert!(history.is_consistent(), "the put may come later");
        history.finish(one, 0, None);
        assert!(history.is_consistent(), "it is not real time that counts");
        let mut right = history.clone();
        right.finish(one, 1, Some(5));
        assert!(right.is_consistent());
        history.finish(one, 1, None);
        assert!(!history.is_consistent(), "it has put a value, and finds none");
    }
}

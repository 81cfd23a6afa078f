//! The search against the consistency testers of the crate `stateright`.
//!
//! There, a process waits for an answer before it asks again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;

use konklave_check::history::*;
use stateright::semantics::register::{self, RegisterRet};
use stateright::semantics::vec::{VecOp, VecRet};
use stateright::semantics::{
    ConsistencyTester, LinearizabilityTester, SequentialConsistencyTester, SequentialSpec,
};

use super::draw::{Drawn, Patience, Shape, history, replay, seeds};

/// An object that `stateright` can be told about.
trait Foreign: Drawn {
    type Spec: SequentialSpec<Op: Clone + Debug, Ret: Clone + Debug> + Clone + Default;

    fn op(op: Self::Op) -> <Self::Spec as SequentialSpec>::Op;
    fn ret(op: Self::Op, answer: Answer) -> <Self::Spec as SequentialSpec>::Ret;
}

impl Foreign for Register {
    type Spec = register::Register<Answer>;

    fn op(op: RegisterOp) -> register::RegisterOp<Answer> {
        match op {
            RegisterOp::Write(value) => register::RegisterOp::Write(Some(value)),
            RegisterOp::Read => register::RegisterOp::Read,
        }
    }

    fn ret(op: RegisterOp, answer: Answer) -> RegisterRet<Answer> {
        match op {
            RegisterOp::Write(_) => RegisterRet::WriteOk,
            RegisterOp::Read => RegisterRet::ReadOk(answer),
        }
    }
}

impl Foreign for Stack {
    type Spec = Vec<u64>;

    fn op(op: StackOp) -> VecOp<u64> {
        match op {
            StackOp::Push(id) => VecOp::Push(id),
            StackOp::Pop => VecOp::Pop,
        }
    }

    fn ret(op: StackOp, answer: Answer) -> VecRet<u64> {
        match op {
            StackOp::Push(_) => VecRet::PushOk,
            StackOp::Pop => VecRet::PopOk(answer),
        }
    }
}

#[derive(Clone, Default)]
struct Fifo(VecDeque<u64>);

impl SequentialSpec for Fifo {
    type Op = QueueOp;
    type Ret = Answer;

    fn invoke(&mut self, op: &QueueOp) -> Answer {
        match *op {
            QueueOp::Enqueue(id) => {
                self.0.push_back(id);
                None
            }
            QueueOp::Dequeue => self.0.pop_front(),
        }
    }
}

impl Foreign for Queue {
    type Spec = Fifo;

    fn op(op: QueueOp) -> QueueOp {
        op
    }

    fn ret(_op: QueueOp, answer: Answer) -> Answer {
        answer
    }
}

#[derive(Clone, Default)]
struct Map(BTreeMap<u64, u64>);

impl SequentialSpec for Map {
    type Op = DictionaryOp;
    type Ret = Answer;

    fn invoke(&mut self, op: &DictionaryOp) -> Answer {
        match *op {
            DictionaryOp::Get(key) => return self.0.get(&key).copied(),
            DictionaryOp::Put { key, value } => self.0.insert(key, value),
            DictionaryOp::Delete(key) => self.0.remove(&key),
        };
        None
    }
}

impl Foreign for Dictionary {
    type Spec = Map;

    fn op(op: DictionaryOp) -> DictionaryOp {
        op
    }

    fn ret(_op: DictionaryOp, answer: Answer) -> Answer {
        answer
    }
}

#[derive(Clone, Default)]
struct Priorities(BTreeSet<(u64, u64)>);

impl SequentialSpec for Priorities {
    type Op = HeapOp;
    type Ret = Answer;

    fn invoke(&mut self, op: &HeapOp) -> Answer {
        match *op {
            HeapOp::Insert { id, priority } => {
                self.0.insert((priority, id));
                None
            }
            HeapOp::DeleteMin => self.0.pop_first().map(|(_, id)| id),
        }
    }

    /// Among equal priorities, any element may go.
    fn is_valid_step(&mut self, op: &HeapOp, answer: &Answer) -> bool {
        match (op, answer, self.0.first().copied()) {
            (HeapOp::DeleteMin, Some(id), Some((least, _))) => self.0.remove(&(least, *id)),
            _ => self.invoke(op) == *answer,
        }
    }
}

impl Foreign for Heap {
    type Spec = Priorities;

    fn op(op: HeapOp) -> HeapOp {
        op
    }

    fn ret(_op: HeapOp, answer: Answer) -> Answer {
        answer
    }
}

/// Tells a tester what happened, in the order of time; at the same time, invocations first, because
/// only what returned earlier precedes.
fn is_consistent<O: Foreign>(
    history: &History<O>,
    mut tester: impl ConsistencyTester<u32, O::Spec>,
) -> bool {
    let mut events = Vec::new();
    for operation in history.operations() {
        events.push((operation.invoked, 0, operation));
        events.extend(operation.returned.map(|returned| (returned, 1, operation)));
    }
    events.sort_by_key(|&(time, kind, operation)| (time, kind, operation.process));
    for (_, kind, operation) in events {
        let told = match kind {
            0 => tester.on_invoke(operation.process, O::op(operation.op)),
            _ => tester.on_return(operation.process, O::ret(operation.op, operation.answer())),
        };
        assert!(told.is_ok(), "a process waits before it asks again");
    }
    tester.is_consistent()
}

/// A pending removal may take any of the first elements of a heap, which a tester does not try.
fn is_ambiguous<O: Object>(history: &History<O>) -> bool {
    O::NAME == Heap::NAME
        && history.operations().iter().any(|it| it.is_pending() && O::nature(it.op).asks())
}

fn agree<O: Foreign>(test: &str) {
    let mut counts = [0, 0];
    for seed in seeds() {
        let operations = 4 + (seed % 6) as u32;
        let shape = Shape { processes: 3, operations, patience: Patience::Waits };
        let history: History<O> = history(seed, shape);
        if is_ambiguous(&history) {
            continue;
        }
        let sequential = SequentialConsistencyTester::new(O::Spec::default());
        let linearizable = LinearizabilityTester::new(O::Spec::default());
        for (consistency, expected) in [
            (Consistency::Sequential, is_consistent(&history, sequential)),
            (Consistency::Linearizable, is_consistent(&history, linearizable)),
        ] {
            let outcome = search(&history, consistency, BUDGET);
            let found = matches!(outcome, SearchedOrder::Explained(_));
            let case = format!("{consistency}: {history:#?}\n{}", replay(seed, test));
            assert_eq!(found, expected, "{outcome:?}, {case}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(seeds().len() < 1000 || counts.iter().all(|&it| it > 100), "one-sided: {counts:?}");
}

#[test]
fn another_checker_says_the_same() {
    let test = "another_checker";
    agree::<Register>(test);
    agree::<Dictionary>(test);
    agree::<Queue>(test);
    agree::<Stack>(test);
    agree::<Heap>(test);
}

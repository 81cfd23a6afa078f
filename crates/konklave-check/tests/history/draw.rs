//! Random histories: of objects that work, and of some that do not.

use konklave_check::history::*;
use konklave_sim::random::{Random, Stream};

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) processes: u32,
    pub(super) operations: u32,
    /// Whether a process waits for an answer before it asks again.
    pub(super) patience: Patience,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    Waits,
    AsksOn,
    /// The first process asks on, all others wait, and ask again at once.
    Differs,
}

/// An object about which histories are drawn.
pub(super) trait Drawn: Object {
    /// An operation that asks for something or not; insertions insert `id`.
    fn draw(id: u64, random: &mut Random) -> Self::Op;
}

impl Drawn for Register {
    fn draw(_id: u64, random: &mut Random) -> RegisterOp {
        match random.below(2) {
            0 => RegisterOp::Write(random.below(3)),
            _ => RegisterOp::Read,
        }
    }
}

impl Drawn for Dictionary {
    fn draw(_id: u64, random: &mut Random) -> DictionaryOp {
        let key = random.below(2);
        match random.below(5) {
            0 | 1 => DictionaryOp::Put { key, value: random.below(3) },
            2 => DictionaryOp::Delete(key),
            _ => DictionaryOp::Get(key),
        }
    }
}

impl Drawn for OrderedSet {
    fn draw(_id: u64, random: &mut Random) -> OrderedSetOp {
        let key = random.below(3);
        match random.below(6) {
            0 | 1 => OrderedSetOp::Insert(key),
            2 => OrderedSetOp::Delete(key),
            3 => OrderedSetOp::Contains(key),
            4 => OrderedSetOp::Successor(key),
            _ => OrderedSetOp::Predecessor(key),
        }
    }
}

impl Drawn for Queue {
    fn draw(id: u64, random: &mut Random) -> QueueOp {
        match random.below(2) {
            0 => QueueOp::Enqueue(id),
            _ => QueueOp::Dequeue,
        }
    }
}

impl Drawn for Stack {
    fn draw(id: u64, random: &mut Random) -> StackOp {
        match random.below(2) {
            0 => StackOp::Push(id),
            _ => StackOp::Pop,
        }
    }
}

impl Drawn for Heap {
    fn draw(id: u64, random: &mut Random) -> HeapOp {
        match random.below(2) {
            0 => HeapOp::Insert { id, priority: random.below(4) },
            _ => HeapOp::DeleteMin,
        }
    }
}

/// The seeds to try: as many as `HISTORIES` says, or the one that `SEED` says.
pub(super) fn seeds() -> Vec<u64> {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    match number("SEED") {
        Some(seed) => vec![seed],
        None => (0..number("HISTORIES").unwrap_or(2000)).collect(),
    }
}

/// How to see a failure again.
pub(super) fn replay(seed: u64, test: &str) -> String {
    format!("SEED={seed} cargo test -p konklave-check --test history {test}")
}

/// A history of an object that works, spoilt in three cases of four.
pub(super) fn history<O: Drawn>(seed: u64, shape: Shape) -> History<O> {
    let mut random = Random::new(seed, Stream::Workload);
    let mut operations = run::<O>(shape, &mut random);
    match random.below(4) {
        0 => {}
        1 => shift_a_process(&mut operations, &mut random),
        2 => swap_two_answers::<O>(&mut operations, &mut random),
        _ => change_an_answer::<O>(&mut operations, &mut random),
    }
    History::new(operations).expect("a drawn history makes sense")
}

/// What an object that works may answer: each operation has its effect between its times, if it
/// is answered at all.
fn run<O: Drawn>(shape: Shape, random: &mut Random) -> Vec<Operation<O::Op>> {
    let mut operations = Vec::new();
    let mut effects = Vec::new();
    for process in 0..shape.processes {
        let mut time = random.below(4);
        let count = shape.operations / shape.processes
            + u32::from(process < shape.operations % shape.processes);
        for seq in 0..count {
            let op = O::draw(operations.len() as u64, random);
            let effect = time + random.below(6);
            let is_pending = random.below(8) == 0;
            let returned = (!is_pending).then(|| effect + random.below(4));
            if !is_pending || random.below(2) == 0 {
                effects.push((effect, random.word(), operations.len()));
            }
            let (result, witness) = (None, None);
            operations.push(Operation {
                process,
                seq,
                op,
                result,
                invoked: time,
                returned,
                witness,
            });
            time = match (shape.patience, returned) {
                (Patience::Waits, None) => break,
                (Patience::Waits, Some(returned)) => returned + 1 + random.below(3),
                (Patience::Differs, Some(returned)) if process > 0 => returned,
                (Patience::AsksOn | Patience::Differs, _) => time + random.below(4),
            };
        }
    }
    effects.sort_unstable();
    let mut object = O::default();
    for (_, _, index) in effects {
        let operation = &mut operations[index];
        let answer = object.apply(operation.op);
        if O::nature(operation.op).asks() && !operation.is_pending() {
            operation.result = Some(answer);
        }
    }
    operations
}

fn shift_a_process<Op>(operations: &mut [Operation<Op>], random: &mut Random) {
    let chosen = random.below(3) as u32;
    let delay = random.below(12);
    for operation in operations.iter_mut().filter(|operation| operation.process == chosen) {
        operation.invoked += delay;
        operation.returned = operation.returned.map(|returned| returned + delay);
    }
}

fn askers<O: Object>(operations: &[Operation<O::Op>]) -> Vec<usize> {
    (0..operations.len()).filter(|&index| operations[index].result.is_some()).collect()
}

fn swap_two_answers<O: Object>(operations: &mut [Operation<O::Op>], random: &mut Random) {
    let askers = askers::<O>(operations);
    if askers.len() >= 2 {
        let mut pick = || askers[random.below(askers.len() as u64) as usize];
        let (one, other) = (pick(), pick());
        let result = operations[one].result;
        operations[one].result = operations[other].result;
        operations[other].result = result;
    }
}

/// Of objects that hold elements, an answer may become one that was given to another, too.
fn change_an_answer<O: Object>(operations: &mut [Operation<O::Op>], random: &mut Random) {
    let askers = askers::<O>(operations);
    let natures = operations.iter().map(|operation| O::nature(operation.op));
    let mut answers: Vec<Answer> = natures.map(|nature| nature.value(None)).collect();
    answers.retain(Option::is_some);
    answers.push(None);
    if !askers.is_empty() {
        let asker = askers[random.below(askers.len() as u64) as usize];
        operations[asker].result = Some(answers[random.below(answers.len() as u64) as usize]);
    }
}

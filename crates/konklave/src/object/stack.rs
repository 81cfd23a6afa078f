//! Last in, first out.

use serde::{Deserialize, Serialize};

use super::{Answer, Discipline, Nature, Object, compare};

/// Last in, first out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack(Vec<u64>);

/// What can be asked of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackOp {
    /// Lay this element on top.
    Push(u64),
    /// Take off the element on top.
    Pop,
}

impl Object for Stack {
    const NAME: &'static str = "stack";
    const DISCIPLINE: Option<Discipline> = Some(Discipline::Lifo);
    type Op = StackOp;

    fn accept(&mut self, op: StackOp, answer: Answer) -> Result<(), Answer> {
        match op {
            StackOp::Push(id) => self.0.push(id),
            StackOp::Pop => {
                compare(self.0.last().copied(), answer)?;
                self.0.pop();
            }
        }
        Ok(())
    }

    fn nature(op: StackOp) -> Nature {
        match op {
            StackOp::Push(id) => Nature::Insert(id),
            StackOp::Pop => Nature::Remove,
        }
    }

    fn size(&self) -> usize {
        self.0.len()
    }
}

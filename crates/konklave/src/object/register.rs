//! A value that is written and read.

use serde::{Deserialize, Serialize};

use super::{Answer, Nature, Object, compare};

/// A value that is written and read; nothing at first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Register(Answer);

/// What can be asked of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegisterOp {
    /// Have this value from now on.
    Write(u64),
    /// Which value is it?
    Read,
}

impl Object for Register {
    const NAME: &'static str = "register";
    type Op = RegisterOp;

    fn accept(&mut self, op: RegisterOp, answer: Answer) -> Result<(), Answer> {
        match op {
            RegisterOp::Write(value) => self.0 = Some(value),
            RegisterOp::Read => compare(self.0, answer)?,
        }
        Ok(())
    }

    fn nature(op: RegisterOp) -> Nature {
        match op {
            RegisterOp::Write(value) => Nature::Write(0, Some(value)),
            RegisterOp::Read => Nature::Read(0),
        }
    }

    fn size(&self) -> usize {
        1
    }
}

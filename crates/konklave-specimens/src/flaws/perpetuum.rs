//! The perpetual token gone wrong.

use konklave::mutex::Command;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::protocol::Input;

use crate::{Flaw, probe};

/// Cannot wait: it enters only if the token happens to be here when it asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Impatient;

impl Flaw<Perpetuum> for Impatient {
    fn inputs(&mut self, node: &Perpetuum, input: Input<Perpetuum>) -> Vec<Input<Perpetuum>> {
        let is_wish = input == Input::Command(Command::Acquire);
        match is_wish && probe(node, input.clone()).1.is_empty() {
            true => vec![],
            false => vec![input],
        }
    }
}

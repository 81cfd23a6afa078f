//! The flaw of the circulating token: a waiting node passes it on.

use konklave::mutex::Command;
use konklave::mutex::perpetuum::Perpetuum;
use konklave::protocol::Input;

use crate::{Flaw, probe};

/// Enters only if the token is here when the application asks; a waiting node passes it on.
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

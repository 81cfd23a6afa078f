//! Broken shared objects, shown by a history that fails the consistency check.

use konklave_check::history::{self, BUDGET, Consistency};
use konklave_sim::random::{Random, Stream};
use konklave_specimens::objects::BrokenObject;

use crate::failure::Failure;
use crate::{Exit, check_history, output};

/// Checks the first history of the object that shows its flaw.
pub(crate) fn show(object: &BrokenObject, is_json: bool) -> Result<Exit, Failure> {
    let mut random = Random::new(object.seed, Stream::Workload);
    let text = object.history(&mut |bound| random.below(bound));
    let both = [Consistency::Sequential, Consistency::Linearizable];
    let judgement = history::check(&text[..], &both, BUDGET)
        .map_err(|malformed| Failure::bad(malformed.to_string()))?;
    if !is_json {
        let chance = format!("A random history, drawn with seed {}:", object.seed);
        output::lines(&[format!("{}: {}", object.of, object.flaw), String::new(), chance])?;
    }
    check_history::conclude(&judgement, is_json)
}

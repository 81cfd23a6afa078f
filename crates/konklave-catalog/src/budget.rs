//! How often each application of a search asks.

use crate::refusal::Refusal;
use crate::site::Site;
use crate::words::counted;

/// How many commands each node's application has: what the user says for each, or the usual.
///
/// # Errors
///
/// If the user does not say it for each node, or if no node asks for anything.
pub fn budgets(
    site: &Site,
    given: Option<&[u32]>,
    usual: impl Fn(u32) -> u32,
) -> Result<Vec<u32>, Refusal> {
    let budgets = match given {
        None => (0..site.nodes()).map(usual).collect(),
        Some(budget) if budget.len() == site.nodes() as usize => budget.to_vec(),
        Some(budget) => {
            return Err(Refusal::new(format!(
                "--budget has {} for {}: write one for each",
                counted(budget.len() as u64, "number", "numbers"),
                counted(site.nodes().into(), "node", "nodes")
            )));
        }
    };
    match budgets.iter().all(|&budget| budget == 0) {
        true => Err(Refusal::new("nobody asks for anything, so there is nothing to check")),
        false => Ok(budgets),
    }
}

//! The number of requests of each application in a search.

use crate::refusal::Refusal;
use crate::site::Site;
use crate::words::counted;

/// The number of commands of each node's application: from --budget, or the default. It may be zero
/// for all of them, where nodes act by themselves.
///
/// # Errors
///
/// If the budget does not have one number per node.
pub fn any_budgets(
    site: &Site,
    given: Option<&[u32]>,
    usual: impl Fn(u32) -> u32,
) -> Result<Vec<u32>, Refusal> {
    match given {
        None => Ok((0..site.nodes()).map(usual).collect()),
        Some(budget) if budget.len() == site.nodes() as usize => Ok(budget.to_vec()),
        Some(budget) => Err(Refusal::new(format!(
            "--budget has {} for {}: write one number per node",
            counted(budget.len() as u64, "number", "numbers"),
            counted(site.nodes().into(), "node", "nodes")
        ))),
    }
}

/// The number of commands of each node's application: from --budget, or the default.
///
/// # Errors
///
/// If the budget does not have one number per node, or if no node makes a request.
pub fn budgets(
    site: &Site,
    given: Option<&[u32]>,
    usual: impl Fn(u32) -> u32,
) -> Result<Vec<u32>, Refusal> {
    let budgets = any_budgets(site, given, usual)?;
    match budgets.iter().all(|&budget| budget == 0) {
        true => {
            let name = site.entry().problem.how_often.name;
            let raise = match given {
                Some(_) => "raise a number of --budget".to_owned(),
                None => format!("raise --{name}"),
            };
            Err(Refusal::new(format!(
                "no node makes a request, so there is nothing to check: {raise}"
            )))
        }
        false => Ok(budgets),
    }
}

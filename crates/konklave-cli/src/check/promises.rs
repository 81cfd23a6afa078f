//! The promises that `--promise` names, and what a search says and does not say about promises.

use konklave_catalog::site::Site;
use konklave_catalog::system::{CheckPlan, Checked};
use konklave_catalog::words::listed;
use konklave_check::Faults;

use super::CheckArgs;
use crate::failure::Failure;

/// The plan for the promises and lemmas that the options name, if they name any.
pub(super) fn narrowed(
    args: &CheckArgs,
    site: &Site,
    mut plan: CheckPlan,
) -> Result<CheckPlan, Failure> {
    if args.promises.is_empty() {
        return Ok(plan);
    }
    let names = site.system()?.promises(&plan)?;
    for given in &args.promises {
        let name = names.iter().find(|name| plain(name) == plain(given));
        let name = name.ok_or_else(|| unknown(given, &names, site, &plan))?;
        plan.options.promises.push((*name).to_owned());
    }
    Ok(plan)
}

/// The promises and lemmas that are about schedules without faults, if there are any in this one.
pub(super) fn not_judged(checked: &Checked, plan: &CheckPlan, site: &Site) -> Vec<&'static str> {
    if plan.world.faults == Faults::default() || !plan.options.promises.is_empty() {
        return Vec::new();
    }
    let plan = CheckPlan { world: plan.world.faults(Faults::default()), ..plan.clone() };
    let mut all = site.system().and_then(|system| system.promises(&plan)).unwrap_or_default();
    all.retain(|name| !checked.properties.iter().any(|property| property.name == *name));
    all
}

/// The degree of fairness; unless every promise holds, only its documentation vouches for it.
pub(super) fn fairness(checked: &Checked, site: &Site) -> Option<String> {
    let degree = (site.entry().problem.fairness)(site)?;
    let are_kept = checked.properties.iter().all(|property| property.holds == Some(true));
    Some(if are_kept { degree } else { format!("as documented: {degree}") })
}

/// Schedules are not followed beyond the breach of a promise, even if it is not of interest.
pub(super) fn up_to(cuts: &[String]) -> String {
    let cuts: Vec<_> = cuts.iter().map(String::as_str).collect();
    format!("up to the first breach of {}", listed(&cuts))
}

/// How a promise was broken.
pub(super) fn detail<'a>(checked: &'a Checked, promise: &str) -> &'a str {
    let found = checked.counterexamples.iter().find(|found| found.broken.promise == promise);
    found.map_or("", |found| &found.broken.detail)
}

/// Shells make hyphens easier than spaces.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', '_'], " ")
}

fn unknown(given: &str, names: &[&str], site: &Site, plan: &CheckPlan) -> Failure {
    let algorithm = &site.entry().name;
    let names = listed(names);
    let lemmas = match plan.world.faults == Faults::default() {
        true => "",
        false => "; lemmas are checked only without faults",
    };
    Failure::bad(format!(
        "'{given}' is not a promise or lemma of {algorithm}, which has {names}{lemmas}"
    ))
}

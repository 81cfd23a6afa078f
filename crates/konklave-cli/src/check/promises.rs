//! The promises that `--promise` names.

use konklave_catalog::site::Site;
use konklave_catalog::system::CheckPlan;
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

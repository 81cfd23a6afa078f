//! Broken algorithms and objects, for `--specimen` and `list --specimens`.

pub(crate) mod chance;
pub(crate) mod objects;

use konklave_catalog::catalog::Catalog;
use konklave_catalog::entry::Entry;
use konklave_catalog::refusal::nearest;
use konklave_catalog::specimen::Specimen;
use konklave_specimens::objects::{BrokenObject, OBJECTS};
use serde_json::json;

use crate::failure::Failure;
use crate::told::Told;
use crate::{Exit, output};

/// The broken algorithm with this name, and what is wrong with it.
///
/// # Errors
///
/// If no specimen has this name; the suggestions include broken objects.
pub(crate) fn find(
    name: &str,
    catalog: &'static Catalog,
) -> Result<(&'static Entry, &'static Specimen), Failure> {
    catalog.find_specimen(name).map_err(|_| {
        if BrokenObject::find(name).is_some() {
            return Failure::bad(format!(
                "'{name}' is a shared object, which has a history and no schedules: \
                 `konklave check --specimen {name}` shows it"
            ));
        }
        let algorithms = catalog.specimens().iter().map(|entry| entry.name.as_str());
        let names = algorithms.chain(OBJECTS.iter().map(|object| object.name));
        match nearest(name, names) {
            Some(hint) => Failure::bad(format!("there is no specimen '{name}': {hint}")),
            None => Failure::bad(format!(
                "there is no specimen '{name}': `konklave list --specimens` names all"
            )),
        }
    })
}

/// Prints all specimens.
pub(crate) fn list(is_json: bool, catalog: &'static Catalog) -> Result<Exit, Failure> {
    let specimens: Vec<_> = catalog.specimens().iter().filter_map(|entry| entry.flaw).collect();
    if is_json {
        output::json(&Told::plain(json!({ "specimens": specimens, "objects": OBJECTS })))?;
        return Ok(Exit::Fine);
    }
    let mut lines = Vec::new();
    for specimen in specimens {
        let heading = format!("{}: {}", specimen.name, specimen.finds);
        lines.push(output::bold(&heading));
        lines.push(format!("  {}", specimen.flaw));
    }
    lines.extend([
        String::new(),
        "Shared objects, with a history that is not sequentially consistent:".to_owned(),
    ]);
    for object in &OBJECTS {
        lines.push(output::bold(object.name));
        lines.push(format!("  {}", object.flaw));
    }
    lines.push(String::new());
    lines.push("`konklave check --specimen NAME` shows how it breaks its promise".to_owned());
    output::lines(&lines)?;
    Ok(Exit::Fine)
}

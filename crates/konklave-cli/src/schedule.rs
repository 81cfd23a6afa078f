//! Schedules of counterexamples, as traces, JSON and text.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use konklave::trace::{Header, Line, VERSION};
use konklave_catalog::setup::Setup;
use konklave_catalog::site::Site;
use konklave_sim::write_line;
use konklave_stage::erased::Erased;
use serde_json::Value;

use crate::failure::Failure;
use crate::out;
use crate::replay::describe;
use crate::seal::{Sealing, seal};

/// The lines of a trace, without its header.
pub(crate) type Schedule = Vec<Line<Erased>>;

/// The header of a trace of this system.
pub(crate) fn header(site: &Site) -> Header<Setup> {
    let setup = Setup { verb: site.verb(), ..site.setup().clone() };
    Header { konklave_trace: VERSION, setup }
}

/// Writes a schedule of a system of this site as a trace.
pub(crate) fn write(schedule: &[Line<Erased>], path: &Path, site: &Site) -> Result<(), Failure> {
    let write = || {
        let mut out = Sealing::new(BufWriter::new(out::create(path)?));
        write_line(&mut out, &header(site))?;
        schedule.iter().try_for_each(|line| write_line(&mut out, line))?;
        out.flush()
    };
    write().map_err(|error| Failure::file("write the schedule", path, &error))
}

/// Converts a schedule to the lines of a trace.
pub(crate) fn to_json(schedule: &[Line<Erased>], site: &Site) -> io::Result<Vec<Value>> {
    let mut lines = vec![serde_json::to_value(header(site))?];
    for line in schedule {
        lines.push(serde_json::to_value(line)?);
    }
    seal(&mut lines);
    Ok(lines)
}

/// Describes a schedule, a line for each step.
pub(crate) fn lines(schedule: &[Line<Erased>]) -> Vec<String> {
    let text = schedule.iter().map(describe);
    text.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

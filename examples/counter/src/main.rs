//! Konklave with one problem more: counting.

mod catalog;
mod central;
mod counting;
mod workload;

use std::process::ExitCode;

fn main() -> ExitCode {
    let catalog = konklave_cli::catalog().with(catalog::entry());
    konklave_cli::main_with(catalog.with_specimens(&catalog::SPECIMENS))
}

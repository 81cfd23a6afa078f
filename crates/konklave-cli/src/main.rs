//! Run, check, watch and ship distributed algorithms.

use std::process::ExitCode;

fn main() -> ExitCode {
    konklave_cli::main()
}

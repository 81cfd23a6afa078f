//! The command line of Konklave: everything behind the binary `konklave`.
//!
//! The one place that knows algorithms by name is the [`table`].

pub mod args;
pub mod check;
pub mod check_history;
pub mod compare;
pub mod document;
pub mod draw;
pub mod drive;
pub mod entry;
mod expected;
pub mod experiment;
pub mod explain;
pub mod failure;
pub mod fuzz;
pub mod list;
mod out;
mod output;
mod progress;
pub mod replay;
pub mod ring;
pub mod run;
pub mod setup;
pub mod shrink;
pub mod site;
mod specimens;
pub mod sweep;
pub mod table;

use std::io::Write;
use std::process::ExitCode;

use args::{Cli, Verb};
use clap::{Arg, CommandFactory, FromArgMatches, Parser};
use failure::Failure;

/// Does what the command line says.
pub fn main() -> ExitCode {
    let cli = match ring::is_help_wanted(std::env::args_os()) {
        true => Cli::parse_from(["konklave", "ring", "--help"]),
        false => parse(),
    };
    let outcome = match &cli.verb {
        Verb::List(args) => list::list(args),
        Verb::Explain(args) => explain::explain(args),
        Verb::Run(args) => run::run(args),
        Verb::Compare(args) => compare::compare(args),
        Verb::Sweep(args) => sweep::sweep(args),
        Verb::Check(args) => check::check(args),
        Verb::Fuzz(args) => fuzz::fuzz(args),
        Verb::Shrink(args) => shrink::shrink(args),
        Verb::Draw(args) => draw::draw(args),
        Verb::Export(args) => draw::export(args),
        Verb::Replay(args) => replay::replay(args),
        Verb::CheckHistory(args) => check_history::check_history(args),
        Verb::Ring(args) => ring::ring(args),
        Verb::Experiment(args) => experiment::experiment(args),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "konklave", &mut script);
            let written = std::io::stdout().write_all(&script);
            written.map(|()| Verdict::Fine).map_err(Failure::from)
        }
    };
    match outcome {
        Ok(verdict) => ExitCode::from(verdict as u8),
        Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            // If nobody can be told, the exit code still says it.
            let _ = writeln!(std::io::stderr(), "{}: {failure}", output::red("error"));
            ExitCode::from(2)
        }
    }
}

/// What the command line says. A negative number is a value, if a wrong one, and not an option.
fn parse() -> Cli {
    let value = |option: Arg| match option.get_action().takes_values() {
        true => option.allow_negative_numbers(true),
        false => option,
    };
    let matches = Cli::command().mut_subcommands(|verb| verb.mut_args(value)).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// How a command ended, as an exit code. Bad usage and bad input are 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is fine.
    Fine = 0,
    /// A promise was broken.
    Broken = 1,
    /// A bound was hit before there was a verdict.
    Inconclusive = 3,
    /// Somebody has stopped it.
    Interrupted = 130,
}

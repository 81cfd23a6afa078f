use super::*;
use crate::puppet::{Puppet, Watch};

mod form;
mod network;
mod nodes;

fn play(text: &str) -> Result<String, ScriptError> {
    Script::parse(text)?.play(vec![AnyNode::new(Puppet { heard: 0 }); 3], Watch::default())
}

/// The output of one block of commands.
#[track_caller]
fn output(commands: &str) -> Vec<String> {
    let played = play(&format!("nodes 3\n\n{commands}\n---\n")).unwrap();
    let (_, output) = played.split_once("---\n").unwrap();
    output.lines().map(str::to_owned).collect()
}

/// What is wrong with a block of commands; its last line is to blame.
#[track_caller]
fn problem(commands: &str) -> String {
    let error = play(&format!("nodes 3\n\n{commands}\n---\n")).unwrap_err();
    assert_eq!(error.line, 2 + commands.lines().count(), "{error}");
    error.problem
}

#[track_caller]
fn malformed(text: &str) -> String {
    Script::parse(text).unwrap_err().to_string()
}

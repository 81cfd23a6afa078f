//! What a user does with the binary, for the tests that do it.
#![allow(dead_code)] // Each of them needs some of it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// What comes of a command.
pub(crate) fn konklave(arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_konklave")).args(words).output().unwrap()
}

/// Output as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard output of a command that is fine.
pub(crate) fn fine(arguments: &str) -> String {
    let output = konklave(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The JSON that a command prints that is fine.
pub(crate) fn json(arguments: &str) -> Value {
    serde_json::from_str(&fine(arguments)).unwrap()
}

/// Exit code 2, nothing on standard output, no panic; what it says.
pub(crate) fn refused(arguments: &str) -> String {
    let output = konklave(arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
    assert!(output.stdout.is_empty(), "{arguments} printed {}", text(&output.stdout));
    assert!(!error.contains("panicked"), "{arguments}: {error}");
    error
}

/// A file with this content in a folder of its own.
pub(crate) fn file(name: &str, content: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{}-{name}", std::process::id()));
    fs::write(&path, content).unwrap();
    path
}

//! The files of the page, and those of the algorithms that it shows.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::ask::{Answer, Asked};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// A file of the page; the page itself for `/`.
pub(crate) fn page(asked: &Asked) -> Answer {
    let path = asked.path.split('?').next().unwrap_or_default();
    let name = match path.strip_prefix('/').unwrap_or(path) {
        "" => "index.html",
        name => name.strip_prefix("web/").unwrap_or(name),
    };
    let Some((_, text)) = PAGE.iter().find(|(file, _)| *file == name) else {
        return Answer::refusal(404, format!("there is no page {path}"));
    };
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let version = Some(version(text));
    if asked.known == version {
        return Answer { version, ..Answer::of(304, kind, Vec::new()) };
    }
    Answer { version, ..Answer::of(200, kind, text.as_bytes().to_vec()) }
}

/// The text of the file of an algorithm, by the path that the compiler knows it by.
pub(crate) fn source(file: &str) -> Option<&'static str> {
    ALGORITHMS.iter().find(|(path, _)| *path == file).map(|(_, text)| *text)
}

fn version(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

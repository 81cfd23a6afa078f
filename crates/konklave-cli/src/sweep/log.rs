//! The log in the folder of a sweep, with a line for every run that has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use konklave_report::folder::FolderError;
use serde::{Deserialize, Serialize};

use super::SweepArgs;
use super::runs::{Cell, Ran, Skipped};
use super::space::Dimension;
use crate::failure::Failure;
use crate::shard::Shard;

/// The name of the file.
pub(super) const RUNS: &str = "runs.jsonl";

/// The version of the format and of the meaning of the measurements.
const FORM: u32 = 2;

/// The identity of a run: its cell and seed.
pub(super) type Key = (Cell, u64);

/// The first line: the options that all runs share.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    konklave_sweep: u32,
    version: String,
    /// The options given, by name.
    options: BTreeMap<String, String>,
    /// If only a part of the runs is here: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
}

/// The part of a sweep that a log holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) shard: Shard,
    /// The arguments of the whole sweep.
    pub(super) sweep: Vec<String>,
}

/// The value of an option that is in the line of each run.
const VARIES: &str = "with several values";

impl Header {
    fn new(args: &SweepArgs, dimensions: &[Dimension]) -> Result<Self, Failure> {
        let mut options = BTreeMap::new();
        if args.fifo {
            options.insert("fifo".to_owned(), "yes".to_owned());
        }
        options.extend(args.turns.given().map(|(name, it)| (name.to_owned(), it.to_string())));
        for Dimension { name, values, is_series, .. } in dimensions {
            match &values[..] {
                [value] if !is_series => {
                    options.insert(name.clone(), with_content(value.clone())?);
                }
                [_] => {} // More values may be added.
                _ => {
                    options.insert(name.clone(), VARIES.to_owned());
                }
            }
        }
        let part = args.shard.map(|shard| Part { shard, sweep: args.words() });
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Self { konklave_sweep: FORM, version, options, part })
    }

    /// The first difference between this sweep and that of a file, if there is one.
    fn difference(&self, file: &Self) -> Option<String> {
        if (self.konklave_sweep, &self.version) != (file.konklave_sweep, &file.version) {
            return Some(format!("was written by konklave {}", file.version));
        }
        if self.part != file.part {
            let said = |header: &Self| match &header.part {
                Some(Part { shard, sweep }) => {
                    format!("part {shard} of `sweep {}`", sweep.join(" "))
                }
                None => "a whole sweep".to_owned(),
            };
            return Some(format!("holds {}, but this is {}", said(file), said(self)));
        }
        let names: BTreeSet<_> = self.options.keys().chain(file.options.keys()).collect();
        let differs = |name: &&String| self.options.get(*name) != file.options.get(*name);
        let name = names.into_iter().find(differs)?;
        let said = |header: &Self| match header.options.get(name) {
            Some(value) => format!("--{name} {value}"),
            None => format!("no --{name}"),
        };
        Some(format!("belongs to a sweep with {}, but this one has {}", said(file), said(self)))
    }
}

/// The value of an option; for a file, with a hash of its content.
fn with_content(value: String) -> Result<String, Failure> {
    let Some(path) = value.strip_prefix("file:").map(Path::new) else { return Ok(value) };
    let content = fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
    // FNV-1a detects a changed file; it need not resist forgery.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let hash = content.iter().fold(0xcbf2_9ce4_8422_2325, step);
    Ok(format!("{value} ({hash:016x})"))
}

/// The log of a part of a sweep, read to be merged with others.
pub(super) struct Written {
    pub(super) folder: PathBuf,
    pub(super) part: Part,
    header: Header,
    pub(super) ran: Vec<Ran>,
    pub(super) skipped: Vec<Skipped>,
}

impl Written {
    /// Reads the log of a part in a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(RUNS);
        let text = fs::read_to_string(&path).map_err(|it| Failure::file("read", &path, &it))?;
        let mut lines = text.lines();
        let header = lines.next().and_then(|line| serde_json::from_str::<Header>(line).ok());
        let part = header.as_ref().and_then(|header| header.part.clone());
        let Some((header, part)) = header.zip(part) else {
            return Err(Failure::bad(format!(
                "{} does not hold a part of a sweep, which --shard writes",
                path.display()
            )));
        };
        let (mut ran, mut skipped) = (Vec::new(), Vec::new());
        for line in lines {
            // The run of a truncated line is missing.
            match serde_json::from_str(line) {
                Ok(one) => ran.push(one),
                Err(_) => skipped.extend(serde_json::from_str(line)),
            }
        }
        Ok(Self { folder: folder.to_owned(), part, header, ran, skipped })
    }

    /// The first difference between the sweeps of two parts, if there is one.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let whole = |of: &Self| (of.part.shard.parts, of.part.sweep.clone());
        let is_same = whole(self) == whole(other) && self.header.version == other.header.version;
        let has_same_files = self.header.options == other.header.options;
        if is_same && has_same_files {
            return None;
        }
        let said = |of: &Self| {
            let Part { shard, sweep } = &of.part;
            let (folder, version) = (of.folder.display(), &of.header.version);
            format!("{folder} is part {shard} of `sweep {}` (konklave {version})", sweep.join(" "))
        };
        let files = match is_same {
            true => ", with other content of the files that it names",
            false => "",
        };
        Some(format!("{}, but {}{files}", said(self), said(other)))
    }
}

/// The file, before anything is written to it.
pub(super) struct Log {
    path: PathBuf,
    header: Header,
    /// The runs that are reused.
    pub(super) known: Vec<Ran>,
    /// The number of bytes that stay: whole lines.
    kept: u64,
}

impl Log {
    /// Inspects the log in the folder. No run is lost: the sweep resumes, repeats all of them, or
    /// is refused.
    pub(super) fn open(
        args: &SweepArgs,
        dimensions: &[Dimension],
        wanted: &BTreeSet<Key>,
    ) -> Result<Option<Self>, Failure> {
        let Some(folder) = &args.out else { return Ok(None) };
        if folder.exists() && !folder.is_dir() {
            return Err(FolderError::Foreign(folder.clone()).into());
        }
        let (path, header) = (folder.join(RUNS), Header::new(args, dimensions)?);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !args.resume => Vec::new(),
            Err(error) => {
                let advice = if args.resume { ": leave --resume out" } else { "" };
                let failure = Failure::file("read", &path, &error);
                return Err(Failure::bad(format!("{failure}{advice}")));
            }
        };
        // The run of a truncated line is repeated.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines();
        let found = lines.next().map(serde_json::from_str::<Header>);
        let known: Vec<Ran> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        let shown = path.display();
        let is_same = matches!(&found, Some(Ok(found)) if *found == header);
        match (&found, args.resume) {
            (Some(Ok(found)), true) => {
                if let Some(difference) = header.difference(found) {
                    let advice = "repeat its options, or name another folder";
                    return Err(Failure::bad(format!("{shown} {difference}: {advice}")));
                }
                let asked: BTreeSet<_> = wanted.iter().map(|(cell, _)| &cell.algorithm).collect();
                let mut algorithms = known.iter().map(|ran| &ran.cell.algorithm);
                if let Some(other) = algorithms.find(|it| !asked.contains(it)) {
                    return Err(Failure::bad(format!(
                        "{shown} holds runs of {other}, which this sweep leaves out: name {other}, \
                         too, or another folder"
                    )));
                }
                Ok(Some(Self { path, header, known, kept: whole as u64 }))
            }
            (Some(Err(_)), true) => Err(Failure::bad(format!(
                "{shown} does not begin with the options of its sweep: name another folder"
            ))),
            (None, _) => Ok(Some(Self { path, header, known: Vec::new(), kept: 0 })),
            (Some(_), false) => {
                let there: BTreeSet<_> = known.iter().map(Ran::key).collect();
                // The same sweep repeats every run, with the same results.
                match is_same && there == *wanted {
                    true => Ok(Some(Self { path, header, known: Vec::new(), kept: 0 })),
                    false => Err(Failure::bad(format!(
                        "{shown} holds the runs of a sweep, which would be lost: \
                         resume it with --resume, or name another folder"
                    ))),
                }
            }
        }
    }

    /// Opens the log to append runs.
    pub(super) fn start(&self) -> Result<Writer, Failure> {
        let unwritable = |error| Failure::file("write", &self.path, &error);
        let mut options = OpenOptions::new();
        let open = || {
            let file = options.create(true).append(true).open(&self.path)?;
            file.set_len(self.kept)?;
            Ok(file)
        };
        let mut file = { open }().map_err(unwritable)?;
        if self.kept == 0 {
            let line = serde_json::to_string(&self.header).map_err(io::Error::from)?;
            writeln!(file, "{line}").map_err(unwritable)?;
        }
        Ok(Writer { file, is_part: self.header.part.is_some() })
    }
}

/// The log, to append to.
pub(super) struct Writer {
    file: File,
    /// Whether other parts are merged with this one, so that it says what has no result.
    is_part: bool,
}

impl Writer {
    pub(super) fn ran(&mut self, ran: &Ran) -> Result<(), Failure> {
        self.line(ran)
    }

    /// Of a whole sweep, what has no result is tried again.
    pub(super) fn skipped(&mut self, skipped: &Skipped) -> Result<(), Failure> {
        if self.is_part { self.line(skipped) } else { Ok(()) }
    }

    /// Writes all runs.
    pub(super) fn all(mut self, ran: &[Ran]) -> Result<(), Failure> {
        ran.iter().try_for_each(|ran| self.ran(ran))
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(line).map_err(io::Error::from)?;
        Ok(writeln!(self.file, "{line}")?)
    }
}

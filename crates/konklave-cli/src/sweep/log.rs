//! The log in the folder of a sweep, with a line for every run that has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use konklave_catalog::problem::About;
use konklave_report::folder::FolderError;
use serde::{Deserialize, Serialize};

use super::SweepArgs;
use super::runs::{Cell, Ran};
use crate::failure::Failure;

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
}

impl Header {
    fn new(args: &SweepArgs, problem: &About) -> Result<Self, Failure> {
        let mut options: Vec<(&str, Option<String>)> = vec![
            ("topology", args.topology.clone()),
            ("fifo", args.fifo.then(|| "yes".to_owned())),
        ];
        // Options that vary over the sweep are in the line of each run.
        let is_common = |name: &str| !problem.option(name).is_some_and(|option| option.is_series);
        let given = args.options.iter().filter(|(name, _)| is_common(name));
        options.extend(given.map(|(name, value)| (&name[..], Some(value.clone()))));
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let options = given.map(|(name, value)| Ok((name.to_owned(), with_content(value)?)));
        Ok(Self {
            konklave_sweep: FORM,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: options.collect::<Result<_, Failure>>()?,
        })
    }

    /// The first difference between this sweep and that of a file, if there is one.
    fn difference(&self, file: &Self) -> Option<String> {
        if (self.konklave_sweep, &self.version) != (file.konklave_sweep, &file.version) {
            return Some(format!("was written by konklave {}", file.version));
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
        problem: &About,
        wanted: &BTreeSet<Key>,
    ) -> Result<Option<Self>, Failure> {
        let Some(folder) = &args.out else { return Ok(None) };
        if folder.exists() && !folder.is_dir() {
            return Err(FolderError::Foreign(folder.clone()).into());
        }
        let (path, header) = (folder.join(RUNS), Header::new(args, problem)?);
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
    pub(super) fn start(&self) -> Result<File, Failure> {
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
        Ok(file)
    }
}

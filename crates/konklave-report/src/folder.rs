//! The folder that a report is written to, and the link `latest` beside it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;

use crate::html::{self, GENERATOR, HtmlReport, Mark};

/// The name of the report in its folder.
pub const REPORT: &str = "report.html";
/// The name of the link beside the folder.
pub const LATEST: &str = "latest";

/// A folder of ours, which is being filled.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// What an earlier report of ours consists of.
    earlier: BTreeSet<String>,
    /// What this one consists of, so far.
    written: RefCell<BTreeSet<String>>,
}

/// Why something could not be written.
#[derive(Debug)]
pub enum FolderError {
    /// Something is there that we did not write.
    Foreign(PathBuf),
    /// A file cannot have this name.
    Name(String),
    /// The system says no.
    Io {
        /// About what.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
}

impl Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(path) if path.is_dir() => write!(
                f,
                "{} is not empty and holds no report of konklave, so nothing is written there: \
                 name a new folder, an empty one, or one of an earlier report",
                path.display()
            ),
            Self::Foreign(path) => write!(
                f,
                "{} is a file, not a folder: name a new folder, such as out/first",
                path.display()
            ),
            Self::Name(name) => write!(f, "'{name}' is not a valid name for a file in the folder"),
            Self::Io { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for FolderError {}

/// Where a report is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The report itself.
    pub report: PathBuf,
    /// The link; none if something of another kind has its name, which is left alone.
    pub latest: Option<PathBuf>,
    /// Something else with the name of the link, which was left as it is.
    pub foreign: Option<PathBuf>,
}

impl Folder {
    /// Creates a folder, or takes an empty one or one of an earlier report, whose files stay until
    /// this one is finished. Until the report is written, a page says that it is not ready.
    ///
    /// # Errors
    ///
    /// If something else is there, or cannot be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FolderError> {
        let path = path.as_ref().to_owned();
        let failed = |error| FolderError::Io { path: path.clone(), error };
        let is_ours = match fs::read_dir(&path) {
            Ok(mut entries) => entries.next().is_none() || holds_report(&path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(_) if path.is_file() => false,
            Err(error) => return Err(failed(error)),
        };
        if !is_ours {
            return Err(FolderError::Foreign(path));
        }
        fs::create_dir_all(&path).map_err(failed)?;
        let page = fs::read_to_string(path.join(REPORT)).unwrap_or_default();
        let earlier: BTreeSet<_> = html::files_of(&page).map(str::to_owned).collect();
        let folder = Self { path, earlier: earlier.clone(), written: RefCell::default() };
        let page = HtmlReport::new("This report is not ready").verdict(
            Mark::Open,
            "unfinished",
            "The run is in progress, or was interrupted.",
        );
        // A resumed run must know the previous files.
        folder.write(REPORT, page.html_of(&earlier))?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file of the report that the caller writes.
    pub fn file(&self, name: &str) -> PathBuf {
        self.written.borrow_mut().insert(name.to_owned());
        self.path.join(name)
    }

    /// Writes a file, all of it or nothing.
    ///
    /// # Errors
    ///
    /// If the name is not that of a file in the folder, or it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, FolderError> {
        if !is_name(name) {
            return Err(FolderError::Name(name.to_owned()));
        }
        let path = self.file(name);
        let draft = self.path.join(format!(".{name}.{}", std::process::id()));
        let written = fs::write(&draft, content).and_then(|()| fs::rename(&draft, &path));
        match written {
            Ok(()) => Ok(path),
            Err(error) => {
                // It may not even be there.
                let _ = fs::remove_file(&draft);
                Err(FolderError::Io { path, error })
            }
        }
    }

    /// Writes a value as JSON for people and programs.
    ///
    /// # Errors
    ///
    /// As [`Self::write`], or if JSON has no words for the value.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<PathBuf, FolderError> {
        let json = serde_json::to_string_pretty(value)
            .map_err(|error| FolderError::Io { path: self.file(name), error: error.into() })?;
        self.write(name, json + "\n")
    }

    /// Writes the report, removes what only an earlier report of ours consists of, and lets
    /// `latest` beside the folder point to it.
    ///
    /// # Errors
    ///
    /// If one of them cannot be written.
    pub fn finish(self, report: &HtmlReport) -> Result<Finished, FolderError> {
        let written = self.written.borrow().clone();
        for stale in self.earlier.difference(&written).filter(|name| is_name(name)) {
            // Another process may have removed it already.
            let _ = fs::remove_file(self.path.join(stale));
        }
        let report = self.write(REPORT, report.html_of(&written))?;
        let Some(name) = self.path.file_name().filter(|name| *name != LATEST) else {
            return Ok(Finished { report, latest: None, foreign: None });
        };
        let beside = self.path.parent().unwrap_or(Path::new(""));
        let latest = beside.join(LATEST);
        if !is_replaceable(&latest) {
            return Ok(Finished { report, latest: None, foreign: Some(latest) });
        }
        let draft = beside.join(format!(".{LATEST}.{}", std::process::id()));
        let pointed = point(&draft, name).and_then(|()| fs::rename(&draft, &latest));
        match pointed {
            Ok(()) => Ok(Finished { report, latest: Some(latest), foreign: None }),
            Err(error) => {
                // It may not even be there.
                let _ = fs::remove_file(&draft);
                Err(FolderError::Io { path: latest, error })
            }
        }
    }
}

/// Whether it is the name of a file in the folder, and not of one elsewhere.
fn is_name(name: &str) -> bool {
    Path::new(name).file_name() == Some(OsStr::new(name))
}

fn holds_report(folder: &Path) -> bool {
    fs::read_to_string(folder.join(REPORT)).is_ok_and(|text| text.contains(GENERATOR))
}

/// Whether nothing is there, or a link of ours: to a neighbour that holds a report or is gone.
#[cfg(unix)]
fn is_replaceable(latest: &Path) -> bool {
    match (latest.symlink_metadata(), fs::read_link(latest)) {
        (Err(error), _) => error.kind() == io::ErrorKind::NotFound,
        (Ok(_), Ok(target)) => {
            let is_neighbour = target.file_name() == Some(target.as_os_str());
            is_neighbour && (holds_report(latest) || !latest.exists())
        }
        (Ok(_), Err(_)) => false,
    }
}

#[cfg(unix)]
fn point(link: &Path, name: &OsStr) -> io::Result<()> {
    std::os::unix::fs::symlink(name, link)
}

/// Whether nothing is there, or a file of ours: with the name of a neighbour that holds a report.
#[cfg(not(unix))]
fn is_replaceable(latest: &Path) -> bool {
    match fs::read_to_string(latest) {
        Ok(name) => holds_report(&latest.with_file_name(name.trim_end())),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(not(unix))]
fn point(link: &Path, name: &OsStr) -> io::Result<()> {
    fs::write(link, format!("{}\n", name.to_string_lossy()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// An empty folder that is gone after the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            let name = format!("konklave-report-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn fill(path: &Path) -> Finished {
        Folder::create(path).unwrap().finish(&HtmlReport::new("Done")).unwrap()
    }

    #[test]
    fn reports_follow_each_other_and_latest_points_to_the_last() {
        let root = Temporary::new("latest");
        let first = fill(&root.0.join("out/first"));
        assert_eq!(first.latest, Some(root.0.join("out/latest")));
        let latest = root.0.join("out/latest");
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new("first"));
        fill(&root.0.join("out/second"));
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new("second"));
        assert!(fs::read_to_string(latest.join(REPORT)).unwrap().contains("<h1>Done</h1>"));
        let mut names: Vec<_> =
            fs::read_dir(root.0.join("out")).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["first", "latest", "second"], "no drafts are left");
    }

    #[test]
    fn an_unfinished_report_says_so_and_can_be_taken_up_again() {
        let root = Temporary::new("again");
        let path = root.0.join("run");
        let folder = Folder::create(&path).unwrap();
        folder.write("results.csv", "n\r\n").unwrap();
        folder.write_json("results.json", &[1, 2]).unwrap();
        assert!(fs::read_to_string(path.join(REPORT)).unwrap().contains("unfinished"));
        drop(folder);
        fill(&path);
        // It was never part of a finished report, so its owner is unknown.
        assert_eq!(fs::read_to_string(path.join("results.csv")).unwrap(), "n\r\n");
        assert_eq!(fs::read_to_string(path.join("results.json")).unwrap(), "[\n  1,\n  2\n]\n");
        assert!(!fs::read_to_string(path.join(REPORT)).unwrap().contains("unfinished"));
    }

    #[test]
    fn of_an_earlier_report_nothing_is_left_but_what_others_wrote() {
        let root = Temporary::new("stale");
        let path = root.0.join("run");
        let write = |names: &[&str]| {
            let folder = Folder::create(&path).unwrap();
            for name in names {
                folder.write(name, "").unwrap();
            }
            fs::write(folder.file("trace.jsonl"), "").unwrap();
            folder
        };
        let names = || {
            let all = fs::read_dir(&path).unwrap().map(|it| it.unwrap().file_name());
            let mut names: Vec<_> = all.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        };
        write(&["a.svg", "b.svg"]).finish(&HtmlReport::new("First")).unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        // One that is not finished removes nothing, and what was there is not forgotten.
        drop(write(&["a.svg"]));
        assert_eq!(names(), ["a.svg", "b.svg", "notes.txt", REPORT, "trace.jsonl"]);
        let folder = Folder::create(&path).unwrap();
        folder.write("a.svg", "").unwrap();
        folder.finish(&HtmlReport::new("Third")).unwrap();
        assert_eq!(names(), ["a.svg", "notes.txt", REPORT]);
    }

    #[test]
    fn a_page_that_names_files_elsewhere_is_not_believed() {
        let root = Temporary::new("forged");
        let (path, outside) = (root.0.join("run"), root.0.join("precious"));
        fill(&path);
        fs::write(&outside, "mine").unwrap();
        let page = fs::read_to_string(path.join(REPORT)).unwrap();
        let forged = page.replace("content=\"report.html\"", "content=\"report.html ../precious\"");
        assert_ne!(page, forged);
        fs::write(path.join(REPORT), forged).unwrap();
        fill(&path);
        assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    }

    #[test]
    fn what_others_wrote_is_left_alone() {
        let root = Temporary::new("foreign");
        let file = root.0.join("thesis.tex");
        fs::write(&file, "years of work").unwrap();
        fs::write(root.0.join(REPORT), "<html>somebody's</html>").unwrap();
        let error = Folder::create(&root.0).unwrap_err();
        assert!(matches!(error, FolderError::Foreign(_)));
        assert!(error.to_string().contains("name a new folder, an empty one"), "{error}");
        let error = Folder::create(&file).unwrap_err().to_string();
        assert!(error.contains("is a file, not a folder"), "{error}");
        assert_eq!(fs::read_to_string(root.0.join(REPORT)).unwrap(), "<html>somebody's</html>");
        assert_eq!(fs::read_to_string(&file).unwrap(), "years of work");
    }

    #[test]
    fn a_latest_that_is_no_link_of_ours_is_left_alone() {
        let root = Temporary::new("other-latest");
        let latest = root.0.join(LATEST);
        fs::write(&latest, "mine").unwrap();
        assert_eq!(fill(&root.0.join("run")).latest, None);
        assert_eq!(fs::read_to_string(&latest).unwrap(), "mine");
        fs::remove_file(&latest).unwrap();
        std::os::unix::fs::symlink("/usr/share", &latest).unwrap();
        assert_eq!(fill(&root.0.join("run")).latest, None);
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new("/usr/share"));
        // A neighbour, but not a report of ours.
        fs::create_dir(root.0.join("thesis")).unwrap();
        fs::remove_file(&latest).unwrap();
        std::os::unix::fs::symlink("thesis", &latest).unwrap();
        assert_eq!(fill(&root.0.join("run")).latest, None);
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new("thesis"));
        // A report that was removed leaves a link to nothing.
        fs::remove_dir(root.0.join("thesis")).unwrap();
        assert_eq!(fill(&root.0.join("run")).latest, Some(latest.clone()));
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new("run"));
    }

    #[test]
    fn files_stay_in_the_folder() {
        let root = Temporary::new("names");
        let folder = Folder::create(root.0.join("run")).unwrap();
        for name in ["../x", "/etc/x", "a/b", "", ".", ".."] {
            let error = folder.write(name, "").unwrap_err();
            assert!(matches!(error, FolderError::Name(_)), "{name}");
        }
    }
}

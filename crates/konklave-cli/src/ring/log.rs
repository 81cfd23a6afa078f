//! The log file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use konklave_ring::Level;

use crate::failure::Failure;

/// The time stamp before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    Time,
    DateAndTime,
}

/// A log file, open for writing.
#[derive(Debug)]
pub(super) struct Log {
    /// `None` after the first failure, so that there is only one warning.
    file: Option<File>,
    path: PathBuf,
    level: Level,
    stamp: Stamp,
}

impl Log {
    /// Opens or creates the file, and writes a line with date and time.
    pub(super) fn open(path: &Path, level: Level, stamp: Stamp) -> Result<Self, Failure> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| Failure::file("write the log", path, &error))?;
        let mut log = Self { file: Some(file), path: path.to_owned(), level, stamp };
        let now = Moment::now();
        log.put(&format!("======== {} {} UTC ========", now.date(), now.time()));
        Ok(log)
    }

    pub(super) fn write(&mut self, level: Level, text: &str) {
        if level >= self.level {
            let now = Moment::now();
            let stamp = match self.stamp {
                Stamp::Time => now.time(),
                Stamp::DateAndTime => format!("{} {}", now.date(), now.time()),
            };
            self.put(&format!("[{stamp}] [{level}] {text}"));
        }
    }

    fn put(&mut self, line: &str) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            eprintln!("warning: cannot write the log {} any more: {error}", self.path.display());
            self.file = None;
        }
    }
}

/// A moment in UTC.
struct Moment {
    days: u64,
    millis: u64,
}

const DAY_MILLIS: u64 = 24 * 60 * 60 * 1000;

impl Moment {
    fn now() -> Self {
        Self::after_1970(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    fn after_1970(passed: Duration) -> Self {
        let millis = passed.as_millis() as u64;
        Self { days: millis / DAY_MILLIS, millis: millis % DAY_MILLIS }
    }

    fn time(&self) -> String {
        let (seconds, millis) = (self.millis / 1000, self.millis % 1000);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours:02}:{minutes:02}:{:02}.{millis:03}", seconds % 60)
    }

    /// Years are counted from March, so that the leap day is the last day of one.
    fn date(&self) -> String {
        let days = self.days + 719_468; // Since the first of March of the year 0.
        let era = days / 146_097; // Of 400 years.
        let day = days % 146_097;
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153; // March is 0.
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        format!("{:04}-{month:02}-{day:02}", era * 400 + year + later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_those_of_the_calendar() {
        for (seconds, date, time) in [
            (0, "1970-01-01", "00:00:00.000"),
            (951_782_400, "2000-02-29", "00:00:00.000"),
            (951_868_799, "2000-02-29", "23:59:59.000"),
            (951_868_800, "2000-03-01", "00:00:00.000"),
            (1_709_164_800, "2024-02-29", "00:00:00.000"),
            (1_767_225_599, "2025-12-31", "23:59:59.000"),
            (4_107_542_400, "2100-03-01", "00:00:00.000"),
        ] {
            let moment = Moment::after_1970(Duration::from_secs(seconds));
            assert_eq!((moment.date().as_str(), moment.time().as_str()), (date, time));
        }
        let moment = Moment::after_1970(Duration::from_millis(45_296_007));
        assert_eq!(moment.time(), "12:34:56.007");
    }
}

//! How much memory a search may take.

use std::fs;
use std::path::{Path, PathBuf};

/// The limit where the system does not say what is available, in bytes.
const UNKNOWN: u64 = 2 << 30;

/// The limit of a search in bytes, for `--memory` in MiB, if it was given: by default half of what
/// is available, since a table that grows needs the old place and the new one. It is never more
/// than half of the address space that is left: an allocation that fails ends the program.
pub(super) fn limit(mebibytes: Option<u64>) -> u64 {
    let room = address_space().unwrap_or(u64::MAX) / 2;
    let usual = || [memory(), cgroup()].into_iter().flatten().min().map_or(UNKNOWN, |it| it / 2);
    mebibytes.map_or_else(usual, |it| it.saturating_mul(1 << 20)).min(room)
}

/// What the system could hand out without swapping.
fn memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// What `ulimit -v` leaves.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?; // Or `unlimited`.
    let taken = kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(most.saturating_sub(taken))
}

/// What the tightest control group leaves, where there is one: a container, say.
fn cgroup() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let root = Path::new("/sys/fs/cgroup");
    let path: PathBuf = root.join(own);
    let with_parents = path.ancestors().take_while(|path| path.starts_with(root));
    with_parents.filter_map(left_in).min()
}

fn left_in(group: &Path) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(group.join(name)).ok()?.trim().parse().ok() // Or `max`.
    };
    let most = number("memory.max")?;
    // Files that were read can be dropped.
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let files = files.and_then(|it| it.parse().ok()).unwrap_or(0);
    Some(most.saturating_sub(number("memory.current")?.saturating_sub(files)))
}

/// The value of a line of a file in `/proc`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(number.saturating_mul(1 << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_counts_and_what_is_available_otherwise() {
        assert_eq!(limit(Some(3)), 3 << 20);
        let text = "MemTotal:  9 kB\nMemAvailable:   12 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable:"), Some(12 << 10));
        assert_eq!(kibibytes(text, "SwapFree:"), None);
        let available = memory().unwrap_or(2 * UNKNOWN);
        assert!(limit(None) <= available, "{} of {available}", limit(None));
    }
}

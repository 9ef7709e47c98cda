//! Memory available to this process: the minimum over the machine, its control groups and its own
//! limit.
//!
//! A value that cannot be read does not limit. Reads files; allocates.

use rustix::process::{Resource, getrlimit};

/// Bytes that this process may have in total.
#[must_use]
pub fn total_bytes() -> u64 {
    let groups = groups().into_iter().filter_map(|g| group_bytes(&g, "max"));
    groups
        .chain(meminfo("MemTotal:"))
        .chain(getrlimit(Resource::As).current)
        .min()
        .unwrap_or(u64::MAX)
}

/// Bytes that this process may still take without making the system stop a process for it.
#[must_use]
pub fn available_bytes() -> u64 {
    let left = |group: String| {
        let max = group_bytes(&group, "max")?;
        Some(max.saturating_sub(group_bytes(&group, "current")?))
    };
    let own = getrlimit(Resource::As)
        .current
        .map(|limit| limit.saturating_sub(mapped_bytes()));
    groups()
        .into_iter()
        .filter_map(left)
        .chain(meminfo("MemAvailable:"))
        .chain(own)
        .min()
        .unwrap_or(u64::MAX)
}

fn meminfo(what: &str) -> Option<u64> {
    field(&std::fs::read_to_string("/proc/meminfo").ok()?, what)
}

/// Value of `what` in a text with lines such as `MemTotal:  1234 kB`, in bytes.
fn field(text: &str, what: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(what))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// Size of the mapped addresses, bytes.
fn mapped_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    field(&status, "VmSize:").unwrap_or(0)
}

/// Folders of this process' control group and those above it; empty without control groups of
/// version 2.
fn groups() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let Some(path) = text.lines().find_map(|line| line.strip_prefix("0::")) else {
        return Vec::new();
    };
    above(path)
}

fn above(path: &str) -> Vec<String> {
    let mut folders = vec!["/sys/fs/cgroup".to_owned()];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let last = folders.last().map_or("", String::as_str);
        folders.push(format!("{last}/{part}"));
    }
    folders
}

fn group_bytes(folder: &str, what: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("{folder}/memory.{what}")).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_kilobytes() {
        let text = "MemTotal:       16314 kB\nMemAvailable:    9000 kB\n";
        assert_eq!(field(text, "MemTotal:"), Some(16314 * 1024));
        assert_eq!(field(text, "MemAvailable:"), Some(9000 * 1024));
        assert_eq!(field(text, "Swap:"), None);
    }

    #[test]
    fn groups_are_limited_by_those_above_them() {
        assert_eq!(
            above("/a.slice/b.service"),
            [
                "/sys/fs/cgroup",
                "/sys/fs/cgroup/a.slice",
                "/sys/fs/cgroup/a.slice/b.service"
            ]
        );
        assert_eq!(above("/"), ["/sys/fs/cgroup"]);
    }

    #[test]
    fn this_process_has_memory_and_takes_some() {
        assert!(available_bytes() > 0 && total_bytes() < u64::MAX);
        assert!(mapped_bytes() > 1 << 20);
    }
}

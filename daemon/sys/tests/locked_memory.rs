//! Locking all memory changes the whole process, so this test has a separate process.

use hapticd_sys::realtime::memory::lock_all;

#[test]
fn locked_memory_is_seen_by_the_kernel_or_refused_with_the_limit() {
    let step = lock_all();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let locked = status
        .lines()
        .find(|line| line.starts_with("VmLck:"))
        .unwrap();
    if step.is_granted() {
        assert!(!locked.ends_with(" 0 kB"), "{locked}");
        large_memory_comes_page_by_page();
    } else {
        assert!(step.to_string().contains("RLIMIT_MEMLOCK"), "{step}");
    }
}

/// A mapping that is filled as a whole when it is made holds up every thread that wants memory
/// meanwhile: half a second for a client's mesh.
fn large_memory_comes_page_by_page() {
    let resident_kb = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.unwrap().trim().trim_end_matches(" kB").to_owned();
        number.parse::<usize>().unwrap()
    };
    const MIB: usize = 1 << 20;
    let before = resident_kb();
    let mut large: Vec<u8> = Vec::with_capacity(256 * MIB);
    let taken = resident_kb() - before;
    assert!(taken < 16 * 1024, "{taken} kB at once");
    large.resize(64 * MIB, 1);
    assert!(resident_kb() >= before + 64 * 1024);
    // Touched pages are locked.
    let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let address = large.as_ptr() as usize;
    let mut holds = false;
    let locked_kb = smaps.lines().find_map(|line| {
        let range = line
            .split(' ')
            .next()
            .and_then(|range| range.split_once('-'));
        let hex = |text: &str| usize::from_str_radix(text, 16).ok();
        if let Some((from, to)) = range.and_then(|(a, b)| hex(a).zip(hex(b))) {
            holds = (from..to).contains(&address);
        }
        let number = line.strip_prefix("Locked:").filter(|_| holds)?;
        number.trim().trim_end_matches(" kB").parse::<usize>().ok()
    });
    assert!(locked_kb >= Some(64 * 1024), "{locked_kb:?} kB");
}

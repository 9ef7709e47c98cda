//! Locking all memory changes the whole process, so it has a test process of its own.

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
    } else {
        assert!(step.to_string().contains("RLIMIT_MEMLOCK"), "{step}");
    }
}

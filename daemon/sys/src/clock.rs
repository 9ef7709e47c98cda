//! The clock of the whole daemon: `CLOCK_MONOTONIC`, in nanoseconds. RT-callable (vDSO, no system
//! call, no allocation).

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since an arbitrary start (boot, in practice). Never goes back; stands still while
/// the machine sleeps.
#[inline]
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The kernel never gives a negative monotonic time; 2^64 ns are 584 years.
    u64::try_from(now.tv_sec)
        .unwrap_or(0)
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(now.tv_nsec).unwrap_or(0))
}

/// Processor time of the calling thread, ns: the cost of its work, whatever else shares the
/// processor. A system call.
pub fn thread_cpu_ns() -> u64 {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(spent.tv_sec)
        .unwrap_or(0)
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::try_from(spent.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{now_ns, thread_cpu_ns};

    #[test]
    fn a_thread_that_waits_costs_nothing_and_one_that_works_no_more_than_the_time() {
        let (cpu, time) = (thread_cpu_ns(), now_ns());
        let mut work = 1_u64;
        while thread_cpu_ns() - cpu < 1_000_000 {
            work = std::hint::black_box(work.wrapping_mul(3));
        }
        let waited = thread_cpu_ns();
        let waiting = now_ns();
        std::thread::park_timeout(std::time::Duration::from_millis(20));
        assert!(thread_cpu_ns() - waited < now_ns() - waiting);
        assert!(thread_cpu_ns() - cpu <= now_ns() - time);
    }

    #[test]
    fn time_never_goes_back_and_agrees_with_the_standard_librarys_clock() {
        let (standard, start) = (std::time::Instant::now(), now_ns());
        let mut last = start;
        for _ in 0..10_000 {
            let now = now_ns();
            assert!(now >= last);
            last = now;
        }
        // The span measured here lies inside the other clock's span: it started later and ended
        // earlier.
        assert!(u128::from(last - start) <= standard.elapsed().as_nanos());
    }
}

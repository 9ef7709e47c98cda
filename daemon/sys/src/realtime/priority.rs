//! Scheduling: SCHED_FIFO for the calling thread, the guard against a runaway real-time thread, and
//! processor affinity.

use super::Step;
use rustix::{
    process::{Resource, Rlimit, getrlimit, nice, setrlimit},
    thread::{CpuSet, sched_setaffinity},
};
use std::io;

const FIFO: &str = "SCHED_FIFO";
const RTTIME: &str = "RLIMIT_RTTIME";
const AFFINITY: &str = "affinity";
const ORDINARY: &str = "ordinary scheduling";
const NICE: &str = "nice";
const SLICE: &str = "time slice";

/// Priorities that [`request_fifo`] accepts. 99 is left to the kernel's own threads (migration,
/// watchdog): a loop at 99 competes with what keeps the machine alive.
pub const PRIORITIES: std::ops::RangeInclusive<u8> = 1..=98;

/// Requests SCHED_FIFO with `priority` for the *calling thread*. Threads and processes that it
/// starts do not inherit it (`SCHED_RESET_ON_FORK`).
///
/// Needs `RLIMIT_RTPRIO` of at least `priority`, or `CAP_SYS_NICE`. Inside a control group without
/// real-time budget (`CONFIG_RT_GROUP_SCHED`) even root is refused; the step says which of these it
/// was.
pub fn request_fifo(priority: u8) -> Step {
    if !PRIORITIES.contains(&priority) {
        return Step::refused(
            FIFO,
            format!("priority {priority}"),
            "choose 1 to 98; 50 to 80 is usual",
        );
    }
    let parameter = libc::sched_param {
        sched_priority: libc::c_int::from(priority),
    };
    // SAFETY: 0 means this thread; the kernel only reads `parameter`.
    let result = unsafe {
        libc::sched_setscheduler(
            0,
            libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK,
            &raw const parameter,
        )
    };
    if result == 0 {
        return Step::granted(FIFO, format!("priority {priority}"));
    }
    let error = io::Error::last_os_error();
    let limit = getrlimit(Resource::Rtprio).current.unwrap_or(u64::MAX);
    if error.raw_os_error() != Some(libc::EPERM) {
        return Step::refused(
            FIFO,
            error.to_string(),
            "this kernel does not schedule that way",
        );
    }
    if limit < u64::from(priority) {
        Step::refused(
            FIFO,
            format!("priority {priority}: RLIMIT_RTPRIO is {limit} and CAP_SYS_NICE is missing"),
            "set LimitRTPRIO=98 or AmbientCapabilities=CAP_SYS_NICE in the unit, or rtprio in /etc/security/limits.conf",
        )
    } else {
        Step::refused(
            FIFO,
            format!(
                "priority {priority} is within RLIMIT_RTPRIO ({limit}): the control group has no real-time budget"
            ),
            "this kernel has CONFIG_RT_GROUP_SCHED: give the group cpu.rt_runtime_us, or run in the root group",
        )
    }
}

/// Returns the *calling thread* from SCHED_FIFO to the ordinary scheduler. Needs no privilege.
pub fn be_ordinary() -> Step {
    let parameter = libc::sched_param { sched_priority: 0 };
    // An unprivileged thread cannot clear the flag.
    let policy = libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK;
    // SAFETY: 0 means this thread; the kernel only reads `parameter`.
    let result = unsafe { libc::sched_setscheduler(0, policy, &raw const parameter) };
    if result == 0 {
        Step::granted(ORDINARY, "SCHED_OTHER")
    } else {
        Step::refused(
            ORDINARY,
            io::Error::last_os_error().to_string(),
            "it stays above others when not urgent",
        )
    }
}

/// Lowers the *calling thread* by `by` below others of the ordinary scheduler, in units of `nice`
/// (19 at most): it gets what they leave.
pub fn be_nice(by: i32) -> Step {
    // On Linux, niceness applies to a thread.
    match nice(by) {
        Ok(now) => Step::granted(NICE, now.to_string()),
        Err(errno) => Step::refused(
            NICE,
            format!("{by}: {}", io::Error::from(errno)),
            "it shares the processor with the others as an equal",
        ),
    }
}

/// Argument of `sched_setattr`, in its first published form.
#[repr(C)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Requests time slices of `slice_us` (100 to 100,000) for the *calling thread* of the ordinary
/// scheduler: it runs shorter at a stretch, and sooner after it wakes. Needs no privilege. Kernels
/// before 6.12 accept the request and ignore it.
pub fn ask_for_short_slices(slice_us: u32) -> Step {
    // On Linux, niceness applies to a thread; adding 0 changes nothing and returns the present
    // value.
    let niceness = nice(0).unwrap_or(0);
    let size = size_of::<Attributes>();
    let attributes = Attributes {
        size: u32::try_from(size).unwrap_or(0),
        policy: u32::try_from(libc::SCHED_OTHER).unwrap_or(0),
        flags: 0,
        nice: niceness,
        priority: 0,
        runtime_ns: u64::from(slice_us) * 1000,
        deadline_ns: 0,
        period_ns: 0,
    };
    // SAFETY: 0 means this thread, and no flags; the kernel reads `size` bytes of `attributes`,
    // which is that large.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if result == 0 {
        Step::granted(SLICE, format!("{slice_us} us"))
    } else {
        Step::refused(
            SLICE,
            io::Error::last_os_error().to_string(),
            "it waits for its turn as long as any other thread",
        )
    }
}

/// Raises the *calling thread* above others of the ordinary scheduler, to a niceness of `to` (-20
/// to -1). It stays below real-time threads and starves no thread: it gets a larger share of the
/// processor, and gets it sooner. `what` names the step.
///
/// Needs `RLIMIT_NICE` of at least `20 - to`, or `CAP_SYS_NICE`.
pub fn raise(what: &'static str, to: i32) -> Step {
    // SAFETY: plain integers; 0 is the calling thread.
    let result = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, to) };
    if result == 0 {
        return Step::granted(what, to.to_string());
    }
    let error = io::Error::last_os_error();
    let limit = getrlimit(Resource::Nice).current.unwrap_or(u64::MAX);
    Step::refused(
        what,
        format!("{to}: {error}; RLIMIT_NICE is {limit}"),
        "set LimitNICE=-10 in the unit, or nice in /etc/security/limits.conf; else busy programs delay it",
    )
}

/// Limits how long a real-time thread may use the processor without waiting once. After `soft_us`
/// the process gets SIGXCPU (see [`signals`](crate::signals)); after `hard_us` it is killed.
/// Otherwise a loop that never sleeps would lock up the machine.
pub fn limit_uninterrupted(soft_us: u64, hard_us: u64) -> Step {
    let old = getrlimit(Resource::Rttime);
    let hard = old.maximum.map_or(hard_us, |most| most.min(hard_us));
    let soft = soft_us.min(hard);
    match setrlimit(
        Resource::Rttime,
        Rlimit {
            current: Some(soft),
            maximum: Some(hard),
        },
    ) {
        Ok(()) => Step::granted(
            RTTIME,
            format!("warning after {soft} us, end after {hard} us"),
        ),
        Err(errno) => Step::refused(
            RTTIME,
            io::Error::from(errno).to_string(),
            "a runaway loop can lock up this processor",
        ),
    }
}

/// Keeps the *calling thread* on processor `cpu` (0-based).
pub fn pin_to(cpu: usize) -> Step {
    if cpu >= CpuSet::MAX_CPU {
        let reason = format!(
            "processor {cpu}: the system call knows only {}",
            CpuSet::MAX_CPU
        );
        return Step::refused(AFFINITY, reason, "choose a processor that exists");
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    match sched_setaffinity(None, &set) {
        Ok(()) => Step::granted(AFFINITY, format!("processor {cpu}")),
        Err(errno) => Step::refused(
            AFFINITY,
            format!("processor {cpu}: {}", io::Error::from(errno)),
            "choose a processor that exists and that the control group allows",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realtime::Outcome;

    /// Policy and priority of this thread, as the kernel reports them.
    fn scheduling() -> (i32, i32) {
        let mut parameter = libc::sched_param { sched_priority: -1 };
        // SAFETY: 0 means this thread; the kernel writes one `sched_param`.
        unsafe {
            (libc::sched_getscheduler(0), {
                libc::sched_getparam(0, &raw mut parameter);
                parameter.sched_priority
            })
        }
    }

    #[test]
    fn fifo_is_either_in_force_or_refused_with_a_reason() {
        // On a separate thread: the test harness's threads stay as they are.
        std::thread::spawn(|| {
            let step = request_fifo(10);
            match &step.outcome {
                Outcome::Granted(_) => {
                    assert_eq!(
                        scheduling(),
                        (libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, 10)
                    );
                    let child = std::thread::spawn(scheduling).join().unwrap();
                    assert_eq!(
                        child,
                        (libc::SCHED_OTHER, 0),
                        "a child thread does not inherit it"
                    );
                }
                Outcome::Refused { reason, help } => {
                    assert!(reason.contains("10") && !help.is_empty());
                    assert_eq!(scheduling().0, libc::SCHED_OTHER);
                }
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_thread_gives_its_priority_back_and_may_have_it_again() {
        std::thread::spawn(|| {
            let first = request_fifo(10).is_granted();
            assert!(be_ordinary().is_granted());
            assert_eq!(
                scheduling().0 & !libc::SCHED_RESET_ON_FORK,
                libc::SCHED_OTHER
            );
            assert_eq!(request_fifo(10).is_granted(), first);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn short_slices_are_asked_for_without_any_right() {
        std::thread::spawn(|| {
            let before = scheduling();
            let step = ask_for_short_slices(100);
            assert!(step.is_granted(), "{step}");
            assert_eq!(scheduling(), before, "the policy stays");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn the_kernels_own_priority_is_never_asked_for() {
        for priority in [0, 99, 255] {
            assert!(!request_fifo(priority).is_granted());
        }
        assert_eq!(scheduling().0, libc::SCHED_OTHER);
    }

    #[test]
    fn the_guard_is_set_and_never_looser_than_the_existing_one() {
        assert!(limit_uninterrupted(3_000_000, 4_000_000).is_granted());
        let now = getrlimit(Resource::Rttime);
        assert_eq!(
            (now.current, now.maximum),
            (Some(3_000_000), Some(4_000_000))
        );
        assert!(limit_uninterrupted(9_000_000, 9_000_000).is_granted());
        let now = getrlimit(Resource::Rttime);
        assert_eq!(
            (now.current, now.maximum),
            (Some(4_000_000), Some(4_000_000))
        );
    }

    #[test]
    fn a_thread_is_pinned_only_to_an_existing_processor() {
        std::thread::spawn(|| {
            let allowed = rustix::thread::sched_getaffinity(None).unwrap();
            let cpu = (0..CpuSet::MAX_CPU)
                .find(|cpu| allowed.is_set(*cpu))
                .unwrap();
            assert!(pin_to(cpu).is_granted());
            let now = rustix::thread::sched_getaffinity(None).unwrap();
            assert_eq!((now.count(), now.is_set(cpu)), (1, true));
            for absent in [CpuSet::MAX_CPU - 1, CpuSet::MAX_CPU, usize::MAX] {
                assert!(!pin_to(absent).is_granted());
            }
        })
        .join()
        .unwrap();
    }
}

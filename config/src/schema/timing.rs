//! `[loop]`: rate, clock, priority and processor of the haptic loop.

use crate::field::choice;
use crate::key::{boolean, integer};
use crate::macros::{choices, section};

choices! {
    /// What paces the haptic loop.
    pub enum Clock {
        /// Absolute deadlines on the host's monotonic clock.
        Host as "host",
        /// The input reports of the first `[[arm]]` of kind "hid".
        Device as "device",
    }
}

section! {
    /// The haptic loop: its rate, its clock, and its processor and priority.
    pub struct Loop {
        /// Ticks per second. With `clock = "device"`, the expected report rate of the device.
        rate_hz: u32 = integer(1000, 500, 8000).unit("Hz"),
        /// What paces the loop.
        clock: Clock = choice::<Clock>("host"),
        /// Time before each deadline at which the loop stops sleeping and spins. More costs
        /// processor time and makes the loop more punctual.
        spin_us: u32 = integer(200, 0, 1000).unit("us"),
        /// Real-time priority (SCHED_FIFO) that the loop asks for; 0: does not ask. If it is
        /// refused, the daemon says why and runs without it.
        rt_priority: u32 = integer(70, 0, 98),
        /// Processor that the loop is bound to, or "any".
        cpu_affinity: Option<u32> = integer(0, 0, 1023).or_word("any"),
        /// Whether to lock all memory of the daemon, so that the loop never waits for a page.
        lock_memory: bool = boolean(true),
        /// Largest number of feature pairs that one tick tests; at most `collision.pairs`. If more
        /// are near, the tick's motion is shortened until they fit. A small budget costs motion,
        /// never correctness, and contacts that hold keep their force.
        tick_budget_pairs: u32 = integer(1024, 16, 65536),
        /// Silence of the supervisor, in time of ticks that ran, after which the loop cuts all
        /// force. A machine that pauses is not counted as silent.
        silent_supervisor_ms: u32 = integer(90, 30, 1000).unit("ms"),
        /// The same for the thread that serves clients; after it, arms that touch a client's body
        /// fade to zero.
        silent_ipc_ms: u32 = integer(40, 15, 1000).unit("ms"),
    }
}

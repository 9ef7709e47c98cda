//! `[loop]`: rate, clock and the loop's right to the processor.

use crate::key::{boolean, choice, integer};
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
    /// The haptic loop: its rate, its clock and its right to the processor.
    pub struct Loop {
        /// Ticks per second.
        /// With `clock = "device"`, the rate that the device is expected to report at.
        rate_hz: u32 = integer(1000, 500, 8000).unit("Hz"),
        /// What paces the loop.
        clock: Clock = choice::<Clock>("host"),
        /// How long before each deadline the loop stops sleeping and spins.
        /// More costs processor time and makes the loop more punctual.
        spin_us: u32 = integer(200, 0, 1000).unit("us"),
        /// Real-time priority (SCHED_FIFO) that the loop asks for; 0 does not ask.
        /// Where it is refused the daemon says why and goes on without.
        rt_priority: u32 = integer(70, 0, 98),
        /// The processor that the loop is bound to, or "any".
        cpu_affinity: Option<u32> = integer(0, 0, 1023).or_word("any"),
        /// Lock all memory of the daemon, so that the loop never waits for a page.
        lock_memory: bool = boolean(true),
        /// Most feature pairs that one tick tests, no more than `collision.pairs`. Where more are
        /// near, the tick's motion is shortened until they fit: the budget costs motion, never
        /// truth, and contacts that are held keep their force.
        tick_budget_pairs: u32 = integer(1024, 16, 65536),
        /// For how many ticks' worth of time the supervisor may show no sign of life before the
        /// loop cuts all force. Only ticks that the loop ran count: a machine that pauses is not
        /// silent.
        silent_supervisor_ms: u32 = integer(90, 30, 1000).unit("ms"),
        /// The same of the thread that serves clients, before the arms that touch a client's body
        /// fade to zero.
        silent_ipc_ms: u32 = integer(40, 15, 1000).unit("ms"),
    }
}

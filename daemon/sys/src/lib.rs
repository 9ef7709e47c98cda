//! The operating system, as far as the daemon needs it: sealed shared memory, sockets that carry
//! descriptors, process watching, the clock, signals, and the rights and settings of a real-time
//! thread. Linux only.
//!
//! One of the three crates with `unsafe` (with `hapticd-sync` and the client ABI); everything it
//! exports is safe. Unless an item says "RT-callable" it makes system calls and does not belong in
//! the haptic loop.
//!
//! | module | what |
//! |---|---|
//! | [`block`] | shared memory that the daemon writes and clients cannot: memfd, map, seal |
//! | [`sealed_file`] | a sealed memory file from a client, checked and copied once |
//! | [`socket`] | unix SEQPACKET sockets: messages with descriptors, the peer's credentials |
//! | [`wake`] | waiting and waking: poll, eventfd, a wake-up line to another process, pidfd |
//! | [`descriptors`] | how many a process may have, and closing without waiting |
//! | [`folder`] | folders in which nobody else can put anything |
//! | [`clock`] | monotonic nanoseconds |
//! | [`process`] | the end of this process when the ordinary way to it is blocked |
//! | [`signals`] | signals as a descriptor |
//! | [`heap`] | the allocator, whose lock inherits priorities |
//! | [`realtime`] | priority, locked memory, power, affinity; each step says what was granted or why not |

pub mod block;
pub mod clock;
pub mod descriptors;
pub mod folder;
pub mod heap;
pub mod machine_memory;
pub mod pipe;
pub mod process;
pub mod realtime;
pub mod sealed_file;
pub mod signals;
pub mod socket;
pub mod wake;

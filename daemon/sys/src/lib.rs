//! The parts of the operating system that the daemon needs: sealed shared memory, sockets that
//! carry descriptors, process watching, the clock, signals, and the rights and settings of a
//! real-time thread. Linux only.
//!
//! One of the few crates with `unsafe`, next to `hapticd-sync` and others; everything it
//! exports is safe. Unless an item says "RT-callable" it makes system calls and does not belong in
//! the haptic loop.
//!
//! | module | what |
//! |---|---|
//! | [`block`] | shared memory that the daemon writes and clients cannot: memfd, map, seal |
//! | [`sealed_file`] | a sealed memory file from a client, checked and copied once |
//! | [`socket`] | unix SEQPACKET sockets: messages with descriptors, the peer's credentials |
//! | [`wake`] | waiting and waking: poll, eventfd, a wake-up line to another process, pidfd |
//! | [`descriptors`] | the process's limit on descriptors, and closing without waiting |
//! | [`folder`] | folders that only this user and root can write to |
//! | [`clock`] | monotonic nanoseconds |
//! | [`process`] | the end of this process when the ordinary way out is blocked |
//! | [`signals`] | signals as a descriptor |
//! | [`heap`] | the allocator, whose lock inherits priorities |
//! | [`machine_memory`] | memory that this process may take |
//! | [`pipe`] | pipes and devices for output, opened without waiting |
//! | [`realtime`] | priority, locked memory, power, affinity; each step reports what was granted or why not |

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

//! Hand-over primitives between the daemon's threads, and between the daemon and its clients.
//!
//! | module | from → to | what it keeps | full / empty | guarantee |
//! |---|---|---|---|---|
//! | [`seqlock`] | one writer → many readers, also in other processes | the newest value | a reader may find it [torn](seqlock::ReadError::Torn) | writer wait-free, reader bounded |
//! | [`seqlock::slice`] | the same | the same, of a length that is known only at run time | the same | the same |
//! | [`latest`] | one writer → one reader, same process | the newest value | never full, never empty | both sides wait-free |
//! | [`ring`] | one producer → one consumer, same process | every value, in order | `push` gives the value back and counts it | both sides wait-free |
//! | [`delivery`] | the same | the same | `send` gives the value back | the same, and the consumer may wait |
//!
//! All but [`delivery`] are callable from the haptic loop: after construction they do not allocate,
//! free, lock, wait or make a system call. The caller chooses which of the two ends lives on which
//! thread. Each end is `Send`, and none is `Clone` where a second one would break the single-writer
//! or single-reader rule.
//!
//! # Proof
//!
//! Every Release has a partner Acquire, and both carry the comment `SYNC POINT: name`. [`seqlock`],
//! [`latest`] and [`delivery`] have [loom](https://docs.rs/loom) models next to the code (the lock
//! of any length has separate ones). Each model has a *mutant twin*: the same model with one
//! ordering weakened, which must fail. A model that cannot detect the mutant proves nothing.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p hapticd-sync --lib loom_
//! ```
//!
//! Limits: loom treats `SeqCst` accesses as `AcqRel` (here only fences are `SeqCst`, which it does
//! model), and it does not explore load buffering. So it may miss a bug but does not invent one.
//! [`ring`] is a thin wrapper of `ringbuf`, which does not use loom's atomics: the models run
//! `ringbuf`'s algorithm with the same orderings, reimplemented in `ring/mocked.rs`.
//!
//! ThreadSanitizer expects an instrumented standard library (`-Zbuild-std`, component `rust-src`).
//! Without one it still checks this crate's code, once `tsan.supp` has named the standard library's
//! two false reports; it then finds a mailbox with relaxed swaps. (It does not understand the
//! seqlock's standalone fences; that lock has no plain accesses to race.)
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
//! TSAN_OPTIONS=suppressions=$PWD/daemon/sync/tsan.supp \
//!     cargo test -p hapticd-sync --target x86_64-unknown-linux-gnu --test stress
//! ```

pub mod delivery;
pub mod latest;
pub mod ring;
pub mod seqlock;
pub mod words;

mod loom;

pub use crate::loom::sync::AtomicU64;

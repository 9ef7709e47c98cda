//! Bounds on the work of an answer, for any meshes.
//!
//! # Theory
//!
//! The time of a search grows with the number of boxes near each other. For ordinary meshes of
//! tools and scans these are few. But a mesh can be built in which all boxes overlap, and one
//! thread answers all arms: the cost of one body delays all of them. So an answer has budgets. A
//! search that exhausts its budget reports the distance up to which its result is complete, and the
//! tool goes no further. Work that is not done costs motion near that body, never contact with any
//! other, and never penetration.
//!
//! Arms are answered in the order of the cost of their last answers. An arm in a costly mesh delays
//! the next answer of the others by one answer of its own, never by two.
//!
//! Bodies must not pay for each other. Each has a guaranteed even part of the budget
//! ([`SEARCHES`]). What they leave of it is shared evenly, in a second search, by those for which
//! their part was not enough. Neither depends on the order of the bodies or on a clock: equal
//! queries get equal answers.
//!
//! # Practice
//!
//! `cargo bench -p hapticd-scene --bench effort` counts the work, in tests of two boxes, some 20 ns
//! each. With mesh tools, the meshes of the demonstrations take up to 30,000 of the 262,144.
//! Filling a list of 4096 pairs takes 40,000 to 118,000 for any mesh, the most with a mesh of a
//! million triangles: half the budget. A ball takes 1,200 in the demonstrations and up to 19,000 of
//! its 65,536. Six times as much for the fullest lists would be 13 ms per answer, which is too late
//! for the other arms: the budget exists to prevent this.
//!
//! A mid-phase compares its candidates no faster than the CPU does: hence [`MAX_CANDIDATES`]. Where
//! that is exceeded, or where a search of the CPU would be given up, an answer with a mid-phase may
//! hold more than one without; both are correct. Otherwise they do not differ.

use hapticd_ccd::proximity::LEAF_WORK;
use hapticd_proxy::MAX_BODIES;

/// Budget of all searches of an answer: see [`hapticd_ccd::Proximity::query_within`].
pub const SEARCHES: u64 = 1 << 18;
/// Divisor of a mesh's budgets for a ball: it finds as many pairs as a mesh does with a sixth of
/// the tests.
pub const BALL: u64 = 4;
/// Maximum number of triangle pairs from a mid-phase that are compared, over all bodies of an
/// answer.
pub const MAX_CANDIDATES: usize = (SEARCHES / LEAF_WORK) as usize / 2;
/// Maximum number of boxes visited to determine whether the tool is inside one body, or crosses it.
pub const ENCLOSURE: u64 = 1 << 14;
/// Maximum number of boxes visited for this over all bodies of an answer. Each tested body gets an
/// even part of it, up to [`ENCLOSURE`].
pub const ENCLOSURES: u64 = 1 << 16;

/// Work of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerWork {
    /// Searches for pairs, in tests of two boxes.
    pub search: u64,
    /// Tests whether the tool is inside a body, in boxes visited.
    pub enclosure: u64,
    /// Bodies with a search that was given up.
    pub exhausted: usize,
    /// Bodies that count as enclosing the tool because the test was given up.
    pub undecided: usize,
}

/// Upper bound on the search work of an answer, including that of a mid-phase: a search exceeds its
/// part by less than one comparison.
pub const MAX_SEARCHES: u64 = SEARCHES + SEARCHES / 2 + 2 * MAX_BODIES as u64 * LEAF_WORK;

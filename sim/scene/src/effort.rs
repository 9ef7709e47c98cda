//! How much work an answer may take, whatever the meshes are.
//!
//! # Theory
//!
//! The time of a search grows with the boxes that are near each other. Of a mesh as tools and scans
//! make them these are few; but a mesh can be made of which all boxes overlap, and one thread
//! answers all arms: what one body costs, everybody waits for. So an answer has budgets. A search
//! that has used up its own says how far it is sure of what it found, and the tool goes no further:
//! work that is not done costs motion near that body, never contact with any other, and never
//! penetration.
//!
//! Arms are answered in the order of what their last answers took: an arm in a costly mesh makes
//! the others' next answers late by its own, never two of them.
//!
//! Bodies must not pay for each other. Each has an even part of the budget ([`SEARCHES`]) for
//! certain. What they leave of it is shared evenly by those for which their part was not enough, in
//! a second search. Neither depends on the order of the bodies, nor on a clock: equal queries get
//! equal answers.
//!
//! # Practice
//!
//! `cargo bench -p hapticd-scene --bench effort` counts it, in tests of two boxes, some 20 ns each.
//! Meshes of the demonstrations take up to 30,000 of the 262,144 with mesh tools. A list of 4096
//! pairs that fills takes 40,000 to 118,000 whatever it is of, the most with a mesh of a million
//! triangles: half the budget. A ball takes 1,200 in the demonstrations and up to 19,000 of its
//! 65,536. Six times as much for the fullest lists would be 13 ms an answer, which is too late for
//! the other arms: it is what the budget is there to prevent.
//!
//! A mid-phase is no faster at what it names than the CPU: [`NAMED`]. Where that is exceeded, or a
//! search of the CPU would be given up, an answer with a mid-phase may hold more than one without;
//! both are right. Nowhere else do they differ.

use hapticd_ccd::proximity::LEAF_WORK;
use hapticd_proxy::MAX_BODIES;

/// Work of all searches of an answer: see [`hapticd_ccd::Proximity::query_within`].
pub const SEARCHES: u64 = 1 << 18;
/// A ball finds as many pairs as a mesh does with a sixth of the tests, so it has this part of a
/// mesh's budgets.
pub const BALL: u64 = 4;
/// Triangle pairs that a mid-phase names, of all bodies of an answer together, which are compared.
pub const NAMED: usize = (SEARCHES / LEAF_WORK) as usize / 2;
/// Boxes that are visited to find out whether the tool is inside of one body, or crosses it.
pub const ENCLOSURE: u64 = 1 << 14;
/// The same of all bodies of an answer: each of those that are asked about has an even part of it,
/// up to [`ENCLOSURE`].
pub const ENCLOSURES: u64 = 1 << 16;

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerWork {
    /// Searches for pairs, in tests of two boxes.
    pub search: u64,
    /// Whether the tool is inside of something, in boxes visited.
    pub enclosure: u64,
    /// Bodies whose search was given up.
    pub exhausted: usize,
    /// Bodies that count as around the tool since finding out was given up.
    pub undecided: usize,
}

/// No answer takes more for its searches, those of a mid-phase included: a search exceeds its part
/// by less than a comparison.
pub const MAX_SEARCHES: u64 = SEARCHES + SEARCHES / 2 + 2 * MAX_BODIES as u64 * LEAF_WORK;

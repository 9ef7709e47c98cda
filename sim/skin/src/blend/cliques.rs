//! The maximal cliques of who may blend with whom in one place: the parts of a
//! [`Union`](super::Blending::Union).
//!
//! # Theory
//!
//! Where *blends with* is no equivalence (a hairpin: each primitive blends with its neighbours
//! along the strand, the legs do not blend with each other) there are no classes, whatever the
//! order (Triquet 2001, section 4.2.4). Its cliques there are: sets whose members all blend with
//! each other, as large as they can be. Let the potential of a place be the largest of the sums
//! over cliques,
//!
//! `F(x) = max over the maximal cliques C of those that reach x of Σ f_i(x), i in C`.
//!
//! * *It is one continuous potential.* No term is below 0, so a sum only grows with its set, and
//!   the maximum over the maximal cliques is that over *all* cliques of *all* primitives, reached
//!   or not: a maximum of finitely many continuous functions. That a primitive begins to reach a
//!   place changes the cliques there, and `F` by nothing, since it begins with 0. So its surface is
//!   an ordinary one, closed by every table of cubes.
//! * *It does not matter which set is looked at,* as long as it holds all that reach the place:
//!   what does not, adds 0. That is so in the bits, too. Terms are added in the order of their
//!   numbers, adding 0 changes no bit, and rounding keeps the order of sums: a clique that holds
//!   another has no lesser sum. So bricks that share a node agree on it, each with its own list.
//! * *Where blending is an equivalence* the maximal cliques are its classes, and `F` is the highest
//!   of their sums: the surfaces of all classes, without what of them lies inside of others. Two
//!   that overlap meet in a crease and do not melt; with a complete graph it is the sum of all.
//! * *What takes away* has no part in this, since a larger set could be lower: what is somewhere
//!   below 0 is added to the maximum, whoever blends with it.
//!
//! This is Cani and Desbrun's maximum over groups (1997; digest, section 4.2), with cliques for
//! groups. It is not smooth: where the highest clique changes the surface has a crease. Along a
//! strand whose window is longer than two radii, every clique that counts at a place on a straight
//! piece has the same members of those that reach it, and there is none.
//!
//! # Practice
//!
//! Bron and Kerbosch's search with Tomita's pivot, on bit sets: `O(3^(n/3))` at worst, which is the
//! number of cliques that there can be; of a strand there are no more than primitives. Both are
//! bounded: [`Cliques::find`] gives up at as many as it is told, and says so. Deterministic; does
//! not allocate once it has seen as many.

use super::{Set, members};

/// The search may take so many steps for each clique that is allowed: with a pivot it comes to one
/// within a few.
const STEPS: usize = 32;

/// There are more cliques than were asked for, or the search for them took too long. Not a fault
/// where a graph is as it comes: there is another way then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} maximal cliques among {members} primitives")]
pub struct TooManyCliques {
    /// How many primitives there are in the place.
    pub members: usize,
    /// How many cliques were allowed.
    pub most: usize,
}

/// Maximal cliques of one place. Work space: keep it.
#[derive(Clone, Debug, Default)]
pub struct Cliques {
    found: Vec<Set>,
    most: usize,
    steps: usize,
}

impl Cliques {
    /// Those among some of a place, `most` at most, `may` being who may blend with each of the
    /// place, itself among them, and they with it. None: there are no candidates.
    ///
    /// # Errors
    /// [`TooManyCliques`]: nothing is kept then.
    pub fn find(
        &mut self,
        may: &[Set],
        candidates: Set,
        most: usize,
    ) -> Result<&[Set], TooManyCliques> {
        self.found.clear();
        (self.most, self.steps) = (most, STEPS * most.max(1));
        let whole = members(candidates).all(|i| candidates & !may[i] == 0);
        let done = match (candidates, whole) {
            (0, _) => true,
            // As it is nearly everywhere.
            (_, true) if most > 0 => {
                self.found.push(candidates);
                true
            }
            _ => self.search(may, 0, candidates, 0),
        };
        if !done {
            self.found.clear();
            let members = candidates.count_ones() as usize;
            return Err(TooManyCliques { members, most });
        }
        Ok(&self.found)
    }

    /// The last that were found.
    #[must_use]
    pub fn cliques(&self) -> &[Set] {
        &self.found
    }

    /// All maximal cliques that hold `clique`, more of `open` and nobody of `closed`: whoever
    /// blends with all of it is in one of the two. False: too many.
    fn search(&mut self, may: &[Set], clique: Set, mut open: Set, mut closed: Set) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        if open == 0 {
            if closed == 0 {
                if self.found.len() == self.most {
                    return false;
                }
                self.found.push(clique);
            }
            return true;
        }
        // Every maximal clique holds the pivot, or one that does not blend with it: the first of
        // those who blend with most.
        let (mut fewest, mut branches) = (u32::MAX, open);
        for i in members(open | closed) {
            let apart = open & !(may[i] & !(1 << i));
            if apart.count_ones() < fewest {
                (fewest, branches) = (apart.count_ones(), apart);
            }
        }
        for i in members(branches) {
            let (bit, with) = (1 << i, may[i] & !(1 << i));
            if !self.search(may, clique | bit, open & with, closed & with) {
                return false;
            }
            open &= !bit;
            closed |= bit;
        }
        true
    }
}

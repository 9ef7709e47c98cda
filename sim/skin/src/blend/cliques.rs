//! Maximal cliques of the blending relation in one place: the parts of a
//! [`Union`](super::Blending::Union).
//!
//! # Theory
//!
//! Where *blends with* is not an equivalence there are no classes, whatever the order (Triquet
//! 2001, section 4.2.4). An example is a hairpin: each primitive blends with its neighbours along
//! the strand, but the legs do not blend with each other. Maximal cliques always exist: largest
//! sets of members that all blend with each other. Let the potential of a place be the largest of
//! the sums over cliques,
//!
//! `F(x) = max over the maximal cliques C of those that reach x of Σ f_i(x), i in C`.
//!
//! * *It is one continuous potential.* No term is negative, so a sum only grows with its set. The
//!   maximum over the maximal cliques is therefore that over *all* cliques of *all* primitives,
//!   whether they reach or not: a maximum of finitely many continuous functions. When a primitive
//!   begins to reach a place, the cliques there change but `F` does not, since its term starts
//!   at 0. So the surface is an ordinary one, closed by every table of cubes.
//! * *The set of candidates does not matter,* as long as it holds all that reach the place: the
//!   others add 0. This holds to the bit. Terms are added in the order of their numbers, adding 0
//!   changes no bit, and rounding preserves the order of sums: a clique that contains another has
//!   no smaller sum. So bricks that share a node agree on it, each with its own list.
//! * *Where blending is an equivalence* the maximal cliques are its classes, and `F` is the highest
//!   of their sums. The surface is that of all classes, without the parts inside another. Two that
//!   overlap meet in a crease and do not melt. With a complete graph `F` is the sum of all.
//! * *Negative terms* take no part, since a larger set could have a smaller sum. A primitive that
//!   is negative somewhere is added to the maximum, whatever it blends with.
//!
//! This is Cani and Desbrun's maximum over groups (1997; digest, section 4.2), with cliques for
//! groups. It is not smooth: the surface has a crease where the highest clique changes. Along a
//! strand with a window longer than two radii there is no crease: every clique that counts at a
//! place on a straight piece has the same members among those that reach it.
//!
//! # Practice
//!
//! Bron and Kerbosch's search with Tomita's pivot, on bit sets: `O(3^(n/3))` at worst, which is the
//! largest possible number of cliques. A strand has at most as many as primitives. Both the cliques
//! and the steps are bounded: [`Cliques::find`] gives up beyond its limit and reports that.
//! Deterministic; allocates only when it finds more cliques than ever before.

use super::{Set, members};

/// Search steps allowed for each permitted clique: with a pivot the search finds one within a few
/// steps.
const STEPS: usize = 32;

/// There are more cliques than the limit, or the search took too long. Not a caller's fault if the
/// graph is arbitrary: there is a fallback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} maximal cliques among {members} primitives")]
pub struct TooManyCliques {
    /// Number of primitives in the place.
    pub members: usize,
    /// Number of cliques allowed.
    pub most: usize,
}

/// Maximal cliques of one place. Work space, meant to be reused.
#[derive(Clone, Debug, Default)]
pub struct Cliques {
    found: Vec<Set>,
    most: usize,
    steps: usize,
}

impl Cliques {
    /// Finds the maximal cliques among candidates of a place, at most `most`. `may[i]` holds the
    /// members that blend with `i`, including itself; it must be symmetric. Empty if there are no
    /// candidates.
    ///
    /// # Errors
    /// [`TooManyCliques`]: nothing is kept.
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
            // The usual case.
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

    /// The cliques of the last successful search.
    #[must_use]
    pub fn cliques(&self) -> &[Set] {
        &self.found
    }

    /// Finds all maximal cliques that contain `clique`, any of `open` and none of `closed`; all
    /// that blend with the whole of `clique` are in one of the two. Returns false beyond the
    /// limits.
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
        // Every maximal clique contains the pivot or a member that does not blend with it. The
        // pivot is the first of those that blend with most.
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

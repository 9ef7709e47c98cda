//! Which surfaces went through which in a step: every crossing of a sheet with itself, with another
//! surface or with a rigid body, and of a solid with itself, or the proof that there is none.
//!
//! # Theory
//!
//! Between two steps every vertex moves on a straight line from where it was to where it is. Two
//! surfaces that meet on that way first meet at a vertex and a triangle or at two edges (Redon
//! 2002, section 1.3), and [`hapticd_ccd::first_contact_linear`] proves for one such pair that it
//! never meets, or finds when. What is left is to name all pairs that could.
//!
//! Vertices are registered in a multiresolution map where they are halfway (Pitiot 2015, chapter 5;
//! [`MovingPoints`]). The way of each vertex that yields is marched along, and the leaves that it
//! crosses are the seed: their lists and those of their rings name all vertices within a *reach* of
//! any place on the way. A pair that meets at `q` at some time is among the features of those,
//! because
//!
//! * the vertex of a triangle that is nearest to `q` is within `L / √3` of it, `L` its longest side
//!   (Jung's theorem); the nearer end of an edge is within `L / 2`. Lengths are convex in time: the
//!   longest is at the beginning or the end. The *core* is the longest of these;
//! * a vertex that goes as far as `D` in the step is never further than `D / 2` from where it is
//!   halfway. The *slack* is the longest of all cores and `D / 2` together;
//! * so from one feature's nearest vertex, which is on its march, to the other's, where that is
//!   halfway, are no more than core and slack together.
//!
//! Who is in the lists is held against whoever marches by boxes, over the whole step: the *star* of
//! a vertex is the box of all features at it, and a vertex meets a triangle only where it meets the
//! star of the triangle's nearest vertex. Two edges meet in those halves of theirs that end at the
//! vertices that name them, so the halves' boxes do. A way whose two ends are in the leaf that the
//! vertex is registered in is within that leaf, a cube, and needs no march.
//!
//! The reach is that, for all features but a few large ones (a floor's two triangles among the
//! hundreds of a cloth), which are held against everything by their boxes. Rigid vertices far from
//! everything that yields are not registered: whatever meets at `q` has a vertex within its own
//! half size of `q`, and `q` is where something yields.
//!
//! # What it says, and what not
//!
//! The lines between two states are what is judged, not the substeps between: what goes out and
//! comes back within a step has not gone through. Vertices of a rigid body go straight, too: a
//! point at a distance `r` of one that turns by an angle `a` in the step is thought of up to `r a²
//! / 8` off. Surfaces are where their vertices are, without thickness. Two different solids are not
//! looked at, since what rays push apart overlaps by design; nor are two rigid bodies.
//!
//! # Practice
//!
//! SI units, world axes. Deterministic, and what is found does not depend on earlier steps, nor its
//! order. Allocates while its tables grow. Not for the real-time thread: a microsecond or two a
//! vertex.

mod features;
mod search;

pub use features::{MeshFault, Nature, Surface};

use hapticd_ccd::{LinearContact, PairKind};
use hapticd_registration::points::MovingPoints;

use features::Features;
use search::Work;

/// Two features that meet in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// [`PairKind::VertexFace`] or [`PairKind::EdgeEdge`].
    pub kind: PairKind,
    /// Whose features, by place in the list of surfaces.
    pub surfaces: [u32; 2],
    /// The first one's vertices: a vertex three times, or an edge and the third corner of a
    /// triangle at it.
    pub a: [u32; 3],
    /// The second one's: a triangle, or an edge and the third corner of a triangle at it.
    pub b: [u32; 3],
    /// When and where, with the time as a fraction of the step.
    pub contact: LinearContact,
}

/// What a step's search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// All pairs that meet, or that could not be proven not to (those are not
    /// [`certain`](LinearContact::certain)); in the order of kind, surfaces and vertices.
    pub crossings: Vec<Crossing>,
    /// Vertices whose coordinates are no numbers: nothing is known of their features.
    pub unknown: u32,
    /// Pairs that were named by the seeds and whose boxes meet.
    pub tested: u32,
    /// Features that were held against everything, since they are too large for the lists.
    pub large: u32,
    /// Of the lists, m; 0 where there were none.
    pub reach_m: f64,
}

/// Finds crossings. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Crossings {
    features: Features,
    points: MovingPoints,
    work: Work,
    found: Found,
}

impl Crossings {
    /// Of nothing.
    #[must_use]
    pub fn new() -> Self {
        Crossings::default()
    }

    /// These surfaces from now on. Allocates.
    ///
    /// # Errors
    /// [`MeshFault`]: a triangle names a vertex that is not there. Then there are none.
    pub fn set_surfaces(&mut self, surfaces: &[Surface<'_>]) -> Result<(), MeshFault> {
        self.found = Found::default();
        self.work = Work::default();
        self.features.set(surfaces)
    }

    /// Where the vertices of a surface were and are, m. Where the lists are shorter than the
    /// surface the rest is unknown; what is too much is not looked at.
    pub fn place(
        &mut self,
        surface: usize,
        before: impl Iterator<Item = hapticd_geometry::Vec3>,
        after: impl Iterator<Item = hapticd_geometry::Vec3>,
    ) {
        self.features.place(surface, before, after);
    }

    /// Whether a surface touches anything, for the searches to come; all do at first.
    pub fn set_ghost(&mut self, surface: usize, ghost: bool) {
        self.features.set_ghost(surface, ghost);
    }

    /// Looks for all crossings between where everything was and where it is.
    pub fn find(&mut self) -> &Found {
        let Crossings {
            features,
            points,
            work,
            found,
        } = self;
        work.find(features, points, found);
        found
    }

    /// What the last search found.
    #[must_use]
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Where features of a crossing are, m, before and after the step: first side, second side.
    #[must_use]
    pub fn ways(&self, crossing: &Crossing) -> [[[hapticd_geometry::Vec3; 3]; 2]; 2] {
        self.features.ways(crossing)
    }
}

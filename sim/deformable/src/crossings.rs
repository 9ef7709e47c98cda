//! Finds the surfaces that went through each other in a step, or proves that there are none: every
//! crossing of a sheet with itself, with another surface or with a rigid body, and of a solid with
//! itself.
//!
//! # Theory
//!
//! Between two steps every vertex moves on a straight line. Two surfaces that meet during this
//! motion first meet at a vertex and a triangle or at two edges (Redon 2002, section 1.3). For one
//! such pair, [`hapticd_ccd::first_contact_linear`] proves that it never meets, or finds when. The
//! remaining task is to list all pairs that could.
//!
//! Vertices are registered in a multiresolution map at their halfway positions (Pitiot 2015,
//! chapter 5; [`MovingPoints`]). The path of each deformable vertex is marched, and the leaves that
//! it crosses are the seed: their lists and those of their rings contain all vertices within a
//! *reach* of any point of the path. A pair that meets at `q` at some time is among the features of
//! those vertices, because
//!
//! * the vertex of a triangle that is nearest to `q` is within `L / √3` of it, `L` its longest side
//!   (Jung's theorem); the nearer end of an edge is within `L / 2`. Lengths are convex in time, so
//!   the longest is at the start or the end. The *core* is the longest of these;
//! * a vertex that moves by at most `D` in the step is never further than `D / 2` from its halfway
//!   position. The *slack* is the longest of all cores and `D / 2` together;
//! * so from the nearest vertex of one feature, which is on its march, to the halfway position of
//!   the other's, the distance is at most core plus slack.
//!
//! The vertices in the lists are tested against the marching vertices by boxes over the whole step.
//! The *star* of a vertex is the box of all features at it, and a vertex meets a triangle only
//! where it meets the star of the triangle's nearest vertex. Two edges meet in the halves that end
//! at the vertices that name them, so the boxes of those halves meet. If both ends of a path are in
//! the leaf in which the vertex is registered, the path stays in that leaf, a cube, and needs no
//! march.
//!
//! The reach has this size for all features except a few large ones (a floor's two triangles among
//! the hundreds of a cloth). The large ones are tested against everything by their boxes. Rigid
//! vertices far from every deformable are not registered: any feature that meets at `q` has a
//! vertex within its half size of `q`, and `q` is where a deformable is.
//!
//! # What is proven and what is not
//!
//! The straight lines between two states are tested, not the substeps between: a feature that
//! passes through and returns within a step has not gone through. Vertices of a rigid body also
//! move straight: for a point at a distance `r` of one that rotates by an angle `a` in the step,
//! the error is up to `r a² / 8`. Surfaces are tested without thickness. Two different solids are
//! not tested, since objects that rays push apart overlap by design. Two rigid bodies are not
//! tested either.
//!
//! # Practice
//!
//! SI units, world axes. Deterministic; neither the result nor its order depends on earlier steps.
//! Allocates while its tables grow. Not for the real-time thread: one to two microseconds per
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
    /// Surfaces of the two features, as indices into the list of surfaces.
    pub surfaces: [u32; 2],
    /// Vertices of the first feature: a vertex three times, or an edge and the third corner of a
    /// triangle at it.
    pub a: [u32; 3],
    /// Vertices of the second feature: a triangle, or an edge and the third corner of a triangle at
    /// it.
    pub b: [u32; 3],
    /// Time and place of the contact; the time is a fraction of the step.
    pub contact: LinearContact,
}

/// Result of a step's search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// All pairs that meet, or that could not be proven not to meet (those are not
    /// [`certain`](LinearContact::certain)), in the order of kind, surfaces and vertices.
    pub crossings: Vec<Crossing>,
    /// Vertices whose coordinates are not finite: nothing is known about their features.
    pub unknown: u32,
    /// Pairs that the seeds listed and whose boxes meet.
    pub tested: u32,
    /// Features tested against everything because they are too large for the lists.
    pub large: u32,
    /// Reach of the lists, m; 0 if there were none.
    pub reach_m: f64,
}

/// Finds crossings. See the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct Crossings {
    features: Features,
    points: MovingPoints,
    work: Work,
    found: Found,
}

impl Crossings {
    /// Creates a finder without surfaces.
    #[must_use]
    pub fn new() -> Self {
        Crossings::default()
    }

    /// Sets the surfaces from now on. Allocates.
    ///
    /// # Errors
    /// [`MeshFault`] if a triangle refers to a vertex that does not exist. There are no surfaces
    /// then.
    pub fn set_surfaces(&mut self, surfaces: &[Surface<'_>]) -> Result<(), MeshFault> {
        self.found = Found::default();
        self.work = Work::default();
        self.features.set(surfaces)
    }

    /// Sets the positions of a surface's vertices before and after the step, m. If the lists are
    /// shorter than the surface, the remaining positions are unknown; excess entries are ignored.
    pub fn place(
        &mut self,
        surface: usize,
        before: impl Iterator<Item = hapticd_geometry::Vec3>,
        after: impl Iterator<Item = hapticd_geometry::Vec3>,
    ) {
        self.features.place(surface, before, after);
    }

    /// Sets whether a surface is a ghost, which touches nothing, for the coming searches; initially
    /// none is.
    pub fn set_ghost(&mut self, surface: usize, ghost: bool) {
        self.features.set_ghost(surface, ghost);
    }

    /// Finds all crossings between the positions before and after the step.
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

    /// Result of the last search.
    #[must_use]
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Positions of the features of a crossing, m, before and after the step: first side, second
    /// side.
    #[must_use]
    pub fn ways(&self, crossing: &Crossing) -> [[[hapticd_geometry::Vec3; 3]; 2]; 2] {
        self.features.ways(crossing)
    }
}

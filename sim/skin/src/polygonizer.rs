//! Somebody else who makes meshes: a GPU, for who must not know of one.

use std::fmt::Debug;

use crate::{Mesh, Primitive, Report, Settings};

/// Makes meshes of points that all blend, as [`Skin::polygonize`](crate::Skin::polygonize) does but
/// for rounding. What it does not do, or cannot do now, it refuses, and its caller does.
/// [`Skin::adopt`](crate::Skin::adopt) takes its mesh for the one that a skin has made last.
pub trait Polygonizer: Debug + Send {
    /// The surface of `primitives`, in place of what was in `out`. May block, for as long as it
    /// says itself. Of the report nothing is said of those lost.
    ///
    /// # Errors
    /// Why there is no mesh, for people; `out` is of no meaning then.
    fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, String>;
}

//! Interface to an external mesher, such as a GPU, for callers that must not depend on one.

use std::fmt::Debug;

use crate::{Mesh, Primitive, Report, Settings};

/// Meshes primitives that all blend, as [`Skin::polygonize`](crate::Skin::polygonize) does but for
/// rounding. It refuses what it does not support or cannot do now, and the caller does it instead.
/// [`Skin::adopt`](crate::Skin::adopt) takes its mesh as the last one of a skin.
pub trait Polygonizer: Debug + Send {
    /// Writes the surface of `primitives` to `out`, replacing its content. May block, for as long
    /// as the implementation states. The report does not say which primitives are lost.
    ///
    /// # Errors
    /// A reason, for people, why there is no mesh; `out` is then meaningless.
    fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, String>;

    /// Why it makes no more meshes, whatever it is asked; empty while it does.
    fn given_up(&self) -> &str {
        ""
    }
}

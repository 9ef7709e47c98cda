//! Implicit bodies: what their spheres hang together by, who blends, and how finely their skins are
//! made.

use crate::key::{choice, integer, number};
use crate::macros::{choices, section};

choices! {
    /// How the spheres of an implicit body hang together.
    pub enum Model {
        /// A solid of springs: spheres fill the shape, neighbours are tied.
        Springs as "springs",
        /// A wire, thread or gut along a `coil`, a `line` or `folds`.
        Strand as "strand",
        /// Drops that fill the shape, come to rest before the scene begins, and hang together by
        /// themselves.
        Fluid as "fluid",
        /// Nothing moves it: spheres fill the shape, or it is where the samples of a `volume` say.
        Fixed as "fixed",
    }
}

choices! {
    /// Who of a body's spheres blends with whom.
    pub enum Blending {
        /// All that come near: a coil fuses with itself.
        Free as "free",
        /// Those that are near along a strand, and drops that hang together; others press each
        /// other flat.
        Controlled as "controlled",
        /// Those that are near along a strand, and drops that hang together; others meet in a
        /// crease, and all is one skin: for strands that fold tightly.
        Creased as "creased",
        /// As `controlled`, and what is pressed swells around the contact: seen, not felt.
        Bulging as "bulging",
    }
}

section! {
    /// What a body of kind `implicit` is made of, beside its `density_kg_m3`.
    pub struct Implicit {
        /// How its spheres hang together.
        model: Model = choice::<Model>("springs"),
        /// Of the spheres that touch each other and rigid bodies. The surface of a lone one is
        /// where its sphere is; where many blend it lies further out.
        sphere_radius_m: f64 = number(0.008, 1e-4, 0.5).unit("m"),
        /// Of the spring between two neighbours, of springs and strands; of a fluid the stiffness
        /// of its drops.
        stiffness_n_per_m: f64 = number(400.0, 0.1, 1e6).unit("N/m"),
        /// How stiffly a strand resists bending (flexural rigidity); 0: a thread.
        bending_n_m2: f64 = number(1e-5, 0.0, 10.0).unit("N m2"),
        /// How strongly the drops of a fluid attract each other: at most its stiffness.
        cohesion_n_per_m: f64 = number(20.0, 0.0, 1e6).unit("N/m"),
        /// Rate at which drops of a fluid lose the speed that they approach each other with.
        viscosity_per_s: f64 = number(20.0, 0.0, 10_000.0).unit("1/s"),
        /// Viscosity over stiffness of springs and strands.
        damping_ms: f64 = number(5.0, 0.0, 100.0).unit("ms"),
        /// Who blends, of strands and fluids; the rest is one piece.
        blending: Blending = choice::<Blending>("free"),
        /// Edge of the cubes that the skin is made of, where there is time for it; without one, two
        /// fifths of the spheres' radius, or of a volume the distance of its samples.
        cell_m: Option<f64> = number(0.003, 1e-5, 0.5).unit("m").optional(crate::key::Literal::Number(0.003)),
    }
}

choices! {
    /// Who makes large skins: of bodies whose spheres all blend, from 1,000,000 expected triangles
    /// on.
    pub enum SkinGpu {
        /// The CPU makes all.
        Never as "never",
        /// A GPU, where there is one. What it does not make, or not in time, the CPU makes in the
        /// same frame.
        Large as "large",
    }
}

section! {
    /// The skin thread, which makes the meshes of implicit bodies for clients to draw. Nothing that
    /// is felt waits for it.
    pub struct Skin {
        /// Frames of all skins in a second. When there is too little time cubes become larger
        /// before frames become fewer.
        rate_hz: u32 = integer(60, 1, 200).unit("Hz"),
        /// Most triangles of one body's skin: room for so many is shared with clients, 60 bytes
        /// each.
        max_triangles: u32 = integer(100_000, 1_000, 2_000_000),
        /// Who makes large skins: `never` a GPU, or where there is one `large` ones, from 1,000,000
        /// expected triangles on, of bodies whose spheres all blend; `max_triangles` has to leave
        /// room for them.
        gpu: SkinGpu = choice::<SkinGpu>("never"),
    }
}

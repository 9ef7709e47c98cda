//! Implicit bodies: how their spheres hang together and blend, and how finely their skins are
//! meshed.

use hapticd_choices::Blending;

use crate::field::choice;
use crate::key::{integer, number};
use crate::macros::{choices, section};

choices! {
    /// How the spheres of an implicit body hang together.
    pub enum Model {
        /// A solid of springs: spheres fill the shape, and neighbours are tied to each other.
        Springs as "springs",
        /// A wire, thread or gut along a `coil`, a `line` or `folds`.
        Strand as "strand",
        /// A fluid: drops fill the shape, come to rest before the scene begins, and cohere.
        Fluid as "fluid",
        /// Nothing moves it: spheres fill the shape, or the samples of a `volume` define the
        /// surface.
        Fixed as "fixed",
    }
}

section! {
    /// Properties of a body of kind "implicit", in addition to its `density_kg_m3`.
    pub struct Implicit {
        /// How its spheres hang together.
        model: Model = choice::<Model>("springs"),
        /// Radius of the spheres, which touch each other and rigid bodies. The surface of a lone
        /// sphere is the sphere; where many blend, the surface lies further out.
        sphere_radius_m: f64 = number(0.008, 1e-4, 0.5).unit("m"),
        /// Stiffness of the spring between two neighbours, for springs and strands. For a fluid,
        /// stiffness of its drops.
        stiffness_n_per_m: f64 = number(400.0, 0.1, 1e6).unit("N/m"),
        /// Flexural rigidity of a strand, against bending; 0 for a thread.
        bending_n_m2: f64 = number(1e-5, 0.0, 10.0).unit("N m2"),
        /// How strongly the drops of a fluid attract each other; at most its `stiffness_n_per_m`.
        cohesion_n_per_m: f64 = number(20.0, 0.0, 1e6).unit("N/m"),
        /// Rate at which drops of a fluid lose the speed at which they approach each other.
        viscosity_per_s: f64 = number(20.0, 0.0, 10_000.0).unit("1/s"),
        /// Viscosity over stiffness, for springs and strands.
        damping_ms: f64 = number(5.0, 0.0, 100.0).unit("ms"),
        /// Which spheres of a strand or a fluid blend. Other models are one piece.
        blending: Blending = choice::<Blending>("free"),
        /// Edge of the cubes that the skin is meshed with, if there is time for it. Unset: two
        /// fifths of the spheres' radius; for a volume, the distance of its samples.
        cell_m: Option<f64> = number(0.003, 1e-5, 0.5).unit("m").optional(crate::key::Literal::Number(0.003)),
    }
}

choices! {
    /// Processor that makes large skins: those of bodies whose spheres all blend, from 1,000,000
    /// expected triangles.
    pub enum SkinGpu {
        /// The CPU makes every skin.
        Never as "never",
        /// A GPU makes large skins, if there is one. Skins that it does not make, or not in time,
        /// the CPU makes in the same frame.
        Large as "large",
    }
}

section! {
    /// The skin thread, which meshes implicit bodies for clients to draw. Forces never wait for it.
    pub struct Skin {
        /// Frames per second of all skins. If time is short, cubes grow before frames become fewer.
        rate_hz: u32 = integer(60, 1, 200).unit("Hz"),
        /// Largest number of triangles of one body's skin. Clients share memory for this many, 60
        /// bytes each.
        max_triangles: u32 = integer(100_000, 1_000, 2_000_000),
        /// Processor that makes large skins: those from 1,000,000 expected triangles, of bodies
        /// whose spheres all blend. `max_triangles` must be large enough for them.
        gpu: SkinGpu = choice::<SkinGpu>("never"),
    }
}

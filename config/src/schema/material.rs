//! `[[material]]`: stiffness, damping and friction of surfaces, which may change while the daemon
//! runs; force shading and restitution, which need a restart.

use crate::field::choice;
use crate::key::Literal::Text;
use crate::key::{name, number};
use crate::macros::{choices, section};

choices! {
    /// Which coarse meshes are rendered as the smooth surface that they stand for.
    pub enum ForceShading {
        /// None: every mesh is rendered as it is.
        Off as "off",
        /// Meshes of bodies whose shape is round: `icosphere`, `cylinder`, `torus`, `terrain`.
        Shapes as "shapes",
        /// Meshes of all bodies, those from files included.
        All as "all",
    }
}

section! {
    /// How surfaces feel.
    pub struct Material {
        /// Name that bodies refer to. Unique.
        name: String = name().required(Text("wood")),
        /// Stiffness of the contact per metre in the world. What the arm can render stably limits
        /// it further. When a tool touches several materials at once, each applies to its own
        /// contacts.
        stiffness_n_per_m: f64 = number(800.0, 1.0, 100_000.0).unit("N/m").live(),
        /// Damping of the contact.
        damping_n_s_per_m: f64 = number(0.5, 0.0, 1000.0).unit("N s/m").live(),
        /// Coefficient of Coulomb friction.
        friction_coefficient: f64 = number(0.3, 0.0, 2.0).live(),
        /// Which coarse meshes are rendered as the smooth surface that they stand for. Works for
        /// ball tools, where triangles meet at less than 30 degrees and the smooth surface lies
        /// within 0.25 mm of them. Planes and edges are rendered as they are. So are bodies that
        /// forces move; surfaces that lie further from their triangles anywhere, or that have a
        /// valley with a radius below 2.5 times the tool's; and everything that a tool touches
        /// while it also touches another surface. Costs 53 bytes per triangle, and 5 us or more in
        /// half of the ticks in contact.
        force_shading: ForceShading = choice::<ForceShading>("shapes"),
        /// Share of its speed that a dynamic body keeps when it bounces off. Of two materials, the
        /// larger value applies.
        restitution: f64 = number(0.0, 0.0, 1.0),
    }
}

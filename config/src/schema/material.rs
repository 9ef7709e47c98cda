//! `[[material]]`: how surfaces feel. Every number may change while the daemon runs.

use crate::key::Literal::Text;
use crate::key::{choice, name, number};
use crate::macros::{choices, section};

choices! {
    /// Which coarse meshes are felt as the smooth surface that they stand for.
    pub enum ForceShading {
        /// Every mesh is felt as it is.
        Off as "off",
        /// Those of bodies whose shape is round: `icosphere`, `cylinder`, `torus`, `terrain`.
        Shapes as "shapes",
        /// Those of all bodies, files among them.
        All as "all",
    }
}

section! {
    /// How surfaces feel.
    pub struct Material {
        /// What bodies refer to. Unique.
        name: String = name().required(Text("wood")),
        /// Stiffness of the contact, by metres of the world. What the arm can render stably limits
        /// it further. Of several materials that are touched at once each answers for its own
        /// contacts.
        stiffness_n_per_m: f64 = number(800.0, 1.0, 100_000.0).unit("N/m").live(),
        /// Damping of the contact.
        damping_n_s_per_m: f64 = number(0.5, 0.0, 1000.0).unit("N s/m").live(),
        /// Friction coefficient of Coulomb's law.
        friction_coefficient: f64 = number(0.3, 0.0, 2.0).live(),
        /// Which coarse meshes are felt as the smooth surface that they stand for: by balls, where
        /// triangles meet at less than 30 degrees and that surface lies within 0.25 mm of them.
        /// Planes and edges are felt as they are, and so are bodies that forces move, surfaces that
        /// somewhere lie further from their triangles or have a valley with a radius below 2.5
        /// times the tool's, and whatever a tool that touches another surface too touches. Takes 53
        /// bytes a triangle, and half of the ticks in contact 5 us or more.
        force_shading: ForceShading = choice::<ForceShading>("shapes"),
        /// How much of its speed a dynamic body keeps when it bounces off. Of two materials the
        /// bouncier one counts.
        restitution: f64 = number(0.0, 0.0, 1.0),
    }
}

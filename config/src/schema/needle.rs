//! Needles, the tissue that they go into, and the structures that they meet in it.

use crate::key::Literal::Text;
use crate::key::{name, number};
use crate::macros::section;

section! {
    /// Properties of a body of kind "needle", in addition to its shape: a cylinder whose length is
    /// the distance from hub to tip. The needle points along -z of the arm's tool, which is its hub
    /// and must be a sphere. The pose of the body does not matter.
    pub struct Needle {
        /// Name of the `[[arm]]` that holds it.
        arm: Option<String> = name().optional(Text("right")),
        /// Curvature that the bevel of the tip gives to the path; 0: straight. Turning the needle
        /// about its axis turns the bevel.
        curvature_1_m: f64 = number(4.0, 0.0, 100.0).unit("1/m"),
        /// Length of the pieces that the path of the shaft is a chain of. A piece is locked once
        /// the tip has passed it.
        segment_m: f64 = number(0.002, 1e-4, 0.05).unit("m"),
    }
}

section! {
    /// Properties of a body of kind "structure", as a needle meets it.
    pub struct Structure {
        /// Force at which its surface is pierced, each time that the tip goes through. "never": it
        /// is bone, and stops the tip.
        puncture_force_n: Option<f64> = number(0.5, 0.0, 100.0).unit("N").or_word("never"),
    }
}

section! {
    /// The layers of the body of kind "tissue", from its top down. Without any, the tissue is one
    /// layer with the defaults of these keys.
    pub struct Layer {
        /// Name for people to read. Unique.
        name: String = name().required(Text("skin")),
        /// Thickness from its upper to its lower side. The last layer reaches to the bottom of the
        /// tissue.
        thickness_m: f64 = number(0.01, 1e-4, 1.0).unit("m"),
        /// Stiffness under the tip until the layer is pierced or cut.
        stiffness_n_per_m: f64 = number(400.0, 1.0, 100_000.0).unit("N/m"),
        /// Force at which its surface is pierced; at least `cutting_force_n`.
        puncture_force_n: f64 = number(0.8, 0.0, 100.0).unit("N"),
        /// Force at the tip that cutting takes.
        cutting_force_n: f64 = number(0.2, 0.0, 100.0).unit("N"),
        /// Friction per metre of shaft in the layer.
        friction_n_per_m: f64 = number(15.0, 0.0, 10_000.0).unit("N/m"),
        /// Lateral stiffness per metre of shaft in the layer.
        lateral_n_per_m2: f64 = number(20_000.0, 0.0, 10_000_000.0).unit("N/m2"),
    }
}

//! Needles, the tissue that they go into, and what they meet in it.

use crate::key::Literal::Text;
use crate::key::{name, number};
use crate::macros::section;

section! {
    /// What a body of kind `needle` is like, beside its shape: a cylinder, whose length is that
    /// from the hub to the tip. It points along -z of the arm's tool, which is its hub: a sphere.
    /// Where the body is placed does not matter.
    pub struct Needle {
        /// The `[[arm]]` that holds it.
        arm: Option<String> = name().optional(Text("right")),
        /// How much the bevel of its tip bends its way; 0: straight. Turning the needle about its
        /// axis turns the bevel.
        curvature_1_m: f64 = number(4.0, 0.0, 100.0).unit("1/m"),
        /// Length after which a piece of its shaft is locked: its way is a chain of such pieces.
        segment_m: f64 = number(0.002, 1e-4, 0.05).unit("m"),
    }
}

section! {
    /// What a body of kind `structure` is to a needle.
    pub struct Structure {
        /// Force at which its surface is pierced, each time that the tip goes through it. "never":
        /// it is bone, and stops the tip.
        puncture_force_n: Option<f64> = number(0.5, 0.0, 100.0).unit("N").or_word("never"),
    }
}

section! {
    /// The layers of the body of kind `tissue`, from its top down. Without any it is one layer with
    /// the defaults of these keys.
    pub struct Layer {
        /// What people call it. Unique.
        name: String = name().required(Text("skin")),
        /// From its upper side to its lower. The last layer goes on to the bottom of the tissue.
        thickness_m: f64 = number(0.01, 1e-4, 1.0).unit("m"),
        /// How stiffly it gives way under the tip until it is pierced or cut.
        stiffness_n_per_m: f64 = number(400.0, 1.0, 100_000.0).unit("N/m"),
        /// Force at which its surface is pierced; no less than `cutting_force_n`.
        puncture_force_n: f64 = number(0.8, 0.0, 100.0).unit("N"),
        /// Force that cutting it takes at the tip.
        cutting_force_n: f64 = number(0.2, 0.0, 100.0).unit("N"),
        /// Friction on each metre of the shaft that is in it.
        friction_n_per_m: f64 = number(15.0, 0.0, 10_000.0).unit("N/m"),
        /// Lateral stiffness that each metre of the shaft in it adds.
        lateral_n_per_m2: f64 = number(20_000.0, 0.0, 10_000_000.0).unit("N/m2"),
    }
}

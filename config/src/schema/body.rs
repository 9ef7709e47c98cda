//! `[[body]]`: what is in the scene from the start.

use crate::key::Literal::{Number, Numbers, Text};
use crate::key::{boolean, choice, direction, flatten, integer, name, number, numbers, table};
use crate::macros::{choices, section, variants};
use crate::schema::{Fabric, Implicit, Needle, Pinned, Placement, Shape, Structure, Substance};

choices! {
    /// Who moves a body.
    pub enum BodyKind {
        /// Nobody.
        Static as "static",
        /// An application or its own `motion`; tools are pushed by it and never push it.
        Kinematic as "kinematic",
        /// Forces: gravity, contact and friction with other bodies, and the tools that push it. It
        /// must be solid.
        Dynamic as "dynamic",
        /// Forces, and it gives way to them: a solid of `soft` stuff. Tools are held by it and dent
        /// it; rigid bodies push it and are not pushed.
        Soft as "soft",
        /// The same of a sheet of `cloth`.
        Cloth as "cloth",
        /// Forces: `copies` loose rigid bodies, more than `dynamic` ones can be, in the simulation
        /// of soft bodies: those push them and are pushed. A tool that is fast enough gets into
        /// one. They must be solid.
        Crowd as "crowd",
        /// Forces, and a smooth surface over what they move: spheres that hang together as
        /// `implicit` says, blended. Tools feel the very potential that its skin is made of. Rigid
        /// bodies push it and are not pushed; soft ones it does not meet.
        Implicit as "implicit",
        /// Nobody: a cuboid that needles go into, of the file's `[[layer]]`s. Only needles meet it.
        /// One in a scene.
        Tissue as "tissue",
        /// Nobody: something in the tissue that needles meet and nothing else does: a membrane or
        /// vessel that is pierced, or bone, which is not and must be closed.
        Structure as "structure",
        /// The arm that `needle` names: a needle at the arm's tool, felt as it goes in.
        Needle as "needle",
    }
}

variants! {
    /// How a kinematic body moves by itself.
    pub enum Motion by "kind" = choice::<Motion>("none"); {
        /// It stays where it is until an application moves it.
        None as "none" {},
        /// Its position swings like a sine around where it was placed.
        Oscillation as "oscillation" {
            /// Greatest displacement along x, y and z of the world.
            amplitude_m: [f64; 3] = numbers(&[0.0, 0.0, 0.0], -10.0, 10.0).unit("m").required(Numbers(&[0.03, 0.0, 0.0])),
            /// Time of one full swing.
            period_s: f64 = number(4.0, 0.1, 3600.0).unit("s").required(Number(4.0)),
        },
        /// It turns at constant speed about its own origin.
        Rotation as "rotation" {
            /// Axis in the world, right-handed; its length does not matter.
            axis: [f64; 3] = direction(&[0.0, 0.0, 1.0]),
            /// Time of one full turn.
            period_s: f64 = number(10.0, 0.1, 3600.0).unit("s").required(Number(10.0)),
        },
    }
}

section! {
    /// What the tools can touch before any application adds to it.
    pub struct Body {
        /// What clients call it. Unique.
        name: String = name().required(Text("floor")),
        /// Who moves it.
        kind: BodyKind = choice::<BodyKind>("static"),
        /// What it looks like.
        shape: Shape = table::<Shape>().required(Text("cuboid")),
        /// Where it is at the start.
        world_from_body: Placement = flatten::<Placement>(),
        /// How it moves by itself. Only for kinematic bodies.
        motion: Motion = table::<Motion>(),
        /// The `[[material]]` of its surface; without one, the defaults of a material.
        material: Option<String> = name().optional(Text("wood")),
        /// Whether it has an inside. A mesh that is not closed can only be `false`: it is then
        /// touched from both sides.
        solid: bool = boolean(true),
        /// Density of a dynamic, soft or implicit body and of those of a crowd, of the whole of its
        /// inside.
        density_kg_m3: f64 = number(1000.0, 1.0, 30_000.0).unit("kg/m3"),
        /// What a soft body is made of.
        soft: Substance = table::<Substance>(),
        /// What a cloth is made of.
        cloth: Fabric = table::<Fabric>(),
        /// What an implicit body is made of.
        implicit: Implicit = table::<Implicit>(),
        /// What a needle is like.
        needle: Needle = table::<Needle>(),
        /// What a structure in the tissue is like.
        structure: Structure = table::<Structure>(),
        /// How many a crowd is. They start in a heap as wide as it is deep, side by side and in
        /// layers; the lowest stands where one body would.
        copies: u32 = integer(1, 1, 255),
        /// What holds a soft body, a cloth or an implicit body.
        pinned: Pinned = choice::<Pinned>("none"),
    }
}

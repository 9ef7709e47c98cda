//! `[[body]]`: bodies that are in the scene from the start.

use crate::field::{choice, flatten, table};
use crate::key::Literal::{Number, Numbers, Text};
use crate::key::{boolean, direction, integer, name, number, numbers};
use crate::macros::{choices, section, variants};
use crate::schema::{Fabric, Implicit, Needle, Pinned, Placement, Shape, Structure, Substance};

choices! {
    /// What moves a body, and what it is.
    pub enum BodyKind {
        /// Nothing moves it.
        Static as "static",
        /// An application or its own `motion` moves it. It pushes tools; tools never push it.
        Kinematic as "kinematic",
        /// Forces move it: gravity, contact and friction with other bodies, and tools that push it.
        /// It must be solid.
        Dynamic as "dynamic",
        /// A soft solid with the properties in `soft`: forces move and deform it. It stops tools,
        /// and tools dent it. Rigid bodies push it and are not pushed back.
        Soft as "soft",
        /// As "soft", for a sheet with the properties in `cloth`.
        Cloth as "cloth",
        /// `copies` loose rigid bodies, more than "dynamic" allows, in the simulation of
        /// deformables: soft solids push them and are pushed. A tool that is fast enough enters
        /// one. They must be solid.
        Crowd as "crowd",
        /// Spheres that hang together as `implicit` says, under one smooth surface. Forces move
        /// them. Tools feel the same potential that the skin is made of. Rigid bodies push it and
        /// are not pushed back; it does not meet soft solids.
        Implicit as "implicit",
        /// A cuboid of tissue that needles go into, made of the file's `[[layer]]`s. Nothing moves
        /// it, and only needles meet it. At most one in a scene.
        Tissue as "tissue",
        /// A structure in the tissue that only needles meet: a membrane or vessel, which the needle
        /// pierces, or bone, which it cannot pierce and which must be closed. Nothing moves it.
        Structure as "structure",
        /// A needle on the tool of the arm that `needle` names. The hand feels it go in.
        Needle as "needle",
    }
}

variants! {
    /// How a kinematic body moves without an application.
    pub enum Motion by "kind" = choice::<Motion>("none"); {
        /// It stays in place until an application moves it.
        None as "none" {},
        /// Its position follows a sine about the place where it starts.
        Oscillation as "oscillation" {
            /// Amplitude along x, y and z of the world.
            amplitude_m: [f64; 3] = numbers(&[0.0, 0.0, 0.0], -10.0, 10.0).unit("m").required(Numbers(&[0.03, 0.0, 0.0])),
            /// Duration of one full oscillation.
            period_s: f64 = number(4.0, 0.1, 3600.0).unit("s").required(Number(4.0)),
        },
        /// It turns at constant speed about its own origin.
        Rotation as "rotation" {
            /// Axis of rotation in the world, right-handed; its length does not matter.
            axis: [f64; 3] = direction(&[0.0, 0.0, 1.0]),
            /// Duration of one full turn.
            period_s: f64 = number(10.0, 0.1, 3600.0).unit("s").required(Number(10.0)),
        },
    }
}

section! {
    /// The bodies that are in the scene before an application adds any. Properties of another kind
    /// are refused.
    pub struct Body {
        /// Name that clients use. Unique.
        name: String = name().required(Text("floor")),
        /// What moves the body, and what it is.
        kind: BodyKind = choice::<BodyKind>("static"),
        /// Geometry of the body.
        shape: Shape = table::<Shape>().required(Text("cuboid")),
        /// Pose at the start.
        world_from_body: Placement = flatten::<Placement>(),
        /// How the body moves without an application. Only for kinematic bodies.
        motion: Motion = table::<Motion>(),
        /// Name of the `[[material]]` of its surface. Unset: the defaults of a material.
        material: Option<String> = name().optional(Text("wood")),
        /// Whether the body has an inside. An open mesh must be `false`; tools then touch it from
        /// both sides.
        solid: bool = boolean(true),
        /// Density, over the whole inside, of a dynamic, soft or implicit body and of each body of
        /// a crowd.
        density_kg_m3: f64 = number(1000.0, 1.0, 30_000.0).unit("kg/m3"),
        /// Properties of a soft solid.
        soft: Substance = table::<Substance>(),
        /// Properties of a cloth.
        cloth: Fabric = table::<Fabric>(),
        /// Properties of an implicit body.
        implicit: Implicit = table::<Implicit>(),
        /// Properties of a needle.
        needle: Needle = table::<Needle>(),
        /// Properties of a structure in the tissue.
        structure: Structure = table::<Structure>(),
        /// Number of bodies in a crowd. They start in a heap as wide as it is deep, in rows and
        /// layers; the lowest layer starts at the height of a single body. Each is named by the
        /// crowd's name, a space and its number.
        copies: u32 = integer(1, 1, 255),
        /// Which points of a soft solid, a cloth or an implicit body are fixed.
        pinned: Pinned = choice::<Pinned>("none"),
    }
}

//! Soft bodies and cloth: what they are made of, and how their simulation is stepped.

use crate::key::{choice, integer, number};
use crate::macros::{choices, section};

choices! {
    /// Which points of a soft body, a cloth or an implicit body never move.
    pub enum Pinned {
        /// None: it falls.
        None as "none",
        /// Its lowest layer, in the world.
        Bottom as "bottom",
        /// Both ends of a strand.
        Ends as "ends",
        /// The corners of a sheet.
        Corners as "corners",
        /// The whole border of a sheet.
        Border as "border",
    }
}

section! {
    /// What a body of kind `soft` is made of, beside its `density_kg_m3`.
    pub struct Substance {
        /// Young's modulus: fat some 2 kPa, muscle 10 kPa to 100 kPa, rubber a few MPa.
        young_modulus_pa: f64 = number(20_000.0, 100.0, 1e8).unit("Pa"),
        /// Poisson's ratio: how much it bulges sideways; 0.5 would keep its volume.
        poisson_ratio: f64 = number(0.4, 0.0, 0.49),
        /// Viscosity over stiffness. Times above that of a substep make it softer than asked for.
        damping_ms: f64 = number(0.5, 0.0, 100.0).unit("ms"),
        /// Boxes of finite elements along its longest side. The surface is refined to match.
        cells: u32 = integer(12, 1, 40),
    }
}

section! {
    /// What a body of kind `cloth` is made of.
    pub struct Fabric {
        /// Mass of a square metre.
        density_kg_m2: f64 = number(0.2, 0.01, 10.0).unit("kg/m2"),
        /// Tension that stretches a strip of any width by its own length, over that width.
        stretch_n_per_m: f64 = number(5_000.0, 10.0, 1e6).unit("N/m"),
        /// Stiffness against bending (flexural rigidity); 0: limp.
        bending_nm: f64 = number(1e-4, 0.0, 1.0).unit("N m"),
        /// Viscosity over stiffness.
        damping_ms: f64 = number(0.5, 0.0, 100.0).unit("ms"),
        /// From face to face.
        thickness_m: f64 = number(0.002, 0.0002, 0.02).unit("m"),
    }
}

choices! {
    /// What is done about surfaces that go through each other between two steps.
    pub enum Continuous {
        /// Nobody looks.
        Off as "off",
        /// They are counted, and `hapticd status` tells.
        Count as "count",
        /// The step is made again with what met as contacts, eight times at most; points of cloth
        /// that nothing else helps stay where they were. What goes through even so is counted.
        Hold as "hold",
    }
}

choices! {
    /// What finds spheres of implicit bodies near each other.
    pub enum Neighbours {
        /// A table of cells, filled again at each step.
        Hash as "hash",
        /// Cells of a mesh around them, refined where they crowd, in whose lists they stay while
        /// they do not leave a cell.
        Registration as "registration",
    }
}

section! {
    /// The simulation of soft bodies and cloth, on a thread of its own.
    pub struct Soft {
        /// Time of a step. Between steps the loop follows the surfaces by itself.
        step_ticks: u32 = integer(4, 1, 50).unit("ticks"),
        /// Parts of a step. More make stiff things stiffer, and cost in proportion.
        substeps: u32 = integer(8, 1, 100),
        /// What is done about cloth that goes through itself, a soft body, a rigid body or a tool
        /// between two steps, and soft bodies that go through themselves. Not between two soft
        /// bodies, nor between a soft body and a rigid one or a tool: rays push those apart, and
        /// they overlap by design. Pinned points are looked at, but no contact moves them, and
        /// points of soft bodies cannot be stopped. To look costs as much as a step of a small
        /// cloth or two; a step that is made again costs both once more.
        continuous: Continuous = choice::<Continuous>("off"),
        /// What finds the spheres of implicit bodies that may touch. Both find the same, so bodies
        /// and recordings are the same to the bit; they differ in time.
        neighbours: Neighbours = choice::<Neighbours>("hash"),
    }
}

//! Soft solids and cloth: their material properties, and how deformables are stepped.

use crate::field::choice;
use crate::key::{integer, number};
use crate::macros::{choices, section};

choices! {
    /// Points of a soft solid, a cloth or an implicit body that never move.
    pub enum Pinned {
        /// None: the body falls.
        None as "none",
        /// Its lowest layer, fixed in the world.
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
    /// Properties of a body of kind "soft", in addition to its `density_kg_m3`.
    pub struct Substance {
        /// Young's modulus. Fat has about 2 kPa, muscle 10 kPa to 100 kPa, rubber a few MPa.
        young_modulus_pa: f64 = number(20_000.0, 100.0, 1e8).unit("Pa"),
        /// Poisson's ratio: how much the body bulges sideways. At 0.5 it would keep its volume.
        poisson_ratio: f64 = number(0.4, 0.0, 0.49),
        /// Viscosity over stiffness. A value above the time of a substep makes the body softer than
        /// `young_modulus_pa` says.
        damping_ms: f64 = number(0.5, 0.0, 100.0).unit("ms"),
        /// Finite-element boxes along the longest side. The surface is refined to match.
        cells: u32 = integer(12, 1, 40),
    }
}

section! {
    /// Properties of a body of kind "cloth".
    pub struct Fabric {
        /// Mass per square metre.
        density_kg_m2: f64 = number(0.2, 0.01, 10.0).unit("kg/m2"),
        /// Tension per metre of width that stretches a strip by its own length.
        stretch_n_per_m: f64 = number(5_000.0, 10.0, 1e6).unit("N/m"),
        /// Flexural rigidity, against bending; 0: limp.
        bending_nm: f64 = number(1e-4, 0.0, 1.0).unit("N m"),
        /// Viscosity over stiffness.
        damping_ms: f64 = number(0.5, 0.0, 100.0).unit("ms"),
        /// Distance from face to face.
        thickness_m: f64 = number(0.002, 0.0002, 0.02).unit("m"),
    }
}

choices! {
    /// What happens when surfaces pass through each other between two steps.
    pub enum Continuous {
        /// Nothing: no test.
        Off as "off",
        /// The crossings are counted; `hapticd status` shows the number.
        Count as "count",
        /// The step is repeated with the crossings as contacts, at most eight times. Points of
        /// cloth that are still not held stay where they were. Crossings that remain are counted.
        Hold as "hold",
    }
}

choices! {
    /// Algorithm that finds neighbouring spheres of implicit bodies.
    pub enum Neighbours {
        /// A hash table of cells, filled again at each step.
        Hash as "hash",
        /// Cells of a mesh around the spheres, refined where they crowd. A sphere stays in the
        /// lists of its cell until it leaves the cell.
        Registration as "registration",
    }
}

section! {
    /// The simulation of deformables (soft solids, cloth, crowds, implicit bodies), on a separate
    /// thread.
    pub struct Deformable {
        /// Time of a step. Between steps the loop follows the surfaces on its own.
        step_ticks: u32 = integer(4, 1, 50).unit("ticks"),
        /// Substeps per step. More make stiff bodies stiffer; the cost grows in proportion.
        substeps: u32 = integer(8, 1, 100),
        /// What happens when cloth passes through itself, a soft solid, a rigid body or a tool
        /// between two steps, and when a soft solid passes through itself. Does not cover two soft
        /// solids, nor a soft solid and a rigid body or a tool: rays push those apart, and they
        /// overlap by design. Pinned points are tested, but no contact moves them; points of soft
        /// solids cannot be stopped. The test costs as much as one or two steps of a small cloth;
        /// each repeated step costs test and step once more.
        continuous: Continuous = choice::<Continuous>("off"),
        /// Algorithm that finds the spheres of implicit bodies that may touch. Both find the same
        /// spheres: bodies and recordings are the same to the bit, only the computing time differs.
        neighbours: Neighbours = choice::<Neighbours>("hash"),
    }
}
